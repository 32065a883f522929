# What presets and their fields come to in the engine.
asyncops_test(unit_reconciler_presets
  LABEL unit
  SOURCES
    engine_world.cc
    presets_engine_test.cc
  DEPS
    asyncops_reconciler
    asyncops_test_support)
