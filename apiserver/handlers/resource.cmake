# Requests for objects.
asyncops_library(asyncops_handlers_resource
  SOURCES
    act.cc
    body.cc
    delete.cc
    delete_collection.cc
    get.cc
    history.cc
    list.cc
    list_options.cc
    list_owned.cc
    list_source.cc
    object_response.cc
    protobuf_body.cc
    resource_handler.cc
    table.cc
    warnings.cc
    watch.cc
    watch_source.cc
    write.cc
    write_options.cc
  DEPS asyncops_base asyncops_http asyncops_handlers asyncops_registry)
