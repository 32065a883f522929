#include "reconciler/evaluation_scope.h"

#include <algorithm>
#include <utility>

#include "base/rfc3339.h"

namespace asyncops::reconciler {
namespace {

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }

}  // namespace

EvaluationScope::EvaluationScope(const EvaluationContext& context,
                                 const OperationIdentity& operation)
    : operation_(JsonObject()), error_(JsonObject()) {
  SetOperationField("id", operation.id);
  SetOperationField("pollURL", operation.poll_url);
  SetOperationField("resourceID", operation.resource_id);
  SetOperationField("correlationID", operation.correlation_id);
  SetOperationField("idempotencyKey", operation.idempotency_key);
  operation_.Set("submission", operation.submission);
  operation_.Set("attempt", operation.attempt);
  if (operation.start_time) operation_.Set("startTime", FormatTime(*operation.start_time));
  bindings_.Set("spec.parameters", &context.parameters)
      .Set("metadata", &context.metadata)
      .Set("outputs", &context.outputs)
      .Set("operation", &operation_);
}

void EvaluationScope::SetSubmitResponse(const Json& response) {
  if (!response.is_null()) bindings_.Set("submit.response", &response);
}

void EvaluationScope::SetResponse(Json response) {
  response_ = std::move(response);
  bindings_.Set("response", &response_);
}

void EvaluationScope::SetError(const std::string& code, const std::string& message,
                               int http_status) {
  error_ = JsonObject();
  if (!code.empty()) error_.Set("code", code);
  if (!message.empty()) error_.Set("message", message);
  if (http_status != 0) error_.Set("httpStatus", http_status);
  has_error_ = true;
  bindings_.Set("error", &error_);
}

void EvaluationScope::SetOperationField(std::string_view name, const std::string& value) {
  if (!value.empty()) operation_.Set(name, value);
}

std::string EvaluationScope::Text(const std::optional<expr::Expression>& expression) const {
  if (!expression) return "";
  const expr::Outcome outcome = expression->Evaluate(bindings_);
  if (!outcome.has_value()) return "";
  const Json& value = outcome.value;
  if (value.is_number() || value.is_bool()) return EncodeJson(value);
  if (!value.is_string()) return "";
  std::string text = value.as_string();
  std::replace_if(text.begin(), text.end(), IsControl, ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

}  // namespace asyncops::reconciler
