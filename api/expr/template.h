// A string with ${expression} parts.
#ifndef ASYNCOPS_API_EXPR_TEMPLATE_H_
#define ASYNCOPS_API_EXPR_TEMPLATE_H_

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/expr/expression.h"

namespace asyncops::expr {

// Compiled and immutable; cheap to copy; safe to render from several threads at once.
class Template {
 public:
  // Text with any number of `${expression}`; `$${` stands for a literal `${`. BadRequest names the
  // column within the whole text.
  static Result<Template> Compile(std::string_view text, const Environment& environment);

  // Whether the text has no expression: it renders to the same whatever the bindings are.
  bool is_literal() const;

  // Expression::NamesBelow of all its expressions.
  std::vector<std::string> NamesBelow(std::string_view variable) const;

  // A text that is exactly one `${...}` renders to that value, its type kept; any other text to a
  // string. BadRequest names the expression that is missing, failed, or (inside other text) is
  // null, a list or an object. At most kMaxRenderedBodyBytes.
  Result<Json> Render(const Bindings& bindings) const;

  // The same, always as text: for paths, headers and queries. The caller escapes what it puts into
  // a URL.
  Result<std::string> RenderText(const Bindings& bindings) const;

 private:
  using Part = std::variant<std::string, Expression>;

  explicit Template(std::vector<Part> parts) : parts_(std::move(parts)) {}

  std::vector<Part> parts_;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_TEMPLATE_H_
