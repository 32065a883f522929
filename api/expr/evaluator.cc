#include "api/expr/evaluator.h"

#include <cmath>
#include <utility>

#include "api/expr/functions.h"
#include "api/expr/json_pointer.h"
#include "api/expr/operators.h"
#include "api/expr/time_range.h"
#include "base/limits.h"

namespace asyncops::expr {
namespace {

// Dynamic keys may hold secrets, so that only names from the source appear in a message.
Fault NoField(std::string_view name) {
  return MissingFault("no field \"" + std::string(name) + "\"");
}

}  // namespace

Evaluated Evaluator::Evaluate(NodeId id) {
  if (!budget_.Spend()) return TooManySteps();
  const Node& node = program_.nodes[id];
  Evaluated result = Dispatch(node);
  if (!result.ok() && !result.fault().offset) result.fault().offset = node.offset;
  return result;
}

Evaluated Evaluator::Dispatch(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kConstant: return Value::Borrow(&node.constant);
    case Node::Kind::kVariable: return Variable(node);
    case Node::Kind::kLocal: return Value::Borrow(locals_[node.local]);
    case Node::Kind::kPointer: return Pointer(node);
    case Node::Kind::kField: return Field(node);
    case Node::Kind::kHas: return Has(node);
    case Node::Kind::kIndex: return Index(node);
    case Node::Kind::kNot: return Not(node);
    case Node::Kind::kNegate: {
      const Evaluated operand = Evaluate(node.args[0]);
      return operand.ok() ? Negate(operand.value()) : operand;
    }
    case Node::Kind::kBinary: return Binary(node);
    case Node::Kind::kAnd: return Logic(node, false);
    case Node::Kind::kOr: return Logic(node, true);
    case Node::Kind::kConditional: return Conditional(node);
    case Node::Kind::kList: return List(node);
    case Node::Kind::kMap: return Map(node);
    case Node::Kind::kCall: return Call(node);
    case Node::Kind::kComprehension: return Comprehension(node);
  }
  return ErrorFault("unknown node");
}

Evaluated Evaluator::Variable(const Node& node) {
  const Json* found = bindings_.Find(node.path);
  if (found != nullptr) return Value::Borrow(found);
  return NoField(node.path.back());
}

Evaluated Evaluator::Pointer(const Node& node) {
  const Json* document = bindings_.Find(node.path);
  const Json* found = document == nullptr ? nullptr : FollowPointer(*document, node.names);
  if (found == nullptr) return MissingFault("nothing at this JSON Pointer");
  return Value::Borrow(found);
}

Evaluated Evaluator::Field(const Node& node) {
  const Evaluated target = Evaluate(node.args[0]);
  if (!target.ok()) return target;
  const JsonObject* map = target.value().map();
  const Json* found = map == nullptr ? nullptr : map->Find(node.name);
  if (found == nullptr) return NoField(node.name);
  return Part(target.value(), found);
}

Evaluated Evaluator::Has(const Node& node) {
  // Without an operand it is a fixed field of a root.
  if (node.args.empty()) return Json(bindings_.Find(node.path) != nullptr);
  const Evaluated target = Evaluate(node.args[0]);
  if (!target.ok()) return target;
  const JsonObject* map = target.value().map();
  return Json(map != nullptr && map->Has(node.name));
}

Evaluated Evaluator::Index(const Node& node) {
  const Evaluated target = Evaluate(node.args[0]);
  if (!target.ok()) return target;
  const Evaluated index = Evaluate(node.args[1]);
  if (!index.ok()) return index;
  const Value& key = index.value();
  if (const JsonArray* list = target.value().list()) {
    if (!key.is_number()) return NoOverload("[]", {&target.value(), &key});
    const double position = key.json()->as_double();
    if (position != std::floor(position)) return ErrorFault("the index of a list is an integer");
    if (position < 0 || position >= static_cast<double>(list->size())) {
      return MissingFault("no such index");
    }
    return Part(target.value(), &(*list)[static_cast<std::size_t>(position)]);
  }
  const JsonObject* map = target.value().map();
  const Json* found =
      map == nullptr || key.string() == nullptr ? nullptr : map->Find(*key.string());
  if (found == nullptr) return MissingFault("no such key");
  return Part(target.value(), found);
}

