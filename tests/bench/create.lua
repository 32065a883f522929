-- POSTs objects that differ by name: arguments are the token, the path, a file with the object (its
-- name is BENCH-NAME) and the end of the names of this slice. Names come in no order, as generated
-- ones do; raw_sqlite.cc makes its own the same way.
dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "slice.lua")

local before, after, suffix, head
local number = 0

function init(arguments)
  local file = assert(io.open(arguments[3]))
  local object = file:read("*a")
  file:close()
  before, after = object:match("^(.*)BENCH%-NAME(.*)$")
  suffix = arguments[4]
  wrk.headers["Authorization"] = "Bearer " .. arguments[1]
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json"
  -- The name has a fixed length, so that the head is the same each time.
  local whole = wrk.format("POST", arguments[2], nil, before .. "00000000" .. suffix .. after)
  head = whole:match("^(.-\r\n\r\n)")
end

function request()
  number = number + 1
  local mixed = number * 2654435761 % 4294967296
  return head .. before .. string.format("%08x", mixed) .. suffix .. after
end
