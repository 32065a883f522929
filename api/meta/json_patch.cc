#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/expr/json_pointer.h"
#include "api/meta/patch.h"
#include "api/meta/quote.h"
#include "base/limits.h"

namespace asyncops {
namespace {

using Tokens = std::vector<std::string>;

// apiserver: what all copies of a patch may add together.
constexpr std::size_t kMaxCopiedBytes = 3u * 1024 * 1024;
// List elements that a patch may shift and values that it may move, together: 10,000 operations at
// the head of a list of 500,000 would take minutes.
constexpr std::size_t kMaxSteps = 8u * 1024 * 1024;

Status Invalid(std::string message) { return {Reason::kInvalid, std::move(message)}; }
Status TooLarge(std::string_view message) {
  return {Reason::kRequestEntityTooLarge, "Request entity too large: " + std::string(message)};
}

Result<Tokens> ParsePointer(const Json& operation, std::string_view member) {
  const Json* text = operation.Find(member);
  if (text == nullptr || !text->is_string())
    return BadRequest("must have a string " + Quote(member));
  Result<expr::JsonPointer> pointer = expr::JsonPointer::Parse(text->as_string());
  if (!pointer.ok()) return pointer.status().WithContext(member);
  return pointer->tokens();
}

// An index without sign and leading zeros, at most `max`.
std::optional<std::size_t> ParseIndex(std::string_view token, std::size_t max) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size() || index > max)
    return std::nullopt;
  return index;
}

Json* Child(Json* parent, std::string_view token) {
  if (parent->is_object()) return parent->Find(token);
  if (!parent->is_array() || parent->as_array().empty()) return nullptr;
  const auto index = ParseIndex(token, parent->as_array().size() - 1);
  return index ? &parent->as_array()[*index] : nullptr;
}

// The value at the first `count` tokens, or null.
Json* Walk(Json* document, const Tokens& tokens, std::size_t count) {
  Json* at = document;
  for (std::size_t i = 0; i < count && at != nullptr; ++i) at = Child(at, tokens[i]);
  return at;
}

bool IsProperPrefix(const Tokens& prefix, const Tokens& tokens) {
  return prefix.size() < tokens.size() && std::equal(prefix.begin(), prefix.end(), tokens.begin());
}

// One application of a patch to a document.
class Patcher {
 public:
  explicit Patcher(Json document) : document_(std::move(document)) {}

  Status Apply(const Json& operation) {
    if (!operation.is_object()) return BadRequest("must be an object");
    const Json* op = operation.Find("op");
    if (op == nullptr || !op->is_string()) return BadRequest("must have a string \"op\"");
    Result<Tokens> path = ParsePointer(operation, "path");
    if (!path.ok()) return path.status();
    const std::string& name = op->as_string();
    if (name == "remove") return Remove(*path);
    if (name == "move" || name == "copy") {
      Result<Tokens> from = ParsePointer(operation, "from");
      if (!from.ok()) return from.status();
      return name == "move" ? Move(*from, *path) : Copy(*from, *path);
    }
    if (name != "add" && name != "replace" && name != "test")
      return BadRequest("unknown op " + Quote(name) + ": add, remove, replace, move, copy or test");
    const Json* value = operation.Find("value");
    if (value == nullptr) return BadRequest("must have a \"value\"");
    if (name == "add") return Add(*path, *value);
    if (name == "replace") return Replace(*path, *value);
    return Test(*path, *value);
  }

  Json Take() { return std::move(document_); }

 private:
  // Counts the values inside, and refuses what would nest too deep at `depth`.
  Status CheckDepth(const Json& value, std::size_t depth) {
    if (depth > static_cast<std::size_t>(kMaxJsonDepth))
      return Invalid("the result would nest deeper than " + std::to_string(kMaxJsonDepth));
    if (++steps_ > kMaxSteps) return TooLarge("the patch moves too many values");
    if (value.is_array()) {
      for (const Json& item : value.as_array())
        ASYNCOPS_RETURN_IF_ERROR(CheckDepth(item, depth + 1));
    } else if (value.is_object()) {
      for (const JsonMember& member : value.as_object())
        ASYNCOPS_RETURN_IF_ERROR(CheckDepth(member.value, depth + 1));
    }
    return Status::Ok();
  }

  Status CountShift(const Json& parent) {
    if (parent.is_array()) steps_ += parent.as_array().size();
    if (parent.is_object()) steps_ += parent.as_object().size();
    return steps_ > kMaxSteps ? TooLarge("the patch shifts too many list items") : Status::Ok();
  }

