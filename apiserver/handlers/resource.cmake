# Requests for objects.
asyncops_library(asyncops_handlers_resource
  SOURCES
    body.cc
    history.cc
    list_options.cc
    list_source.cc
    negotiate.cc
    protobuf_body.cc
    resource_handler.cc
    table.cc
    warnings.cc
    watch_source.cc
  DEPS asyncops_base asyncops_http asyncops_handlers asyncops_registry)
