#include "api/asyncops/v1alpha1/expression_rules.h"

#include <algorithm>
#include <array>

#include "api/expr/expression.h"
#include "api/expr/template.h"
#include "base/ascii.h"

namespace asyncops {
namespace {

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

}  // namespace

void CheckExpression(const std::string& path, const std::string& source,
                     const expr::Environment& environment, ValidationResult* out) {
  if (source.empty()) return;
  const auto compiled = expr::Expression::Compile(source, environment);
  if (!compiled.ok())
    out->errors.push_back(InvalidField(path, source, compiled.status().message()));
}

void CheckTemplate(const std::string& path, const std::string& text,
                   const expr::Environment& environment, bool secret, ValidationResult* out) {
  if (text.find("${") == std::string::npos) return;
  const auto compiled = expr::Template::Compile(text, environment);
  if (!compiled.ok()) {
    out->errors.push_back(
        InvalidField(path, secret ? Json() : Json(text), compiled.status().message()));
  }
}

void CheckBody(const std::string& path, const Json& body, const expr::Environment& environment,
               ValidationResult* out) {
  CheckBodyPart(path, body, false, environment, out);
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
