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

// All requirements must hold; none at all matches everything.
struct FieldSelector {
  std::vector<FieldRequirement> requirements;

  bool empty() const { return requirements.empty(); }
  bool Matches(const Fields& fields) const;
};

// "a=b,c==d,e!=f" with `\` before `\`, `,` and `=` in values. Fields that are not in `known` are a
// BadRequest:
// `"x" is not a known field selector: only "metadata.name", "metadata.namespace"` (known sorted).
Result<FieldSelector> ParseFieldSelector(std::string_view text,
                                         const std::vector<std::string>& known);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_FIELD_SELECTOR_H_
