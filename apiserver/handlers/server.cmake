# What is served beside the objects, and the front door of every request.
asyncops_library(asyncops_handlers
  SOURCES
    api_handler.cc
    discovery.cc
    document.cc
    health.cc
    media_type.cc
    metrics.cc
    openapi_handler.cc
    request_info.cc
    respond.cc
    version.cc
  DEPS asyncops_base asyncops_http asyncops_auth asyncops_api
  PRIVATE_DEPS asyncops_openapi prometheus-cpp::core)
