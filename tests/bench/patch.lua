-- PATCHes the status of objects by random: arguments are the token and PREFIX FIRST LAST of the run
-- of paths, which end in a five-digit number. One in twenty carries a version that is long gone, and
-- is to be refused.
dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "slice.lua")

local heads = {}
local number = 0

local function body()
  number = number + 1
  if number % 20 == 0 then
    return string.format('{"metadata":{"resourceVersion":"1"},"status":{"inFlight":%06d}}', number)
  end
  return string.format('{"metadata":{},"status":{"observedGeneration":1,"inFlight":1%06d}}', number)
end

function init(arguments)
  wrk.headers["Authorization"] = "Bearer " .. arguments[1]
  wrk.headers["Accept"] = "application/json"
  wrk.headers["Content-Type"] = "application/merge-patch+json"
  for at = tonumber(arguments[3]), tonumber(arguments[4]) do
    heads[#heads + 1] = string.format("%s%05d/status", arguments[2], at)
  end
end

function request()
  return wrk.format("PATCH", heads[math.random(#heads)], nil, body())
end
