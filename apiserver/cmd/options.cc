#include "apiserver/cmd/options.h"

#include <algorithm>
#include <array>
#include <climits>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/ascii.h"
#include "base/duration.h"
#include "base/log.h"
#include "base/uri.h"
#include "base/yaml.h"
#include "kube/outbound_policy.h"

namespace asyncops {
namespace {

// One flag: where its value goes. Exactly one of the members is set.
struct Flag {
  std::string_view name;
  std::string_view value_name;  // in the help; "" for a switch
  std::string_view help;
  bool ServeOptions::*boolean = nullptr;
  int ServeOptions::*number = nullptr;
  std::string ServeOptions::*text = nullptr;
  std::vector<std::string> ServeOptions::*list = nullptr;
};

constexpr std::array<Flag, 17> kFlags = {{
    {.name = "standalone",
     .value_name = "",
     .help = "Serve without a cluster: objects, certificates and kubeconfig live in --data-dir.",
     .boolean = &ServeOptions::standalone},
    {.name = "data-dir",
     .value_name = "DIR",
     .help = "Directory for the database, certificates and kubeconfig; made where it is missing.",
     .text = &ServeOptions::data_dir},
    {.name = "bind-address",
     .value_name = "IP",
     .help = "Address to listen on (default 127.0.0.1).",
     .text = &ServeOptions::bind_address},
    {.name = "secure-port",
     .value_name = "PORT",
     .help = "Port to listen on, with TLS; 0 takes any free one (default 6443).",
     .number = &ServeOptions::secure_port},
    {.name = "tls-cert-file",
     .value_name = "FILE",
     .help = "Serving certificate (PEM, leaf first) instead of one of our own CA.",
     .text = &ServeOptions::tls_cert_file},
    {.name = "tls-private-key-file",
     .value_name = "FILE",
     .help = "Key of --tls-cert-file (PEM).",
     .text = &ServeOptions::tls_private_key_file},
    {.name = "client-ca-file",
     .value_name = "FILE",
     .help = "CA bundle whose client certificates are admitted too, beside those of our own CA.",
     .text = &ServeOptions::client_ca_file},
    {.name = "token-auth-file",
     .value_name = "FILE",
     .help = "Bearer tokens that are admitted: lines of token,user,uid[,\"group1,group2\"].",
     .text = &ServeOptions::token_auth_file},
    {.name = "allow-outbound",
     .value_name = "CIDR",
     .help = "Loopback or private range that external systems may be in; repeatable. "
             "Cloud metadata addresses are never allowed.",
     .list = &ServeOptions::allow_outbound},
    {.name = "callback-base-url",
     .value_name = "URL",
     .help = "https URL by which external systems reach this server for callbacks, such as that of "
             "a proxy in front of it (default: the server's own address).",
     .text = &ServeOptions::callback_base_url},
    {.name = "shards",
     .value_name = "N",
     .help = "Parts of what the reconciler works on, by a hash of names; an operation's history "
             "says whose it was (default 16, at most 256).",
     .number = &ServeOptions::shards},
    {.name = "event-ttl",
     .value_name = "DURATION",
     .help = "How long Events are kept (default 1h); 0s keeps them for ever.",
     .text = &ServeOptions::event_ttl},
    {.name = "shutdown-delay-duration",
     .value_name = "DURATION",
     .help = "How long a stop first waits, with /readyz failing but all requests served, so that "
             "load balancers notice; a second signal ends the wait (default 0s).",
     .text = &ServeOptions::shutdown_delay_duration},
    {.name = "log-level",
     .value_name = "LEVEL",
     .help = "debug, info, warning or error (default info); debug logs each request.",
     .text = &ServeOptions::log_level},
    {.name = "audit-log-path",
     .value_name = "FILE",
     .help = "Append one JSON line per request to this file: who asked for what, and what came of "
             "it; never a body. - is standard output (default: none). SIGHUP opens it anew, after "
             "it was moved away.",
     .text = &ServeOptions::audit_log_path},
    {.name = "config",
     .value_name = "FILE",
     .help = "YAML file of these options by the same names; flags win over it.",
     .text = &ServeOptions::config},
    {.name = "help", .value_name = "", .help = "Print this text.", .boolean = &ServeOptions::help},
}};

const Flag* FindFlag(std::string_view name) {
  const auto* found = std::find_if(kFlags.begin(), kFlags.end(),
                                   [name](const Flag& flag) { return flag.name == name; });
  return found == kFlags.end() ? nullptr : &*found;
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
  const auto* nearest =
      std::min_element(kFlags.begin(), kFlags.end(), [name](const Flag& a, const Flag& b) {
        return EditDistance(a.name, name) < EditDistance(b.name, name);
      });
  std::string message = "unknown " + std::string(what) + std::string(name);
  if (EditDistance(nearest->name, name) <= 3) {
    const std::string_view dashes = what.ends_with("--") ? "--" : "";
    message += "; did you mean " + std::string(dashes) + std::string(nearest->name) + "?";
  }
  return BadRequest(message + " (asyncops serve --help lists them)");
}

Status Apply(const Flag& flag, std::string_view value, ServeOptions* options) {
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

Status ApplyMember(const Flag& flag, const Json& value, ServeOptions* options) {
  JsonArray items = value.is_array() && flag.list != nullptr ? value.as_array() : JsonArray{value};
  for (const Json& item : items) {
    const std::optional<std::string> text = ScalarText(item);
    if (!text) return BadRequest(std::string(flag.name) + " does not take a value of that type");
    ASYNCOPS_RETURN_IF_ERROR(Apply(flag, *text, options));
  }
  return Status::Ok();
}

Status ApplyFile(const std::string& path, ServeOptions* options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return BadRequest("cannot read --config file " + path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Result<std::vector<Json>> documents = ParseYaml(text);
  if (!documents.ok()) return documents.status().WithContext(path);
  if (documents->size() != 1 || !documents->front().is_object())
    return BadRequest(path + ": expected one YAML document of options");
  for (const auto& [name, value] : documents->front().as_object()) {
    const Flag* flag = FindFlag(name);
    if (flag == nullptr) return UnknownOption("key ", name).WithContext(path);
    if (flag->name == "config" || flag->name == "help")
      return BadRequest(path + ": " + name + " is a flag alone, not a key of a file");
    if (Status status = ApplyMember(*flag, value, options); !status.ok())
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

Status CheckTogether(const ServeOptions& options) {
  if (!options.standalone) {
    return BadRequest(
        "serve needs --standalone: this version does not run behind a kube-apiserver");
  }
  if (options.data_dir.empty()) return BadRequest("--standalone needs --data-dir DIR");
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
  ServeOptions options;
  for (const Argument& argument : *split) {
    if (argument.flag->name == "config")
      ASYNCOPS_RETURN_IF_ERROR(ApplyFile(argument.value, &options));
  }
  for (const Argument& argument : *split)
    ASYNCOPS_RETURN_IF_ERROR(Apply(*argument.flag, argument.value, &options));
  if (options.help) return options;
  ASYNCOPS_RETURN_IF_ERROR(CheckTogether(options));
  return options;
}

std::string ServeHelp() {
  std::string out =
      "asyncops serve runs the API server and the reconciler.\n\n"
      "  asyncops serve --standalone --data-dir DIR [flags]\n\n"
      "It prints where it serves and which kubeconfig to use. SIGTERM or SIGINT stop it cleanly.\n"
      "Exit codes: 0 clean, 1 runtime failure, 2 usage or configuration.\n\nFlags:\n";
  for (const Flag& flag : kFlags) {
    out += "  --" + std::string(flag.name);
    if (!flag.value_name.empty()) out += " " + std::string(flag.value_name);
    out += "\n      " + std::string(flag.help) + "\n";
  }
  return out;
}

}  // namespace asyncops