  Status Add(const Tokens& path, Json value) {
    ASYNCOPS_RETURN_IF_ERROR(CheckDepth(value, path.size()));
    if (path.empty()) {
      document_ = std::move(value);
      return Status::Ok();
    }
    Json* parent = Walk(&document_, path, path.size() - 1);
    if (parent == nullptr) return Invalid("the parent of the path does not exist");
    ASYNCOPS_RETURN_IF_ERROR(CountShift(*parent));
    if (parent->is_object()) {
      parent->as_object().Set(path.back(), std::move(value));
      return Status::Ok();
    }
    if (!parent->is_array()) return Invalid("the parent of the path is no object or list");
    JsonArray& items = parent->as_array();
    const auto index =
        path.back() == "-" ? std::optional(items.size()) : ParseIndex(path.back(), items.size());
    if (!index) return Invalid(Quote(path.back()) + " is no index of the list or its end");
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return Status::Ok();
  }

  Status Remove(const Tokens& path) {
    if (path.empty()) return Invalid("the whole document cannot be removed");
    Json* parent = Walk(&document_, path, path.size() - 1);
    if (parent == nullptr || Child(parent, path.back()) == nullptr)
      return Invalid("the path does not exist");
    ASYNCOPS_RETURN_IF_ERROR(CountShift(*parent));
    if (parent->is_object()) {
      parent->as_object().Erase(path.back());
      return Status::Ok();
    }
    JsonArray& items = parent->as_array();
    const auto index = ParseIndex(path.back(), items.size() - 1);
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(*index));
    return Status::Ok();
  }

  Status Replace(const Tokens& path, const Json& value) {
    Json* target = Walk(&document_, path, path.size());
    if (target == nullptr) return Invalid("the path does not exist");
    ASYNCOPS_RETURN_IF_ERROR(CheckDepth(value, path.size()));
    *target = value;
    return Status::Ok();
  }

  Status Move(const Tokens& from, const Tokens& path) {
    if (IsProperPrefix(from, path)) return Invalid("a value cannot be moved into itself");
    Json* source = Walk(&document_, from, from.size());
    if (source == nullptr) return Invalid("the path of \"from\" does not exist");
    if (from == path) return Status::Ok();
    Json value = std::move(*source);
    ASYNCOPS_RETURN_IF_ERROR(Remove(from));
    return Add(path, std::move(value));
  }

  Status Copy(const Tokens& from, const Tokens& path) {
    const Json* source = Walk(&document_, from, from.size());
    if (source == nullptr) return Invalid("the path of \"from\" does not exist");
    copied_bytes_ += EncodeJson(*source).size();
    if (copied_bytes_ > kMaxCopiedBytes) {
      return TooLarge("copies of the patch add " + std::to_string(copied_bytes_) +
                      " bytes, limit is " + std::to_string(kMaxCopiedBytes));
    }
    return Add(path, *source);
  }

  Status Test(const Tokens& path, const Json& value) {
    const Json* found = Walk(&document_, path, path.size());
    if (found == nullptr) return Invalid("the path does not exist");
    return *found == value ? Status::Ok() : Invalid("the value there is another");
  }

  Json document_;
  std::size_t copied_bytes_ = 0;
  std::size_t steps_ = 0;
};

// `operation 2 (remove "/a/b")`.
std::string Describe(std::size_t index, const Json& operation) {
  std::string out = "JSON patch operation " + std::to_string(index);
  const std::string_view op = operation.StringAt({"op"});
  if (op.empty()) return out;
  return out.append(" (").append(op).append(" ") + Quote(operation.StringAt({"path"})) + ")";
}

}  // namespace

Result<Json> ApplyJsonPatch(const Json& document, const Json& patch) {
  if (!patch.is_array()) {
    return BadRequest("a JSON patch must be a list of operations, got " +
                      std::string(JsonTypeName(patch.type())));
  }
  const JsonArray& operations = patch.as_array();
  if (operations.size() > kMaxJsonPatchOperations) {
    return TooLarge("The allowed maximum operations in a JSON patch is " +
                    std::to_string(kMaxJsonPatchOperations) + ", got " +
                    std::to_string(operations.size()));
  }
  Patcher patcher(document);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Status status = patcher.Apply(operations[i]);
    if (!status.ok()) return status.WithContext(Describe(i, operations[i]));
  }
  return patcher.Take();
}

}  // namespace asyncops
