#include "tests/simcloud/options.h"

#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>
#include <optional>
#include <utility>

namespace asyncops::simcloud {
namespace {

bool IsLoopback(const std::string& address) {
  in_addr v4 = {};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6 = {};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

Status SetAddress(std::string_view value, Options* options) {
  options->address = value == "localhost" ? "127.0.0.1" : std::string(value);
  if (IsLoopback(options->address)) return Status::Ok();
  return BadRequest("--address: only loopback addresses are served, not \"" + std::string(value) +
                    "\"");
}

Status SetPort(std::string_view value, Options* options) {
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, options->port);
  if (error == std::errc() && end == last && !value.empty()) return Status::Ok();
  return BadRequest("--port: must be a number from 0 to 65535");
}

Status SetIdempotency(std::string_view value, Options* options) {
  options->behaviour.idempotency = value == "on";
  if (value == "on" || value == "off") return Status::Ok();
  return BadRequest("--idempotency: must be on or off");
}

Status SetOperationDuration(std::string_view value, Options* options) {
  Result<Behaviour> merged =
      MergeBehaviour(options->behaviour, Json::Of({{"operationDuration", value}}));
  if (!merged) return BadRequest("--operation-duration: must be a duration, such as 2s or 300ms");
  options->behaviour = *std::move(merged);
  return Status::Ok();
}

Status SetFlag(std::string_view name, std::string_view value, Options* options) {
  if (name == "--address") return SetAddress(value, options);
  if (name == "--port") return SetPort(value, options);
  if (name == "--idempotency") return SetIdempotency(value, options);
  if (name == "--operation-duration") return SetOperationDuration(value, options);
  return BadRequest("unknown flag \"" + std::string(name) + "\"; --help lists them");
}

}  // namespace

Result<Options> ParseOptions(const std::vector<std::string_view>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return options;
    }
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (argument.starts_with("--") && i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    ASYNCOPS_RETURN_IF_ERROR(SetFlag(name, value, &options));
  }
  return options;
}

std::string_view UsageText() {
  return
      R"(simcloud, a simulated cloud that makes volumes, for demos and tests.
It keeps everything in memory and serves loopback addresses only.

  simcloud [flags]

  --address ADDRESS        loopback address to serve on (default 127.0.0.1)
  --port PORT              port to serve on; 0 lets the system choose (default 0)
  --operation-duration D   how long an operation takes, such as 2s or 300ms (default 2s)
  --idempotency on|off     whether Idempotency-Key is honoured (default on)
  --help                   print this

Its API, and how to make it misbehave, is described in docs/simcloud.md.
)";
}

}  // namespace asyncops::simcloud
