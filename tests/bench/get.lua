-- GETs objects by random: arguments are the token, then PREFIX FIRST LAST of each run of paths,
-- which end in a five-digit number.
dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "slice.lua")

local requests = {}

function init(arguments)
  wrk.headers["Authorization"] = "Bearer " .. arguments[1]
  wrk.headers["Accept"] = "application/json"
  for i = 2, #arguments, 3 do
    for number = tonumber(arguments[i + 1]), tonumber(arguments[i + 2]) do
      requests[#requests + 1] = wrk.format("GET", string.format("%s%05d", arguments[i], number))
    end
  end
end

function request()
  return requests[math.random(#requests)]
end