Evaluated Evaluator::Part(const Value& whole, const Json* part) {
  if (!whole.is_owned()) return Value::Borrow(part);
  if (!budget_.SpendCopy(*part)) return TooManySteps();
  return Json(*part);
}

Evaluated Evaluator::Not(const Node& node) {
  const Evaluated operand = Evaluate(node.args[0]);
  if (!operand.ok()) return operand;
  const auto value = operand.value().boolean();
  if (!value) return NoOverload("!", {&operand.value()});
  return Json(!*value);
}

Evaluated Evaluator::Binary(const Node& node) {
  Evaluated left = Evaluate(node.args[0]);
  if (!left.ok()) return left;
  Evaluated right = Evaluate(node.args[1]);
  if (!right.ok()) return right;
  return ApplyOperator(node.op, std::move(left.value()), std::move(right.value()), &budget_);
}

Evaluated Evaluator::Logic(const Node& node, bool deciding) {
  std::optional<Fault> first_fault;
  for (const NodeId arg : node.args) {
    Evaluated operand = Evaluate(arg);
    if (budget_.exhausted()) return TooManySteps();
    if (operand.ok()) {
      const auto value = operand.value().boolean();
      if (value == deciding) return Json(deciding);
      if (value) continue;
      operand = NoOverload(deciding ? "||" : "&&", {&operand.value()});
    }
    if (!first_fault) first_fault = std::move(operand.fault());
  }
  if (first_fault) return *std::move(first_fault);
  return Json(!deciding);
}

Evaluated Evaluator::Conditional(const Node& node) {
  const Evaluated condition = Evaluate(node.args[0]);
  if (!condition.ok()) return condition;
  const auto value = condition.value().boolean();
  if (!value) return NoOverload("?:", {&condition.value()});
  return Evaluate(node.args[*value ? 1 : 2]);
}

std::optional<Fault> Evaluator::Store(Value value, Json* out) {
  if (value.json() == nullptr) {
    return ErrorFault("a " + std::string(value.type_name()) +
                      " cannot stand in a list or map: convert it with string()");
  }
  if (value.real() && !std::isfinite(*value.real())) return ErrorFault("not a finite number");
  if (!value.is_owned() && !budget_.SpendCopy(*value.json())) return TooManySteps();
  *out = std::move(value).TakeJson();
  return std::nullopt;
}

Evaluated Evaluator::List(const Node& node) {
  JsonArray items;
  for (const NodeId arg : node.args) {
    Evaluated item = Evaluate(arg);
    if (!item.ok()) return item;
    if (auto fault = Store(std::move(item.value()), &items.emplace_back())) {
      return *std::move(fault);
    }
  }
  return Json(std::move(items));
}

Evaluated Evaluator::Map(const Node& node) {
  JsonObject members;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    Evaluated value = Evaluate(node.args[i]);
    if (!value.ok()) return value;
    if (auto fault = Store(std::move(value.value()), &members[node.names[i]])) {
      return *std::move(fault);
    }
  }
  return Json(std::move(members));
}

Evaluated Evaluator::Call(const Node& node) {
  std::vector<Value> args;
  args.reserve(node.args.size());
  for (const NodeId arg : node.args) {
    Evaluated value = Evaluate(arg);
    if (!value.ok()) return value;
    args.push_back(std::move(value.value()));
  }
  return node.function->body(args, {.budget = &budget_, .regex = node.regex.get()});
}

std::optional<Fault> Evaluator::Export(Value value, Json* out) {
  if (value.time() != nullptr) value = Value(Json(TimeText(*value.time())));
  if (value.duration() != nullptr) value = Value(Json(DurationText(*value.duration())));
  if (EstimateBytes(*value.json(), kMaxExpressionOutputBytes) > kMaxExpressionOutputBytes) {
    return TooLong();
  }
  return Store(std::move(value), out);
}

}  // namespace asyncops::expr
