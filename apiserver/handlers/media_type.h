// Media types and Accept headers, as far as Kubernetes clients use them (apiserver
// pkg/endpoints/handlers/negotiation).
#ifndef ASYNCOPS_APISERVER_HANDLERS_MEDIA_TYPE_H_
#define ASYNCOPS_APISERVER_HANDLERS_MEDIA_TYPE_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asyncops::apiserver {

// The patch that is a server-side apply.
inline constexpr std::string_view kApplyPatchYaml = "application/apply-patch+yaml";

// "application/json;as=Table;v=v1;g=meta.k8s.io": type in lower case, parameters in their order.
struct MediaType {
  std::string type;  // "application/json"
  std::vector<std::pair<std::string, std::string>> parameters;
  double quality = 1.0;

  // The first value of that parameter, or "".
  std::string_view Parameter(std::string_view name) const;
  // Whether `concrete` ("application/json") falls under the type, which may be a range
  // ("application/*", "*/*").
  bool Includes(std::string_view concrete) const;
};

// One media type; what does not read as one has an empty type.
MediaType ParseMediaType(std::string_view text);

// The clauses of an Accept header by falling quality, equal ones in their order; those of quality 0
// left out. An absent or empty header is `*/*`.
std::vector<MediaType> ParseAccept(std::string_view text);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_MEDIA_TYPE_H_
