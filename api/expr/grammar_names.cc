#include <algorithm>
#include <array>

#include "api/expr/grammar.h"
#include "base/ascii.h"

namespace asyncops::expr {
namespace {

// Words that cel-spec keeps for itself or for the languages around it.
constexpr std::array<std::string_view, 18> kReserved = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",    "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",     "while", "__result__"};

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

// What a field is called that is written as `name`, as a name in backquotes or as ["name"].
std::string FieldName(const Token& token) {
  return token.kind == Token::Kind::kIdentifier ? std::string(token.text) : token.string;
}

}  // namespace

bool Grammar::IsKeyword(const Token& name) {
  return name.text == "true" || name.text == "false" || name.text == "null" || name.text == "in";
}

bool Grammar::IsReserved(const Token& name) {
  return IsKeyword(name) || std::ranges::find(kReserved, name.text) != kReserved.end();
}

Grammar::Parsed Grammar::Name() {
  const Token& name = Peek();
  if (name.text == "true" || name.text == "false")
    return Constant(Take(), Json(name.text == "true"));
  if (name.text == "null") return Constant(Take(), Json());
  if (IsReserved(name))
    return Fail(name.offset, "'" + std::string(name.text) + "' is a reserved word");
  if (Peek(1).Is("(")) return GlobalCall();
  if (std::ranges::find(locals_, name.text) != locals_.end()) return LocalVariable(Take());
  if (environment_.FindRoot(name.text) == nullptr) {
    if (IsQualifiedCall()) return QualifiedCall();
    if (IsMessage()) return Outside(name, "messages");
  }
  return RootVariable(Take());
}

bool Grammar::IsMessage() const {
  std::size_t at = 1;
  while (Peek(at).Is(".") && Peek(at + 1).kind == Token::Kind::kIdentifier) at += 2;
  return Peek(at).Is("{");
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
    const std::string name = FieldName(*field);
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
  const bool method = Peek(1).kind == Token::Kind::kIdentifier && Peek(2).Is("(");
  const bool field = Peek().Is(".") && !method;
  if (!field && !Peek().Is("[")) return true;
  Fail(Peek().offset, Dotted(variable.path) + " has no fields");
  return false;
}

bool Grammar::CheckHeaderName(const Node& variable) {
  const Token* field = NextFieldName();
  if (field == nullptr) return true;
  const std::string name = FieldName(*field);
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), ToLower);
  if (lower == name) return true;
  Fail(field->offset,
       "names in " + Dotted(variable.path) + " are in lower case: write ['" + lower + "']");
  return false;
}

const Token* Grammar::NextFieldName() const {
  if (Peek().Is(".")) {
    if (Peek(1).kind == Token::Kind::kQuotedName) return &Peek(1);
    if (Peek(1).kind == Token::Kind::kIdentifier && !Peek(2).Is("(")) return &Peek(1);
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
