#include "apiserver/handlers/health.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "api/meta/quote.h"
#include "base/log.h"

namespace asyncops::apiserver {
namespace {

constexpr std::array<std::string_view, 3> kEndpoints = {"healthz", "livez", "readyz"};

http::Response PlainText(int status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.Add("Content-Type", "text/plain; charset=utf-8");
  response.headers.Add("X-Content-Type-Options", "nosniff");
  response.headers.Add("Cache-Control", "no-cache, private");
  response.body = std::move(body);
  return response;
}

// One endpoint's report as its checks are asked.
struct Report {
  std::string lines;
  bool failed = false;
};

void Ask(const HealthCheck& check, const std::string& endpoint, Report* report) {
  const Status status = check.check();
  if (status.ok()) {
    report->lines += "[+]" + check.name + " ok\n";
    return;
  }
  report->failed = true;
  report->lines += "[-]" + check.name + " failed: reason withheld\n";
  Log(LogLevel::kWarning, "health check failed",
      {{"endpoint", endpoint}, {"check", check.name}, {"reason", status.message()}});
}

// A check by its own path has one word for an answer, and knows neither verbose nor exclude.
http::Response ServeOne(const HealthCheck& check, const std::string& endpoint) {
  Report report;
  Ask(check, endpoint, &report);
  if (!report.failed) return PlainText(200, "ok");
  return PlainText(500, "internal server error: reason withheld\n");
}

// "a","b" of what was excluded and does not exist, each once and sorted.
std::string UnknownExclusions(const std::vector<std::string_view>& excluded,
                              const std::vector<const HealthCheck*>& checks) {
  std::set<std::string_view> unknown(excluded.begin(), excluded.end());
  for (const HealthCheck* check : checks) unknown.erase(check->name);
  std::string out;
  for (const std::string_view name : unknown)
    out.append(out.empty() ? "" : ",").append(Quote(name));
  return out;
}

}  // namespace

Health::Health(std::vector<HealthCheck> checks) : checks_(std::move(checks)) {
  checks_.insert(checks_.begin(), {.name = "ping", .check = [] { return Status::Ok(); }});
  checks_.push_back({.name = "shutdown",
                     .check =
                         [this] {
                           return ready_ ? Status::Ok()
                                         : Status(Reason::kServiceUnavailable,
                                                  "the server is starting or stopping");
                         },
                     .readiness_only = true});
}

std::optional<http::Response> Health::Serve(const http::Request& request) {
  std::string_view path = request.path;
  path.remove_prefix(1);
  for (const std::string_view endpoint : kEndpoints) {
    if (!path.starts_with(endpoint)) continue;
    std::string_view rest = path.substr(endpoint.size());
    if (!rest.empty() && rest.front() != '/') return std::nullopt;
    if (!rest.empty()) rest.remove_prefix(1);
    return ServeEndpoint(std::string(endpoint), request, rest);
  }
  return std::nullopt;
}

std::optional<http::Response> Health::ServeEndpoint(const std::string& endpoint,
                                                    const http::Request& request,
                                                    std::string_view sub_path) {
  std::vector<const HealthCheck*> checks;
  for (const HealthCheck& check : checks_) {
    const bool asked = endpoint == "readyz" || !check.readiness_only;
    if (asked && (sub_path.empty() || check.name == sub_path)) checks.push_back(&check);
  }
  if (checks.empty()) return std::nullopt;
  if (!sub_path.empty()) return ServeOne(*checks.front(), endpoint);
  const std::vector<std::string_view> excluded = request.query.GetAll("exclude");
  Report report;
  for (const HealthCheck* check : checks) {
    if (std::find(excluded.begin(), excluded.end(), check->name) != excluded.end()) {
      report.lines += "[+]" + check->name + " excluded: ok\n";
    } else {
      Ask(*check, endpoint, &report);
    }
  }
  if (const std::string unknown = UnknownExclusions(excluded, checks); !unknown.empty())
    report.lines += "warn: some health checks cannot be excluded: no matches for " + unknown + "\n";
  if (report.failed) return PlainText(500, report.lines + endpoint + " check failed\n");
  // Whatever its value, as in kube-apiserver.
  if (!request.query.Has("verbose")) return PlainText(200, "ok");
  return PlainText(200, report.lines + endpoint + " check passed\n");
}

}  // namespace asyncops::apiserver
