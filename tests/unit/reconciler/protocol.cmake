# Tests of asyncops_protocol.
