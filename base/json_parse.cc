// The one file that knows nlohmann_json: its SAX parser builds our values.
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace asyncops {
namespace {

// One container under construction.
struct Frame {
  Json value;
  std::string key;  // of the member that comes next, in an object
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const JsonParseOptions& options) : options_(options) {}

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

  bool start_object(std::size_t /*size*/) override { return Open(JsonObject()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*size*/) override { return Open(JsonArray()); }
  bool end_array() override { return Close(); }

  bool key(std::string& name) override {
    Frame& top = stack_.back();
    if (top.value.as_object().Has(name)) ReportDuplicate(name);
    top.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    // The library's text is "[json.exception.parse_error.101] parse error at line 1, column 2: ...".
    std::string_view text = error.what();
    if (const auto bracket = text.find("] "); bracket != std::string_view::npos)
      text.remove_prefix(bracket + 2);
    error_ = text;
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
    if (top.value.is_array()) {
      top.value.as_array().push_back(std::move(value));
    } else {
      top.value.as_object().Set(top.key, std::move(value));
    }
    return true;
  }

  bool Open(Json empty) {
    if (stack_.size() >= static_cast<std::size_t>(options_.max_depth)) {
      error_ = "nesting is deeper than " + std::to_string(options_.max_depth) + " levels";
      return false;
    }
    stack_.push_back({std::move(empty), ""});
    return true;
  }

  bool Close() {
    Json done = std::move(stack_.back().value);
    stack_.pop_back();
    return Add(std::move(done));
  }

  void ReportDuplicate(const std::string& name) {
    if (options_.duplicates == nullptr || options_.duplicates->size() >= kMaxDuplicatesReported)
      return;
    std::string path;
    for (std::size_t i = 0; i + 1 < stack_.size(); ++i) {
      const Frame& frame = stack_[i];
      if (frame.value.is_array()) {
        path += "[" + std::to_string(frame.value.as_array().size()) + "]";
      } else {
        path += (path.empty() ? "" : ".") + frame.key;
      }
    }
    if (stack_.back().value.is_object()) path += (path.empty() ? "" : ".") + name;
    for (const std::string& seen : *options_.duplicates)
      if (seen == path) return;
    options_.duplicates->push_back(std::move(path));
  }

  const JsonParseOptions& options_;
  std::vector<Frame> stack_;
  Json root_;
  std::string error_;
};

}  // namespace

Result<Json> ParseJson(std::string_view text, const JsonParseOptions& options) {
  Builder builder(options);
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return BadRequest(builder.error().empty() ? "not a JSON text" : builder.error());
  }
  return builder.Take();
}

}  // namespace asyncops
