#include "apiserver/handlers/audit_line.h"

#include "base/duration.h"
#include "base/json.h"
#include "base/rfc3339.h"

namespace asyncops::apiserver {
namespace {

void AppendMember(std::string_view name, std::string_view text, std::string* out) {
  if (!out->ends_with('{')) out->push_back(',');
  AppendJsonString(name, out);
  out->push_back(':');
  AppendJsonString(text, out);
}

void AppendMemberIfAny(std::string_view name, std::string_view text, std::string* out) {
  if (!text.empty()) AppendMember(name, text, out);
}

// "127.0.0.1" of "127.0.0.1:51234", "::1" of "[::1]:51234".
std::string_view WithoutPort(std::string_view address) {
  address = address.substr(0, address.rfind(':'));
  if (!address.starts_with('[') || !address.ends_with(']')) return address;
  return address.substr(1, address.size() - 2);
}

void AppendUser(const UserInfo& user, std::string* out) {
  AppendMember("user", user.name, out);
  out->append(",\"groups\":[");
  for (const std::string& group : user.groups) {
    if (!out->ends_with('[')) out->push_back(',');
    AppendJsonString(group, out);
  }
  out->push_back(']');
}

void AppendObject(const RequestInfo& info, std::string* out) {
  if (!info.resource_request) return AppendMember("path", info.path, out);
  out->append(",\"objectRef\":{");
  AppendMember("resource", info.resource, out);
  AppendMemberIfAny("namespace", info.namespace_name, out);
  AppendMemberIfAny("name", info.name, out);
  AppendMemberIfAny("apiGroup", info.group, out);
  AppendMember("apiVersion", info.version, out);
  AppendMemberIfAny("subresource", info.subresource, out);
  out->push_back('}');
}

}  // namespace

std::string AuditLine(const AuditRecord& record) {
  std::string out = "{";
  AppendMember("auditID", record.audit_id, &out);
  AppendMember("stage", record.stream ? "ResponseStarted" : "ResponseComplete", &out);
  AppendMember("requestReceivedTimestamp", FormatMicroTime(record.received), &out);
  AppendMember("verb", record.info->verb, &out);
  if (record.user != nullptr) AppendUser(*record.user, &out);
  if (record.impersonated != nullptr)
    AppendMember("impersonatedUser", record.impersonated->name, &out);
  out.append(",\"sourceIPs\":[");
  AppendJsonString(WithoutPort(record.remote_address), &out);
  out.push_back(']');
  AppendObject(*record.info, &out);
  out.append(",\"code\":").append(std::to_string(record.code));
  AppendMember("latency", FormatDuration(record.latency), &out);
  if (!record.decision.empty()) {
    out.append(",\"annotations\":{");
    AppendMember("authorization.k8s.io/decision", record.decision, &out);
    AppendMember("authorization.k8s.io/reason", record.reason, &out);
    out.push_back('}');
  }
  out.append("}\n");
  return out;
}

}  // namespace asyncops::apiserver
