#include <algorithm>
#include <array>

#include "api/expr/grammar.h"
#include "base/limits.h"

namespace asyncops::expr {

std::optional<NodeId> Grammar::ParseAll() {
  if (Peek().kind == Token::Kind::kEnd) return Fail(0, "expected an expression");
  const Parsed root = Expression();
  if (!root) return std::nullopt;
  if (Peek().kind != Token::Kind::kEnd) return Unexpected(Peek(), "the end of the expression");
  return root;
}

Grammar::Parsed Grammar::Expression() {
  if (nesting_ == kMaxExpressionDepth) {
    return Fail(Peek().offset,
                "nested more than " + std::to_string(kMaxExpressionDepth) + " levels deep");
  }
  ++nesting_;
  const Parsed result = Conditional();
  --nesting_;
  return result;
}

Grammar::Parsed Grammar::Conditional() {
  const Parsed condition = Or();
  if (!condition || !Peek().Is("?")) return condition;
  Node node{.kind = Node::Kind::kConditional, .offset = Take().offset};
  const Parsed yes = Or();
  if (!yes || !Expect(":")) return std::nullopt;
  const Parsed no = Expression();
  if (!no) return std::nullopt;
  node.args = {*condition, *yes, *no};
  return Add(std::move(node));
}

Grammar::Parsed Grammar::Or() { return Chain("||", Node::Kind::kOr, &Grammar::And); }

Grammar::Parsed Grammar::And() { return Chain("&&", Node::Kind::kAnd, &Grammar::Relation); }

Grammar::Parsed Grammar::Chain(std::string_view word, Node::Kind kind, Rule operand) {
  const Parsed first = (this->*operand)();
  if (!first || !Peek().Is(word)) return first;
  Node node{.kind = kind, .offset = Peek().offset};
  node.args.push_back(*first);
  while (TakeIf(word)) {
    const Parsed next = (this->*operand)();
    if (!next) return std::nullopt;
    node.args.push_back(*next);
  }
  return Add(std::move(node));
}

Grammar::Parsed Grammar::LeftAssociative(std::span<const BinaryWord> words, Rule operand) {
  Parsed left = (this->*operand)();
  while (left) {
    const auto word = std::ranges::find_if(
        words, [this](const BinaryWord& candidate) { return Peek().Is(candidate.word); });
    if (word == words.end()) return left;
    Node node{.kind = Node::Kind::kBinary, .op = word->op, .offset = Take().offset};
    const Parsed right = (this->*operand)();
    if (!right) return std::nullopt;
    node.args = {*left, *right};
    left = Add(std::move(node));
  }
  return std::nullopt;
}

Grammar::Parsed Grammar::Relation() {
  static constexpr std::array<BinaryWord, 7> kWords = {{{"==", Operator::kEqual},
                                                        {"!=", Operator::kNotEqual},
                                                        {"<=", Operator::kLessOrEqual},
                                                        {">=", Operator::kGreaterOrEqual},
                                                        {"<", Operator::kLess},
                                                        {">", Operator::kGreater},
                                                        {"in", Operator::kIn}}};
  return LeftAssociative(kWords, &Grammar::Addition);
}

Grammar::Parsed Grammar::Addition() {
  static constexpr std::array<BinaryWord, 2> kWords = {
      {{"+", Operator::kAdd}, {"-", Operator::kSubtract}}};
  return LeftAssociative(kWords, &Grammar::Multiplication);
}

Grammar::Parsed Grammar::Multiplication() {
  static constexpr std::array<BinaryWord, 3> kWords = {
      {{"*", Operator::kMultiply}, {"/", Operator::kDivide}, {"%", Operator::kModulo}}};
  return LeftAssociative(kWords, &Grammar::Unary);
}

Grammar::Parsed Grammar::Unary() {
  if (!Peek().Is("!") && !Peek().Is("-")) return Member();
  if (nesting_ == kMaxExpressionDepth) {
    return Fail(Peek().offset,
                "nested more than " + std::to_string(kMaxExpressionDepth) + " levels deep");
  }
  ++nesting_;
  const Parsed result = UnaryOperator();
  --nesting_;
  return result;
}

Grammar::Parsed Grammar::UnaryOperator() {
  const Token& word = Take();
  const bool minus = word.Is("-");
  const bool number = Peek().kind == Token::Kind::kInt || Peek().kind == Token::Kind::kDouble;
  // The sign belongs to the literal: only so can the smallest int64 be written.
  if (minus && number) {
    const Parsed literal = Number(true);
    if (!literal) return std::nullopt;
    (*nodes_)[*literal].offset = word.offset;
    return MembersOf(*literal);
  }
  const Parsed operand = Unary();
  if (!operand) return std::nullopt;
  return Add(Node{.kind = minus ? Node::Kind::kNegate : Node::Kind::kNot,
                  .offset = word.offset,
                  .args = {*operand}});
}

const Token& Grammar::Peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

const Token& Grammar::Take() {
  const Token& token = Peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool Grammar::TakeIf(std::string_view spelling) {
  if (!Peek().Is(spelling)) return false;
  Take();
  return true;
}

bool Grammar::Expect(std::string_view spelling) {
  if (TakeIf(spelling)) return true;
  Unexpected(Peek(), "'" + std::string(spelling) + "'");
  return false;
}

Grammar::Parsed Grammar::Add(Node node) {
  for (const NodeId arg : node.args) node.depth = std::max(node.depth, At(arg).depth + 1);
  if (node.depth > kMaxExpressionDepth) {
    return Fail(node.offset,
                "nested more than " + std::to_string(kMaxExpressionDepth) + " levels deep");
  }
  nodes_->push_back(std::move(node));
  return static_cast<NodeId>(nodes_->size() - 1);
}

std::nullopt_t Grammar::Fail(std::size_t offset, std::string message) {
  mistake_ = {offset, std::move(message)};
  return std::nullopt;
}

std::nullopt_t Grammar::Outside(const Token& token, std::string_view what) {
  return Fail(token.offset, std::string(what) +
                                " are not in the supported subset (docs/expressions.md lists it)");
}

std::nullopt_t Grammar::Unexpected(const Token& token, std::string_view expected) {
  std::string message = "expected " + std::string(expected) + ", found ";
  switch (token.kind) {
    case Token::Kind::kEnd: message += "the end"; break;
    case Token::Kind::kString: message += "a string"; break;
    default: message += "'" + std::string(token.text) + "'"; break;
  }
  return Fail(token.offset, std::move(message));
}

}  // namespace asyncops::expr
