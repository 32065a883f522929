// Field selectors, the grammar of apimachinery pkg/fields/selector.go, as values.
#ifndef ASYNCOPS_API_META_FIELD_SELECTOR_H_
#define ASYNCOPS_API_META_FIELD_SELECTOR_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace asyncops {

// Selectable fields of an object by path ("status.phase"); a field that is not there reads as "".
using Fields = std::map<std::string, std::string, std::less<>>;

struct FieldRequirement {
  std::string field;
  bool equal = true;  // false for !=
  std::string value;  // unescaped

  bool operator==(const FieldRequirement&) const = default;
};

// from <= value < before, as texts are compared; "" leaves an end open. A field that is not there
// is in no range. No text of a selector says it: times of a query's own parameters do.
struct FieldRange {
  std::string field;
  std::string from;
  std::string before;
  std::string latest;  // no value is above it; for looking up what is open towards the end

  bool Contains(std::string_view value) const;
  bool operator==(const FieldRange&) const = default;
};

// All requirements and ranges must hold; none at all matches everything.
struct FieldSelector {
  std::vector<FieldRequirement> requirements;
  std::vector<FieldRange> ranges = {};

  bool empty() const { return requirements.empty() && ranges.empty(); }
  bool Matches(const Fields& fields) const;
};

// "a=b,c==d,e!=f" with `\` before `\`, `,` and `=` in values. Fields that are not in `known` are a
// BadRequest:
// `"x" is not a known field selector: only "metadata.name", "metadata.namespace"` (known sorted).
Result<FieldSelector> ParseFieldSelector(std::string_view text,
                                         const std::vector<std::string>& known);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_FIELD_SELECTOR_H_
