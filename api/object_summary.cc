#include "api/object_summary.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>

#include "base/ascii.h"
#include "base/duration.h"
#include "base/rfc3339.h"

namespace asyncops {
namespace {

// Ends the parts of a summary. Canonical JSON has no control characters.
constexpr char kEndOfPart = '\n';
// Before a time in microseconds, and after it: a cell that is made when it is read.
constexpr char kTimeMark = '\x01';
constexpr char kAge = 'a';
constexpr char kUntil = 'u';
constexpr char kEndOfTime = ';';

constexpr std::string_view kUnknownAge = "<unknown>";

const Json* At(const Json& object, const std::vector<std::string>& path) {
  const Json* value = path.empty() ? nullptr : &object;
  for (const std::string& name : path) {
    if (value == nullptr) break;
    value = value->Find(name);
  }
  return value;
}

bool IsNothing(const Json* value) { return value == nullptr || value->is_null(); }

// A string as it is, "" for nothing, other values as JSON.
std::string TextOf(const Json* value) {
  if (value == nullptr) return "";
  return value->is_string() ? value->as_string() : EncodeJson(*value);
}

// The named member of the condition of that type; "" where there is none.
std::string ConditionMember(const Json& object, std::string_view type, std::string_view member) {
  const Json* conditions = object.FindPath({"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) return "";
  for (const Json& condition : conditions->as_array())
    if (condition.StringAt({"type"}) == type) return TextOf(condition.Find(member));
  return "";
}

std::size_t CountMembers(const Json* value) {
  if (value == nullptr) return 0;
  if (value->is_array()) return value->as_array().size();
  return value->is_object() ? value->as_object().size() : 0;
}

// "kind/name"; "" where there is no reference.
std::string ReferenceText(const Json* value) {
  if (IsNothing(value)) return "";
  return LowerCase(TextOf(value->Find("kind"))) + "/" + TextOf(value->Find("name"));
}

std::optional<Time> TimeAt(const Json& object, const std::vector<std::string>& path) {
  const Json* value = At(object, path);
  return value != nullptr && value->is_string() ? ParseTime(value->as_string()) : std::nullopt;
}

void AppendTime(char kind, Time time, std::string* out) {
  out->push_back(kTimeMark);
  out->push_back(kind);
  out->append(std::to_string(time.time_since_epoch().count()));
  out->push_back(kEndOfTime);
}

void AppendAge(const TableColumn& column, const Json& object, std::string* out) {
  std::optional<Time> time = TimeAt(object, column.path);
  if (!time) time = TimeAt(object, column.fallback_path);
  if (!time) return AppendJsonString(kUnknownAge, out);
  AppendTime(kAge, *time, out);
}

void AppendUntil(const TableColumn& column, const Json& object, std::string* out) {
  const std::optional<Time> time = TimeAt(object, column.path);
  if (!time) return AppendJsonString("", out);
  AppendTime(kUntil, *time, out);
}

void AppendPathCell(const TableColumn& column, const Json& object, std::string* out) {
  const Json* value = At(object, column.path);
  const bool is_integer = column.type == "integer";
  if (IsNothing(value)) {
    out->append(is_integer ? "0" : "\"\"");
  } else if (value->is_string() || is_integer) {
    AppendJson(*value, out);
  } else {
    AppendJsonString(EncodeJson(*value), out);
  }
}

void AppendCell(const TableColumn& column, const Json& object, std::string* out) {
  switch (column.source) {
    case TableColumn::Source::kPath: return AppendPathCell(column, object, out);
    case TableColumn::Source::kAge: return AppendAge(column, object, out);
    case TableColumn::Source::kUntil: return AppendUntil(column, object, out);
    case TableColumn::Source::kConditionStatus:
      return AppendJsonString(ConditionMember(object, column.path.front(), "status"), out);
    case TableColumn::Source::kConditionReason:
      return AppendJsonString(ConditionMember(object, column.path.front(), "reason"), out);
    case TableColumn::Source::kCount:
      out->append(std::to_string(CountMembers(At(object, column.path))));
      return;
    case TableColumn::Source::kReference:
      return AppendJsonString(ReferenceText(At(object, column.path)), out);
  }
}

// FNV-1a with 64 bits.
class Digest {
 public:
  void Add(std::string_view text) {
    for (const char c : text) Add(static_cast<unsigned char>(c));
    Add(kSeparator);
  }
  void Add(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001b3;
  }
  std::string text() const {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value_, 16);
    return {digits.data(), end.ptr};
  }

 private:
  static constexpr unsigned char kSeparator = 0xff;  // in no UTF-8
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// Takes the text before the mark off the front, and the mark; nothing where there is none.
std::optional<std::string_view> TakePart(std::string_view* rest, char mark) {
  const std::size_t end = rest->find(mark);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view part = rest->substr(0, end);
  rest->remove_prefix(end + 1);
  return part;
}

// The cell whose mark was taken off `rest`, which goes on after it.
void AppendTimeCell(std::string_view* rest, Time now, std::string* out) {
  const std::optional<std::string_view> stored = TakePart(rest, kEndOfTime);
  const std::optional<std::int64_t> count =
      stored && !stored->empty() ? ParseInt64(stored->substr(1)) : std::nullopt;
  if (!count) return AppendJsonString(kUnknownAge, out);
  const Time time{std::chrono::microseconds(*count)};
  out->push_back('"');
  if (stored->front() == kAge) {
    out->append(HumanDuration(now - time));
  } else if (time > now) {
    out->append(HumanDuration(time - now));
  }
  out->push_back('"');
}

}  // namespace

std::string SummaryPrefix(const ResourceInfo& resource) {
  Digest digest;
  for (const TableColumn& column : resource.columns) {
    digest.Add(column.name);
    digest.Add(column.type);
    digest.Add(static_cast<unsigned char>(column.source));
    for (const std::string& name : column.path) digest.Add(name);
    digest.Add("");
    for (const std::string& name : column.fallback_path) digest.Add(name);
    digest.Add("");
  }
  return digest.text() + kEndOfPart;
}

std::string EncodeCells(const ResourceInfo& resource, const Json& object) {
  std::string cells;
  for (const TableColumn& column : resource.columns) {
    if (!cells.empty()) cells.push_back(',');
    AppendCell(column, object, &cells);
  }
  return cells;
}

SummaryText EncodeSummary(const ResourceInfo& resource, const Json& object,
                          const ObjectText& encoded) {
  SummaryText summary;
  summary.text = SummaryPrefix(resource);
  summary.revision_at = summary.text.size() + encoded.revision_at - encoded.metadata_at;
  summary.text.append(encoded.json, encoded.metadata_at, encoded.metadata_size);
  summary.text.push_back(kEndOfPart);
  summary.text.append(EncodeCells(resource, object));
  return summary;
}

std::optional<ObjectSummary> ReadSummary(std::string_view text, std::string_view prefix) {
  if (text.empty() || text.substr(0, prefix.size()) != prefix) return std::nullopt;
  text.remove_prefix(prefix.size());
  const std::optional<std::string_view> metadata = TakePart(&text, kEndOfPart);
  if (!metadata) return std::nullopt;
  return ObjectSummary{.metadata = *metadata, .cells = text};
}

void AppendCells(std::string_view cells, Time now, std::string* out) {
  while (const auto ready = TakePart(&cells, kTimeMark)) {
    out->append(*ready);
    AppendTimeCell(&cells, now, out);
  }
  out->append(cells);
}

}  // namespace asyncops
