asyncops_test(unit_reconciler_engine
  LABEL unit
  SOURCES
    engine_conditions_test.cc
    engine_controller_test.cc
    engine_decide_test.cc
    engine_doubt_test.cc
    engine_operation_test.cc
    engine_queue_test.cc
    engine_recovery_test.cc
    engine_resource_test.cc
    engine_retry_test.cc
    engine_simulation_test.cc
    engine_world.cc
    reconcile_metrics_test.cc
  DEPS
    asyncops_reconciler
    asyncops_test_support)
