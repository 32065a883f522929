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

std::string Qualified(const std::string& resource, const std::string& group) {
  return group.empty() ? resource : resource + "." + group;
}

std::string ResourceSentence(const Attributes& attributes) {
  std::string resource = attributes.resource;
  if (!attributes.subresource.empty()) resource += "/" + attributes.subresource;
  std::string out = "User \"" + attributes.user.name + "\" cannot " + attributes.verb +
                    " resource \"" + resource + "\" in API group \"" + attributes.group + "\"";
  if (attributes.namespace_name.empty()) return out + " at the cluster scope";
  return out + " in the namespace \"" + attributes.namespace_name + "\"";
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
    message = Qualified(attributes.resource, attributes.group);
    if (!attributes.name.empty()) message += " \"" + attributes.name + "\"";
    message += " is forbidden: " + ResourceSentence(attributes) + suffix;
  } else {
    message = "forbidden: User \"" + attributes.user.name + "\" cannot " + attributes.verb +
              " path \"" + attributes.path + "\"" + suffix;
  }
  return Status(Reason::kForbidden, EscapeHtml(message)).WithDetails(std::move(details));
}

}  // namespace asyncops::apiserver
