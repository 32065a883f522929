#include "api/meta/label_selector.h"

#include <algorithm>
#include <charconv>

namespace asyncops {
namespace {

bool Compares(const LabelRequirement& requirement, const std::string& label) {
  const std::optional<std::int64_t> value = LabelInteger(label);
  const std::optional<std::int64_t> bound = LabelInteger(requirement.values.front());
  if (!value || !bound) return false;
  return requirement.op == LabelRequirement::Operator::kGreaterThan ? *value > *bound
                                                                    : *value < *bound;
}

bool MatchesOne(const LabelRequirement& requirement, const Labels& labels) {
  using Operator = LabelRequirement::Operator;
  const auto it = labels.find(requirement.key);
  const bool has = it != labels.end();
  const auto& values = requirement.values;
  const bool listed = has && std::find(values.begin(), values.end(), it->second) != values.end();
  switch (requirement.op) {
    case Operator::kIn: return listed;
    case Operator::kNotIn: return !listed;
    case Operator::kExists: return has;
    case Operator::kDoesNotExist: return !has;
    case Operator::kGreaterThan:
    case Operator::kLessThan: return has && Compares(requirement, it->second);
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> LabelInteger(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool LabelSelector::Matches(const Labels& labels) const {
  return std::all_of(
      requirements.begin(), requirements.end(),
      [&labels](const LabelRequirement& requirement) { return MatchesOne(requirement, labels); });
}

}  // namespace asyncops
