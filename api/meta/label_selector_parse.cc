// The grammar of label selectors: a lexer, and a parser that knows that `in` and `notin` are also
// values.
#include <algorithm>
#include <utility>

#include "api/meta/field_error.h"
#include "api/meta/label_selector.h"
#include "api/meta/object_meta.h"

namespace asyncops {
namespace {

using Operator = LabelRequirement::Operator;

enum class TokenType {
  kError,
  kEnd,
  kClose,
  kComma,
  kNot,
  kEqual,
  kNotEqual,
  kGreater,
  kLess,
  kOpen,
  kIn,
  kNotIn,
  kIdentifier,
};

struct Token {
  TokenType type = TokenType::kEnd;
  std::string text;
};

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kSymbols = "=!(),><";
constexpr std::string_view kOperators = "in, notin, =, ==, !=, gt, lt";

TokenType SymbolType(std::string_view text) {
  if (text == ")") return TokenType::kClose;
  if (text == ",") return TokenType::kComma;
  if (text == "!") return TokenType::kNot;
  if (text == "=" || text == "==") return TokenType::kEqual;
  if (text == "!=") return TokenType::kNotEqual;
  if (text == ">") return TokenType::kGreater;
  if (text == "<") return TokenType::kLess;
  if (text == "(") return TokenType::kOpen;
  return TokenType::kError;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  Token Next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
    if (rest_.empty()) return {TokenType::kEnd, ""};
    if (kSymbols.find(rest_.front()) != std::string_view::npos) return Symbol();
    std::size_t length = 0;
    while (length < rest_.size() && kSymbols.find(rest_[length]) == std::string_view::npos &&
           kSpaces.find(rest_[length]) == std::string_view::npos)
      ++length;
    std::string text = Take(length);
    const TokenType type = text == "in"      ? TokenType::kIn
                           : text == "notin" ? TokenType::kNotIn
                                             : TokenType::kIdentifier;
    return {type, std::move(text)};
  }

 private:
  // The longest symbol that stands here.
  Token Symbol() {
    const std::size_t length =
        SymbolType(rest_.substr(0, 2)) != TokenType::kError && rest_.size() > 1 ? 2 : 1;
    std::string text = Take(length);
    return {SymbolType(text), text};
  }
  std::string Take(std::size_t length) {
    std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return text;
  }

  std::string_view rest_;
};

Status Found(const Token& token, std::string_view expected) {
  return BadRequest("found '" + token.text + "', expected: " + std::string(expected));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { Advance(); }

  Result<LabelSelector> Parse() {
    LabelSelector selector;
    if (token_.type == TokenType::kEnd) return selector;
    if (!StartsRequirement()) return Found(token_, "!, identifier, or 'end of string'");
    while (true) {
      Result<LabelRequirement> requirement = ParseRequirement();
      if (!requirement.ok()) return requirement.status().WithContext("unable to parse requirement");
      selector.requirements.push_back(std::move(requirement).value());
      if (token_.type == TokenType::kEnd) return selector;
      if (token_.type != TokenType::kComma) return Found(token_, "',' or 'end of string'");
      Advance();
      if (!StartsRequirement()) return Found(token_, "identifier after ','");
    }
  }

 private:
  void Advance() { token_ = lexer_.Next(); }
  // `in` and `notin` are names where no operator can stand.
  bool AtIdentifier() const {
    return token_.type == TokenType::kIdentifier || token_.type == TokenType::kIn ||
           token_.type == TokenType::kNotIn;
  }
  bool AtEnd() const { return token_.type == TokenType::kEnd || token_.type == TokenType::kComma; }
  bool StartsRequirement() const { return AtIdentifier() || token_.type == TokenType::kNot; }

  Result<LabelRequirement> ParseRequirement() {
    LabelRequirement requirement;
    const bool negated = token_.type == TokenType::kNot;
    if (negated) Advance();
    if (!AtIdentifier()) return Found(token_, "identifier");
    requirement.key = token_.text;
    Advance();
    if (auto rule = CheckQualifiedName(requirement.key))
      return Invalid("<nil>", requirement.key, *std::move(rule));
    if (negated || AtEnd()) {
      requirement.op = negated ? Operator::kDoesNotExist : Operator::kExists;
      return requirement;
    }
    ASYNCOPS_RETURN_IF_ERROR(ParseOperation(&requirement));
    ASYNCOPS_RETURN_IF_ERROR(CheckValues(requirement));
    return requirement;
  }

  Status ParseOperation(LabelRequirement* requirement) {
    const TokenType type = token_.type;
    switch (type) {
      case TokenType::kIn:
      case TokenType::kEqual: requirement->op = Operator::kIn; break;
      case TokenType::kNotIn:
      case TokenType::kNotEqual: requirement->op = Operator::kNotIn; break;
      case TokenType::kGreater: requirement->op = Operator::kGreaterThan; break;
      case TokenType::kLess: requirement->op = Operator::kLessThan; break;
      default: return Found(token_, kOperators);
    }
    Advance();
    if (type == TokenType::kIn || type == TokenType::kNotIn)
      return ParseValues(&requirement->values);
    if (AtEnd()) {
      requirement->values = {""};
      return Status::Ok();
    }
    if (!AtIdentifier()) return Found(token_, "identifier");
    requirement->values = {token_.text};
    Advance();
    return Status::Ok();
  }

  // "(a,b)"; an empty place is the empty value.
  Status ParseValues(std::vector<std::string>* values) {
    if (token_.type != TokenType::kOpen) return Found(token_, "'('");
    do {
      Advance();
      if (AtIdentifier()) {
        values->push_back(token_.text);
        Advance();
      } else {
        values->emplace_back();
      }
    } while (token_.type == TokenType::kComma);
    if (token_.type != TokenType::kClose) return Found(token_, "',' or ')'");
    Advance();
    std::sort(values->begin(), values->end());
    values->erase(std::unique(values->begin(), values->end()), values->end());
    return Status::Ok();
  }

  static Status Invalid(std::string path, const std::string& value, std::string rule) {
    return BadRequest(InvalidField(std::move(path), value, std::move(rule)).ToString());
  }

  static Status CheckValues(const LabelRequirement& requirement) {
    const bool compares =
        requirement.op == Operator::kGreaterThan || requirement.op == Operator::kLessThan;
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      const std::string& value = requirement.values[i];
      if (compares && !LabelInteger(value)) {
        return Invalid(FieldPath("values", i), value,
                       "for 'Gt', 'Lt' operators, the value must be an integer");
      }
      if (auto rule = CheckLabelValue(value)) {
        return Invalid(FieldPath("values", i) + "[" + requirement.key + "]", value,
                       *std::move(rule));
      }
    }
    return Status::Ok();
  }

  Lexer lexer_;
  Token token_;
};

}  // namespace

Result<LabelSelector> ParseLabelSelector(std::string_view text) { return Parser(text).Parse(); }

}  // namespace asyncops
