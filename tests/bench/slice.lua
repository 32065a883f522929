-- The line that clients.py reads: answers, bytes, microseconds, failures, refusals.
function done(summary)
  local errors = summary.errors
  io.write(string.format("slice %d %d %d %d %d\n", summary.requests, summary.bytes,
    summary.duration, errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
