#include "api/expr/json_pointer.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/limits.h"

namespace asyncops::expr {
namespace {

// An array index: digits without a leading zero.
std::optional<std::size_t> ArrayIndex(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const auto parsed = std::from_chars(token.data(), end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return index;
}

// The element or member of a container that Set() may write into; null where there is none.
Json* StepInto(Json* container, const std::string& token) {
  if (container->is_null()) *container = JsonObject();
  if (container->is_object()) return &container->as_object()[token];
  if (!container->is_array()) return nullptr;
  JsonArray& array = container->as_array();
  if (token == "-") return &array.emplace_back();
  const auto index = ArrayIndex(token);
  return index && *index < array.size() ? &array[*index] : nullptr;
}

}  // namespace

std::optional<Mistake> SplitPointer(std::string_view text, std::vector<std::string>* tokens) {
  if (text.size() > kMaxExpressionBytes) {
    return Mistake{kMaxExpressionBytes,
                   "longer than " + std::to_string(kMaxExpressionBytes) + " bytes"};
  }
  if (!text.empty() && text.front() != '/') return Mistake{0, "a JSON Pointer starts with '/'"};
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '/') {
      if (tokens->size() == static_cast<std::size_t>(kMaxJsonDepth)) {
        return Mistake{at, "more than " + std::to_string(kMaxJsonDepth) + " steps"};
      }
      tokens->emplace_back();
    } else if (text[at] == '~') {
      const char escaped = at + 1 < text.size() ? text[at + 1] : '\0';
      if (escaped != '0' && escaped != '1') {
        return Mistake{at, "'~' in a JSON Pointer is written '~0' (and '/' in a name '~1')"};
      }
      tokens->back().push_back(escaped == '0' ? '~' : '/');
      ++at;
    } else {
      tokens->back().push_back(text[at]);
    }
  }
  return std::nullopt;
}

const Json* FollowPointer(const Json& document, std::span<const std::string> tokens) {
  const Json* found = &document;
  for (const std::string& token : tokens) {
    if (found->is_array()) {
      const auto index = ArrayIndex(token);
      if (!index || *index >= found->as_array().size()) return nullptr;
      found = &found->as_array()[*index];
    } else {
      found = found->Find(token);
      if (found == nullptr) return nullptr;
    }
  }
  return found;
}

Result<JsonPointer> JsonPointer::Parse(std::string_view text) {
  std::vector<std::string> tokens;
  if (const auto mistake = SplitPointer(text, &tokens)) {
    return BadRequest(Describe(text, *mistake));
  }
  return JsonPointer(std::move(tokens));
}

const Json* JsonPointer::Find(const Json& document) const {
  return FollowPointer(document, tokens_);
}

Status JsonPointer::Set(Json* document, Json value) const {
  Json* target = document;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    target = StepInto(target, tokens_[i]);
    if (target == nullptr) {
      return BadRequest("step " + std::to_string(i + 1) + " of the JSON Pointer, \"" + tokens_[i] +
                        "\", is no place in the document");
    }
  }
  *target = std::move(value);
  return Status::Ok();
}

}  // namespace asyncops::expr
