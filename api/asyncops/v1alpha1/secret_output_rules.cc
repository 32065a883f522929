#include "api/asyncops/v1alpha1/secret_output_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/asyncops/v1alpha1/value_rules.h"
#include "api/expr/environment.h"
#include "api/expr/expression.h"
#include "base/ascii.h"

namespace asyncops {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The paths at which the step's submit may read a Secret: whole header values.
void AddHeaderPaths(const std::string& path, const std::optional<StepSpec>& step,
                    std::set<std::string>* paths) {
  if (!step || !step->submit) return;
  const std::vector<HeaderSpec>& headers = step->submit->headers;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (OutputOfHeader(headers[i].value))
      paths->insert(FieldPath(path + ".submit.headers", i) + ".value");
  }
}

}  // namespace

void CheckSecretOutputs(const std::string& path, const std::vector<OutputSpec>& outputs,
                        ValidationResult* out) {
  std::set<std::pair<std::string, std::string>> seen;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputSpec& output = outputs[i];
    if (!output.to_secret) continue;
    const std::string item = FieldPath(path, i);
    CheckSecretKeyRef(item + ".toSecret", output.to_secret, out);
    if (!seen.emplace(output.to_secret->name, output.to_secret->key).second)
      out->errors.push_back(DuplicateField(item + ".toSecret.key", output.to_secret->key));
    const auto value = expr::Expression::Compile(output.value, expr::ResponseEnvironment());
    if (value.ok() && ReadsSubmitResponse(*value)) {
      out->errors.push_back(InvalidField(
          item + ".value", output.value,
          "must not read submit.response, which is stored without secrets; with toSecret, read "
          "the answer that ends the operation, as response"));
    }
  }
}

void CheckSecretOutputUses(const AsyncResourceSpec& spec, ValidationResult* out) {
  std::set<std::string> secret;
  for (const OutputSpec& output : spec.outputs) {
    if (output.to_secret) secret.insert(output.name);
  }
  if (secret.empty()) return;
  std::set<std::string> headers;
  AddHeaderPaths("spec.update", spec.update, &headers);
  AddHeaderPaths("spec.delete", spec.delete_step, &headers);
  for (const ValidationResult::Use& use : out->outputs_used) {
    if (!secret.contains(use.name) || headers.contains(use.path)) continue;
    out->errors.push_back(ForbiddenField(
        use.path, "outputs." + use.name +
                      " goes into a Secret: it can be the whole value of a header of submit in "
                      "spec.update and spec.delete, as ${outputs." +
                      use.name + "}, and nothing else"));
  }
}

bool ReadsSubmitResponse(const expr::Expression& expression) {
  constexpr std::string_view kVariable = "submit.response";
  return !expression.NamesBelow(kVariable).empty() ||
         expression.source().find(kVariable) != std::string::npos;
}

std::optional<std::string> OutputOfHeader(std::string_view value) {
  constexpr std::string_view kOpen = "${";
  constexpr std::string_view kOutputs = "outputs.";
  value = Trimmed(value);
  if (!value.starts_with(kOpen) || !value.ends_with('}')) return std::nullopt;
  std::string_view name = value.substr(kOpen.size());
  name.remove_suffix(1);
  name = Trimmed(name);
  if (!name.starts_with(kOutputs)) return std::nullopt;
  name.remove_prefix(kOutputs.size());
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return IsAlphanumeric(c) || c == '_';
  });
  return plain ? std::optional<std::string>(name) : std::nullopt;
}

}  // namespace asyncops
