#include "base/json_raw.h"

#include <algorithm>
#include <cstring>

#include "base/json.h"

namespace asyncops {
namespace {

// The position after the string that starts at `at` (on its quote).
std::size_t SkipString(std::string_view text, std::size_t at) {
  // Names and most values are short: cheaper than a call.
  constexpr std::size_t kShort = 24;
  const std::size_t near = std::min(text.size(), at + kShort);
  for (std::size_t i = at + 1; i < near && text[i] != '\\'; ++i) {
    if (text[i] == '"') return i + 1;
  }
  for (++at; at < text.size();) {
    const void* quote = std::memchr(text.data() + at, '"', text.size() - at);
    if (quote == nullptr) return text.size();
    const auto end = static_cast<std::size_t>(static_cast<const char*>(quote) - text.data());
    std::size_t slashes = 0;
    while (slashes < end - at && text[end - 1 - slashes] == '\\') ++slashes;
    at = end + 1;
    if (slashes % 2 == 0) return at;
  }
  return text.size();
}

// The position after the value that starts at `at`.
std::size_t SkipValue(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = SkipString(text, at);
        if (depth == 0) return at;
        break;
      case '{':
      case '[':
        ++depth;
        ++at;
        break;
      case '}':
      case ']':
        if (depth == 0) return at;
        ++at;
        if (--depth == 0) return at;
        break;
      case ',':
        if (depth == 0) return at;
        ++at;
        break;
      default: ++at;
    }
  }
  return at;
}

struct Member {
  std::string_view name;
  std::string_view value;
};

// Where the first member starts; past the end where these bytes are no object.
std::size_t FirstMember(std::string_view object) {
  return object.empty() || object.front() != '{' ? object.size() : 1;
}

// Reads the member at `at` and moves on to the next one; false where there is none, or it is cut
// short.
bool NextMember(std::string_view object, std::size_t* at, Member* member) {
  if (*at >= object.size() || object[*at] != '"') return false;
  const std::size_t name_end = SkipString(object, *at);
  if (name_end >= object.size() || object[name_end] != ':') return false;
  const std::size_t end = SkipValue(object, name_end + 1);
  member->name = object.substr(*at + 1, name_end - *at - 2);
  member->value = object.substr(name_end + 1, end - name_end - 1);
  *at = end + 1;
  return true;
}

}  // namespace

RawObject::RawObject(std::string_view object) {
  Member member;
  for (std::size_t at = FirstMember(object); NextMember(object, &at, &member);)
    members_.emplace_back(member.name, member.value);
}

std::string_view RawObject::Find(std::string_view name) const {
  for (const auto& [found, value] : members_) {
    if (found == name) return value;
  }
  return {};
}

std::string_view RawMember(std::string_view object, std::string_view name) {
  Member member;
  for (std::size_t at = FirstMember(object); NextMember(object, &at, &member);) {
    if (member.name == name) return member.value;
  }
  return {};
}

std::string_view RawAt(std::string_view object, const std::vector<std::string>& path) {
  for (const std::string& name : path) object = RawMember(object, name);
  return object;
}

std::vector<std::string_view> RawItems(std::string_view array) {
  std::vector<std::string_view> items;
  if (array.size() < 2 || array.front() != '[') return items;
  std::size_t at = 1;
  while (at < array.size() && array[at] != ']') {
    const std::size_t end = SkipValue(array, at);
    items.push_back(array.substr(at, end - at));
    at = end < array.size() && array[end] == ',' ? end + 1 : end;
  }
  return items;
}

bool RawIsString(std::string_view raw) { return !raw.empty() && raw.front() == '"'; }

bool RawIsNull(std::string_view raw) { return raw.empty() || raw == "null"; }

std::string RawText(std::string_view raw) {
  if (!RawIsString(raw)) return std::string(raw);
  if (raw.find('\\') == std::string_view::npos) return std::string(raw.substr(1, raw.size() - 2));
  const Result<Json> parsed = ParseJson(raw);
  return parsed.ok() && parsed->is_string() ? parsed->as_string() : std::string();
}

}  // namespace asyncops
