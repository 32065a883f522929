#include <array>

#include "api/expr/grammar.h"
#include "api/expr/regex.h"

namespace asyncops::expr {
namespace {

struct MacroWord {
  std::string_view word;
  Macro macro;
};
constexpr std::array<MacroWord, 5> kMacros = {{{"all", Macro::kAll},
                                               {"exists", Macro::kExists},
                                               {"exists_one", Macro::kExistsOne},
                                               {"filter", Macro::kFilter},
                                               {"map", Macro::kMap}}};

std::optional<Macro> FindMacro(std::string_view word) {
  for (const MacroWord& candidate : kMacros) {
    if (candidate.word == word) return candidate.macro;
  }
  return std::nullopt;
}

std::string ArgumentCount(const Function& function, bool member) {
  const std::size_t receiver = member ? 1 : 0;
  const std::size_t least = function.min_args - receiver;
  const std::size_t most = function.max_args - receiver;
  std::string text = std::to_string(least);
  if (most > least) text += " or " + std::to_string(most);
  return text + (most == 1 ? " argument" : " arguments");
}

}  // namespace

Grammar::Parsed Grammar::GlobalCall() {
  const Token& name = Take();
  if (name.text == "has") return Has(name);
  if (FindFunction(name.text) == nullptr && !FindMacro(name.text)) {
    return FinishCall(name, name.text, {}, false);
  }
  Take();  // (
  std::vector<NodeId> args;
  if (!Arguments(")", &args)) return std::nullopt;
  return FinishCall(name, name.text, std::move(args), false);
}

bool Grammar::IsQualifiedCall() const {
  // A method that exists means that the name before it is a misspelt variable.
  return Peek(1).Is(".") && Peek(2).kind == Token::Kind::kIdentifier && Peek(3).Is("(") &&
         FindFunction(Peek(2).text) == nullptr && !FindMacro(Peek(2).text);
}

Grammar::Parsed Grammar::QualifiedCall() {
  const Token& prefix = Take();
  Take();  // .
  const std::string spelling = std::string(prefix.text) + "." + std::string(Take().text);
  if (FindFunction(spelling) == nullptr) return FinishCall(prefix, spelling, {}, false);
  Take();  // (
  std::vector<NodeId> args;
  if (!Arguments(")", &args)) return std::nullopt;
  return FinishCall(prefix, spelling, std::move(args), false);
}

Grammar::Parsed Grammar::Has(const Token& word) {
  Take();  // (
  const Parsed argument = Expression();
  if (!argument || !Expect(")")) return std::nullopt;
  Node node = At(*argument);
  const bool field = node.kind == Node::Kind::kField ||
                     (node.kind == Node::Kind::kVariable && node.path.size() > 1);
  if (!field) return Fail(word.offset, "has() takes a field, as in has(response.body.id)");
  node.kind = Node::Kind::kHas;
  return Add(std::move(node));
}

Grammar::Parsed Grammar::MethodCall(NodeId receiver, const Token& name) {
  if (const auto macro = FindMacro(name.text)) return Comprehension(receiver, name, *macro);
  if (FindFunction(name.text) == nullptr) return FinishCall(name, name.text, {}, true);
  Take();  // (
  std::vector<NodeId> args = {receiver};
  if (!Arguments(")", &args)) return std::nullopt;
  return FinishCall(name, name.text, std::move(args), true);
}

Grammar::Parsed Grammar::FinishCall(const Token& name, std::string_view spelling,
                                    std::vector<NodeId> args, bool member) {
  const std::string word(spelling);
  const std::string quoted = "\"" + word + "\"";
  const Function* function = FindFunction(word);
  if (function == nullptr && FindMacro(word)) {
    return Fail(name.offset, quoted + " is called on a list or map: list." + word + "(x, ...)");
  }
  if (function == nullptr) {
    return Fail(name.offset, "function " + quoted +
                                 " is not in the supported subset (docs/expressions.md lists it)");
  }
  if (member && function->style == Function::Style::kGlobal) {
    return Fail(name.offset, quoted + " is no method: write " + word + "(x)");
  }
  if (!member && function->style == Function::Style::kMember) {
    return Fail(name.offset, quoted + " is a method: write x." + word + "(...)");
  }
  if (args.size() < function->min_args || args.size() > function->max_args) {
    return Fail(name.offset, quoted + " takes " + ArgumentCount(*function, member));
  }
  Node call{.kind = Node::Kind::kCall,
            .offset = name.offset,
            .name = word,
            .function = function,
            .args = std::move(args)};
  if (!CompilePattern(&call) || !CheckTimeLiteral(call)) return std::nullopt;
  return Add(std::move(call));
}

bool Grammar::CompilePattern(Node* call) {
  if (call->name != "matches") return true;
  const Node& pattern = At(call->args[1]);
  if (pattern.kind != Node::Kind::kConstant || !pattern.constant.is_string()) return true;
  auto compiled = Regex::Compile(pattern.constant.as_string());
  if (const auto* error = std::get_if<std::string>(&compiled)) {
    Fail(pattern.offset, *error);
    return false;
  }
  call->regex = std::get<std::unique_ptr<Regex>>(std::move(compiled));
  return true;
}

bool Grammar::CheckTimeLiteral(const Node& call) {
  if (call.name != "timestamp" && call.name != "duration") return true;
  const Node& literal = At(call.args[0]);
  if (literal.kind != Node::Kind::kConstant) return true;
  Budget budget;
  const std::array<Value, 1> args = {Value::Borrow(&literal.constant)};
  const Evaluated result = call.function->body(args, {.budget = &budget, .regex = nullptr});
  if (!result.ok()) Fail(literal.offset, result.fault().message);
  return result.ok();
}

Grammar::Parsed Grammar::Comprehension(NodeId range, const Token& name, Macro macro) {
  Take();  // (
  const Token& variable = Take();
  if (variable.kind != Token::Kind::kIdentifier || IsReserved(variable)) {
    return Fail(variable.offset, "\"" + std::string(name.text) +
                                     "\" takes the name of a variable first, as in list." +
                                     std::string(name.text) + "(x, ...)");
  }
  if (!Expect(",")) return std::nullopt;
  const bool second = Peek().kind == Token::Kind::kIdentifier && Peek(1).Is(",");
  if (second && macro != Macro::kMap) return Outside(Peek(), "macros with two variables");
  Node node{.kind = Node::Kind::kComprehension,
            .macro = macro,
            .local = static_cast<std::uint32_t>(locals_.size()),
            .offset = name.offset,
            .name = std::string(name.text)};
  node.args.push_back(range);
  return ComprehensionBody(std::move(node), variable);
}

Grammar::Parsed Grammar::ComprehensionBody(Node node, const Token& variable) {
  const std::size_t wanted = node.macro == Macro::kMap ? 2 : 1;
  std::vector<NodeId> bodies;
  locals_.push_back(variable.text);
  const bool parsed = Arguments(")", &bodies);
  locals_.pop_back();
  if (!parsed) return std::nullopt;
  if (bodies.empty() || bodies.size() > wanted) {
    return Fail(node.offset, "\"" + node.name + "\" takes a variable and " +
                                 (wanted == 2 ? "one or two expressions" : "one expression"));
  }
  node.args.insert(node.args.end(), bodies.begin(), bodies.end());
  return Add(std::move(node));
}

}  // namespace asyncops::expr
