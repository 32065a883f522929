// Label selectors, the whole grammar of apimachinery pkg/labels/selector.go, as values.
#ifndef ASYNCOPS_API_META_LABEL_SELECTOR_H_
#define ASYNCOPS_API_META_LABEL_SELECTOR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace asyncops {

using Labels = std::map<std::string, std::string, std::less<>>;

struct LabelRequirement {
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };
  std::string key;
  Operator op = Operator::kExists;
  // One for kGreaterThan and kLessThan (an integer), none for (not) exists.
  std::vector<std::string> values;

  bool operator==(const LabelRequirement&) const = default;
};

// All requirements must hold; none at all matches everything.
struct LabelSelector {
  std::vector<LabelRequirement> requirements;

  bool empty() const { return requirements.empty(); }
  // kNotIn also matches labels without the key.
  bool Matches(const Labels& labels) const;
};

// "a=b,c!=d,e in (x,y),f notin (z),g,!h,i>5". `=` and `==` become kIn with one value, `!=` kNotIn.
// BadRequest as kube-apiserver words it ("unable to parse requirement: ..."), naming the part that
// does not parse.
Result<LabelSelector> ParseLabelSelector(std::string_view text);

// What kGreaterThan and kLessThan compare: a decimal int64 with an optional sign; nothing where the
// value is none.
std::optional<std::int64_t> LabelInteger(std::string_view value);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_LABEL_SELECTOR_H_
