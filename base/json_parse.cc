// The one file that knows nlohmann_json, the judge: its SAX parser builds our values of whatever
// simdjson refuses (json_fast.cc), and words what is wrong.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_fast.h"

namespace asyncops {
namespace {

// One container under construction. Members are sorted once, at the end: inserting each in its
// place would take quadratic time for a body whose names stand in descending order.
struct Frame {
  bool is_object = false;
  std::string key;  // of the member that comes next, in an object
  JsonArray items;
  std::vector<JsonMember> members;
};

// Of the library's own words; an overlong number is quoted in them.
constexpr std::size_t kMaxErrorBytes = 200;

std::string Joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const JsonParseOptions& options)
      : text_(text), options_(options) {}

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(std::int64_t value) override { return Add(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return Add(static_cast<double>(value));
    return Add(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& /*text*/) override { return Add(value); }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return Open(true); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*size*/) override { return Open(false); }
  bool end_array() override { return Close(); }

  bool key(std::string& name) override {
    stack_.back().key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // The library's text is "[json.exception.parse_error.101] parse error at line 1, column 2: WHY;
    // last read: 'TEXT'". Its column is wrong after a number that ends a line, and the text that it
    // read may be the whole body.
    std::string_view why = error.what();
    for (const std::string_view before_why : {"] ", "parse error at line", ": "}) {
      const auto at = why.find(before_why);
      if (at == std::string_view::npos) break;
      why.remove_prefix(at + before_why.size());
    }
    why = why.substr(0, std::min(why.find("; last read: '"), kMaxErrorBytes));
    error_ = Place(position) + ": " + std::string(why);
    return false;
  }

  const std::string& error() const { return error_; }
  Json Take() { return std::move(root_); }

 private:
  bool Add(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& top = stack_.back();
    if (top.is_object) {
      top.members.push_back({std::move(top.key), std::move(value)});
    } else {
      top.items.push_back(std::move(value));
    }
    return true;
  }

  bool Open(bool is_object) {
    if (stack_.size() >= static_cast<std::size_t>(options_.max_depth)) {
      error_ = "nesting is deeper than " + std::to_string(options_.max_depth) + " levels";
      return false;
    }
    stack_.emplace_back().is_object = is_object;
    return true;
  }

  bool Close() {
    Frame done = std::move(stack_.back());
    stack_.pop_back();
    if (!done.is_object) return Add(std::move(done.items));
    if (options_.duplicates != nullptr) ReportDuplicates(done.members);
    return Add(JsonObject(std::move(done.members)));
  }

  // Of the object that just ended; the stack holds what it stands in.
  void ReportDuplicates(const std::vector<JsonMember>& members) {
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const JsonMember& member : members) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (options_.duplicates->size() >= kMaxDuplicatesReported) return;
      if (names[i] == names[i - 1]) AddDuplicate(Joined(Path(), std::string(names[i])));
    }
  }

  void AddDuplicate(std::string path) {
    for (const std::string& seen : *options_.duplicates)
      if (seen == path) return;
    options_.duplicates->push_back(std::move(path));
  }

  // Of the value that is being added: "spec.list[1]".
  std::string Path() const {
    std::string path;
    for (const Frame& frame : stack_) {
      path = frame.is_object ? Joined(path, frame.key)
                             : path + "[" + std::to_string(frame.items.size()) + "]";
    }
    return path;
  }

  std::string Place(std::size_t position) const {
    const std::string_view before = text_.substr(0, position);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    // Of an empty text the position is 0.
    const std::size_t column = std::max<std::size_t>(before.size() - start, 1);
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
  }

  const std::string_view text_;
  const JsonParseOptions& options_;
  std::vector<Frame> stack_;
  Json root_;
  std::string error_;
};

}  // namespace

Result<Json> JudgeJson(std::string_view text, const JsonParseOptions& options) {
  Builder builder(text, options);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return BadRequest(builder.error().empty() ? "not a JSON text" : builder.error());
  }
  // The library takes a NUL for the end of the text.
  if (text.find('\0') != std::string_view::npos)
    return BadRequest("a NUL byte is no part of a JSON text");
  return builder.Take();
}

Result<Json> ParseJson(std::string_view text, const JsonParseOptions& options) {
  if (std::optional<Json> value = ParseJsonFast(text, options)) return *std::move(value);
  return JudgeJson(text, options);
}

}  // namespace asyncops
