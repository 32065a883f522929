#include "api/expr/encoding_functions.h"

#include <cmath>

#include "api/expr/conversions.h"
#include "base/encoding.h"

namespace asyncops::expr {
namespace {

// A text that is no longer than an expression may make, paid for.
Evaluated Bounded(std::string text, const CallContext& context) {
  if (text.size() > kMaxExpressionOutputBytes) return TooLong();
  if (!context.budget->SpendBytes(text.size())) return TooManySteps();
  return Json(std::move(text));
}

// The string to work on, paid for; or the fault.
std::optional<Fault> CheckString(std::string_view name, const Value& value,
                                 const CallContext& context) {
  if (value.string() == nullptr) return NoOverload(name, {&value});
  if (!context.budget->SpendBytes(value.string()->size())) return TooManySteps();
  return std::nullopt;
}

}  // namespace

Evaluated UrlEncode(std::span<const Value> args, const CallContext& context) {
  const Value& value = args[0];
  if (value.string() == nullptr && !value.is_number() && !value.boolean()) {
    return NoOverload("url.encode", {&value});
  }
  const Evaluated text = ToString(args, context);
  if (!text.ok()) return text;
  return Bounded(PercentEncode(*text.value().string()), context);
}

Evaluated ToBase64(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckString("base64.encode", args[0], context)) return *std::move(fault);
  return Bounded(Base64Encode(*args[0].string()), context);
}

Evaluated FromBase64(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckString("base64.decode", args[0], context)) return *std::move(fault);
  std::string text = *args[0].string();
  if (!text.ends_with('=')) text.append((4 - text.size() % 4) % 4, '=');
  auto bytes = Base64Decode(text);
  if (!bytes) return ErrorFault("base64.decode: the string is no base64");
  if (!IsUtf8(*bytes)) return ErrorFault("base64.decode: the bytes are no UTF-8 text");
  return Bounded(*std::move(bytes), context);
}

Evaluated ToJsonText(std::span<const Value> args, const CallContext& context) {
  const Value& value = args[0];
  if (value.json() == nullptr) return NoOverload("json.encode", {&value});
  if (value.real() && !std::isfinite(*value.real())) return ErrorFault("not a finite number");
  if (!context.budget->SpendCopy(*value.json())) return TooManySteps();
  // The estimate keeps what is encoded within a small multiple of what may be made.
  if (EstimateBytes(*value.json(), kMaxExpressionOutputBytes) > kMaxExpressionOutputBytes) {
    return TooLong();
  }
  return Bounded(EncodeJson(*value.json()), context);
}

Evaluated FromJsonText(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckString("json.decode", args[0], context)) return *std::move(fault);
  Result<Json> parsed = ParseJson(*args[0].string());
  // The parser's own words may quote the text.
  if (!parsed.ok()) return ErrorFault("json.decode: the string is no JSON");
  if (!context.budget->SpendCopy(*parsed)) return TooManySteps();
  return *std::move(parsed);
}

}  // namespace asyncops::expr
