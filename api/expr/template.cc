#include "api/expr/template.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/expr/number_text.h"
#include "api/expr/source_position.h"
#include "api/expr/string_literal.h"
#include "base/ascii.h"
#include "base/limits.h"

namespace asyncops::expr {
namespace {

constexpr std::string_view kOpen = "${";
constexpr std::string_view kSpace = " \t\r\n";

bool IsWord(char c) { return IsAlphanumeric(c) || c == '_'; }

// The first position after `at` that is not part of the same word.
std::size_t SkipWord(std::string_view text, std::size_t at) {
  while (at < text.size() && IsWord(text[at])) ++at;
  return at;
}

// Finds the `}` that ends the expression that begins at *position: one that is in no string,
// comment or braces of the expression. Leaves its position there.
std::optional<Mistake> FindClose(std::string_view text, std::size_t* position) {
  const std::size_t start = *position;
  const std::size_t first = text.find_first_not_of(kSpace, start);
  const bool pointer = first != std::string_view::npos && text[first] == '/';
  std::size_t at = start;
  int braces = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '}' && braces == 0) {
      *position = at;
      return std::nullopt;
    }
    if (const auto prefix = StringLiteralPrefix(text.substr(at)); prefix && !pointer) {
      std::string characters;
      if (auto mistake = ReadStringLiteral(text, *prefix, &at, &characters)) return mistake;
    } else if (IsWord(c)) {
      at = SkipWord(text, at);
    } else if (!pointer && text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      if (!pointer && c == '{') ++braces;
      if (c == '}') --braces;
      ++at;
    }
  }
  return Mistake{start - kOpen.size(), "'${' has no closing '}'"};
}

// A short form of an expression for messages.
std::string Quote(const std::string& source) {
  constexpr std::size_t kShown = 120;
  if (source.size() <= kShown) return "\"" + source + "\"";
  return "\"" + source.substr(0, kShown) + "...\"";
}

Status RenderFailure(const Expression& expression, std::string_view why) {
  return BadRequest("expression " + Quote(expression.source()) + ": " + std::string(why));
}

Result<Json> ValueOf(const Expression& expression, const Bindings& bindings) {
  Outcome outcome = expression.Evaluate(bindings);
  if (!outcome.has_value()) return RenderFailure(expression, outcome.message);
  return std::move(outcome.value);
}

Result<std::string> TextOf(const Expression& expression, const Bindings& bindings) {
  Result<Json> value = ValueOf(expression, bindings);
  if (!value.ok()) return value.status();
  switch (value->type()) {
    case Json::Type::kString: return value->as_string();
    case Json::Type::kBool: return std::string(value->as_bool() ? "true" : "false");
    case Json::Type::kInt: return std::to_string(value->as_int());
    case Json::Type::kDouble: return DoubleText(value->as_double());
    default:
      return RenderFailure(expression, "a value of type " +
                                           std::string(JsonTypeName(value->type())) +
                                           " cannot become part of a text");
  }
}

}  // namespace

Result<Template> Template::Compile(std::string_view text, const Environment& environment) {
  std::vector<Part> parts;
  std::string literal;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = std::min(text.find(kOpen, at), text.size());
    literal += text.substr(at, open - at);
    if (open == text.size()) break;
    at = open + kOpen.size();
    if (open > 0 && text[open - 1] == '$' && !literal.empty()) {
      literal.back() = '$';  // `$${`: the first $ escapes the second
      literal += '{';
      continue;
    }
    std::size_t close = at;
    if (const auto mistake = FindClose(text, &close)) return BadRequest(Describe(text, *mistake));
    std::size_t begin = std::min(text.find_first_not_of(kSpace, at), close);
    std::string_view source = text.substr(begin, close - begin);
    source = source.substr(0, source.find_last_not_of(kSpace) + 1);
    if (source.empty()) return BadRequest(Describe(text, {open, "'${}' holds no expression"}));
    Mistake mistake;
    auto expression = Expression::Compile(source, environment, &mistake);
    if (!expression) {
      mistake.offset = begin + std::min(mistake.offset, source.size());
      return BadRequest(Describe(text, mistake));
    }
    if (!literal.empty()) parts.emplace_back(std::exchange(literal, {}));
    parts.emplace_back(*std::move(expression));
    at = close + 1;
  }
  if (!literal.empty()) parts.emplace_back(std::move(literal));
  return Template(std::move(parts));
}

std::vector<std::string> Template::NamesBelow(std::string_view variable) const {
  std::vector<std::string> names;
  for (const Part& part : parts_) {
    const Expression* expression = std::get_if<Expression>(&part);
    if (expression == nullptr) continue;
    for (std::string& name : expression->NamesBelow(variable)) names.push_back(std::move(name));
  }
  return names;
}

bool Template::is_literal() const {
  return parts_.empty() || (parts_.size() == 1 && std::holds_alternative<std::string>(parts_[0]));
}

Result<Json> Template::Render(const Bindings& bindings) const {
  if (parts_.size() == 1) {
    if (const auto* expression = std::get_if<Expression>(&parts_[0])) {
      return ValueOf(*expression, bindings);
    }
  }
  Result<std::string> text = RenderText(bindings);
  if (!text.ok()) return text.status();
  return Json(*std::move(text));
}

Result<std::string> Template::RenderText(const Bindings& bindings) const {
  std::string text;
  for (const Part& part : parts_) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      text += *literal;
    } else {
      Result<std::string> piece = TextOf(std::get<Expression>(part), bindings);
      if (!piece.ok()) return piece.status();
      text += *piece;
    }
    if (text.size() > kMaxRenderedBodyBytes) {
      return BadRequest("the text renders to more than " + std::to_string(kMaxRenderedBodyBytes) +
                        " bytes");
    }
  }
  return text;
}

}  // namespace asyncops::expr
