-- POSTs signed callbacks: arguments are the path, a file with the body (the operation is
-- BENCH-NAME in it) and a file with one message a line: operation, id, timestamp, signature.
dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "slice.lua")

local before, after, path
local messages = {}
local number = 0

function init(arguments)
  path = arguments[1]
  local body = assert(io.open(arguments[2]))
  before, after = body:read("*a"):match("^(.*)BENCH%-NAME(.*)$")
  body:close()
  for line in io.lines(arguments[3]) do
    local name, id, time, signature = line:match("^(%S+) (%S+) (%S+) (%S+)$")
    messages[#messages + 1] = {name, {
      ["Content-Type"] = "application/json", ["webhook-id"] = id, ["webhook-timestamp"] = time,
      ["webhook-signature"] = signature}}
  end
end

function request()
  number = number + 1
  -- More than there are would only be known ones.
  local message = assert(messages[number], "there are too few messages")
  return wrk.format("POST", path, message[2], before .. message[1] .. after)
end
