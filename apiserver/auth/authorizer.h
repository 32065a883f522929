// Whether a user may do what a request asks.
#ifndef ASYNCOPS_APISERVER_AUTH_AUTHORIZER_H_
#define ASYNCOPS_APISERVER_AUTH_AUTHORIZER_H_

#include <functional>
#include <string>
#include <string_view>

#include "apiserver/auth/user_info.h"
#include "base/status.h"

namespace asyncops::apiserver {

// What is asked. Views into the request, which lives until the decision is made.
struct Attributes {
  const UserInfo* user = nullptr;
  std::string_view verb = {};  // "get", "list"; the lower-case method of a non-resource request
  bool resource_request = false;
  std::string_view group = {};
  std::string_view version = {};
  std::string_view resource = {};
  std::string_view subresource = {};
  std::string_view namespace_name = {};
  std::string_view name = {};
  std::string_view path = {};  // of a non-resource request
  // As they stand in the query of a list, watch or deletecollection; "" for none.
  std::string_view field_selector = {};
  std::string_view label_selector = {};
};

struct Decision {
  bool allowed = false;
  std::string reason = {};  // for the refusal's message and the audit line; may be empty
  Status error = {};        // not OK where it could not be decided: nothing is allowed then
};

// Safe for use from several threads.
class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // Calls `done` exactly once, at once or later, on any thread.
  virtual void Authorize(const Attributes& attributes,
                         std::function<void(Decision)> done) const = 0;
};

// 403 in kube-apiserver's words: `asyncoperations.G "n" is forbidden: User "u" cannot get resource
// ...`.
Status ForbiddenStatus(const Attributes& attributes, const std::string& reason);
// What a request that is not allowed is answered with: the decision's error, or ForbiddenStatus.
Status RefusalStatus(const Attributes& attributes, const Decision& decision);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_AUTHORIZER_H_
