# The kinds, their validation and the scheme that lists them.
asyncops_library(asyncops_api
  SOURCES
    asyncops/v1alpha1/async_resource_binding.cc
    asyncops/v1alpha1/auth_binding.cc
    asyncops/v1alpha1/callback_binding.cc
    asyncops/v1alpha1/external_system_binding.cc
    asyncops/v1alpha1/limits_binding.cc
    asyncops/v1alpha1/poll_binding.cc
    asyncops/v1alpha1/recovery_binding.cc
    asyncops/v1alpha1/references_binding.cc
    asyncops/v1alpha1/retry_binding.cc
    asyncops/v1alpha1/steps_binding.cc
    asyncops/v1alpha1/submit_binding.cc
    core/v1/event_binding.cc
    core/v1/namespace_binding.cc
    core/v1/secret.cc
    core/v1/secret_binding.cc
    operations/v1alpha1/async_operation_binding.cc
    operations/v1alpha1/async_operation_status_binding.cc
    scheme.cc
    selectable_fields.cc
  DEPS asyncops_api_meta asyncops_api_schema asyncops_expr asyncops_base)
