#include "apiserver/auth/authorizer.h"

#include <utility>

namespace asyncops::apiserver {
namespace {

// As Go's html-safe quoting in kube-apiserver's sanitizer: names in a refusal may come from anyone.
std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out.push_back(c);
    }
  }
  return out;
}

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string ResourceSentence(const Attributes& attributes) {
  std::string resource(attributes.resource);
  if (!attributes.subresource.empty()) resource.append("/").append(attributes.subresource);
  const std::string out = "User " + Quoted(attributes.user->name) + " cannot " +
                          std::string(attributes.verb) + " resource " + Quoted(resource) +
                          " in API group " + Quoted(attributes.group);
  if (attributes.namespace_name.empty()) return out + " at the cluster scope";
  return out + " in the namespace " + Quoted(attributes.namespace_name);
}

}  // namespace

Status ForbiddenStatus(const Attributes& attributes, const std::string& reason) {
  const std::string suffix = reason.empty() ? "" : ": " + reason;
  StatusDetails details;
  std::string message;
  if (attributes.resource_request) {
    details.group = attributes.group;
    details.kind = attributes.resource;
    details.name = attributes.name;
    message = attributes.resource;
    if (!attributes.group.empty()) message.append(".").append(attributes.group);
    if (!attributes.name.empty()) message += " " + Quoted(attributes.name);
    message += " is forbidden: " + ResourceSentence(attributes) + suffix;
  } else {
    message = "forbidden: User " + Quoted(attributes.user->name) + " cannot " +
              std::string(attributes.verb) + " path " + Quoted(attributes.path) + suffix;
  }
  return Status(Reason::kForbidden, EscapeHtml(message)).WithDetails(std::move(details));
}

Status RefusalStatus(const Attributes& attributes, const Decision& decision) {
  return decision.error.ok() ? ForbiddenStatus(attributes, decision.reason) : decision.error;
}

}  // namespace asyncops::apiserver
