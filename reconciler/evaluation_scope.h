// What the expressions of one operation see at one moment.
#ifndef ASYNCOPS_RECONCILER_EVALUATION_SCOPE_H_
#define ASYNCOPS_RECONCILER_EVALUATION_SCOPE_H_

#include <optional>
#include <string>

#include "api/expr/bindings.h"
#include "api/expr/expression.h"
#include "base/json.h"
#include "reconciler/protocol.h"

namespace asyncops::reconciler {

// What stays the same for all of an operation's life. A value.
struct EvaluationContext {
  Json parameters;
  Json metadata;
  Json outputs;
};

// Owns what it binds, but for the context and the submit's response, which outlive it. One thread.
class EvaluationScope {
 public:
  // Fields of the operation that are empty are missing to expressions.
  EvaluationScope(const EvaluationContext& context, const OperationIdentity& operation);
  EvaluationScope(const EvaluationScope&) = delete;
  EvaluationScope& operator=(const EvaluationScope&) = delete;

  // {status, headers, body} of the answer to the submit; null leaves it missing.
  void SetSubmitResponse(const Json& response);
  void SetResponse(Json response);
  // Fields that are empty or 0 are missing.
  void SetError(const std::string& code, const std::string& message, int http_status);
  // What the response told: "id", "pollURL", "resourceID".
  void SetOperationField(std::string_view name, const std::string& value);

  const expr::Bindings& bindings() const { return bindings_; }
  // The error as it was set.
  const Json& error() const { return error_; }
  bool has_error() const { return has_error_; }  // whether it was set

  // The value as text: a number or boolean as JSON writes it, "" where there is no value or one of
  // another type; on one line, without blanks around it.
  std::string Text(const std::optional<expr::Expression>& expression) const;

 private:
  Json operation_;
  Json response_;
  Json error_;
  bool has_error_ = false;
  expr::Bindings bindings_;
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EVALUATION_SCOPE_H_
