#include "api/asyncops/v1alpha1/retry_rules.h"

#include "api/asyncops/v1alpha1/expression_rules.h"
#include "api/asyncops/v1alpha1/value_rules.h"
#include "base/duration.h"

namespace asyncops {
namespace {

void CheckTierWaits(const std::string& path, const RetryTier& tier, ValidationResult* out) {
  CheckPositive(path + ".delay", tier.delay, out);
  CheckPositive(path + ".max", tier.max, out);
  if (tier.max && *tier.max > Duration::zero() && *tier.max < tier.delay) {
    out->errors.push_back(
        InvalidField(path + ".max", FormatDuration(*tier.max),
                     "must not be shorter than delay (" + FormatDuration(tier.delay) + ")"));
  }
  if (tier.max && !tier.factor)
    out->errors.push_back(ForbiddenField(
        path + ".max", "bounds what factor leads to; give a factor such as 2, or remove it"));
  if (tier.factor && *tier.factor < 1)
    out->errors.push_back(
        InvalidField(path + ".factor", *tier.factor, "must be at least 1, such as 2"));
}

// Each tier but the last ends somewhere, later than the one before.
void CheckTierOrder(const std::string& path, const std::vector<RetryTier>& tiers,
                    ValidationResult* out) {
  std::int64_t previous = 0;
  for (std::size_t i = 0; i < tiers.size(); ++i) {
    const std::string field = FieldPath(path, i) + ".upTo";
    const bool is_last = i + 1 == tiers.size();
    const auto& up_to = tiers[i].up_to;
    if (is_last) {
      if (up_to)
        out->errors.push_back(ForbiddenField(
            field, "the last tier holds for all further retries; remove it, or add a tier"));
    } else if (!up_to) {
      out->errors.push_back(RequiredField(
          field,
          "each tier but the last says its last retry; such as " + std::to_string(previous + 3)));
    } else if (*up_to <= previous) {
      out->errors.push_back(InvalidField(
          field, *up_to,
          "must be greater than that of the tier before (" + std::to_string(previous) + ")"));
    }
    if (up_to) previous = *up_to;
  }
}

}  // namespace

void CheckRetryPolicy(const std::string& path, const std::optional<RetryPolicy>& policy,
                      ValidationResult* out) {
  if (!policy) return;
  const std::string tiers = path + ".tiers";
  for (std::size_t i = 0; i < policy->tiers.size(); ++i)
    CheckTierWaits(FieldPath(tiers, i), policy->tiers[i], out);
  CheckTierOrder(tiers, policy->tiers, out);
  if (policy->limit && *policy->limit < 0)
    out->errors.push_back(InvalidField(path + ".limit", *policy->limit,
                                       "must be 0 (no limit) or the number of retries"));
  if (policy->jitter && (*policy->jitter < 0 || *policy->jitter > 1))
    out->errors.push_back(
        InvalidField(path + ".jitter", *policy->jitter, "must be from 0 to 1, such as 0.1"));
}

void CheckErrorRules(const std::string& path, const std::vector<ErrorRule>& rules,
                     ValidationResult* out) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string item = FieldPath(path, i);
    CheckExpression(item + ".when", rules[i].when, expr::ResponseEnvironment(), out);
    CheckPositive(item + ".delay", rules[i].delay, out);
    if (rules[i].delay && rules[i].class_name == "Terminal")
      out->errors.push_back(
          ForbiddenField(item + ".delay",
                         "a Terminal error is not tried again; remove it, or write another class"));
  }
}

}  // namespace asyncops
