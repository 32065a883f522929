#include "api/expr/expression.h"

#include <algorithm>
#include <utility>

#include "api/expr/evaluator.h"
#include "api/expr/parser.h"
#include "api/expr/program.h"

namespace asyncops::expr {
namespace {

bool IsVariable(const Node& node, std::string_view name) {
  if (node.kind != Node::Kind::kVariable) return false;
  std::string dotted;
  for (const std::string& step : node.path) dotted += (dotted.empty() ? "" : ".") + step;
  return dotted == name;
}

// The name that a node reads right below the variable; "" where it does not, or computes it.
std::string NameBelow(const Program& program, const Node& node, std::string_view variable) {
  using Kind = Node::Kind;
  if (node.kind != Kind::kField && node.kind != Kind::kHas && node.kind != Kind::kIndex) return "";
  // has() of a fixed field has no operand.
  if (node.args.empty() || !IsVariable(program.nodes[node.args[0]], variable)) return "";
  if (node.kind != Kind::kIndex) return node.name;
  const Node& index = program.nodes[node.args[1]];
  const bool fixed = index.kind == Kind::kConstant && index.constant.is_string();
  return fixed ? index.constant.as_string() : "";
}

// The variable that a node reads from; "" of a node that reads none.
std::string_view RootOf(const Node& node) {
  const bool reads = node.kind == Node::Kind::kVariable || node.kind == Node::Kind::kPointer;
  return reads && !node.path.empty() ? std::string_view(node.path.front()) : std::string_view();
}

}  // namespace

std::optional<Expression> Expression::Compile(std::string_view source,
                                              const Environment& environment, Mistake* mistake) {
  auto program = std::make_shared<Program>();
  program->source = source;
  if (auto found = Parse(environment, program.get())) {
    *mistake = *std::move(found);
    return std::nullopt;
  }
  return Expression(std::move(program));
}

Result<Expression> Expression::Compile(std::string_view source, const Environment& environment) {
  Mistake mistake;
  auto expression = Compile(source, environment, &mistake);
  if (!expression) return BadRequest(Describe(source, mistake));
  return *std::move(expression);
}

const std::string& Expression::source() const { return program_->source; }

Outcome Expression::Evaluate(const Bindings& bindings) const {
  Outcome outcome;
  Evaluator evaluator(*program_, bindings);
  Evaluated result = evaluator.Run();
  std::optional<Fault> fault;
  if (result.ok()) {
    fault = evaluator.Export(std::move(result.value()), &outcome.value);
  } else {
    fault = std::move(result.fault());
  }
  if (!fault) {
    outcome.kind = Outcome::Kind::kValue;
    return outcome;
  }
  outcome.kind = fault->missing ? Outcome::Kind::kMissing : Outcome::Kind::kError;
  const Node& root = program_->nodes[program_->root];
  outcome.message =
      Describe(program_->source, {fault->offset.value_or(root.offset), fault->message});
  return outcome;
}

bool Expression::ReadsOnly(std::initializer_list<std::string_view> roots) const {
  return std::ranges::all_of(program_->nodes, [roots](const Node& node) {
    const std::string_view root = RootOf(node);
    return root.empty() || std::ranges::find(roots, root) != roots.end();
  });
}

bool Expression::Reads(std::string_view root) const {
  return std::ranges::any_of(program_->nodes,
                             [root](const Node& node) { return RootOf(node) == root; });
}

std::vector<std::string> Expression::NamesBelow(std::string_view variable) const {
  std::vector<std::string> names;
  std::vector<std::string> asked;
  for (const Node& node : program_->nodes) {
    std::string name = NameBelow(*program_, node, variable);
    if (name.empty()) continue;
    std::vector<std::string>& list = node.kind == Node::Kind::kHas ? asked : names;
    if (std::ranges::find(list, name) == list.end()) list.push_back(std::move(name));
  }
  std::erase_if(names, [&asked](const std::string& name) {
    return std::ranges::find(asked, name) != asked.end();
  });
  return names;
}

bool Expression::Matches(const Bindings& bindings) const {
  const Evaluated result = Evaluator(*program_, bindings).Run();
  return result.ok() && result.value().boolean() == true;
}

}  // namespace asyncops::expr
