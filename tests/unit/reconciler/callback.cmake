asyncops_test(unit_reconciler_callback
  LABEL unit
  SOURCES
    callback_adopt_test.cc
    callback_engine_test.cc
    callback_intake_test.cc
    callback_trust_test.cc
    callback_world.cc
    engine_world.cc
  DEPS
    asyncops_reconciler
    asyncops_test_support)
