// A value while an expression is evaluated: JSON, borrowed from the bindings as long as that can
// be, or one of the two types that JSON lacks.
#ifndef ASYNCOPS_API_EXPR_VALUE_H_
#define ASYNCOPS_API_EXPR_VALUE_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/json.h"

namespace asyncops::expr {

class Value {
 public:
  // Points into something that outlives the value.
  static Value Borrow(const Json* json) { return Value(State(json)); }
  explicit Value(Json json) : state_(std::move(json)) {}
  explicit Value(Time time) : state_(time) {}
  explicit Value(Duration duration) : state_(duration) {}

  // The JSON value; null of a timestamp or duration.
  const Json* json() const {
    if (const auto* borrowed = std::get_if<const Json*>(&state_)) return *borrowed;
    return std::get_if<Json>(&state_);
  }
  bool is_owned() const { return std::holds_alternative<Json>(state_); }
  const Time* time() const { return std::get_if<Time>(&state_); }
  const Duration* duration() const { return std::get_if<Duration>(&state_); }

  // The content where the value is of that type, else null.
  const std::string* string() const {
    return json() != nullptr && json()->is_string() ? &json()->as_string() : nullptr;
  }
  const JsonArray* list() const {
    return json() != nullptr && json()->is_array() ? &json()->as_array() : nullptr;
  }
  const JsonObject* map() const {
    return json() != nullptr && json()->is_object() ? &json()->as_object() : nullptr;
  }
  std::optional<bool> boolean() const {
    return json() != nullptr && json()->is_bool() ? std::optional(json()->as_bool()) : std::nullopt;
  }
  std::optional<std::int64_t> integer() const {
    return json() != nullptr && json()->is_int() ? std::optional(json()->as_int()) : std::nullopt;
  }
  // Of a double alone.
  std::optional<double> real() const {
    return json() != nullptr && json()->is_double() ? std::optional(json()->as_double())
                                                    : std::nullopt;
  }
  bool is_number() const { return json() != nullptr && json()->is_number(); }

  // The JSON value, moved out where it is owned and copied where it is borrowed. json() must not be
  // null.
  Json TakeJson() && {
    if (auto* owned = std::get_if<Json>(&state_)) return std::move(*owned);
    return **std::get_if<const Json*>(&state_);
  }

  // "int", "timestamp", ...: the type as CEL names it.
  std::string_view type_name() const;

 private:
  using State = std::variant<const Json*, Json, Time, Duration>;

  explicit Value(State state) : state_(std::move(state)) {}

  State state_;
};

// Why an evaluation has no value.
struct Fault {
  bool missing = false;
  std::string message;
  // Where in the source; set by the evaluator.
  std::optional<std::size_t> offset = std::nullopt;
};

inline Fault ErrorFault(std::string message) { return {false, std::move(message)}; }
inline Fault MissingFault(std::string message) { return {true, std::move(message)}; }
// "no matching overload of size for (int)": the operands have types that the operation is not
// defined for.
Fault NoOverload(std::string_view operation, std::initializer_list<const Value*> operands);
// The two bounds that may be reached while evaluating.
Fault TooManySteps();
Fault TooLong();

// A value or a fault.
class Evaluated {
 public:
  Evaluated(Value value)
      : state_(std::move(value)) {
  }  // NOLINT(google-explicit-constructor): reads as `return value;`
  Evaluated(Fault fault)
      : state_(std::move(fault)) {
  }  // NOLINT(google-explicit-constructor): reads as `return fault;`
  Evaluated(Json json)
      : state_(Value(std::move(json))) {
  }  // NOLINT(google-explicit-constructor): reads as `return Json(...);`

  bool ok() const { return state_.index() == 0; }
  const Value& value() const { return *std::get_if<Value>(&state_); }
  Value& value() { return *std::get_if<Value>(&state_); }
  const Fault& fault() const { return *std::get_if<Fault>(&state_); }
  Fault& fault() { return *std::get_if<Fault>(&state_); }

 private:
  std::variant<Value, Fault> state_;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_VALUE_H_
