// One evaluation of a program.
#ifndef ASYNCOPS_API_EXPR_EVALUATOR_H_
#define ASYNCOPS_API_EXPR_EVALUATOR_H_

#include <optional>
#include <vector>

#include "api/expr/bindings.h"
#include "api/expr/budget.h"
#include "api/expr/program.h"
#include "api/expr/value.h"

namespace asyncops::expr {

// Both must outlive the evaluator, and values that it returns may point into them. The recursion is
// bounded by the depth that the parser admits.
class Evaluator {
 public:
  Evaluator(const Program& program, const Bindings& bindings)
      : program_(program), bindings_(bindings) {}

  Evaluated Run() { return Evaluate(program_.root); }

  // Puts a result into JSON of its own, timestamps and durations as their text; within the bounds.
  std::optional<Fault> Export(Value value, Json* out);

 private:
  Evaluated Evaluate(NodeId id);
  Evaluated Dispatch(const Node& node);

  Evaluated Variable(const Node& node);
  Evaluated Pointer(const Node& node);
  Evaluated Field(const Node& node);
  Evaluated Has(const Node& node);
  Evaluated Index(const Node& node);
  Evaluated Not(const Node& node);
  Evaluated Binary(const Node& node);
  // && and ||: an operand that equals `deciding` decides, whatever the others are.
  Evaluated Logic(const Node& node, bool deciding);
  Evaluated Conditional(const Node& node);
  Evaluated List(const Node& node);
  Evaluated Map(const Node& node);
  Evaluated Call(const Node& node);

  // --- macros (evaluator_macros.cc) ---
  Evaluated Comprehension(const Node& node);
  // all and exists, with the absorption of && and ||.
  Evaluated Quantifier(const Node& node, const Value& range, bool deciding);
  Evaluated ExistsOne(const Node& node, const Value& range);
  Evaluated Filter(const Node& node, const Value& range);
  Evaluated Transform(const Node& node, const Value& range);
  // Whether the predicate holds, or the fault.
  Evaluated Predicate(const Node& node, NodeId body);

  // A part of `whole`, which may be about to be destroyed.
  Evaluated Part(const Value& whole, const Json* part);
  // Copies or moves a value into a list or map.
  std::optional<Fault> Store(Value value, Json* out);

  const Program& program_;
  const Bindings& bindings_;
  Budget budget_;
  // The values of the macro variables in scope, by Node::local.
  std::vector<const Json*> locals_;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_EVALUATOR_H_
