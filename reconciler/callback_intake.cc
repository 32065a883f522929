#include "reconciler/callback_intake.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "callbacks/cloud_event.h"

#include "api/expr/bindings.h"
#include "api/expr/expression.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "api/schema/binding.h"
#include "base/crypto.h"
#include "base/encoding.h"
#include "base/json_raw.h"
#include "reconciler/annotations.h"
#include "reconciler/callback_steps.h"
#include "reconciler/operation_object.h"
#include "reconciler/operation_states.h"
#include "reconciler/redact.h"

namespace asyncops::reconciler {
namespace {

using callbacks::Answer;
using callbacks::Scheme;

// A longer name is kept as its hash.
constexpr std::size_t kMaxMessageId = 200;
// Each delivery may leave old messages for later, but not more than come in.
constexpr std::uint64_t kPurgeEvery = 64;
constexpr int kPurgeRows = 256;
// Systems of one namespace that may use the same operation ID.
constexpr int kMaxNamesakes = 16;

std::string Bounded(std::string id) {
  return id.size() <= kMaxMessageId ? id : "sha256:" + HexEncode(Sha256(id));
}

std::string CorrelatedId(const std::optional<expr::Expression>& correlate, const Json& event) {
  if (!correlate) return "";
  const expr::Outcome found = correlate->Evaluate(expr::Bindings().Set("event", &event));
  if (!found.has_value()) return "";
  if (found.value.is_string()) return found.value.as_string();
  return found.value.is_number() ? EncodeJson(found.value) : "";
}

callbacks::HmacForm FormOf(const std::optional<CallbackHmac>& hmac) {
  callbacks::HmacForm form;
  if (!hmac) return form;
  if (!hmac->header.empty()) form.header = hmac->header;
  if (!hmac->content.empty()) form.content = hmac->content;
  form.prefix = hmac->prefix;
  form.base64 = hmac->encoding == "Base64";
  form.timestamp_header = hmac->timestamp_header;
  form.id_header = hmac->id_header;
  return form;
}

Result<AsyncOperation> GetOperation(const storage::Store& store, const ObjectName& name) {
  const Result<storage::Record> record = store.Get(OperationKey(name));
  if (!record.ok()) return record.status();
  const Result<Json> object = ParseJson(record->json);
  if (!object.ok()) return object.status();
  return DecodeAs<AsyncOperation>(*object);
}

// Of an operation as it is stored. What earlier ones made counts: an event may show it.
bool MakesSecrets(std::string_view json) {
  if (!RawAt(json, {"metadata", "annotations", std::string(kEarlierSecrets)}).empty()) return true;
  return std::ranges::any_of(RawItems(RawAt(json, {"spec", "outputs"})), [](std::string_view it) {
    return !RawMember(it, "toSecret").empty();
  });
}

bool MakesSecrets(const AsyncOperation& operation) {
  if (!AnnotationOf(operation.metadata, kEarlierSecrets).empty()) return true;
  const std::vector<OutputSpec>& all = operation.spec.outputs;
  return std::any_of(all.begin(), all.end(),
                     [](const OutputSpec& output) { return output.to_secret.has_value(); });
}

// Secrets in headers of the submit, which the system may show.
std::vector<SecretKeyRef> SentSecrets(const AsyncOperation& operation) {
  std::vector<SecretKeyRef> secrets;
  if (!operation.spec.submit) return secrets;
  for (const HeaderSpec& header : operation.spec.submit->headers) {
    if (header.value_from && header.value_from->secret_key_ref)
      secrets.push_back(*header.value_from->secret_key_ref);
  }
  return secrets;
}

struct Match {
  bool is_one = false;
  bool makes_secrets = false;
};

// Whether the operation of this row is one of this system.
Result<Match> MatchSystem(const storage::OperationRow& row, const std::string& system,
                          storage::Transaction& transaction) {
  const Result<storage::Record> record =
      transaction.Get(OperationKey({.namespace_name = row.namespace_name, .name = row.name}));
  if (!record.ok()) {
    if (record.status().reason() == Reason::kNotFound) return Match();
    return record.status();
  }
  if (record->uid != row.uid) return Match();
  // Each callback at the URL of a system comes here, in the writer's thread: nothing is decoded.
  const std::string_view name = RawAt(record->json, {"spec", "externalSystemRef", "name"});
  return Match{.is_one = RawText(name) == system, .makes_secrets = MakesSecrets(record->json)};
}

std::string_view Why(callbacks::Refusal refusal) {
  switch (refusal) {
    case callbacks::Refusal::kAbsent: return "it has no signature of spec.callback.scheme";
    case callbacks::Refusal::kMismatch:
      return "its signature is made with none of spec.callback.secretRefs, or the message was "
             "changed on its way";
    case callbacks::Refusal::kStale:
      return "it was signed longer ago than spec.callback.tolerance, or a clock is wrong";
    case callbacks::Refusal::kNone: break;
  }
  return "";
}

// One event on its way into the inbox.
struct Incoming {
  std::string message_id;
  // The sender gave no name: the same bytes may be another telling.
  bool is_unnamed = false;
  std::string subject;  // the operation ID that it speaks of
  std::string body;     // what may be judged; "" of a hint

