# Drives operations and resources.
asyncops_library(asyncops_reconciler
  SOURCES
    controller.cc
    decide.cc
    event_drainer.cc
    events.cc
    fault_points.cc
    local_resource_client.cc
    object_watch.cc
    operation_conditions.cc
    operation_memo.cc
    operation_object.cc
    operation_reconciler.cc
    operation_status.cc
    operation_writer.cc
    owned_operation.cc
    owner_epoch.cc
    poll_steps.cc
    resource_decide.cc
    resource_reconciler.cc
    resource_status.cc
    retry.cc
    shard.cc
    submit_steps.cc
    transition.cc
    work_queue.cc
  DEPS asyncops_base asyncops_api asyncops_storage asyncops_protocol)
