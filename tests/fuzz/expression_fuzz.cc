// An expression of a declaration, on an answer of a cloud: the expression on the first line, the
// answer below.
#include "api/expr/expression.h"
#include "base/json.h"
#include "tests/fuzz/fuzz_target.h"

void asyncops::fuzz::Run(std::string_view input) {
  const Split split = SplitLine(input);
  const Result<expr::Expression> compiled =
      expr::Expression::Compile(split.first, expr::FollowUpEnvironment());
  if (!compiled.ok()) {
    return Hold(compiled.status().reason() == Reason::kBadRequest,
                "a mistake in an expression is a bad request");
  }
  const Result<Json> parsed = ParseJson(split.rest);
  const Json answer = parsed.ok() ? *parsed : Json();
  expr::Bindings bindings;
  bindings.Set("response", &answer);
  const expr::Outcome outcome = compiled->Evaluate(bindings);
  Hold(outcome.has_value() || !outcome.message.empty(), "no value has a reason");
}
