// What lists show of an object besides the object itself: its metadata, and the cells of its row in
// a Table. Made once, when the object is written, so that a list reads neither its body nor its
// JSON.
#ifndef ASYNCOPS_API_OBJECT_SUMMARY_H_
#define ASYNCOPS_API_OBJECT_SUMMARY_H_

#include <optional>
#include <string>
#include <string_view>

#include "api/meta/object.h"
#include "api/scheme.h"
#include "base/clock.h"
#include "base/json.h"

namespace asyncops {

// What the summaries of a resource begin with. It says how the columns are made: a summary that
// begins otherwise was stored by another version of this binary, and its cells may be of other
// columns.
std::string SummaryPrefix(const ResourceInfo& resource);

// The cells of an object, ready but for what depends on the time of reading (AppendCells).
std::string EncodeCells(const ResourceInfo& resource, const Json& object);

// The summary as it is stored: the prefix, the metadata and the cells. `encoded` is what
// EncodeObject made of `object`. The offset for the revision's digits is that of the summary.
struct SummaryText {
  std::string text;
  std::size_t revision_at = 0;
};
SummaryText EncodeSummary(const ResourceInfo& resource, const Json& object,
                          const ObjectText& encoded);

// Views into a stored summary.
struct ObjectSummary {
  std::string_view metadata;  // JSON
  std::string_view cells;     // as EncodeCells made them
};

// Nothing where the text does not begin with the prefix, or is no summary ("" is none).
std::optional<ObjectSummary> ReadSummary(std::string_view text, std::string_view prefix);

// Appends the cells as JSON values with commas between them, ages as of `now`. What is no text of
// EncodeCells gives no more than bytes of its own.
void AppendCells(std::string_view cells, Time now, std::string* out);

}  // namespace asyncops

#endif  // ASYNCOPS_API_OBJECT_SUMMARY_H_
