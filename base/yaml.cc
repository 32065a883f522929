// The one file that knows yaml-cpp: its parser's events build our values, so that an anchor, a
// duplicate or a deep nesting is refused where it stands, before memory is spent on it.
#include "base/yaml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/ascii.h"
#include "base/encoding.h"

namespace asyncops {
namespace {

// yaml-cpp counts lines and columns from 0.
std::string At(const YAML::Mark& mark, std::string_view message) {
  std::string out(message);
  if (mark.is_null()) return out;
  return "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1) +
         ": " + out;
}

// Leaves the parser; ParseYaml catches it.
[[noreturn]] void Refuse(const YAML::Mark& mark, const std::string& message) {
  throw YAML::ParserException(mark, message);
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

std::size_t CountDigits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return count;
}

// The core schema's decimal number: [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+
// )?
bool IsDecimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = CountDigits(text);
  text.remove_prefix(whole);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = CountDigits(text);
    if (whole + fraction == 0) return false;
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (!text.starts_with('e') && !text.starts_with('E')) return text.empty();
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && CountDigits(text) == text.size();
}

// The whole text as a number; null where it is none or too large for JSON.
template <class T, class... Format>
Json Number(std::string_view text, Format... format) {
  T value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, format...);
  return parsed.ec == std::errc() && parsed.ptr == end ? Json(value) : Json();
}

// A plain scalar by the core schema (YAML 1.2, 10.3.2).
Json ResolvePlain(const YAML::Mark& mark, const std::string& text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (IsOneOf(text, {"true", "True", "TRUE"})) return true;
  if (IsOneOf(text, {"false", "False", "FALSE"})) return false;
  std::string_view unsigned_text = text;
  if (text.starts_with('-') || text.starts_with('+')) unsigned_text.remove_prefix(1);
  if (IsOneOf(unsigned_text, {".inf", ".Inf", ".INF"}) || IsOneOf(text, {".nan", ".NaN", ".NAN"}))
    Refuse(mark, "JSON has no number for " + text);
  for (const auto& [prefix, base] : {std::pair("0x", 16), std::pair("0o", 8)}) {
    if (!text.starts_with(prefix) || text.size() == 2 || text[2] == '-') continue;
    const Json number = Number<std::int64_t>(std::string_view(text).substr(2), base);
    return number.is_null() ? Json(text) : number;
  }
  if (!IsDecimal(text)) return text;
  // from_chars knows no plus sign.
  const std::string_view digits = text.starts_with('+') ? unsigned_text : std::string_view(text);
  Json number = Number<std::int64_t>(digits);
  if (number.is_null()) number = Number<double>(digits);
  if (number.is_null()) Refuse(mark, "the number " + text + " is too large");
  return number;
}

// A scalar with the tag of that name, quoted or not.
Json ResolveTagged(const YAML::Mark& mark, std::string_view tag, const std::string& text) {
  if (IsOneOf(tag, {"!", "str"})) return text;
  Json value = ResolvePlain(mark, text);
  const bool fits = IsOneOf(tag, {"", "?"}) || (tag == "int" && value.is_int()) ||
                    (tag == "float" && value.is_number()) || (tag == "bool" && value.is_bool()) ||
                    (tag == "null" && value.is_null());
  if (!fits) Refuse(mark, "\"" + text + "\" is no !!" + std::string(tag));
  return value;
}

// One collection under construction.
struct Frame {
  bool is_map = false;
  bool has_key = false;  // in a map: the next node is the value of `key`
  std::string key;
  std::set<std::string, std::less<>> keys;
  JsonArray items;
  std::vector<JsonMember> members;
};

