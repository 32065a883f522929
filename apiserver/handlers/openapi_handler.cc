#include "apiserver/handlers/openapi_handler.h"

#include <utility>

#include "api/openapi/openapi.h"
#include "apiserver/handlers/media_type.h"
#include "apiserver/handlers/respond.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kV2 = "/openapi/v2";
constexpr std::string_view kV3 = "/openapi/v3";
// What clients ask for; the answer's type is without '@', which is not legal in a media type.
constexpr std::string_view kV2Protobuf =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

}  // namespace

OpenApiHandler::OpenApiHandler(std::vector<ResourceInfo> resources)
    : resources_(std::move(resources)) {
  for (const ResourceInfo& resource : resources_) {
    const std::string prefix = resource.group.empty() ? "api/" : "apis/";
    group_versions_.emplace(prefix + resource.GroupVersion(), resource.GroupVersion());
  }
}

template <class Make>
std::shared_ptr<const Document> OpenApiHandler::Get(const std::string& name, Make make) {
  {
    const MutexLock lock(mutex_);
    const auto found = documents_.find(name);
    if (found != documents_.end()) return found->second;
  }
  // Made outside the lock; two at once make the same bytes.
  std::shared_ptr<const Document> made = make();
  const MutexLock lock(mutex_);
  return documents_.try_emplace(name, std::move(made)).first->second;
}

std::shared_ptr<const Document> OpenApiHandler::V2Json() {
  return Get("v2", [this] {
    return std::make_shared<const Document>("application/json",
                                            EncodeJson(MakeOpenApiV2(resources_)));
  });
}

std::shared_ptr<const Document> OpenApiHandler::V2Protobuf() {
  return Get("v2.protobuf", [this] {
    return std::make_shared<const Document>(std::string(kOpenApiV2ProtobufType),
                                            EncodeOpenApiV2Protobuf(MakeOpenApiV2(resources_)));
  });
}

std::shared_ptr<const Document> OpenApiHandler::V3(const std::string& group_version) {
  return Get("v3/" + group_version, [this, &group_version] {
    return std::make_shared<const Document>("application/json",
                                            EncodeJson(MakeOpenApiV3(resources_, group_version)));
  });
}

std::shared_ptr<const Document> OpenApiHandler::V3Index() {
  return Get("v3", [this] {
    JsonObject paths;
    for (const auto& [path, group_version] : group_versions_) {
      const std::string url = std::string(kV3) + "/" + path + "?hash=" + V3(group_version)->hash();
      paths.Set(path, Json::Of({{"serverRelativeURL", url}}));
    }
    return std::make_shared<const Document>("application/json",
                                            EncodeJson(Json::Of({{"paths", std::move(paths)}})));
  });
}

http::Response OpenApiHandler::ServeV2(const http::Request& request) {
  for (const MediaType& clause : ParseAccept(request.headers.Get("Accept"))) {
    if (clause.type == kV2Protobuf || clause.type == kOpenApiV2ProtobufType)
      return V2Protobuf()->Serve(request);
    if (clause.Includes("application/json")) return V2Json()->Serve(request);
  }
  return ErrorResponse(Status(Reason::kNotAcceptable,
                              "only the following media types are accepted: application/json, " +
                                  std::string(kV2Protobuf)));
}

std::optional<http::Response> OpenApiHandler::Serve(const http::Request& request) {
  std::string_view path = request.path;
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  if (path == kV2) return ServeV2(request);
  if (path == kV3) return V3Index()->Serve(request);
  if (!path.starts_with(kV3) || path[kV3.size()] != '/') return std::nullopt;
  const auto found = group_versions_.find(path.substr(kV3.size() + 1));
  if (found == group_versions_.end()) return std::nullopt;
  // A hash that is not the current one is answered with the current document: never a redirect.
  const std::shared_ptr<const Document> document = V3(found->second);
  http::Response response = document->Serve(request);
  if (request.query.Get("hash") == document->hash())
    response.headers.Set("Cache-Control", "public, immutable, max-age=31536000");
  return response;
}

}  // namespace asyncops::apiserver
