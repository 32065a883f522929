-- POSTs one body again and again: arguments are the token, the path and a file with the body.
dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "./") .. "slice.lua")

local whole

function init(arguments)
  local file = assert(io.open(arguments[3]))
  wrk.headers["Authorization"] = "Bearer " .. arguments[1]
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json"
  whole = wrk.format("POST", arguments[2], nil, file:read("*a"))
  file:close()
end

function request()
  return whole
end
