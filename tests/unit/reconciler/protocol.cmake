# Tests of asyncops_protocol.
asyncops_test(unit_reconciler_protocol
  LABEL unit
  SOURCES
    origin_gate_test.cc
    protocol_cancel_warning_test.cc
    protocol_cases.cc
    protocol_client_test.cc
    protocol_known_secrets_test.cc
    protocol_normalise_test.cc
    protocol_oauth2_test.cc
    protocol_poll_test.cc
    protocol_presets_test.cc
    protocol_redact_test.cc
    protocol_render_test.cc
    protocol_retry_after_test.cc
    protocol_secret_outputs_test.cc
    protocol_sigv4_test.cc
    protocol_submit_test.cc
    protocol_vendors_test.cc
  DEPS
    asyncops_protocol
    asyncops_test_support)