  Incoming ToHint() const {
    return {.message_id = message_id, .is_unnamed = is_unnamed, .subject = subject, .body = ""};
  }
};

}  // namespace

struct CallbackIntake::Case {
  callbacks::Delivery delivery;
  std::function<void(Answer)> answer;

  const callbacks::Links* links = nullptr;
  std::string scheme;
  bool is_signed = false;
  std::vector<std::string> secrets;  // that sign
  callbacks::Check check;
  std::optional<callbacks::LinkSubject> subject;  // at the URL of an operation
  std::string system;
  std::vector<Incoming> events;
  Time now{};
  bool purges = false;

  // What the transaction found.
  std::optional<Answer> verdict;
  int stored = 0;
  int known = 0;                  // events that are there already
  int dropped = 0;                // events for which there is no room
  std::vector<ObjectName> looks;  // to be looked at
  std::vector<ObjectName> polls;  // to be polled

  ObjectName name() const {
    return {.namespace_name = delivery.path.namespace_name, .name = delivery.path.name};
  }
  std::string source() const {
    return subject ? OperationSource(subject->uid)
                   : SystemSource(delivery.path.namespace_name, system);
  }

  Status WriteForOperation(storage::Transaction& transaction);
  Status WriteForSystem(const Incoming& event, storage::Transaction& transaction);
  Status Keep(const Incoming& event, const storage::OperationRow& row,
              storage::Transaction& transaction);
  storage::InboxMessage MessageOf(const Incoming& event) const {
    return {.source = source(),
            .message_id = event.message_id,
            .operation_uid = "",
            .submission = 0,
            .subject = event.subject,
            .body = event.body,
            .received_at = now};
  }
};

struct CallbackIntake::Reading {
  const ExternalSystem& system;
  std::string correlate;
  bool trust = false;  // to be judged, where they are signed
  std::vector<SecretKeyRef> known_secrets = {};
};

Status CallbackIntake::Case::Keep(const Incoming& event, const storage::OperationRow& row,
                                  storage::Transaction& transaction) {
  storage::InboxMessage message = MessageOf(event);
  message.operation_uid = row.uid;
  message.submission = row.submission;
  if (!message.body.empty()) {
    RenderedRequest submit;
    HideToken(links, row, &submit);
    message.body = Redactor(submit.known_values).RedactText(message.body);
  }
  // Should the answer to the submit be lost, this is who it is.
  if (message.body.empty() && !message.subject.empty() && row.operation_id.empty())
    message.body = kNamesOnly;
  const Result<bool> is_new = transaction.mailbox().Receive(message);
  if (!is_new.ok()) return is_new.status();
  ++(*is_new ? stored : known);
  if (!*is_new && !event.is_unnamed) return Status::Ok();
  (message.body.empty() ? polls : looks)
      .push_back({.namespace_name = row.namespace_name, .name = row.name});
  return transaction.operations().Hint(row.uid, row.submission, now);
}

Status CallbackIntake::Case::WriteForOperation(storage::Transaction& transaction) {
  const Result<storage::OperationRow> row = transaction.operations().Latest(subject->uid);
  if (!row.ok() && row.status().reason() != Reason::kNotFound) return row.status();
  if (!row.ok() || row->submission != subject->submission || state::IsFinal(row->state)) {
    verdict = Answer::kFinished;
    return Status::Ok();
  }
  const std::string hash = callbacks::HashToken(delivery.path.token);
  if (!ConstantTimeEquals(hash, row->callback_token_hash)) {
    verdict = Answer::kUnknown;
    return Status::Ok();
  }
  for (const Incoming& event : events) ASYNCOPS_RETURN_IF_ERROR(Keep(event, *row, transaction));
  return Status::Ok();
}

Status CallbackIntake::Case::WriteForSystem(const Incoming& event,
                                            storage::Transaction& transaction) {
  if (event.subject.empty()) return Status::Ok();
  const Result<std::vector<storage::OperationRow>> rows =
      transaction.operations().FindByOperationId(delivery.path.namespace_name, event.subject,
                                                 kMaxNamesakes);
  if (!rows.ok()) return rows.status();
  for (const storage::OperationRow& row : *rows) {
    const Result<Match> match = MatchSystem(row, system, transaction);
    if (!match.ok()) return match.status();
    if (!match->is_one) continue;
    if (state::IsFinal(row.state)) return Status::Ok();
    return Keep(match->makes_secrets ? event.ToHint() : event, row, transaction);
  }
  const Result<int> waiting = transaction.mailbox().CountUnmatched(source(), kMaxWaiting);
  if (!waiting.ok()) return waiting.status();
  // The others of its batch may be of known operations: a webhook is shared.
  if (*waiting >= kMaxWaiting) {
    ++dropped;
    return Status::Ok();
  }
  // Whose it is, and so what it may show, is not known: it is no more than a hint.
  const Result<bool> is_new = transaction.mailbox().Receive(MessageOf(event.ToHint()));
  if (!is_new.ok()) return is_new.status();
  ++(*is_new ? stored : known);
  return Status::Ok();
}

CallbackIntake::CallbackIntake(CallbackIntakeParts parts)
    : parts_(std::move(parts)),
      nobody_{.scheme = Scheme::kHmac, .secrets = {RandomBytes(32)}},
      rejected_(parts_.store, parts_.clock) {}

void CallbackIntake::Receive(callbacks::Delivery delivery, std::function<void(Answer)> answer) {
  auto delivered = std::make_shared<Case>();
  delivered->delivery = std::move(delivery);
  delivered->answer = std::move(answer);
  delivered->now = parts_.clock.Now();
  delivered->links = &parts_.links;
  if (delivered->delivery.path.token.empty()) return ReceiveForSystem(delivered);
  ReceiveForOperation(delivered);
}

void CallbackIntake::Finish(const CasePointer& delivered, Answer answer, std::string_view result) {
  parts_.metrics.Count(delivered->scheme, result);
  std::exchange(delivered->answer, nullptr)(answer);
}

callbacks::Verification CallbackIntake::VerificationOf(const ExternalSystem& system) {
  callbacks::Verification verification;
  if (!system.spec.callback) return verification;
  const CallbackVerification& declared = *system.spec.callback;
  verification.scheme = callbacks::ParseScheme(declared.scheme).value_or(Scheme::kHmac);
  verification.form = FormOf(declared.hmac);
  if (declared.tolerance) verification.tolerance = *declared.tolerance;
  for (const SecretKeyRef& ref : declared.secret_refs) {
    const Result<SecretData> secret = parts_.resources.GetSecret(
        {.namespace_name = system.metadata.namespace_name, .name = ref.name});
    if (!secret.ok()) continue;
    const auto value = secret->find(ref.key);
    if (value != secret->end()) verification.secrets.push_back(value->second);
  }
  return verification;
}

bool CallbackIntake::IsSigned(const CasePointer& delivered, const ExternalSystem& system) {
  const callbacks::Verification verification = VerificationOf(system);
  delivered->scheme = callbacks::SchemeName(verification.scheme);
  delivered->is_signed = verification.scheme != Scheme::kToken;
  // The URL of an operation is itself the token.
  if (!delivered->is_signed && delivered->subject) return true;
  delivered->check = callbacks::Verify(verification, delivered->delivery.message, delivered->now);
  const callbacks::Refusal refusal = delivered->check.refusal;
  delivered->secrets = verification.secrets;
  if (refusal == callbacks::Refusal::kNone) return true;
  Finish(delivered, Answer::kRefused, callbacks::RefusalName(refusal));
  rejected_.Add(system, verification.secrets.empty()
                            ? "none of the Secrets of spec.callback.secretRefs can be read"
                            : Why(refusal));
  return false;
}

bool CallbackIntake::ReadEvents(const CasePointer& delivered, const Reading& reading) {
  Result<std::vector<callbacks::Event>> events = callbacks::ReadEvents(delivered->delivery.message);
  std::optional<expr::Expression> expression;
  if (!reading.correlate.empty()) {
    Result<expr::Expression> compiled =
        expr::Expression::Compile(reading.correlate, expr::EventEnvironment());
    if (compiled.ok()) expression = *std::move(compiled);
  }
  if (!events.ok()) {
    Finish(delivered, Answer::kMalformed, "malformed");
    return false;
  }
  RenderedRequest sent;
  sent.known_secrets = reading.known_secrets;
  sent.known_values = delivered->secrets;
  const callbacks::Check& check = delivered->check;
  const bool is_named = !check.message_id.empty() && events->size() == 1;
  for (const callbacks::Event& event : *events) {
    Incoming& incoming = delivered->events.emplace_back();
    incoming.subject = CorrelatedId(expression, event.value);
    if (is_named && check.id_is_signed) {
      incoming.message_id = "id:" + check.message_id;
    } else if (!event.id.empty()) {
      incoming.message_id = "ce:" + event.source + " " + event.id;
    } else if (is_named) {
      incoming.message_id = "id:" + check.message_id;
    } else {
      incoming.message_id = "sha256:" + HexEncode(Sha256(delivered->delivery.message.body));
      incoming.is_unnamed = true;
    }
    incoming.message_id = Bounded(std::move(incoming.message_id));
    // Attributes in headers are not signed: at the URL of a system they may name any operation.
    const bool is_whole = event.body_only || delivered->subject;
    if (!reading.trust || !delivered->is_signed || !is_whole || event.data.is_null()) continue;
    const std::optional<Json> shown = parts_.external.Redact(reading.system, sent, event.data);
    if (shown) incoming.body = EncodeJson(*shown);
    if (incoming.body.size() > kMaxTrustedBytes) incoming.body.clear();
  }
  return true;
}

void CallbackIntake::ReceiveForOperation(const CasePointer& delivered) {
  const callbacks::LinkPath& path = delivered->delivery.path;
  delivered->subject = parts_.links.Check(path.namespace_name, path.name, path.token);
  if (!delivered->subject) return Finish(delivered, Answer::kUnknown, "unknown");
  const Result<AsyncOperation> operation = GetOperation(parts_.store, delivered->name());
  if (!operation.ok() && operation.status().reason() != Reason::kNotFound)
    return Finish(delivered, Answer::kUnavailable, "unavailable");
  if (!operation.ok() || operation->metadata.uid != delivered->subject->uid)
    return Finish(delivered, Answer::kFinished, "finished");
  const auto& reference = operation->spec.external_system_ref;
  delivered->system = reference ? reference->name : "";
  const Result<SharedSystem> found = parts_.resources.GetSystem(
      {.namespace_name = path.namespace_name, .name = delivered->system});
  // How it signs is not known without it; it may come back.
  if (!found.ok()) return Finish(delivered, Answer::kUnavailable, "unavailable");
  const ExternalSystem& system = **found;
  if (!IsSigned(delivered, system)) return;
  const std::optional<CallbackVerification>& declared = system.spec.callback;
  const std::optional<CallbackSpec>& own = operation->spec.callback;
  std::string correlate = own ? own->correlate : "";
  if (correlate.empty() && declared) correlate = declared->correlate;
  const bool trust = declared && declared->trust_payload && !MakesSecrets(*operation);
  if (ReadEvents(delivered, {.system = system,
                             .correlate = std::move(correlate),
                             .trust = trust,
                             .known_secrets = SentSecrets(*operation)}))
    Store(delivered);
}

void CallbackIntake::ReceiveForSystem(const CasePointer& delivered) {
  const Result<SharedSystem> found = parts_.resources.GetSystem(delivered->name());
  if (!found.ok() || !(*found)->spec.callback || (*found)->spec.callback->correlate.empty()) {
    callbacks::Verify(nobody_, delivered->delivery.message, delivered->now);
    return Finish(delivered, Answer::kRefused, "unknown");
  }
  const ExternalSystem& system = **found;
  delivered->system = delivered->delivery.path.name;
  if (!IsSigned(delivered, system)) return;
  const CallbackVerification& declared = *system.spec.callback;
  if (ReadEvents(
          delivered,
          {.system = system, .correlate = declared.correlate, .trust = declared.trust_payload}))
    Store(delivered);
}

Status CallbackIntake::Purge(Time now, storage::Transaction& transaction) {
  const Result<int> purged =
      transaction.mailbox().Purge(now - kKnownFor, now - kWaitsFor, kPurgeRows);
  if (!purged.ok()) return purged.status();
  const Result<std::int64_t> count = transaction.mailbox().AtMost();
  if (!count.ok()) return count.status();
  is_full_ = *count > parts_.max_messages;
  return Status::Ok();
}

// What does not fit is no error: the purge that makes room is to be committed.
Status CallbackIntake::Write(Case& delivered, storage::Transaction& transaction) {
  if (delivered.purges) ASYNCOPS_RETURN_IF_ERROR(Purge(delivered.now, transaction));
  if (is_full_) {
    delivered.verdict = Answer::kFull;
    return Status::Ok();
  }
  if (delivered.subject) return delivered.WriteForOperation(transaction);
  for (const Incoming& event : delivered.events)
    ASYNCOPS_RETURN_IF_ERROR(delivered.WriteForSystem(event, transaction));
  if (delivered.dropped > 0 && delivered.stored + delivered.known == 0)
    delivered.verdict = Answer::kFull;
  return Status::Ok();
}

void CallbackIntake::Store(const CasePointer& delivered) {
  if (in_flight_.fetch_add(1) >= kMaxInFlight) {
    in_flight_.fetch_sub(1);
    return Finish(delivered, Answer::kFull, "full");
  }
  delivered->purges = written_.fetch_add(1, std::memory_order_relaxed) % kPurgeEvery == 0;
  // The headers and the body are of no use any more.
  delivered->delivery.message = {};
  parts_.store.Write(
      [this, delivered](storage::Transaction& transaction) {
        return Write(*delivered, transaction);
      },
      [this, delivered](const Status& written) { Stored(delivered, written); });
}

void CallbackIntake::Stored(const CasePointer& delivered, const Status& written) {
  in_flight_.fetch_sub(1);
  if (!written.ok()) return Finish(delivered, Answer::kUnavailable, "unavailable");
  if (delivered->verdict == Answer::kFull) return Finish(delivered, Answer::kFull, "full");
  for (int i = 0; i < delivered->dropped; ++i) parts_.metrics.Count(delivered->scheme, "full");
  for (const ObjectName& name : delivered->looks) parts_.look(name);
  for (const ObjectName& name : delivered->polls) parts_.poll(name);
  if (delivered->verdict == Answer::kFinished)
    return Finish(delivered, Answer::kFinished, "finished");
  if (delivered->verdict) return Finish(delivered, *delivered->verdict, "unknown");
  if (delivered->stored > 0) return Finish(delivered, Answer::kStored, "stored");
  Finish(delivered, Answer::kDuplicate, "duplicate");
}

}  // namespace asyncops::reconciler
