// One request as a line of the audit log.
#ifndef ASYNCOPS_APISERVER_HANDLERS_AUDIT_LINE_H_
#define ASYNCOPS_APISERVER_HANDLERS_AUDIT_LINE_H_

#include <string>
#include <string_view>

#include "apiserver/auth/user_info.h"
#include "apiserver/handlers/request_info.h"
#include "base/clock.h"

namespace asyncops::apiserver {

struct AuditRecord {
  std::string_view audit_id;
  // Of a stream the line is written when it begins.
  bool stream = false;
  Time received;
  const RequestInfo* info = nullptr;       // not null
  const UserInfo* user = nullptr;          // null where nobody was recognised
  const UserInfo* impersonated = nullptr;  // whom the user acts as; null for itself
  std::string_view remote_address;         // with its port
  // What the authorizer said; "" where it was not asked.
  std::string_view decision;  // "allow" or "forbid"
  std::string_view reason;
  int code = 0;
  Duration latency{};
};

// A JSON object and a new line: auditID, stage, requestReceivedTimestamp, verb, user, groups,
// impersonatedUser, sourceIPs, objectRef (or path, of what is no resource), code, latency,
// annotations. No query and no body: neither is for others to read.
std::string AuditLine(const AuditRecord& record);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_AUDIT_LINE_H_
