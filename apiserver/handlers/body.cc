#include "apiserver/handlers/body.h"

#include <utility>

#include "apiserver/handlers/media_type.h"
#include "apiserver/handlers/protobuf_body.h"
#include "base/yaml.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";

Status UnknownFormat(std::string_view accepted) {
  return {Reason::kUnsupportedMediaType,
          "the body of the request was in an unknown format - accepted media types include: " +
              std::string(accepted)};
}

Result<DecodedBody> DecodeYaml(const std::string& text) {
  Result<std::vector<Json>> documents = ParseYaml(text);
  if (!documents.ok()) return documents.status();
  if (documents->size() != 1) return BadRequest("the body must hold exactly one YAML document");
  return DecodedBody{std::move(documents->front()), {}};
}

Result<DecodedBody> DecodeJsonText(const std::string& text) {
  DecodedBody body;
  Result<Json> value = ParseJson(text, {.duplicates = &body.duplicate_fields});
  if (!value.ok()) return value.status().WithContext("the body of the request does not parse");
  body.value = std::move(*value);
  return body;
}

// The first member that is an instruction to merge, such as "$setElementOrder/finalizers"; "" where
// there is none.
std::string_view FindDirective(const Json& patch) {
  if (patch.is_array()) {
    for (const Json& element : patch.as_array()) {
      if (const std::string_view found = FindDirective(element); !found.empty()) return found;
    }
  }
  if (!patch.is_object()) return {};
  for (const JsonMember& member : patch.as_object()) {
    if (member.name.starts_with('$')) return member.name;
    if (const std::string_view found = FindDirective(member.value); !found.empty()) return found;
  }
  return {};
}

// JSON is YAML, but only a JSON parser sees duplicate fields.
Result<DecodedBody> DecodeConfiguration(const std::string& text) {
  if (Result<DecodedBody> body = DecodeJsonText(text); body.ok()) return body;
  Result<DecodedBody> body = DecodeYaml(text);
  if (!body.ok()) return body.status().WithContext("error decoding YAML");
  return body;
}

}  // namespace

Result<DecodedBody> DecodeBody(const http::Request& request) {
  const std::string type = ParseMediaType(request.headers.Get("Content-Type")).type;
  if (type == kYaml) return DecodeYaml(request.body);
  if (type.empty() || type == kJson) return DecodeJsonText(request.body);
  if (type == kProtobuf) {
    Result<Json> value = DecodeProtobuf(request.body);
    if (!value.ok()) return value.status();
    return DecodedBody{std::move(*value), {}};
  }
  return UnknownFormat("application/json, application/yaml");
}

Result<DecodedPatch> DecodePatch(const http::Request& request, const ResourceInfo& resource) {
  const std::string type = ParseMediaType(request.headers.Get("Content-Type")).type;
  const bool core = resource.group.empty();
  const bool strategic = core && type == kStrategicMergePatch;
  if (type == kApplyPatchYaml) {
    Result<DecodedBody> configuration = DecodeConfiguration(request.body);
    if (!configuration.ok()) return configuration.status();
    return DecodedPatch{PatchType::kApply, *std::move(configuration)};
  }
  if (type != kJsonPatch && type != kMergePatch && !strategic) {
    std::string own = std::string(kJsonPatch) + ", " + std::string(kMergePatch);
    if (core) own += ", " + std::string(kStrategicMergePatch);
    return UnknownFormat(own + ", " + std::string(kApplyPatchYaml));
  }
  Result<DecodedBody> body = DecodeJsonText(request.body);
  if (!body.ok()) return body.status();
  if (strategic) {
    if (const std::string_view directive = FindDirective(body->value); !directive.empty()) {
      return BadRequest("the patch holds " + std::string(directive) +
                        ", which is not supported: send a merge patch or a JSON patch");
    }
  }
  return DecodedPatch{type == kJsonPatch ? PatchType::kJson : PatchType::kMerge, std::move(*body)};
}

}  // namespace asyncops::apiserver
