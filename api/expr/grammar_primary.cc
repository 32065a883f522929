#include <algorithm>
#include <cstdint>
#include <limits>

#include "api/expr/grammar.h"

namespace asyncops::expr {

Grammar::Parsed Grammar::Member() {
  const Parsed primary = Primary();
  return primary ? MembersOf(*primary) : std::nullopt;
}

Grammar::Parsed Grammar::MembersOf(NodeId target) {
  Parsed result = target;
  while (result) {
    if (Peek().Is(".")) {
      result = FieldOrCall(*result);
    } else if (Peek().Is("[")) {
      result = Index(*result);
    } else {
      return result;
    }
  }
  return std::nullopt;
}

Grammar::Parsed Grammar::FieldOrCall(NodeId target) {
  Take();  // .
  const Token& name = Take();
  if (name.Is("?")) return Outside(name, "optional fields (.?)");
  const bool quoted = name.kind == Token::Kind::kQuotedName;
  if ((name.kind != Token::Kind::kIdentifier && !quoted) || IsKeyword(name)) {
    return Unexpected(name, "a field name");
  }
  if (Peek().Is("(") && !quoted) return MethodCall(target, name);
  return Add(Node{.kind = Node::Kind::kField,
                  .offset = name.offset,
                  .name = quoted ? name.string : std::string(name.text),
                  .args = {target}});
}

Grammar::Parsed Grammar::Index(NodeId target) {
  Node node{.kind = Node::Kind::kIndex, .offset = Take().offset};
  if (Peek().Is("?")) return Outside(Peek(), "optional elements ([?])");
  const Parsed index = Expression();
  if (!index || !Expect("]")) return std::nullopt;
  node.args = {target, *index};
  return Add(std::move(node));
}

Grammar::Parsed Grammar::Primary() {
  const Token& token = Peek();
  switch (token.kind) {
    case Token::Kind::kString: return Constant(token, Json(Take().string));
    case Token::Kind::kInt:
    case Token::Kind::kDouble: return Number(false);
    case Token::Kind::kIdentifier: return Name();
    case Token::Kind::kEnd: return Unexpected(token, "an operand");
    case Token::Kind::kQuotedName: return Fail(token.offset, "a name in ` follows a '.'");
    case Token::Kind::kPunctuator: break;
  }
  if (token.Is("(")) return Parenthesized();
  if (token.Is("[")) return List();
  if (token.Is("{")) return Map();
  if (token.Is(".")) return Outside(token, "names that start with '.'");
  return Unexpected(token, "an operand");
}

Grammar::Parsed Grammar::Parenthesized() {
  Take();
  const Parsed inner = Expression();
  if (!inner || !Expect(")")) return std::nullopt;
  return inner;
}

Grammar::Parsed Grammar::List() {
  Node node{.kind = Node::Kind::kList, .offset = Take().offset};
  if (!Arguments("]", &node.args)) return std::nullopt;
  return Add(std::move(node));
}

Grammar::Parsed Grammar::Map() {
  Node node{.kind = Node::Kind::kMap, .offset = Take().offset};
  while (!TakeIf("}")) {
    if (!MapEntry(&node)) return std::nullopt;
    if (TakeIf(",")) continue;
    if (!Expect("}")) return std::nullopt;
    break;
  }
  return Add(std::move(node));
}

Grammar::Parsed Grammar::MapEntry(Node* map) {
  const Token& key = Take();
  if (key.kind == Token::Kind::kEnd) return Unexpected(key, "'}'");
  if (key.Is("?")) return Outside(key, "optional entries ({?})");
  if (key.kind != Token::Kind::kString) {
    return Fail(key.offset, "a key of a map is a string literal here, as in JSON");
  }
  if (std::ranges::find(map->names, key.string) != map->names.end()) {
    return Fail(key.offset, "the map has this key twice");
  }
  if (!Expect(":")) return std::nullopt;
  const Parsed value = Expression();
  if (!value) return std::nullopt;
  map->names.push_back(key.string);
  map->args.push_back(*value);
  return value;
}

Grammar::Parsed Grammar::Number(bool negative) {
  const Token& token = Take();
  if (token.kind == Token::Kind::kDouble) {
    return Constant(token, Json(negative ? -token.number : token.number));
  }
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63U;
  if (negative && token.magnitude == kLimit) {
    return Constant(token, Json(std::numeric_limits<std::int64_t>::min()));
  }
  if (token.magnitude >= kLimit) return Fail(token.offset, "number out of range");
  const auto value = static_cast<std::int64_t>(token.magnitude);
  return Constant(token, Json(negative ? -value : value));
}

Grammar::Parsed Grammar::Constant(const Token& token, Json value) {
  return Add(
      Node{.kind = Node::Kind::kConstant, .offset = token.offset, .constant = std::move(value)});
}

bool Grammar::Arguments(std::string_view closing, std::vector<NodeId>* args) {
  if (TakeIf(closing)) return true;
  while (true) {
    if (Peek().Is("?")) {
      Outside(Peek(), "optional elements ([?])");
      return false;
    }
    const Parsed argument = Expression();
    if (!argument) return false;
    args->push_back(*argument);
    if (!TakeIf(",")) return Expect(closing);
    // A list may end with a comma, a call may not.
    if (closing == "]" && TakeIf(closing)) return true;
  }
}

}  // namespace asyncops::expr
