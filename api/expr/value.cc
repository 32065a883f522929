#include "api/expr/value.h"

#include "base/limits.h"

namespace asyncops::expr {

std::string_view Value::type_name() const {
  if (time() != nullptr) return "timestamp";
  if (duration() != nullptr) return "duration";
  switch (json()->type()) {
    case Json::Type::kNull: return "null";
    case Json::Type::kBool: return "bool";
    case Json::Type::kInt: return "int";
    case Json::Type::kDouble: return "double";
    case Json::Type::kString: return "string";
    case Json::Type::kArray: return "list";
    case Json::Type::kObject: return "map";
  }
  return "";
}

Fault NoOverload(std::string_view operation, std::initializer_list<const Value*> operands) {
  std::string message = "no matching overload of " + std::string(operation) + " for (";
  bool first = true;
  for (const Value* operand : operands) {
    if (!first) message += ", ";
    first = false;
    message += operand->type_name();
  }
  return ErrorFault(message + ")");
}

Fault TooManySteps() {
  return ErrorFault("needs more than " + std::to_string(kMaxExpressionSteps) + " steps");
}

Fault TooLong() {
  return ErrorFault("makes more than " + std::to_string(kMaxExpressionOutputBytes) + " bytes");
}

}  // namespace asyncops::expr
