// The one file that knows simdjson: builds our values from its tape.
#include "base/json_fast.h"

#include <algorithm>
#include <bit>
#include <simdjson.h>
#include <string>
#include <vector>

namespace asyncops {
namespace {

namespace dom = simdjson::dom;

// Texts up to this size are parsed in memory that the thread keeps, about 15 bytes for each of
// theirs. For a larger one allocating is a small part of the work.
constexpr std::size_t kKeptTextBytes = std::size_t{16} * 1024;
// No text that is kept memory's makes it grow twice.
constexpr std::size_t kMinCapacity = std::size_t{4} * 1024;

struct Member {
  std::string_view name;
  dom::element value;
};

// Names are copied in the order of the text, so their addresses tell it.
bool Precedes(const Member& a, const Member& b) {
  const int names = a.name.compare(b.name);
  return names != 0 ? names < 0 : a.name.data() < b.name.data();
}

bool IsNotBefore(const Member& a, const Member& b) { return a.name >= b.name; }

class Parser {
 public:
  std::optional<Json> Parse(std::string_view text, const JsonParseOptions& options) {
    if (!Reserve(text.size())) return std::nullopt;
    dom::element root;
    if (parser_.parse(text.data(), text.size(), true).get(root) != simdjson::SUCCESS)
      return std::nullopt;
    max_depth_ = options.max_depth;
    refuse_duplicates_ = options.duplicates != nullptr;
    is_refused_ = false;
    members_.clear();
    Json value = Build(root, 1);
    if (is_refused_) return std::nullopt;
    return value;
  }

 private:
  bool Reserve(std::size_t size) {
    if (size <= parser_.capacity()) return true;
    const std::size_t capacity = std::bit_ceil(std::max(size, kMinCapacity));
    return parser_.allocate(capacity) == simdjson::SUCCESS &&
           parser_.doc.allocate(capacity) == simdjson::SUCCESS;
  }

  Json Refuse() {
    is_refused_ = true;
    return {};
  }

  // `depth` is that of the value if it is a container. The tape is of a valid text, so no access
  // fails.
  Json Build(dom::element value, int depth) {
    switch (value.type()) {
      case dom::element_type::OBJECT: return BuildObject(value.get_object().value_unsafe(), depth);
      case dom::element_type::ARRAY: return BuildArray(value.get_array().value_unsafe(), depth);
      case dom::element_type::STRING: return {value.get_string().value_unsafe()};
      case dom::element_type::INT64: return {value.get_int64().value_unsafe()};
      case dom::element_type::DOUBLE: return {value.get_double().value_unsafe()};
      // Only what int64 cannot hold has this type.
      case dom::element_type::UINT64:
        return {static_cast<double>(value.get_uint64().value_unsafe())};
      case dom::element_type::BOOL: return {value.get_bool().value_unsafe()};
      case dom::element_type::NULL_VALUE: return {};
    }
    return Refuse();
  }

  Json BuildArray(dom::array array, int depth) {
    if (depth > max_depth_) return Refuse();
    JsonArray items;
    items.reserve(array.size());
    for (const dom::element item : array) {
      items.push_back(Build(item, depth + 1));
      if (is_refused_) return {};
    }
    return items;
  }

  // Members are put in order while they are small, before they own anything.
  Json BuildObject(dom::object object, int depth) {
    if (depth > max_depth_) return Refuse();
    const std::size_t begin = members_.size();
    for (const dom::key_value_pair member : object) members_.push_back({member.key, member.value});
    const std::size_t end = members_.size();
    const auto first = members_.begin() + static_cast<std::ptrdiff_t>(begin);
    const bool is_ascending =
        std::adjacent_find(first, members_.end(), IsNotBefore) == members_.end();
    if (!is_ascending) std::sort(first, members_.end(), Precedes);
    std::vector<JsonMember> out;
    out.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      // The building of a value moves this vector's storage.
      const Member member = members_[i];
      if (!is_ascending && i + 1 < end && member.name == members_[i + 1].name) {
        if (refuse_duplicates_) return Refuse();
        continue;  // of equal names the last one stays
      }
      out.push_back({std::string(member.name), Build(member.value, depth + 1)});
      if (is_refused_) return {};
    }
    members_.resize(begin);
    return JsonObject(std::move(out));
  }

  dom::parser parser_;
  int max_depth_ = 0;
  bool refuse_duplicates_ = false;
  bool is_refused_ = false;
  // Of the objects that are being built, the innermost last.
  std::vector<Member> members_;
};

}  // namespace

std::optional<Json> ParseJsonFast(std::string_view text, const JsonParseOptions& options) {
  // simdjson would read from where nothing is.
  if (text.empty()) return std::nullopt;
  if (text.size() > kKeptTextBytes) return Parser().Parse(text, options);
  // Scratch memory, which no result depends on: a parser made for each text would spend more on
  // allocating than on parsing, and one handed down would be a parameter of everything that reads
  // JSON.
  static thread_local Parser parser;
  return parser.Parse(text, options);
}

}  // namespace asyncops
