// Presets: what a family of APIs has in common, as fields that a user could have written. Fields
// that the user did write win.
#ifndef ASYNCOPS_RECONCILER_PRESETS_H_
#define ASYNCOPS_RECONCILER_PRESETS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/asyncops/v1alpha1/external_system.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "base/status.h"

namespace asyncops::reconciler {

// One operation's declaration, with nothing left to a default. A value.
struct Declaration {
  SubmitSpec submit;
  OperationMapping operation;
  PollSpec poll;
  std::optional<LookupSpec> lookup;
  std::optional<CancelSpec> cancel;
  std::vector<std::int64_t> gone;  // of a Delete; else empty
  std::vector<OutputSpec> outputs;
  std::vector<ErrorRule> error_rules;  // the operation's, then the system's
  // The answer to the submit has the form of a poll's answer, so the acceptors judge it too; and a
  // body that is no JSON cannot be read.
  bool submit_answers_status = false;
};

// Pure. Invalid where the preset is none that this release carries out.
Result<Declaration> Declare(const ExternalSystem& system, const AsyncOperation& operation);

// The fields of one preset; those that are set stay.
void FillAcceptedLocation(Declaration* declaration);
void FillGoogleLro(Declaration* declaration);
void FillJobStatus(Declaration* declaration);
// Where errors stand in the bodies of most APIs; for every preset.
void FillErrorMapping(Declaration* declaration);

// Sets a field that is empty.
void FillText(std::string* field, std::string_view value);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_PRESETS_H_
