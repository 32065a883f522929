#include "api/expr/operators.h"

#include <compare>
#include <cstdint>
#include <limits>

#include "api/expr/equality.h"
#include "api/expr/time_range.h"

namespace asyncops::expr {
namespace {

constexpr std::int64_t kMinInt = std::numeric_limits<std::int64_t>::min();

Evaluated IntArithmetic(Operator op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Operator::kAdd: overflow = __builtin_add_overflow(left, right, &result); break;
    case Operator::kSubtract: overflow = __builtin_sub_overflow(left, right, &result); break;
    case Operator::kMultiply: overflow = __builtin_mul_overflow(left, right, &result); break;
    default:
      if (right == 0) {
        return ErrorFault(op == Operator::kDivide ? "division by zero" : "modulus by zero");
      }
      overflow = left == kMinInt && right == -1;
      if (!overflow) result = op == Operator::kDivide ? left / right : left % right;
  }
  if (overflow) return ErrorFault("integer overflow");
  return Json(result);
}

Evaluated DoubleArithmetic(Operator op, double left, double right) {
  switch (op) {
    case Operator::kAdd: return Json(left + right);
    case Operator::kSubtract: return Json(left - right);
    case Operator::kMultiply: return Json(left * right);
    default: return Json(left / right);
  }
}

Evaluated ConcatenateStrings(const std::string& left, const std::string& right, Budget* budget) {
  if (left.size() + right.size() > kMaxExpressionOutputBytes) return TooLong();
  if (!budget->SpendBytes(left.size() + right.size())) return TooManySteps();
  return Json(left + right);
}

Evaluated ConcatenateLists(Value left, Value right, Budget* budget) {
  if (!budget->SpendCopy(*left.json()) || !budget->SpendCopy(*right.json())) return TooManySteps();
  Json result = std::move(left).TakeJson();
  for (const Json& item : *right.list()) result.as_array().push_back(item);
  return result;
}

// Times and durations; nothing where the operator is not defined for the operands.
std::optional<Evaluated> TimeArithmetic(Operator op, const Value& left, const Value& right) {
  if (op != Operator::kAdd && op != Operator::kSubtract) return std::nullopt;
  const bool add = op == Operator::kAdd;
  if (left.time() != nullptr && right.duration() != nullptr) {
    return TimeInRange(add ? *left.time() + *right.duration() : *left.time() - *right.duration());
  }
  if (add && left.duration() != nullptr && right.time() != nullptr) {
    return TimeInRange(*right.time() + *left.duration());
  }
  if (!add && left.time() != nullptr && right.time() != nullptr) {
    return DurationInRange(*left.time() - *right.time());
  }
  if (left.duration() != nullptr && right.duration() != nullptr) {
    return DurationInRange(add ? *left.duration() + *right.duration()
                               : *left.duration() - *right.duration());
  }
  return std::nullopt;
}

Evaluated Arithmetic(Operator op, Value left, Value right, Budget* budget) {
  if (left.integer() && right.integer()) {
    return IntArithmetic(op, *left.integer(), *right.integer());
  }
  if (left.real() && right.real() && op != Operator::kModulo) {
    return DoubleArithmetic(op, *left.real(), *right.real());
  }
  if (op == Operator::kAdd && left.string() != nullptr && right.string() != nullptr) {
    return ConcatenateStrings(*left.string(), *right.string(), budget);
  }
  if (op == Operator::kAdd && left.list() != nullptr && right.list() != nullptr) {
    return ConcatenateLists(std::move(left), std::move(right), budget);
  }
  if (auto result = TimeArithmetic(op, left, right)) return *std::move(result);
  return NoOverload(OperatorName(op), {&left, &right});
}

// The order of two values; nothing where their types have none.
std::optional<std::partial_ordering> Order(const Value& left, const Value& right) {
  if (left.integer() && right.integer()) return *left.integer() <=> *right.integer();
  if (left.is_number() && right.is_number()) {
    return left.json()->as_double() <=> right.json()->as_double();
  }
  if (left.string() != nullptr && right.string() != nullptr) {
    return *left.string() <=> *right.string();
  }
  if (left.boolean() && right.boolean()) return *left.boolean() <=> *right.boolean();
  if (left.time() != nullptr && right.time() != nullptr) return *left.time() <=> *right.time();
  if (left.duration() != nullptr && right.duration() != nullptr) {
    return *left.duration() <=> *right.duration();
  }
  return std::nullopt;
}

Evaluated Compare(Operator op, const Value& left, const Value& right, Budget* budget) {
  if (left.string() != nullptr && !budget->SpendBytes(left.string()->size())) {
    return TooManySteps();
  }
  const auto order = Order(left, right);
  if (!order) return NoOverload(OperatorName(op), {&left, &right});
  switch (op) {
    case Operator::kLess: return Json(*order < 0);
    case Operator::kLessOrEqual: return Json(*order <= 0);
    case Operator::kGreater: return Json(*order > 0);
    default: return Json(*order >= 0);
  }
}

Evaluated Contains(const Value& item, const Value& container, Budget* budget) {
  bool found = false;
  if (container.list() != nullptr) {
    for (const Json& element : *container.list()) {
      if (budget->exhausted()) break;
      found = item.json() != nullptr && JsonEqual(*item.json(), element, budget);
      if (found) break;
    }
  } else if (container.map() != nullptr) {
    budget->Spend();
    found = item.string() != nullptr && container.map()->Has(*item.string());
  } else {
    return NoOverload("in", {&item, &container});
  }
  if (budget->exhausted()) return TooManySteps();
  return Json(found);
}

}  // namespace

std::string_view OperatorName(Operator op) {
  switch (op) {
    case Operator::kAdd: return "+";
    case Operator::kSubtract: return "-";
    case Operator::kMultiply: return "*";
    case Operator::kDivide: return "/";
    case Operator::kModulo: return "%";
    case Operator::kEqual: return "==";
    case Operator::kNotEqual: return "!=";
    case Operator::kLess: return "<";
    case Operator::kLessOrEqual: return "<=";
    case Operator::kGreater: return ">";
    case Operator::kGreaterOrEqual: return ">=";
    case Operator::kIn: return "in";
  }
  return "";
}

Evaluated ApplyOperator(Operator op, Value left, Value right, Budget* budget) {
  switch (op) {
    case Operator::kEqual:
    case Operator::kNotEqual: {
      const bool equal = ValueEqual(left, right, budget);
      if (budget->exhausted()) return TooManySteps();
      return Json(equal == (op == Operator::kEqual));
    }
    case Operator::kLess:
    case Operator::kLessOrEqual:
    case Operator::kGreater:
    case Operator::kGreaterOrEqual: return Compare(op, left, right, budget);
    case Operator::kIn: return Contains(left, right, budget);
    default: return Arithmetic(op, std::move(left), std::move(right), budget);
  }
}

Evaluated Negate(const Value& value) {
  if (value.integer()) {
    if (*value.integer() == kMinInt) return ErrorFault("integer overflow");
    return Json(-*value.integer());
  }
  if (value.real()) return Json(-*value.real());
  return NoOverload("-", {&value});
}

}  // namespace asyncops::expr
