#include "reconciler/callback_steps.h"

#include <utility>

#include "base/crypto.h"
#include "base/limits.h"

namespace asyncops::reconciler {
namespace {

callbacks::LinkSubject SubjectOf(const storage::OperationRow& row) {
  return {.namespace_name = row.namespace_name,
          .name = row.name,
          .uid = row.uid,
          .submission = row.submission};
}

void Replace(const std::string& token, std::string* text) {
  const std::string_view placeholder = callbacks::kTokenPlaceholder;
  for (std::size_t at = text->find(placeholder); at != std::string::npos;
       at = text->find(placeholder, at + token.size()))
    text->replace(at, placeholder.size(), token);
}

// As long as a message for people.
constexpr std::size_t kMaxToldId = kMaxMessageBytes;

bool IsEnd(PollVerdict::Outcome outcome) {
  using Outcome = PollVerdict::Outcome;
  return outcome == Outcome::kSucceeded || outcome == Outcome::kFailed ||
         outcome == Outcome::kCanceled;
}

}  // namespace

void AskForCallback(const callbacks::Links* links, const Protocol::Policy& policy,
                    storage::OperationRow* row, OperationIdentity* identity) {
  row->callback_token_hash.clear();
  identity->callback_url.clear();
  if (links == nullptr || !policy.asks_callback) return;
  const callbacks::LinkSubject subject = SubjectOf(*row);
  identity->callback_url = links->UrlWithPlaceholder(subject);
  row->callback_token_hash = callbacks::HashToken(links->Token(subject));
}

bool FillToken(const callbacks::Links* links, const storage::OperationRow& row,
               RenderedRequest* request) {
  if (row.callback_token_hash.empty()) return true;
  if (links == nullptr) return false;
  const std::string token = links->Token(SubjectOf(row));
  if (!ConstantTimeEquals(callbacks::HashToken(token), row.callback_token_hash)) return false;
  Replace(token, &request->url);
  Replace(token, &request->body);
  for (RenderedHeader& header : request->headers) Replace(token, &header.value);
  request->known_values.push_back(token);
  return true;
}

void HideToken(const callbacks::Links* links, const storage::OperationRow& row,
               RenderedRequest* request) {
  if (links != nullptr && !row.callback_token_hash.empty())
    request->known_values.push_back(links->Token(SubjectOf(row)));
}

std::string SystemSource(std::string_view namespace_name, std::string_view system) {
  return "callbacks/" + std::string(namespace_name) + "/systems/" + std::string(system);
}

std::string OperationSource(std::string_view uid) { return "callbacks/" + std::string(uid); }

std::string ToldId(const std::vector<storage::InboxMessage>& messages) {
  std::string told;
  for (const storage::InboxMessage& message : messages) {
    if (message.subject.empty()) continue;
    if (!told.empty() && told != message.subject) return "";
    told = message.subject;
  }
  return told.size() <= kMaxToldId ? told : "";
}

std::optional<ToldEnd> JudgeCallbacks(const Protocol& protocol,
                                      const std::vector<storage::InboxMessage>& messages,
                                      const OperationIdentity& identity,
                                      const Json& submit_response) {
  std::optional<ToldEnd> end;
  for (const storage::InboxMessage& message : messages) {
    if (!message.subject.empty() && message.subject != identity.id) return std::nullopt;
    if (message.body == kNamesOnly) continue;
    const Result<Json> data = ParseJson(message.body);
    if (!data.ok()) return std::nullopt;
    std::optional<PollVerdict> verdict = protocol.JudgeEvent(*data, identity, submit_response);
    // An event of a running operation may be older than what is known, or than its end.
    if (!verdict || !IsEnd(verdict->outcome)) continue;
    if (end && end->verdict.outcome != verdict->outcome) return std::nullopt;
    ExternalAnswer answer;
    answer.outcome = kube::Exchange::Outcome::kAnswered;
    answer.headers = JsonObject();
    answer.body = *data;
    end = ToldEnd{.answer = std::move(answer), .verdict = *std::move(verdict)};
  }
  return end;
}

}  // namespace asyncops::reconciler
