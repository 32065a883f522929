#include "api/asyncops/v1alpha1/expression_rules.h"

#include <algorithm>
#include <array>

#include "api/asyncops/v1alpha1/value_rules.h"
#include "api/expr/expression.h"
#include "api/expr/template.h"
#include "base/ascii.h"

namespace asyncops {
namespace {

constexpr std::size_t kMaxWarning = 120;

void CheckBodyPart(const std::string& path, const Json& part, bool secret,
                   const expr::Environment& environment, ValidationResult* out) {
  if (part.is_string()) {
    CheckTemplate(path, part.as_string(), environment, secret, out);
  } else if (part.is_array()) {
    const JsonArray& items = part.as_array();
    for (std::size_t i = 0; i < items.size(); ++i)
      CheckBodyPart(FieldPath(path, i), items[i], secret, environment, out);
  } else if (part.is_object()) {
    for (const auto& [name, value] : part.as_object()) {
      CheckBodyPart(FieldPath(path, name), value, secret || LooksLikeCredential(name), environment,
                    out);
    }
  }
}

// Of an expression or a template.
template <class Compiled>
void NoteUses(const std::string& path, const Compiled& compiled, ValidationResult* out) {
  for (std::string& name : compiled.NamesBelow("outputs"))
    out->outputs_used.push_back({path, std::move(name)});
  for (std::string& name : compiled.NamesBelow("spec.parameters"))
    out->parameters_used.push_back({path, std::move(name)});
}

void WarnOfUse(std::string_view variable, const ValidationResult::Use& use, std::string_view where,
               ValidationResult* out) {
  const std::string name = std::string(variable) + "." + use.name;
  std::string text = use.path + " reads " + name + ", which " + std::string(where) + " lacks";
  // Warnings are short; the name says more than its place.
  if (text.size() > kMaxWarning) text = name + " is read, and " + std::string(where) + " lacks it";
  if (text.size() <= kMaxWarning) Warn(std::move(text), out);
}

}  // namespace

void CheckExpression(const std::string& path, const std::string& source,
                     const expr::Environment& environment, ValidationResult* out) {
  if (source.empty()) return;
  const auto compiled = expr::Expression::Compile(source, environment);
  if (!compiled.ok()) {
    out->errors.push_back(InvalidField(path, source, compiled.status().message()));
    return;
  }
  NoteUses(path, *compiled, out);
}

void CheckTemplate(const std::string& path, const std::string& text,
                   const expr::Environment& environment, bool secret, ValidationResult* out) {
  if (text.find("${") == std::string::npos) return;
  const auto compiled = expr::Template::Compile(text, environment);
  if (!compiled.ok()) {
    out->errors.push_back(
        InvalidField(path, secret ? Json() : Json(text), compiled.status().message()));
    return;
  }
  NoteUses(path, *compiled, out);
}

void CheckBody(const std::string& path, const Json& body, const expr::Environment& environment,
               ValidationResult* out) {
  CheckBodyPart(path, body, false, environment, out);
}

void WarnOfUndeclared(const Json& parameters, const std::vector<std::string>& outputs,
                      ValidationResult* out) {
  for (const ValidationResult::Use& use : out->parameters_used) {
    if (parameters.Find(use.name) == nullptr)
      WarnOfUse("spec.parameters", use, "spec.parameters", out);
  }
  for (const ValidationResult::Use& use : out->outputs_used) {
    if (std::find(outputs.begin(), outputs.end(), use.name) == outputs.end())
      WarnOfUse("outputs", use, "spec.outputs", out);
  }
}

bool LooksLikeCredential(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kWords = {
      "auth", "token", "secret", "password", "passwd", "credential", "cookie", "key", "signature"};
  const std::string lower = LowerCase(name);
  return std::any_of(kWords.begin(), kWords.end(), [&lower](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

}  // namespace asyncops
