#include "apiserver/handlers/object_response.h"

#include <utility>

#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/table.h"

namespace asyncops::apiserver {

http::Response ObjectResponse(const ResourceInfo& resource, const Representation& representation,
                              int code, std::string json, Time now) {
  std::string body;
  if (representation.view == View::kObject) {
    body = std::move(json);
  } else {
    const TableWriter writer(resource, representation);
    if (representation.view == View::kTable) {
      writer.AppendTableOfOne(true, {.json = json}, now, &body);
    } else {
      writer.AppendPartialMetadata({.json = json}, &body);
    }
  }
  body.push_back('\n');
  return JsonResponse(code, std::move(body));
}

}  // namespace asyncops::apiserver
