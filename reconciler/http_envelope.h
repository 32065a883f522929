// An HTTP message within a body, as a status monitor of OData hands over the final answer.
#ifndef ASYNCOPS_RECONCILER_HTTP_ENVELOPE_H_
#define ASYNCOPS_RECONCILER_HTTP_ENVELOPE_H_

#include <optional>

#include "reconciler/external_client.h"

namespace asyncops::reconciler {

// The answer with the headers and the body of the message in its body laid over it, and the
// message's status as header "asyncresult"; the status stays that of the answer itself. Nothing
// where the answer is not of type application/http. A message that cannot be read is garbled.
std::optional<ExternalAnswer> OpenEnvelope(const ExternalAnswer& answer);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_HTTP_ENVELOPE_H_
