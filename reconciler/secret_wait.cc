#include "reconciler/secret_wait.h"

#include "reconciler/external_client.h"
#include "reconciler/secret_outputs.h"

namespace asyncops::reconciler {

bool AwaitsSecret(std::string_view code, std::int64_t http_status) {
  return IsLocalRefusal(code) || code == "TokenRequestFailed" || code == kSecretNotWritten ||
         http_status == 401 || http_status == 403;
}

}  // namespace asyncops::reconciler
