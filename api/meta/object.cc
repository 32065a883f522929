#include "api/meta/object.h"

#include <string_view>

namespace asyncops {
namespace {

constexpr std::string_view kVersionName = "resourceVersion";
constexpr std::string_view kVersionMember = "\"resourceVersion\":\"\"";

void AppendMember(const JsonMember& member, std::string* out) {
  AppendJsonString(member.name, out);
  out->push_back(':');
  AppendJson(member.value, out);
}

void AppendVersion(ObjectText* out) {
  out->json.append(kVersionMember);
  out->revision_at = out->json.size() - 1;
}

// Members keep their order, the version at its place among them: canonical without a copy of the
// object.
void AppendMetadata(const JsonObject& metadata, ObjectText* out) {
  out->json.push_back('{');
  bool written = false;
  std::string_view separator;
  for (const JsonMember& member : metadata) {
    out->json.append(separator);
    separator = ",";
    if (!written && member.name >= kVersionName) {
      AppendVersion(out);
      written = true;
      if (member.name == kVersionName) continue;
      out->json.push_back(',');
    }
    AppendMember(member, &out->json);
  }
  if (!written) {
    out->json.append(separator);
    AppendVersion(out);
  }
  out->json.push_back('}');
}

}  // namespace

ObjectText EncodeObject(const Json& object) {
  ObjectText out;
  out.json.push_back('{');
  std::string_view separator;
  for (const JsonMember& member : object.as_object()) {
    out.json.append(separator);
    separator = ",";
    if (member.name == "metadata") {
      out.json.append("\"metadata\":");
      out.metadata_at = out.json.size();
      AppendMetadata(member.value.as_object(), &out);
      out.metadata_size = out.json.size() - out.metadata_at;
    } else {
      AppendMember(member, &out.json);
    }
  }
  out.json.push_back('}');
  return out;
}

}  // namespace asyncops
