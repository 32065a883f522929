# The API server without a socket, for tests of what it answers.
asyncops_library(asyncops_api_harness
  SOURCES
    api_harness.cc
    api_objects.cc
  DEPS
    asyncops_handlers_resource
    asyncops_handlers
    asyncops_registry
    asyncops_storage
    asyncops_test_support)
