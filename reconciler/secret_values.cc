#include "reconciler/secret_values.h"

#include <functional>
#include <iterator>
#include <set>

#include "reconciler/redact.h"

namespace asyncops::reconciler {
namespace {

// Of one operation, of which there may be 100,000; passwords and certificates need less.
constexpr std::size_t kMaxRemembered = 256;
constexpr std::size_t kMaxRememberedBytes = std::size_t{256} * 1024;

bool IsWhole(const Json& value) { return value.is_object() || value.is_array(); }

void AddParts(const Json& value, std::vector<std::string>* out) {
  if (value.is_string() && value.as_string().size() >= kMinRedactedBytes) {
    out->push_back(value.as_string());
  } else if (value.is_array()) {
    for (const Json& item : value.as_array()) AddParts(item, out);
  } else if (value.is_object()) {
    for (const JsonMember& member : value.as_object()) AddParts(member.value, out);
  }
}

void RememberAll(const std::vector<std::string>& values, std::vector<std::string>* seen) {
  std::set<std::string, std::less<>> present(seen->begin(), seen->end());
  for (const std::string& value : values) {
    if (value.size() >= kMinRedactedBytes && present.insert(value).second) seen->push_back(value);
  }
  std::size_t bytes = 0;
  auto first = seen->end();
  while (first != seen->begin()) {
    bytes += std::prev(first)->size();
    const auto count = static_cast<std::size_t>(seen->end() - first) + 1;
    if (count > 1 && (count > kMaxRemembered || bytes > kMaxRememberedBytes)) break;
    --first;
  }
  seen->erase(seen->begin(), first);
}

}  // namespace

void SecretValues::Add(const Json& value) {
  const bool whole = IsWhole(value);
  (whole ? wholes : texts).push_back(value.is_string() ? value.as_string() : EncodeJson(value));
  if (whole) AddParts(value, &parts);
}

void SecretValues::AddKept(const std::string& text) {
  texts.push_back(text);
  if (!text.starts_with('{') && !text.starts_with('[')) return;
  const Result<Json> value = ParseJson(text);
  if (value.ok()) AddParts(*value, &parts);
}

void SeenSecrets::Remember(const SecretValues& values) {
  RememberAll(values.texts, &texts);
  RememberAll(values.parts, &parts);
}

}  // namespace asyncops::reconciler
