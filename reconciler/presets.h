// Presets: what a family of APIs has in common, as fields that a user could have written. Fields
// that the user did write win.
#ifndef ASYNCOPS_RECONCILER_PRESETS_H_
#define ASYNCOPS_RECONCILER_PRESETS_H_

#include <cstdint>
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
  std::string type;  // Create | Update | Delete | Action
  SubmitSpec submit;
  OperationMapping operation;
  PollSpec poll;
  std::optional<LookupSpec> lookup;
  std::optional<CancelSpec> cancel;
  std::optional<IdempotencySpec> idempotency;
  std::vector<std::int64_t> gone;  // of a Delete; else empty
  std::vector<OutputSpec> outputs;
  std::vector<ErrorRule> error_rules;  // the operation's, the system's, the preset's
  // The thing itself is polled: that it is gone ends a Delete.
  bool polls_thing = false;
};

// Pure. Invalid where the preset is none, or lacks what only the user can say.
Result<Declaration> Declare(const ExternalSystem& system, const AsyncOperation& operation);

// The fields of one preset; those that are set stay.
void FillAcceptedLocation(Declaration* declaration);
void FillAwsCloudControl(Declaration* declaration);
void FillAzureArm(Declaration* declaration);
void FillDescribeUntil(Declaration* declaration);
void FillGoogleLro(Declaration* declaration);
void FillJobStatus(Declaration* declaration);
void FillODataAsync(Declaration* declaration);
// Where errors stand in the bodies of most APIs; for every preset.
void FillErrorMapping(Declaration* declaration);

// Sets a field that is empty.
void FillText(std::string* field, std::string_view value);
// Adds a header that is not there.
void FillHeader(std::vector<HeaderSpec>* headers, std::string_view name, std::string_view value);

// The last part of the path of the Location, for operation.id.
inline constexpr std::string_view kLastOfLocation =
    "response.headers.location.split('?')[0].split('/')"
    "[size(response.headers.location.split('?')[0].split('/')) - 1]";

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_PRESETS_H_
