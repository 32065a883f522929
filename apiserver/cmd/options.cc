#include "apiserver/cmd/options.h"

#include <algorithm>
#include <climits>
#include <optional>
#include <set>
#include <utility>

#include "apiserver/cmd/serve_flags.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/read_file.h"
#include "base/uri.h"
#include "base/yaml.h"
#include "kube/outbound_policy.h"

namespace asyncops {
namespace {

const Flag* FindFlag(std::string_view name) {
  const std::span<const Flag> flags = ServeFlags();
  const auto found = std::find_if(flags.begin(), flags.end(),
                                  [name](const Flag& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

// Levenshtein's distance, for the hint.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// `what` is "flag --" or "key ": how an option is written where this one stands.
Status UnknownOption(std::string_view what, std::string_view name) {
  const std::span<const Flag> flags = ServeFlags();
  const auto nearest =
      std::min_element(flags.begin(), flags.end(), [name](const Flag& a, const Flag& b) {
        return EditDistance(a.name, name) < EditDistance(b.name, name);
      });
  std::string message = "unknown " + std::string(what) + std::string(name);
  if (EditDistance(nearest->name, name) <= 3) {
    const std::string_view dashes = what.ends_with("--") ? "--" : "";
    message += "; did you mean " + std::string(dashes) + std::string(nearest->name) + "?";
  }
  return BadRequest(message + " (asyncops serve --help lists them)");
}

// What was given: the values, and by which flags, as a value may be the default.
struct Given {
  ServeOptions options;
  std::set<std::string_view> flags;

  bool Has(std::string_view flag) const { return flags.count(flag) > 0; }
};

Status Apply(const Flag& flag, std::string_view value, Given* given) {
  given->flags.insert(flag.name);
  ServeOptions* const options = &given->options;
  const std::string name = "--" + std::string(flag.name);
  if (flag.boolean != nullptr) {
    if (value != "true" && value != "false")
      return BadRequest(name + " is true or false, not \"" + std::string(value) + "\"");
    options->*flag.boolean = value == "true";
  } else if (flag.number != nullptr) {
    const std::optional<std::int64_t> number = ParseInt64(value);
    if (!number || *number < INT_MIN || *number > INT_MAX)
      return BadRequest(name + " is a number, not \"" + std::string(value) + "\"");
    options->*flag.number = static_cast<int>(*number);
  } else if (flag.list != nullptr) {
    (options->*flag.list).emplace_back(value);
  } else {
    options->*flag.text = value;
  }
  return Status::Ok();
}

struct Argument {
  const Flag* flag;
  std::string value;
};

Result<std::vector<Argument>> SplitArguments(const std::vector<std::string>& arguments) {
  std::vector<Argument> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string_view text = arguments[i];
    if (!text.starts_with("--"))
      return BadRequest("unexpected argument \"" + arguments[i] + "\"; flags start with --");
    text.remove_prefix(2);
    const std::size_t equals = text.find('=');
    const Flag* flag = FindFlag(text.substr(0, equals));
    if (flag == nullptr) return UnknownOption("flag --", text.substr(0, equals));
    if (equals != std::string_view::npos) {
      out.push_back({flag, std::string(text.substr(equals + 1))});
    } else if (flag->boolean != nullptr) {
      out.push_back({flag, "true"});
    } else if (i + 1 < arguments.size()) {
      out.push_back({flag, arguments[++i]});
    } else {
      return BadRequest("--" + std::string(flag->name) + " needs a value");
    }
  }
  return out;
}

// A scalar of the file as its flag would be given.
std::optional<std::string> ScalarText(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_bool() || value.is_int()) return EncodeJson(value);
  return std::nullopt;
}

Status ApplyMember(const Flag& flag, const Json& value, Given* given) {
  JsonArray items = value.is_array() && flag.list != nullptr ? value.as_array() : JsonArray{value};
  for (const Json& item : items) {
    const std::optional<std::string> text = ScalarText(item);
    if (!text) return BadRequest(std::string(flag.name) + " does not take a value of that type");
    ASYNCOPS_RETURN_IF_ERROR(Apply(flag, *text, given));
  }
  return Status::Ok();
}

Status ApplyFile(const std::string& path, Given* given) {
  const Result<std::string> text = ReadFile(path, "the --config file");
  if (!text.ok()) return text.status();
  const Result<std::vector<Json>> documents = ParseYaml(*text);
  if (!documents.ok()) return documents.status().WithContext(path);
  if (documents->size() != 1 || !documents->front().is_object())
    return BadRequest(path + ": expected one YAML document of options");
  for (const auto& [name, value] : documents->front().as_object()) {
    const Flag* flag = FindFlag(name);
    if (flag == nullptr) return UnknownOption("key ", name).WithContext(path);
    if (flag->name == "config" || flag->name == "help")
      return BadRequest(path + ": " + name + " is a flag alone, not a key of a file");
    if (Status status = ApplyMember(*flag, value, given); !status.ok())
      return status.WithContext(path);
  }
  return Status::Ok();
}

// What callback paths are appended to.
bool IsBaseUrl(const std::string& text) {
  const std::optional<Uri> uri = ParseUri(text);
  return uri && uri->scheme == "https" && !text.ends_with('/') &&
         text.find_first_of("?#") == std::string::npos;
}

// The first flag that was given and belongs to that mode; "" where there is none.
std::string_view Misplaced(const Given& given, Mode mode) {
  for (const Flag& flag : ServeFlags())
    if (flag.mode == mode && given.Has(flag.name)) return flag.name;
  return "";
}

Status CheckStandalone(const Given& given) {
  const std::string_view name = Misplaced(given, Mode::kCluster);
  if (name.empty()) return Status::Ok();
  return BadRequest("--" + std::string(name) +
                    " is for a server behind a kube-apiserver, not for --standalone");
}

Status CheckServingCertificate(const Given& given) {
  if (!given.options.self_signed) {
    if (given.Has("self-signed-secret"))
      return BadRequest("--self-signed-secret needs --self-signed");
    if (!given.options.tls_cert_file.empty()) return Status::Ok();
    return BadRequest(
        "serve behind a kube-apiserver needs a serving certificate: either --tls-cert-file and "
        "--tls-private-key-file, or --self-signed; --standalone needs none");
  }
  for (const std::string_view file : {"tls-cert-file", "tls-private-key-file"}) {
    if (given.Has(file)) {
      return BadRequest("not both --self-signed and --" + std::string(file) +
                        ": each says where the serving certificate comes from");
    }
  }
  return Status::Ok();
}

Status CheckCluster(const Given& given) {
  if (const std::string_view name = Misplaced(given, Mode::kStandalone); !name.empty())
    return BadRequest("--" + std::string(name) + " is for --standalone alone");
  ASYNCOPS_RETURN_IF_ERROR(CheckServingCertificate(given));
  const ServeOptions& options = given.options;
  if (options.requestheader_client_ca_file.empty()) {
    for (const std::string_view flag : given.flags) {
      if (flag.starts_with("requestheader-") || flag == "client-ca-file") {
        return BadRequest("--" + std::string(flag) +
                          " needs --requestheader-client-ca-file; without it kube-apiserver says "
                          "whose certificates are admitted");
      }
    }
  } else if (options.requestheader_username_headers.empty()) {
    return BadRequest(
        "--requestheader-client-ca-file needs --requestheader-username-headers, such as "
        "X-Remote-User");
  }
  return Status::Ok();
}

Status CheckTogether(const Given& given) {
  const ServeOptions& options = given.options;
  if (options.data_dir.empty()) return BadRequest("serve needs --data-dir DIR");
  ASYNCOPS_RETURN_IF_ERROR(options.standalone ? CheckStandalone(given) : CheckCluster(given));
  if (options.bind_address.find('/') != std::string::npos ||
      !kube::ParseCidr(options.bind_address).ok()) {
    return BadRequest("--bind-address is an IP address such as 127.0.0.1 or ::, not \"" +
                      options.bind_address + "\"");
  }
  if (options.secure_port < 0 || options.secure_port > 65535)
    return BadRequest("--secure-port is a port from 0 to 65535");
  if (options.shards < 1 || options.shards > 256)
    return BadRequest("--shards is a number from 1 to 256");
  if (options.tls_cert_file.empty() != options.tls_private_key_file.empty())
    return BadRequest("--tls-cert-file and --tls-private-key-file go together");
  if (const auto ttl = ParseDuration(options.event_ttl); !ttl || *ttl < Duration::zero())
    return BadRequest("--event-ttl is a duration such as 1h or 90m, not \"" + options.event_ttl +
                      "\"");
  if (const auto delay = ParseDuration(options.shutdown_delay_duration);
      !delay || *delay < Duration::zero()) {
    return BadRequest("--shutdown-delay-duration is a duration such as 10s, not \"" +
                      options.shutdown_delay_duration + "\"");
  }
  if (!options.callback_base_url.empty() && !IsBaseUrl(options.callback_base_url)) {
    return BadRequest(
        "--callback-base-url is an https URL without query and without a slash at its end, such as "
        "https://asyncops.example, not \"" +
        options.callback_base_url + "\"");
  }
  LogLevel level{};
  if (!ParseLogLevel(options.log_level, &level))
    return BadRequest("--log-level is debug, info, warning or error");
  for (const std::string& range : options.allow_outbound) {
    if (const auto cidr = kube::ParseCidr(range); !cidr.ok())
      return cidr.status().WithContext("--allow-outbound " + range);
  }
  return Status::Ok();
}

}  // namespace

Result<ServeOptions> ParseServeOptions(const std::vector<std::string>& arguments) {
  const Result<std::vector<Argument>> split = SplitArguments(arguments);
  if (!split.ok()) return split.status();
  Given given;
  for (const Argument& argument : *split) {
    if (argument.flag->name == "config")
      ASYNCOPS_RETURN_IF_ERROR(ApplyFile(argument.value, &given));
  }
  for (const Argument& argument : *split)
    ASYNCOPS_RETURN_IF_ERROR(Apply(*argument.flag, argument.value, &given));
  ServeOptions& options = given.options;
  if (options.help) return std::move(options);
  if (options.bind_address.empty())
    options.bind_address = options.standalone ? "127.0.0.1" : "0.0.0.0";
  ASYNCOPS_RETURN_IF_ERROR(CheckTogether(given));
  return std::move(options);
}

std::string ServeHelp() {
  std::string out =
      "asyncops serve runs the API server and the reconciler.\n\n"
      "  asyncops serve --standalone --data-dir DIR [flags]\n"
      "  asyncops serve --data-dir DIR --self-signed [flags]          behind a kube-apiserver\n\n"
      "Standalone it prints which kubeconfig to use. SIGTERM or SIGINT stop it cleanly.\n"
      "Exit codes: 0 clean, 1 runtime failure, 2 usage or configuration.\n\nFlags:\n";
  for (const Flag& flag : ServeFlags()) {
    out += "  --" + std::string(flag.name);
    if (!flag.value_name.empty()) out += " " + std::string(flag.value_name);
    if (flag.mode == Mode::kStandalone) out += "   (standalone)";
    if (flag.mode == Mode::kCluster) out += "   (cluster)";
    out += "\n      " + std::string(flag.help) + "\n";
  }
  return out;
}

}  // namespace asyncops