class Builder final : public YAML::EventHandler {
 public:
  // The text ends before this line; what starts there is of our own terminator.
  explicit Builder(std::ptrdiff_t end_line) : end_line_(end_line) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // yaml-cpp 0.7 takes a comma outside of a collection for an empty document that ends before it:
    // it would find that one for ever.
    if (mark.pos == start_) Refuse(mark, "no document starts like this");
    start_ = mark.pos;
    is_past_end_ = mark.line >= end_line_;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Check(mark, "", anchor);
    Add(mark, "null", nullptr);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Refuse(mark, "aliases are not allowed");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& /*name*/) override {
    Refuse(mark, "anchors are not allowed");
  }
  // yaml-cpp's tags: "?" of a plain scalar, "!" of a quoted one, else the one that stands there.
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Add(mark, text, ResolveTagged(mark, Check(mark, tag, anchor), text));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, anchor, false);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, anchor, true);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapEnd() override { Close(); }

  std::vector<Json> Take() { return std::move(documents_); }

 private:
  // The name of a core tag, "?" or "!".
  static std::string_view Check(const YAML::Mark& mark, std::string_view tag,
                                YAML::anchor_t anchor) {
    if (anchor != 0) Refuse(mark, "anchors are not allowed");
    if (IsOneOf(tag, {"", "?", "!"})) return tag;
    constexpr std::string_view kCore = "tag:yaml.org,2002:";
    const std::string_view name = tag.starts_with(kCore) ? tag.substr(kCore.size()) : "";
    if (!IsOneOf(name, {"str", "int", "float", "bool", "null", "map", "seq"}))
      Refuse(mark, "the tag " + std::string(tag) + " is not known");
    return name;
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, bool is_map) {
    const std::string_view kind = Check(mark, tag, anchor);
    if (!IsOneOf(kind, {"", "?", "!", is_map ? "map" : "seq"}))
      Refuse(mark, "the tag !!" + std::string(kind) + (is_map ? " on a map" : " on a list"));
    if (stack_.size() >= static_cast<std::size_t>(kMaxJsonDepth))
      Refuse(mark, "nesting is deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    if (!stack_.empty() && stack_.back().is_map && !stack_.back().has_key)
      Refuse(mark, "a key must be a scalar");
    stack_.emplace_back().is_map = is_map;
  }

  void Close() {
    Frame done = std::move(stack_.back());
    stack_.pop_back();
    Put(done.is_map ? Json(JsonObject(std::move(done.members))) : Json(std::move(done.items)));
  }

  // A scalar: a key in its written form, or a value.
  void Add(const YAML::Mark& mark, const std::string& text, Json value) {
    if (stack_.empty() || !stack_.back().is_map || stack_.back().has_key) {
      Put(std::move(value));
      return;
    }
    Frame& map = stack_.back();
    if (!map.keys.insert(text).second) Refuse(mark, "key \"" + text + "\" is already set in map");
    map.key = text;
    map.has_key = true;
  }

  void Put(Json value) {
    if (stack_.empty()) {
      if (!is_past_end_) documents_.push_back(std::move(value));
      return;
    }
    Frame& top = stack_.back();
    if (top.is_map) {
      top.members.push_back({std::move(top.key), std::move(value)});
      top.has_key = false;
    } else {
      top.items.push_back(std::move(value));
    }
  }

  const std::ptrdiff_t end_line_;
  std::ptrdiff_t start_ = -1;  // of the last document
  bool is_past_end_ = false;
  std::vector<Frame> stack_;
  std::vector<Json> documents_;
};

// The place of the first byte that is not UTF-8, for a message.
YAML::Mark MarkOfBadByte(std::string_view text) {
  YAML::Mark mark;
  while (const std::size_t length = Utf8Length(text.substr(static_cast<std::size_t>(mark.pos)))) {
    mark.column = text[static_cast<std::size_t>(mark.pos)] == '\n' ? 0 : mark.column + 1;
    mark.line += mark.column == 0 ? 1 : 0;
    mark.pos += static_cast<int>(length);
  }
  return mark;
}

// Whether a string stands for itself without quotes, for readers of YAML 1.1 (kubectl's) too: what
// starts with a digit or a sign may be a number, a time or a base-60 number.
bool IsPlainSafe(std::string_view text) {
  if (text.empty() || text.ends_with(' ') || text.ends_with(':')) return false;
  if (!IsLetter(text.front()) && text.front() != '/' && text.front() != '_') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ':' && text[i + 1] == ' ') return false;
    if (IsLetter(c) || IsDigit(c)) continue;
    if (std::string_view("-_./:()=+ ").find(c) == std::string_view::npos) return false;
  }
  const std::string lower = LowerCase(text);
  return !IsOneOf(lower, {"null", "true", "false", "yes", "no", "on", "off", "y", "n"});
}

