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
constexpr std::string_view kV3Protobuf =
    "application/com.github.proto-openapi.spec.v3@v1.0+protobuf";
constexpr std::string_view kJsonType = "application/json";
// A document under its hash never changes: kept for a year, as kube-openapi says it.
constexpr std::string_view kForEver = "public, immutable, max-age=31536000";
// For caches that read no max-age; any date far off will do.
constexpr std::string_view kFarOff = "Fri, 31 Dec 2100 23:59:59 GMT";

enum class Encoding { kJson, kProtobuf };

// Nothing where the client takes neither.
std::optional<Encoding> EncodingOf(const http::Request& request, std::string_view asked,
                                   std::string_view answered) {
  for (const MediaType& clause : ParseAccept(request.headers.Get("Accept"))) {
    if (clause.type == asked || clause.type == answered) return Encoding::kProtobuf;
    if (clause.Includes(kJsonType)) return Encoding::kJson;
  }
  return std::nullopt;
}

http::Response NotAcceptable(std::string_view protobuf) {
  return ErrorResponse(Status(
      Reason::kNotAcceptable,
      "only the following media types are accepted: application/json, " + std::string(protobuf)));
}

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
    return std::make_shared<const Document>(std::string(kJsonType),
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
    return std::make_shared<const Document>(std::string(kJsonType),
                                            EncodeJson(MakeOpenApiV3(resources_, group_version)));
  });
}

std::shared_ptr<const Document> OpenApiHandler::V3Protobuf(const std::string& group_version) {
  return Get("v3.protobuf/" + group_version, [this, &group_version] {
    return std::make_shared<const Document>(
        std::string(kOpenApiV3ProtobufType),
        EncodeOpenApiV3Protobuf(MakeOpenApiV3(resources_, group_version)));
  });
}

std::shared_ptr<const Document> OpenApiHandler::V3Index() {
  return Get("v3", [this] {
    JsonObject paths;
    for (const auto& [path, group_version] : group_versions_) {
      const std::string url = std::string(kV3) + "/" + path + "?hash=" + V3(group_version)->hash();
      paths.Set(path, Json::Of({{"serverRelativeURL", url}}));
    }
    return std::make_shared<const Document>(std::string(kJsonType),
                                            EncodeJson(Json::Of({{"paths", std::move(paths)}})));
  });
}

http::Response OpenApiHandler::ServeV2(const http::Request& request) {
  const std::optional<Encoding> encoding = EncodingOf(request, kV2Protobuf, kOpenApiV2ProtobufType);
  if (!encoding) return NotAcceptable(kV2Protobuf);
  return (*encoding == Encoding::kProtobuf ? V2Protobuf() : V2Json())->Serve(request);
}

http::Response OpenApiHandler::ServeV3(const http::Request& request,
                                       const std::string& group_version) {
  const std::optional<Encoding> encoding = EncodingOf(request, kV3Protobuf, kOpenApiV3ProtobufType);
  if (!encoding) return NotAcceptable(kV3Protobuf);
  // The hash in the index is that of the JSON, for both encodings. Another one is answered with the
  // document as it is now: never a redirect.
  const std::shared_ptr<const Document> json = V3(group_version);
  http::Response response =
      (*encoding == Encoding::kProtobuf ? V3Protobuf(group_version) : json)->Serve(request);
  if (request.query.Get("hash") == json->hash()) {
    response.headers.Set("Cache-Control", std::string(kForEver));
    response.headers.Add("Expires", std::string(kFarOff));
  }
  return response;
}

std::optional<http::Response> OpenApiHandler::Serve(const http::Request& request) {
  std::string_view path = request.path;
  if (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  if (path == kV2) return ServeV2(request);
  if (path == kV3) return V3Index()->Serve(request);
  if (!path.starts_with(kV3) || path[kV3.size()] != '/') return std::nullopt;
  const auto found = group_versions_.find(path.substr(kV3.size() + 1));
  if (found == group_versions_.end()) return std::nullopt;
  return ServeV3(request, found->second);
}

}  // namespace asyncops::apiserver
