// What callbacks have to do with the steps of an operation: the URL in its submit, and what a
// trusted event says of its end. Pure.
#ifndef ASYNCOPS_RECONCILER_CALLBACK_STEPS_H_
#define ASYNCOPS_RECONCILER_CALLBACK_STEPS_H_

#include <optional>
#include <string>
#include <vector>

#include "callbacks/link.h"

#include "reconciler/protocol.h"
#include "storage/mailbox.h"
#include "storage/operation_row.h"

namespace asyncops::reconciler {

// Where the declaration asks for callbacks, names their URL (with the placeholder of its token) for
// the submit, and keeps the token's hash in the row; else takes both away. `links` is null where
// the server has no URL to be called at.
void AskForCallback(const callbacks::Links* links, const Protocol::Policy& policy,
                    storage::OperationRow* row, OperationIdentity* identity);

// Puts the token in the placeholder's place, in the request that the row stored. False where it
// cannot be made any more: the key is another one than when the request was stored.
bool FillToken(const callbacks::Links* links, const storage::OperationRow& row,
               RenderedRequest* request);

// Keeps the operation's token out of what an answer shows.
void HideToken(const callbacks::Links* links, const storage::OperationRow& row,
               RenderedRequest* request);

// InboxMessage.source of callbacks to the URL of a system, and of an operation.
std::string SystemSource(std::string_view namespace_name, std::string_view system);
std::string OperationSource(std::string_view uid);

// The body of an event that names its operation, whose ID nobody knows yet, and is no more than a
// hint otherwise: what has a body is found again.
inline constexpr std::string_view kNamesOnly = "null";

// The ID that these events give their operation; "" where none gives one, they do not agree, or it
// is too long to be one.
std::string ToldId(const std::vector<storage::InboxMessage>& messages);

// An end that was told without being asked for.
struct ToldEnd {
  ExternalAnswer answer;  // the event, in the form of an answer
  PollVerdict verdict;
};

// The end that these events tell of, in whatever order they came. Nothing where none tells of an
// end, one speaks of another operation, or they do not agree: then a poll finds out.
std::optional<ToldEnd> JudgeCallbacks(const Protocol& protocol,
                                      const std::vector<storage::InboxMessage>& messages,
                                      const OperationIdentity& identity,
                                      const Json& submit_response);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CALLBACK_STEPS_H_
