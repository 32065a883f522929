#include <algorithm>
#include <array>

#include "api/expr/grammar.h"

namespace asyncops::expr {
namespace {

// Words that cel-spec keeps for itself or for the languages around it.
constexpr std::array<std::string_view, 19> kReserved = {
    "in",       "as",  "break",  "const", "continue",  "else",    "for",
    "function", "if",  "import", "let",   "loop",      "package", "namespace",
    "return",   "var", "void",   "while", "__result__"};

// "spec, metadata or outputs".
std::string OneOf(std::span<const Shape> shapes) {
  std::string text;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) text += i + 1 == shapes.size() ? " or " : ", ";
    text += shapes[i].name;
  }
  return text;
}

std::string Dotted(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& step : path) {
    if (!text.empty()) text += ".";
    text += step;
  }
  return text;
}

bool HasUpperCase(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

bool Grammar::IsReserved(const Token& name) const {
  return std::ranges::find(kReserved, name.text) != kReserved.end() || name.text == "true" ||
         name.text == "false" || name.text == "null";
}

Grammar::Parsed Grammar::Name() {
  const Token& name = Peek();
  if (name.text == "true" || name.text == "false")
    return Constant(Take(), Json(name.text == "true"));
  if (name.text == "null") return Constant(Take(), Json());
  if (IsReserved(name))
    return Fail(name.offset, "'" + std::string(name.text) + "' is a reserved word");
  if (Peek(1).Is("(")) return GlobalCall();
  const auto local = std::ranges::find(locals_, name.text);
  return local != locals_.end() ? LocalVariable(Take()) : RootVariable(Take());
}

Grammar::Parsed Grammar::LocalVariable(const Token& name) {
  // The innermost of that name hides the others.
  const auto found = std::find(locals_.rbegin(), locals_.rend(), name.text);
  return Add(Node{.kind = Node::Kind::kLocal,
                  .local = static_cast<std::uint32_t>(locals_.rend() - found - 1),
                  .offset = name.offset});
}

Grammar::Parsed Grammar::RootVariable(const Token& name) {
  const Shape* shape = environment_.FindRoot(name.text);
  if (shape == nullptr) {
    return Fail(name.offset, "unknown name \"" + std::string(name.text) + "\": use " +
                                 OneOf(environment_.roots()));
  }
  Node variable{.kind = Node::Kind::kVariable, .offset = name.offset};
  variable.path.emplace_back(name.text);
  if (!FixedFields(&variable, &shape)) return std::nullopt;
  if (shape->kind == Shape::Kind::kScalar && !CheckAfterScalar(variable)) return std::nullopt;
  if (shape->kind == Shape::Kind::kHeaders && !CheckHeaderName(variable)) return std::nullopt;
  return Add(std::move(variable));
}

bool Grammar::FixedFields(Node* variable, const Shape** shape) {
  while ((*shape)->kind == Shape::Kind::kFields) {
    const Token* field = NextFieldName();
    if (field == nullptr) {
      Fail(variable->offset,
           "name a field of " + Dotted(variable->path) + ": " + OneOf((*shape)->fields));
      return false;
    }
    const std::string name(field->kind == Token::Kind::kString ? field->string : field->text);
    const Shape* next = FindField(**shape, name);
    if (next == nullptr) {
      Fail(field->offset, Dotted(variable->path) + " has no field \"" + name + "\": use " +
                              OneOf((*shape)->fields));
      return false;
    }
    TakeFieldName();
    variable->path.push_back(name);
    *shape = next;
  }
  return true;
}

bool Grammar::CheckAfterScalar(const Node& variable) {
  const bool field = Peek().Is(".") && !Peek(2).Is("(");
  if (!field && !Peek().Is("[")) return true;
  Fail(Peek().offset, Dotted(variable.path) + " has no fields");
  return false;
}

bool Grammar::CheckHeaderName(const Node& variable) {
  const Token* field = NextFieldName();
  if (field == nullptr) return true;
  const std::string name(field->kind == Token::Kind::kString ? field->string : field->text);
  if (!HasUpperCase(name)) return true;
  std::string lower = name;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  Fail(field->offset,
       "names in " + Dotted(variable.path) + " are in lower case: write ['" + lower + "']");
  return false;
}

const Token* Grammar::NextFieldName() const {
  if (Peek().Is(".") && Peek(1).kind == Token::Kind::kIdentifier && !Peek(2).Is("(")) {
    return &Peek(1);
  }
  if (Peek().Is("[") && Peek(1).kind == Token::Kind::kString && Peek(2).Is("]")) return &Peek(1);
  return nullptr;
}

void Grammar::TakeFieldName() {
  const bool indexed = Peek().Is("[");
  Take();
  Take();
  if (indexed) Take();
}

}  // namespace asyncops::expr
