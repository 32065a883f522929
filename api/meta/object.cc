#include "api/meta/object.h"

#include <algorithm>
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

bool IsWithin(std::initializer_list<std::string_view> names, const JsonObject& inner,
              const JsonObject& outer) {
  return std::all_of(inner.begin(), inner.end(), [names, &outer](const JsonMember& member) {
    if (std::find(names.begin(), names.end(), member.name) != names.end()) return true;
    const Json* other = outer.Find(member.name);
    return other != nullptr && *other == member.value;
  });
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

bool SameBeside(std::initializer_list<std::string_view> names, const Json& a, const Json& b) {
  return IsWithin(names, a.as_object(), b.as_object()) &&
         IsWithin(names, b.as_object(), a.as_object());
}

}  // namespace asyncops
