# ResourceClient, Secrets and Events over kube-apiserver, and the engine with them.
asyncops_test(unit_reconciler_cluster
  LABEL unit
  SOURCES
    cluster_calls_test.cc
    cluster_client_test.cc
    cluster_controller_test.cc
    cluster_engine_test.cc
    cluster_events_test.cc
    cluster_patch_test.cc
    cluster_poll_alone_test.cc
    cluster_secret_writer_test.cc
    cluster_secrets_test.cc
    cluster_system_use_test.cc
    cluster_world.cc
    engine_world.cc
    fake_cluster.cc
  DEPS
    asyncops_reconciler
    asyncops_test_support)
