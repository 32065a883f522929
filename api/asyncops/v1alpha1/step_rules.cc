#include "api/asyncops/v1alpha1/step_rules.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "api/asyncops/v1alpha1/expression_rules.h"
#include "api/asyncops/v1alpha1/header_rules.h"
#include "api/asyncops/v1alpha1/secret_output_rules.h"
#include "api/asyncops/v1alpha1/url_rules.h"
#include "api/asyncops/v1alpha1/value_rules.h"
#include "base/ascii.h"
#include "base/duration.h"

namespace asyncops {
namespace {

// A shorter one would look and send again all the time.
constexpr Duration kShortestSettle = std::chrono::seconds(1);

void CheckAcceptors(const std::string& path, const PollSpec& poll, ValidationResult* out) {
  if (poll.acceptors.empty()) return;
  for (std::size_t i = 0; i < poll.acceptors.size(); ++i) {
    CheckExpression(FieldPath(path, i) + ".when", poll.acceptors[i].when,
                    expr::ResponseEnvironment(), out);
  }
  const auto has_state = [&poll](std::string_view state) {
    return std::any_of(poll.acceptors.begin(), poll.acceptors.end(),
                       [state](const Acceptor& acceptor) { return acceptor.state == state; });
  };
  if (!has_state("Succeeded"))
    out->errors.push_back(
        InvalidField(path, Json(),
                     "no acceptor has state: Succeeded, so the operation could never succeed; add "
                     "one such as {when: \"response.status == 200\", state: Succeeded}"));
  if (!has_state("Failed") && poll.default_state != "Failed")
    Warn(path + " has no state: Failed, so a failed operation runs until its deadline", out);
}

void CheckInterval(const std::string& path, const PollInterval& interval, ValidationResult* out) {
  CheckPositive(path + ".initial", interval.initial, out);
  CheckPositive(path + ".max", interval.max, out);
  if (interval.initial && interval.max && *interval.max > Duration::zero() &&
      *interval.max < *interval.initial) {
    out->errors.push_back(InvalidField(
        path + ".max", FormatDuration(*interval.max),
        "must not be shorter than initial (" + FormatDuration(*interval.initial) + ")"));
  }
  if (interval.factor && *interval.factor < 1)
    out->errors.push_back(
        InvalidField(path + ".factor", *interval.factor, "must be at least 1, such as 1.5"));
  if (interval.initial && *interval.initial > Duration::zero() &&
      *interval.initial < std::chrono::seconds(1))
    Warn(path + ".initial is under 1s: many systems limit such polling", out);
}

void CheckResult(const std::string& path, const ResultSource& result, ValidationResult* out) {
  if (result.from == "URL" && result.url.empty()) {
    out->errors.push_back(
        RequiredField(path + ".url",
                      "with from: URL, say what to get, such as /volumes/${operation.resourceID}"));
  } else if (result.from != "URL" && !result.url.empty()) {
    out->errors.push_back(
        ForbiddenField(path + ".url", "belongs to from: URL; remove it, or write from: URL"));
  }
  CheckTargetPath(path + ".url", result.url, expr::FollowUpEnvironment(), out);
  if (result.from == "Expression" && result.expression.empty()) {
    out->errors.push_back(RequiredField(
        path + ".expression",
        "with from: Expression, say what to get, such as response.body.resourceLocation"));
  } else if (result.from != "Expression" && !result.expression.empty()) {
    out->errors.push_back(ForbiddenField(
        path + ".expression", "belongs to from: Expression; remove it, or write from: Expression"));
  }
  CheckExpression(path + ".expression", result.expression, expr::ResponseEnvironment(), out);
}

// A call that follows the submit: poll, lookup, cancel.
template <class Call>
void CheckCall(const std::string& path, const Call& call, ValidationResult* out) {
  const expr::Environment environment = expr::FollowUpEnvironment();
  CheckTargetPath(path + ".path", call.path, environment, out);
  CheckHeaders(path + ".headers", call.headers, environment, out);
  CheckBody(path + ".body", call.body, environment, out);
}

void CheckNoBodyOfGet(const std::string& path, const std::string& method, const Json& body,
                      ValidationResult* out) {
  if ((method.empty() || method == "GET") && !body.is_null())
    out->errors.push_back(
        ForbiddenField(path + ".body", "a GET carries no body; remove it, or write method: POST"));
}

bool IsOutputName(std::string_view name) {
  const auto is_letter = [](char c) { return IsLetter(c) || c == '_'; };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [is_letter](char c) { return is_letter(c) || IsDigit(c); });
}

}  // namespace

