#include "api/expr/lexer.h"

#include <array>
#include <charconv>
#include <utility>

#include "api/expr/string_literal.h"
#include "api/expr/utf8.h"
#include "base/ascii.h"

namespace asyncops::expr {
namespace {

bool IsIdentifierStart(char c) { return IsLetter(c) || c == '_'; }
bool IsQuotedNameCharacter(char c) {
  return IsAlphanumeric(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == ' ';
}
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Longer spellings first.
constexpr std::array<std::string_view, 24> kPunctuators = {
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "?", ":", "+",
    "-",  "*",  "/",  "%",  "(",  ")",  "[", "]", "{", "}", ",", "."};

class Lexer {
 public:
  Lexer(std::string_view source, std::vector<Token>* tokens) : source_(source), tokens_(tokens) {}

  std::optional<Mistake> Run() {
    while (true) {
      SkipSpace();
      if (position_ == source_.size()) break;
      if (auto mistake = Next()) return mistake;
    }
    tokens_->push_back(Token{.offset = source_.size()});
    return std::nullopt;
  }

 private:
  char At(std::size_t ahead) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }

  void SkipSpace() {
    while (position_ < source_.size()) {
      if (At(0) == '/' && At(1) == '/') {
        position_ = std::min(source_.find('\n', position_), source_.size());
      } else if (IsSpace(At(0))) {
        ++position_;
      } else {
        return;
      }
    }
  }

  std::optional<Mistake> Next() {
    const std::string_view rest = source_.substr(position_);
    if (const auto prefix = StringLiteralPrefix(rest)) return ReadString(*prefix);
    if (At(0) == '`') return ReadQuotedName();
    if (IsIdentifierStart(At(0))) {
      std::size_t length = 1;
      while (IsIdentifierStart(At(length)) || IsDigit(At(length))) ++length;
      Push(Token::Kind::kIdentifier, length);
      return std::nullopt;
    }
    if (IsDigit(At(0)) || (At(0) == '.' && IsDigit(At(1)))) return ReadNumber();
    for (const std::string_view punctuator : kPunctuators) {
      if (!rest.starts_with(punctuator)) continue;
      Push(Token::Kind::kPunctuator, punctuator.size());
      return std::nullopt;
    }
    return Unexpected(rest);
  }

  std::optional<Mistake> Unexpected(std::string_view rest) const {
    if (rest.front() == '=') return MistakeHere("unexpected '='; equality is '=='");
    if (rest.front() == '&' || rest.front() == '|') {
      return MistakeHere("unexpected '" + std::string(1, rest.front()) + "'; write it twice");
    }
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte < 0x20 || byte == 0x7F) return MistakeHere("unexpected control character");
    return MistakeHere("unexpected character '" +
                       std::string(rest.substr(0, CodePointLength(rest))) + "'");
  }

  std::optional<Mistake> ReadString(const StringPrefix& prefix) {
    if (prefix.bytes) {
      return MistakeHere(
          "bytes literals are not in the supported subset (docs/expressions.md lists it)");
    }
    Token token{.kind = Token::Kind::kString, .offset = position_};
    std::size_t end = position_;
    if (auto mistake = ReadStringLiteral(source_, prefix, &end, &token.string)) return mistake;
    token.text = source_.substr(position_, end - position_);
    position_ = end;
    tokens_->push_back(std::move(token));
    return std::nullopt;
  }

  std::optional<Mistake> ReadQuotedName() {
    std::size_t length = 1;
    while (IsQuotedNameCharacter(At(length))) ++length;
    if (length == 1 || At(length) != '`') {
      return MistakeHere(
          "a name in ` holds letters, digits and _ . - / and spaces, and ends with `");
    }
    const std::string_view name = source_.substr(position_ + 1, length - 1);
    tokens_->push_back(Token{.kind = Token::Kind::kQuotedName,
                             .offset = position_,
                             .text = source_.substr(position_, length + 1),
                             .string = std::string(name)});
    position_ += length + 1;
    return std::nullopt;
  }

  std::optional<Mistake> ReadNumber() {
    const bool hex = At(0) == '0' && (At(1) == 'x' || At(1) == 'X') && IsHexDigit(At(2));
    std::size_t length = hex ? 2 : 0;
    bool is_double = false;
    if (hex) {
      while (IsHexDigit(At(length))) ++length;
    } else {
      length = DecimalLength(&is_double);
    }
    if (At(length) == 'u' || At(length) == 'U') {
      return MistakeHere(
          "uint literals are not in the supported subset: write the number without 'u'");
    }
    if (IsIdentifierStart(At(length)) || IsDigit(At(length))) {
      return Mistake{position_ + length, "unexpected character in a number"};
    }
    Token token{.kind = is_double ? Token::Kind::kDouble : Token::Kind::kInt,
                .offset = position_,
                .text = source_.substr(position_, length)};
    if (!Convert(hex, &token)) return MistakeHere("number out of range");
    position_ += length;
    tokens_->push_back(std::move(token));
    return std::nullopt;
  }

  // The length of digits, fraction and exponent.
  std::size_t DecimalLength(bool* is_double) const {
    std::size_t length = 0;
    while (IsDigit(At(length))) ++length;
    if (At(length) == '.' && IsDigit(At(length + 1))) {
      *is_double = true;
      ++length;
      while (IsDigit(At(length))) ++length;
    }
    if (At(length) == 'e' || At(length) == 'E') {
      const std::size_t sign = At(length + 1) == '+' || At(length + 1) == '-' ? 1 : 0;
      if (IsDigit(At(length + 1 + sign))) {
        *is_double = true;
        length += 1 + sign;
        while (IsDigit(At(length))) ++length;
      }
    }
    return length;
  }

  static bool Convert(bool hex, Token* token) {
    const char* end = token->text.data() + token->text.size();
    if (token->kind == Token::Kind::kDouble) {
      const auto result = std::from_chars(token->text.data(), end, token->number);
      return result.ec == std::errc() && result.ptr == end;
    }
    const char* begin = token->text.data() + (hex ? 2 : 0);
    const auto result = std::from_chars(begin, end, token->magnitude, hex ? 16 : 10);
    constexpr std::uint64_t kLargest = std::uint64_t{1} << 63U;
    return result.ec == std::errc() && result.ptr == end && token->magnitude <= kLargest;
  }

  void Push(Token::Kind kind, std::size_t length) {
    tokens_->push_back(
        Token{.kind = kind, .offset = position_, .text = source_.substr(position_, length)});
    position_ += length;
  }

  Mistake MistakeHere(std::string message) const { return {position_, std::move(message)}; }

  std::string_view source_;
  std::size_t position_ = 0;
  std::vector<Token>* tokens_;
};

}  // namespace

std::optional<Mistake> Tokenize(std::string_view source, std::vector<Token>* tokens) {
  return Lexer(source, tokens).Run();
}

}  // namespace asyncops::expr
