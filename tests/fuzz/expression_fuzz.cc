// An expression of a declaration, on an answer of a cloud: the expression on the first line, the
// answer below.
#include "api/expr/equality.h"
#include "api/expr/expression.h"
#include "base/encoding.h"
#include "base/json.h"
#include "base/limits.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

void HoldOutcome(const expr::Expression& expression, const expr::Bindings& bindings) {
  const expr::Outcome outcome = expression.Evaluate(bindings);
  Hold(outcome.has_value() == outcome.message.empty(), "no value has a reason, a value has none");
  Hold(expression.Matches(bindings) == (outcome.has_value() && outcome.value == Json(true)),
       "what matches is true, and nothing else");
  if (!outcome.has_value()) {
    return Hold(outcome.message.starts_with("col ") || outcome.message.starts_with("line "),
                "a reason has a place");
  }
  const std::string encoded = EncodeJson(outcome.value);
  // The bound counts characters before they are escaped, which takes six bytes at most, and numbers
  // with their comma as two bytes, which take 25 at most.
  Hold(encoded.size() <= 13 * kMaxExpressionOutputBytes, "a value is no larger than allowed");
  // A chain of brackets within the expression comes on top of what the parser admits.
  const Result<Json> again = ParseJson(encoded);
  expr::Budget budget;
  // By value: -0.0 is read again as the integer 0.
  Hold(!again.ok() || expr::JsonEqual(*again, outcome.value, &budget), "a value is JSON");
}

}  // namespace

void Run(std::string_view input) {
  const Split split = SplitLine(input);
  // Sources are strings of JSON objects.
  if (!IsUtf8(split.first)) return;
  const Result<Json> parsed = ParseJson(split.rest);
  const Json answer = parsed.ok() ? *parsed : Json();
  expr::Bindings bindings;
  bindings.Set("response", &answer).Set("event", &answer).Set("submit.response", &answer);
  for (const expr::Environment& environment :
       {expr::SubmitEnvironment(), expr::FollowUpEnvironment(), expr::ResponseEnvironment(),
        expr::EventEnvironment()}) {
    const Result<expr::Expression> compiled = expr::Expression::Compile(split.first, environment);
    if (compiled.ok()) {
      HoldOutcome(*compiled, bindings);
    } else {
      Hold(compiled.status().reason() == Reason::kBadRequest,
           "a mistake in an expression is a bad request");
    }
  }
}

}  // namespace asyncops::fuzz
