#include "apiserver/handlers/object_response.h"

#include <utility>

#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/table.h"

namespace asyncops::apiserver {

http::Response ObjectResponse(const ResourceInfo& resource, const Representation& representation,
                              int code, std::string json, Time now) {
  std::string body;
  switch (representation.view) {
    case View::kObject: body = std::move(json); break;
    case View::kPartialMetadata: AppendPartialMetadata(json, representation.version, &body); break;
    case View::kTable: AppendTableOfOne(resource, representation, true, json, now, &body); break;
  }
  if (representation.pretty) {
    if (const Result<Json> parsed = ParseJson(body); parsed.ok()) body = EncodePrettyJson(*parsed);
  } else {
    body.push_back('\n');
  }
  return JsonResponse(code, std::move(body));
}

}  // namespace asyncops::apiserver
