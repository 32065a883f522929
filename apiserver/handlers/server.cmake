# What is served beside the objects, and the front door of every request.
asyncops_library(asyncops_handlers
  SOURCES
    api_handler.cc
    audit_line.cc
    audit_log.cc
    callback_handler.cc
    compress.cc
    counted_source.cc
    discovery.cc
    document.cc
    health.cc
    json_splitter.cc
    media_type.cc
    metrics.cc
    negotiate.cc
    openapi_handler.cc
    process_metrics.cc
    request_deadlines.cc
    request_filters.cc
    request_info.cc
    reshape.cc
    respond.cc
    version.cc
  DEPS asyncops_base asyncops_callbacks asyncops_http asyncops_auth asyncops_api
  PRIVATE_DEPS asyncops_openapi prometheus-cpp::core)
