#include "api/expr/expression.h"

#include <utility>

#include "api/expr/evaluator.h"
#include "api/expr/parser.h"
#include "api/expr/program.h"

namespace asyncops::expr {

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

bool Expression::Matches(const Bindings& bindings) const {
  const Evaluated result = Evaluator(*program_, bindings).Run();
  return result.ok() && result.value().boolean() == true;
}

}  // namespace asyncops::expr
