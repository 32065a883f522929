#include "api/fieldmanager/path_element.h"

#include <charconv>

namespace asyncops::fieldmanager {
namespace {

// Each kind is a letter and a colon.
constexpr std::size_t kPrefix = 2;

bool IsScalar(const Json& value) {
  return !value.is_null() && !value.is_object() && !value.is_array();
}

void AppendKey(std::string_view name, const Json& value, std::string* out) {
  AppendJsonString(name, out);
  out->push_back(':');
  AppendJson(value, out);
}

std::optional<PathElement> KeyElement(const Schema& list, const Json& item) {
  if (list.list_map_keys.size() == 1) {
    const Json* value = item.Find(list.list_map_keys.front());
    if (value == nullptr || !IsScalar(*value)) return std::nullopt;
    PathElement element = "k:{";
    AppendKey(list.list_map_keys.front(), *value, &element);
    element.push_back('}');
    return element;
  }
  JsonObject keys;
  for (const std::string& name : list.list_map_keys) {
    const Json* value = item.Find(name);
    if (value == nullptr || !IsScalar(*value)) return std::nullopt;
    keys.Set(name, *value);
  }
  return "k:" + EncodeJson(keys);
}

bool IsIndex(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// `type="Ready",port=80` of a key.
std::string FormatKeys(std::string_view keys) {
  const Result<Json> parsed = ParseJson(keys);
  std::string out;
  if (!parsed.ok() || !parsed->is_object()) return out;
  for (const auto& [name, value] : parsed->as_object())
    out.append(out.empty() ? "" : ",").append(name).append("=").append(EncodeJson(value));
  return out;
}

}  // namespace

PathElement MemberElement(std::string_view name) {
  PathElement element;
  element.reserve(kPrefix + name.size());
  element.append("f:").append(name);
  return element;
}

std::optional<PathElement> ItemElement(const Schema& list, const Json& item) {
  if (!list.list_map_keys.empty()) return KeyElement(list, item);
  if (!IsScalar(item)) return std::nullopt;
  PathElement element = "v:";
  AppendJson(item, &element);
  return element;
}

Result<PathElement> ParseElement(std::string_view text) {
  const std::string_view kind = text.substr(0, kPrefix);
  if (kind == "f:") return PathElement(text);
  const std::string_view rest = text.substr(kind.size());
  if (kind == "i:") {
    if (!IsIndex(rest)) return BadRequest("a field set has the index " + std::string(rest));
    return PathElement(text);
  }
  if (kind != "k:" && kind != "v:") return PathElement();
  const Result<Json> value = ParseJson(rest);
  if (!value.ok()) return value.status().WithContext("a field set has a key that does not parse");
  if (kind == "k:" && (!value->is_object() || value->as_object().empty()))
    return BadRequest("a field set has a key that names no fields");
  return PathElement(kind) + EncodeJson(*value);
}

std::string FormatPath(const Path& path) {
  std::string out;
  for (const PathElement& element : path) {
    const std::string_view rest = std::string_view(element).substr(kPrefix);
    switch (element.front()) {
      case 'f': out.append(".").append(rest); break;
      case 'k': out.append("[").append(FormatKeys(rest)).append("]"); break;
      case 'v': out.append("[=").append(rest).append("]"); break;
      default: out.append("[").append(rest).append("]"); break;
    }
  }
  return out;
}

}  // namespace asyncops::fieldmanager
