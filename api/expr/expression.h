// An expression of the asyncops CEL subset, or a JSON Pointer (docs/expressions.md).
#ifndef ASYNCOPS_API_EXPR_EXPRESSION_H_
#define ASYNCOPS_API_EXPR_EXPRESSION_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/expr/bindings.h"
#include "api/expr/environment.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::expr {

struct Mistake;
struct Program;

// What an evaluation came to.
struct Outcome {
  enum class Kind {
    kValue,    // `value` holds it; a timestamp or duration as its text
    kMissing,  // a field, key or index that is not there: "no match"
    kError,    // a type error, overflow, division by zero, or a bound reached
  };

  Kind kind = Kind::kMissing;
  Json value;
  // Why there is no value, with its place in the source ("col 5: no field \"done\""). Never holds a
  // value that was evaluated, so it may be shown and logged.
  std::string message;

  bool has_value() const { return kind == Kind::kValue; }
};

// Compiled and immutable; copies share one program. Safe to evaluate from several threads at once.
class Expression {
 public:
  // Compiles a source of at most kMaxExpressionBytes and kMaxExpressionDepth. A source that is
  // empty or starts with "/" is a JSON Pointer from the environment's pointer base. BadRequest
  // names the place and the mistake: "col 14: expected ')'", with the line where there are several.
  static Result<Expression> Compile(std::string_view source, const Environment& environment);

  // The text it was compiled from.
  const std::string& source() const;

  // Evaluates within kMaxExpressionSteps and kMaxExpressionOutputBytes. Never fails otherwise than
  // by its outcome, whatever the bindings hold.
  Outcome Evaluate(const Bindings& bindings) const;

  // The names that it reads right below a variable ("outputs", "spec.parameters"), each once; not
  // those that it asks for with has(), which may be missing, and not those that are computed.
  std::vector<std::string> NamesBelow(std::string_view variable) const;

  // Whether it reads no variable but these roots ("response") and what is below them.
  bool ReadsOnly(std::initializer_list<std::string_view> roots) const;

  // Whether it reads this root or what is below it.
  bool Reads(std::string_view root) const;

  // Whether it evaluates to the boolean true. Missing, errors and other values are no match.
  bool Matches(const Bindings& bindings) const;

 private:
  // A template gives the place of a mistake within its own text.
  friend class Template;
  static std::optional<Expression> Compile(std::string_view source, const Environment& environment,
                                           Mistake* mistake);

  explicit Expression(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  // Shared: specs are copied between the store, the cache and the reconciler, programs are not.
  std::shared_ptr<const Program> program_;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_EXPRESSION_H_
