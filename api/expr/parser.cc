#include "api/expr/parser.h"

#include <string>
#include <string_view>

#include "api/expr/grammar.h"
#include "api/expr/json_pointer.h"
#include "base/limits.h"

namespace asyncops::expr {
namespace {

// The steps of a dotted name.
std::vector<std::string> Steps(std::string_view dotted) {
  std::vector<std::string> steps;
  while (true) {
    const std::size_t dot = dotted.find('.');
    steps.emplace_back(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return steps;
    dotted.remove_prefix(dot + 1);
  }
}

std::optional<Mistake> ParsePointer(const Environment& environment, Program* program) {
  if (environment.pointer_base().empty()) {
    return Mistake{0, program->source.empty()
                          ? "expected an expression"
                          : "a JSON Pointer reads a response, and there is none here"};
  }
  Node node{.kind = Node::Kind::kPointer, .path = Steps(environment.pointer_base())};
  if (auto mistake = SplitPointer(program->source, &node.names)) return mistake;
  program->nodes.push_back(std::move(node));
  program->root = 0;
  return std::nullopt;
}

}  // namespace

std::optional<Mistake> Parse(const Environment& environment, Program* program) {
  if (program->source.size() > kMaxExpressionBytes) {
    return Mistake{kMaxExpressionBytes,
                   "longer than " + std::to_string(kMaxExpressionBytes) + " bytes"};
  }
  if (program->source.empty() || program->source.front() == '/') {
    return ParsePointer(environment, program);
  }
  std::vector<Token> tokens;
  if (auto mistake = Tokenize(program->source, &tokens)) return mistake;
  Grammar grammar(environment, std::move(tokens), &program->nodes);
  const auto root = grammar.ParseAll();
  if (!root) return grammar.mistake();
  program->root = *root;
  return std::nullopt;
}

}  // namespace asyncops::expr