void CheckSubmit(const std::string& path, const std::optional<SubmitSpec>& submit,
                 ValidationResult* out) {
  if (!submit) return;
  const expr::Environment environment = expr::SubmitEnvironment();
  CheckTargetPath(path + ".path", submit->path, environment, out);
  CheckHeaders(path + ".headers", submit->headers, environment, out);
  CheckBody(path + ".body", submit->body, environment, out);
  if (submit->method == "GET" && !submit->body.is_null())
    out->errors.push_back(
        ForbiddenField(path + ".body", "a GET carries no body; remove it, or write method: POST"));
}

void CheckOperationMapping(const std::string& path, const std::optional<OperationMapping>& mapping,
                           ValidationResult* out) {
  if (!mapping) return;
  const expr::Environment environment = expr::ResponseEnvironment();
  CheckExpression(path + ".id", mapping->id, environment, out);
  CheckExpression(path + ".pollURL", mapping->poll_url, environment, out);
  CheckExpression(path + ".resourceID", mapping->resource_id, environment, out);
  CheckExpression(path + ".consoleURL", mapping->console_url, environment, out);
}

void CheckPoll(const std::string& path, const std::optional<PollSpec>& poll,
               ValidationResult* out) {
  if (!poll) return;
  const expr::Environment environment = expr::ResponseEnvironment();
  CheckCall(path, *poll, out);
  CheckNoBodyOfGet(path, poll->method, poll->body, out);
  CheckAcceptors(path + ".acceptors", *poll, out);
  if (poll->error) {
    CheckExpression(path + ".error.code", poll->error->code, environment, out);
    CheckExpression(path + ".error.message", poll->error->message, environment, out);
  }
  CheckExpression(path + ".progress", poll->progress, environment, out);
  CheckExpression(path + ".nextURL", poll->next_url, environment, out);
  CheckExpression(path + ".retryAfter", poll->retry_after, environment, out);
  if (poll->interval) CheckInterval(path + ".interval", *poll->interval, out);
  if (poll->result) CheckResult(path + ".result", *poll->result, out);
}

void CheckRecovery(const std::string& path, const std::optional<RecoverySpec>& recovery,
                   ValidationResult* out) {
  if (!recovery) return;
  if (const auto& lookup = recovery->lookup) {
    const std::string part = path + ".lookup";
    CheckCall(part, *lookup, out);
    CheckNoBodyOfGet(part, lookup->method, lookup->body, out);
    CheckExpression(part + ".found", lookup->found, expr::ResponseEnvironment(), out);
    CheckExpression(part + ".id", lookup->id, expr::ResponseEnvironment(), out);
    CheckExpression(part + ".pollURL", lookup->poll_url, expr::ResponseEnvironment(), out);
    if (lookup->settle && *lookup->settle < kShortestSettle) {
      out->errors.push_back(InvalidField(part + ".settle", FormatDuration(*lookup->settle),
                                         "must be 1s at least, such as 2m"));
    }
  } else if (!recovery->adopt_on.empty()) {
    out->errors.push_back(RequiredField(
        path + ".lookup", "adoptOn adopts what a lookup finds; give path, found and id"));
  }
}

void CheckLookupLeadsOn(const std::string& path, const std::optional<RecoverySpec>& recovery,
                        const std::optional<PollSpec>& poll, ValidationResult* out) {
  if (!recovery || !recovery->lookup || !recovery->lookup->poll_url.empty()) return;
  if (poll && !poll->path.empty()) return;
  Warn(path + ".lookup: add pollURL, or poll.path; without, some presets cannot poll a find", out);
}

void CheckCancel(const std::string& path, const std::optional<CancelSpec>& cancel,
                 ValidationResult* out) {
  if (cancel) CheckCall(path, *cancel, out);
}

void CheckOutputs(const std::string& path, const std::vector<OutputSpec>& outputs,
                  ValidationResult* out) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string item = FieldPath(path, i);
    const OutputSpec& output = outputs[i];
    if (!output.name.empty() && !IsOutputName(output.name))
      out->errors.push_back(InvalidField(item + ".name", output.name,
                                         "must be letters, digits and '_', starting with a letter, "
                                         "so that outputs.NAME can be written; such as volumeID"));
    if (!seen.insert(output.name).second)
      out->errors.push_back(DuplicateField(item + ".name", output.name));
    CheckExpression(item + ".value", output.value, expr::ResponseEnvironment(), out);
  }
  CheckSecretOutputs(path, outputs, out);
}

void CheckActiveDeadline(const std::string& path, const std::optional<Duration>& deadline,
                         const std::optional<PollSpec>& poll, ValidationResult* out) {
  if (!deadline) return;
  if (*deadline < std::chrono::seconds(1)) {
    out->errors.push_back(
        InvalidField(path, FormatDuration(*deadline), "must be at least 1s, such as 30m or 24h"));
  } else if (poll && poll->interval && poll->interval->initial &&
             *deadline <= *poll->interval->initial) {
    Warn(path + " is over before the first poll; make it longer than poll.interval.initial", out);
  }
}

}  // namespace asyncops