// A double-quoted YAML scalar: a JSON string is one, but for the characters that YAML 1.1 takes for
// line breaks or does not allow to stand raw.
void AppendQuoted(std::string_view text, std::string* out) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes = {
      {{"\x7F", "\\x7f"},
       {"\xC2\x85", "\\u0085"},
       {"\xE2\x80\xA8", "\\u2028"},
       {"\xE2\x80\xA9", "\\u2029"},
       {"\xEF\xBB\xBF", "\\ufeff"}}};
  std::string quoted;
  AppendJsonString(text, &quoted);
  for (const auto& [raw, escape] : kEscapes)
    for (std::size_t at = quoted.find(raw); at != std::string::npos; at = quoted.find(raw, at))
      quoted.replace(at, raw.size(), escape);
  out->append(quoted);
}

void AppendString(std::string_view text, std::string* out) {
  if (IsPlainSafe(text)) {
    out->append(text);
  } else {
    AppendQuoted(text, out);
  }
}

void AppendBlock(const Json& value, int indent, std::string* out);

void AppendIndent(int indent, std::string* out) {
  out->append(static_cast<std::size_t>(indent) * 2, ' ');
}

// What follows "name:" or "-": a scalar on the same line, a collection below or beside it.
bool IsBlock(const Json& value) {
  return (value.is_object() && !value.as_object().empty()) ||
         (value.is_array() && !value.as_array().empty());
}

void AppendObject(const JsonObject& object, int indent, std::string* out) {
  bool first = true;
  for (const auto& [name, member] : object) {
    if (!first) AppendIndent(indent, out);
    first = false;
    AppendString(name, out);
    out->push_back(':');
    if (!IsBlock(member)) {
      out->push_back(' ');
      AppendBlock(member, indent, out);
      continue;
    }
    out->push_back('\n');
    // A list stands under its name without a further indent, as kubectl writes it.
    const int inner = member.is_array() ? indent : indent + 1;
    AppendIndent(inner, out);
    AppendBlock(member, inner, out);
  }
}

// Writes from the place where the first line goes on; later lines start with the indent. Ends with
// a new line.
void AppendBlock(const Json& value, int indent, std::string* out) {
  if (!IsBlock(value)) {
    if (value.is_string()) {
      AppendString(value.as_string(), out);
    } else {
      AppendJson(value, out);
    }
    out->push_back('\n');
    return;
  }
  if (value.is_object()) {
    AppendObject(value.as_object(), indent, out);
    return;
  }
  bool first = true;
  for (const Json& item : value.as_array()) {
    if (!first) AppendIndent(indent, out);
    first = false;
    out->append("- ");
    AppendBlock(item, indent + 1, out);
  }
}

}  // namespace

Result<std::vector<Json>> ParseYaml(std::string_view text) {
  // yaml-cpp would guess UTF-16 and UTF-32, and pass broken bytes on.
  if (!IsUtf8(text)) return BadRequest(At(MarkOfBadByte(text), "the text is not UTF-8"));
  // And it takes a NUL for the start of an escape.
  const auto is_control = [](char c) {
    return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == '\x7f';
  };
  if (const auto bad = std::find_if(text.begin(), text.end(), is_control); bad != text.end()) {
    const auto before = text.substr(0, static_cast<std::size_t>(bad - text.begin()));
    return BadRequest(At(MarkOfBadByte(before), "the text holds a control character"));
  }
  std::string terminated(text);
  // yaml-cpp 0.7 takes the end of the text for the end of a quoted string that does not end, as in
  // a file that was cut short; a document's end it refuses there.
  if (text.ends_with('\n')) terminated += "...\n";
  std::istringstream stream(std::move(terminated));
  const std::ptrdiff_t newlines = std::count(text.begin(), text.end(), '\n');
  Builder builder(text.ends_with('\n') ? newlines : newlines + 1);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    return BadRequest(At(error.mark, error.msg));
  }
  return builder.Take();
}

std::string EncodeYaml(const Json& value) {
  std::string out;
  AppendBlock(value, 0, &out);
  return out;
}

}  // namespace asyncops
