// A request ready to be sent, as the intent stores it: byte for byte repeatable, without a
// credential in it.
#ifndef ASYNCOPS_RECONCILER_RENDERED_REQUEST_H_
#define ASYNCOPS_RECONCILER_RENDERED_REQUEST_H_

#include <optional>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/steps.h"
#include "base/status.h"

namespace asyncops::reconciler {

// The value, or where it comes from when it is sent.
struct RenderedHeader {
  std::string name;
  std::string value;
  std::optional<SecretKeyRef> secret_key_ref;

  bool operator==(const RenderedHeader&) const = default;
};

struct RenderedRequest {
  std::string method;
  std::string url;  // absolute
  std::vector<RenderedHeader> headers;
  std::string body;
  // Secrets that this request does not carry and its answer may show all the same, such as those in
  // headers of the submit that a poll follows. Not stored.
  std::vector<SecretKeyRef> known_secrets = {};
  // Secret values of this one operation that the answer may show, such as the token in the URL that
  // it is called back at. Not stored.
  std::vector<std::string> known_values = {};

  bool operator==(const RenderedRequest&) const = default;
};

// The form that OperationRow.headers keeps.
std::string EncodeHeaders(const std::vector<RenderedHeader>& headers);
// InternalError where the text is not that form (a damaged row).
Result<std::vector<RenderedHeader>> DecodeHeaders(const std::string& text);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_RENDERED_REQUEST_H_
