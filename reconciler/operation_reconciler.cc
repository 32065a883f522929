#include "reconciler/operation_reconciler.h"

#include <chrono>
#include <utility>
#include <variant>

#include "api/schema/binding.h"
#include "base/log.h"
#include "base/uri.h"
#include "reconciler/annotations.h"
#include "reconciler/clock_steps.h"
#include "reconciler/explain.h"
#include "reconciler/intent_steps.h"
#include "reconciler/operation_conditions.h"
#include "reconciler/operation_pass.h"
#include "reconciler/operation_states.h"
#include "reconciler/operation_status.h"
#include "reconciler/request_steps.h"
#include "reconciler/retry.h"
#include "reconciler/same_operation.h"
#include "reconciler/submit_steps.h"

namespace asyncops::reconciler {
namespace {

// What is blocked is looked at again now and then, should a notification have been lost.
constexpr Duration kBlockedCheck = std::chrono::minutes(5);

// Whether polls are what comes next.
bool IsFollowed(std::string_view state) {
  return state == state::kSubmitted || state == state::kRunning;
}

bool IsFinal(const StoredOperation& stored) {
  return stored.state && state::IsFinal(stored.state->row.state);
}

// Where polls need a URL that only the lost answer knew, the person who adopts may have given it.
void AdoptUrl(const Protocol* protocol, const std::string& reference, OperationState* state) {
  if (protocol == nullptr) return;
  if (!reference.starts_with('/') && reference.find("://") == std::string::npos) return;
  if (protocol->RenderPoll(IdentityOf(*state), SubmitResponseOf(state->row)).ok()) return;
  const std::optional<Uri> submit = ParseUri(state->row.url);
  const std::optional<Uri> monitor = submit ? ResolveUri(*submit, reference) : std::nullopt;
  if (monitor) state->row.poll_url = monitor->ToString();
}

}  // namespace

OperationReconciler::Memory& OperationReconciler::Recall(const ObjectName& name,
                                                         const std::string& uid) {
  Memory& memory = MemoryOf(name);
  const std::uint64_t hash = StableHash(uid);
  if (memory.uid != hash) {
    CountState("", &memory);
    memory = Memory();
    memory.uid = hash;
    memory.jumped = clock_watch_.Look();
  }
  return memory;
}

OperationReconciler::Memory& OperationReconciler::MemoryOf(const ObjectName& name) {
  const MutexLock lock(mutex_);
  return memories_[NameDigest(name)];
}

void OperationReconciler::Forget(const ObjectName& name) {
  const MutexLock lock(mutex_);
  const auto it = memories_.find(NameDigest(name));
  if (it == memories_.end()) return;
  CountState("", &it->second);
  memories_.erase(it);
}

void OperationReconciler::CountState(std::string_view state, Memory* memory) {
  const std::string_view before = state::OfIndex(memory->counted);
  if (before == state) return;
  if (before == state::kOutcomeUnknown) --parked_;
  if (state == state::kOutcomeUnknown) ++parked_;
  if (parts_.metrics != nullptr) parts_.metrics->Move(before, state);
  memory->counted = state::IndexOf(state);
}

void OperationReconciler::NoteSystem(const AsyncOperation& operation,
                                     const std::string& version) const {
  if (parts_.systems == nullptr || !operation.spec.external_system_ref) return;
  parts_.systems->Note({.namespace_name = operation.metadata.namespace_name,
                        .name = operation.spec.external_system_ref->name},
                       version);
}

Status OperationReconciler::FindProtocol(Pass* pass) {
  const AsyncOperation& operation = pass->operation();
  const std::optional<LocalObjectRef>& reference = operation.spec.external_system_ref;
  const std::string system_name = reference ? reference->name : "";
  if (parts_.systems != nullptr && reference)
    parts_.systems->Expect({operation.metadata.namespace_name, system_name});
  const Result<SharedSystem> system = parts_.resources.GetSystem(
      {.namespace_name = operation.metadata.namespace_name, .name = system_name});
  Memory& memory = pass->memory;
  if (!system.ok()) {
    if (system.status().reason() != Reason::kNotFound) return system.status();
    memory.declared.reset();
    NoteSystem(pass->operation(), "");
    pass->problem = {"ExternalSystemNotFound",
                     "there is no ExternalSystem \"" + system_name + "\" in this namespace"};
    return Status::Ok();
  }
  const std::string version = VersionOf(**system);
  NoteSystem(operation, version);
  const std::int64_t generation = operation.metadata.generation;
  const std::shared_ptr<const Declared> before = std::exchange(memory.declared, nullptr);
  if (before && before->system_version == version && memory.generation == generation) {
    memory.declared = before;
    return Status::Ok();
  }
  Result<std::shared_ptr<const Declared>> declared = protocols_.Get(*system, operation);
  if (!declared.ok()) {
    pass->problem = {"InvalidDeclaration", declared.status().message()};
    pass->hopeless = true;
    return Status::Ok();
  }
  memory.declared = *std::move(declared);
  memory.generation = generation;
  return Status::Ok();
}

Action OperationReconciler::DecidePass(Pass& pass, bool nudged) const {
  static const OperationMemo kNoMemo;
  const OperationState* state = pass.state();
  Situation situation{.operation = pass.operation(),
                      .row = state == nullptr ? nullptr : &state->row,
                      .memo = state == nullptr ? kNoMemo : state->memo,
                      .policy = pass.memory.declared ? &pass.policy() : nullptr,
                      .problem = pass.problem,
                      .hopeless = pass.hopeless,
                      .can_cancel = false,
                      .nudged = nudged,
                      .now = pass.now,
                      .poll_due = pass.memory.track.next(),
                      .completed = {},
                      .told_id = ToldIdOf(pass)};
  if (state != nullptr && state->row.completed_at)
    situation.completed = clock_watch_.Moved(*state->row.completed_at);
  if (state != nullptr && pass.memory.declared && pass.MayCancel()) {
    situation.can_cancel =
        pass.protocol().RenderCancel(IdentityOf(*state), SubmitResponseOf(state->row)).has_value();
  }
  return Decide(situation);
}

OperationReconciler::Next OperationReconciler::Reconcile(const ObjectName& name, bool nudged) {
  return Look(name, nudged, std::nullopt);
}

OperationReconciler::Next OperationReconciler::Reconcile(const WorkItem& item) {
  const ObjectName name{.namespace_name = item.key.namespace_name, .name = item.key.name};
  std::optional<Polled> polled;
  Memory* const memory = item.nudged ? nullptr : FindMemory(name);
  if (memory != nullptr && item.changed == kPollsAsked) {
    if (const std::optional<Time> again = AwaitedTurn(*memory)) return Next(again);
  }
  const bool news =
      item.told && (item.changed <= 0 || memory == nullptr || item.changed > memory->looked);
  if (memory != nullptr && !news) {
    if (std::optional<Next> next = PollAlone(*memory, &polled)) return *std::move(next);
  }
  return Look(name, item.nudged, std::move(polled));
}

OperationReconciler::Next OperationReconciler::Look(const ObjectName& name, bool nudged,
                                                    std::optional<Polled> polled) {
  Result<StoredOperation> stored = LoadOperation(parts_.store, name);
  if (!stored.ok()) {
    if (stored.status().reason() != Reason::kNotFound) return stored.status();
    Forget(name);
    return std::optional<Time>();
  }
  Memory& memory = Recall(name, stored->operation.metadata.uid);
  Pass pass{.name = name,
            .stored = std::move(*stored),
            .memory = memory,
            .now = parts_.clock.Now(),
            .fraction = parts_.ids.Fraction(),
            .owner = owner_,
            .problem = {},
            .hopeless = false,
            .polled = std::move(polled)};
  memory.next_poll = NextPoll();
  memory.looked = 0;
  CountState(pass.stored.state ? pass.stored.state->row.state : state::kPending, &memory);
  ASYNCOPS_RETURN_IF_ERROR(FindProtocol(&pass));
  pass.nudged = std::exchange(memory.nudged, false) || nudged;
  Next next = Work(pass, pass.nudged);
  if (next.ok()) return SoonEnough(pass, *next);
  if (next.status().reason() == Reason::kConflict) return std::optional<Time>(Time::min());
  if (next.status().reason() != Reason::kNotFound) return next;
  Forget(name);
  return std::optional<Time>();
}

OperationReconciler::Next OperationReconciler::Work(Pass& pass, bool nudged) {
  const Result<bool> moved = FollowClock(&pass);
  if (!moved.ok()) return moved.status();
  if (*moved) return std::optional<Time>(Time::min());
  const Action action = DecidePass(pass, nudged);
  return std::visit([this, &pass](const auto& what) { return Do(pass, what); }, action);
}

// A deletion that lasts is told of when it has lasted too long.
std::optional<Time> OperationReconciler::SoonEnough(const Pass& pass, std::optional<Time> next) {
  const std::optional<Time>& deleted = pass.operation().metadata.deletion_timestamp;
  if (!deleted || IsFinal(pass.stored)) return next;
  const Time told = *deleted + kDeletionPatience;
  if (told <= pass.now) return next;
  return next ? std::min(*next, told) : told;
}

Result<bool> OperationReconciler::FollowClock(Pass* pass) {
  const Duration total = clock_watch_.Look();
  const Duration jump = total - std::exchange(pass->memory.jumped, total);
  if (pass->state() == nullptr || IsFinal(pass->stored)) return false;
  std::optional<Transition> step =
      ClockStep(pass->context(), *pass->state(), jump, &pass->memory.track);
  if (!step) return false;
  const Result<OperationState> written = Record(*pass, std::move(*step));
  if (written.ok()) return true;
  // It is to be tried again, from where it stood.
  pass->memory.jumped = total - jump;
  return written.status();
}

void OperationReconciler::TellSharing(const Pass& pass, Transition* transition) const {
  if (!transition->attempt || transition->next.row.operation_id.empty()) return;
  const std::string& action = transition->attempt->action;
  const std::string& state = transition->next.row.state;
  const bool adopted = action == "Adopt" || (action == "Callback" && state == state::kSubmitted);
  const bool learnt = action == "Submit" || action == "Lookup" || adopted;
  if (!learnt || (state != state::kSubmitted && state != state::kSucceeded)) return;
  const Result<std::optional<OtherOperation>> other =
      FindSameOperation(parts_.store, pass.operation(), transition->next.row.operation_id);
  // It is a warning, not worth a step that fails.
  if (other.ok() && *other) TellShared((*other)->name, transition);
}

Status OperationReconciler::Show(const Pass& pass, const std::optional<Blocked>& blocked) {
  const AsyncOperation& operation = pass.operation();
  const AsyncOperationStatus status = ProjectStatus(operation, pass.state(), blocked, pass.now);
  const auto& binding = AsyncOperationStatus::Binding();
  if (binding.Encode(status) == binding.Encode(operation.status)) return Status::Ok();
  std::vector<EventDraft> events;
  const Condition* ready = FindCondition(operation.status.conditions, kReadyCondition);
  const std::string before = ready == nullptr ? "" : ready->reason;
  const bool suspended = blocked && blocked->reason == "Suspended";
  // Of what has a row SuspendStep tells.
  if (pass.state() == nullptr && suspended != (before == "Suspended"))
    events.push_back(SuspendEvent(operation, suspended));
  if (blocked && !suspended && before != blocked->reason) {
    events.push_back({.warning = true,
                      .reason = blocked->reason,
                      .message = Explain(operation, pass.state(), blocked)});
  }
  std::optional<EventDraft> held = DeletionBlockEvent(operation, pass.state(), blocked, pass.now);
  if (held) events.push_back(*std::move(held));
  return writer_.Show(operation, pass.state(), blocked, events);
}

Result<OperationState> OperationReconciler::Record(Pass& pass, Transition transition) {
  TellSharing(pass, &transition);
  if (transition.attempt && !transition.attempt->next_attempt_at &&
      IsFollowed(transition.next.row.state))
    SetNextStep(transition.next, pass.memory.track.next(), &*transition.attempt);
  std::optional<EventDraft> blocked =
      DeletionBlockEvent(pass.operation(), &transition.next, std::nullopt, pass.now);
  if (blocked) transition.events.push_back(*std::move(blocked));
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite,
                         transition.attempt ? transition.attempt->action : std::string());
  const storage::Attempt attempt = transition.attempt.value_or(storage::Attempt());
  const std::string from = transition.expected_state;
  Result<OperationState> written = writer_.Commit(&pass.stored, std::move(transition));
  if (!written.ok() || parts_.metrics == nullptr) return written;
  const std::string& preset = pass.system().spec.preset;
  parts_.metrics->ObserveStep(
      {.preset = preset.empty() ? std::string_view("Custom") : preset,
       .action = attempt.action,
       .error_class = attempt.error_class,
       .from = from,
       .retries = pass.state() == nullptr ? 0 : pass.state()->row.retry_count,
       .next = *written},
      pass.policy().retry, parts_.clock.Now());
  return written;
}

OperationReconciler::Next OperationReconciler::Commit(Pass& pass, Transition transition) {
  const bool ended = state::IsFinal(transition.next.row.state);
  Result<OperationState> written = Record(pass, std::move(transition));
  if (!written.ok()) return written.status();
  const storage::OperationRow& row = written->row;
  const bool hinted = pass.state() != nullptr && row.submission == pass.state()->row.submission &&
                      row.hints_answered > pass.state()->row.hints_answered;
  if (hinted && row.hinted_at && parts_.callback_metrics != nullptr)
    parts_.callback_metrics->ObserveLatency(parts_.clock.Now() - *row.hinted_at);
  if (ended) pass.memory.track = PollTrack();
  return GoOn(pass, *std::move(written));
}

OperationReconciler::Next OperationReconciler::GoOn(Pass& pass, OperationState written) {
  CountState(written.row.state, &pass.memory);
  pass.stored.state = std::move(written);
  if (pass.stored.object.revision == 0) return std::optional<Time>(Time::min());
  const Action next = DecidePass(pass, false);
  const auto* const wait = std::get_if<action::Wait>(&next);
  const bool rests = std::holds_alternative<action::Nothing>(next);
  if (wait == nullptr && !rests) return std::optional<Time>(Time::min());
  const Next until = wait == nullptr ? Next(std::optional<Time>()) : WaitUntil(pass, wait->until);
  if (IsFinal(pass.stored)) Forget(pass.name);
  return until;
}

OperationReconciler::Next OperationReconciler::WaitUntil(Pass& pass, Time until) {
  // A deletion is looked at before that, where it lasts.
  if (pass.memory.track.due == until && !pass.operation().metadata.deletion_timestamp)
    pass.memory.looked = pass.stored.object.revision;
  return std::optional<Time>(until);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Nothing& /*what*/) {
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, std::nullopt));
  if (IsFinal(pass.stored)) Forget(pass.name);
  return std::optional<Time>();
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Wait& what) {
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, std::nullopt));
  const Next until = WaitUntil(pass, what.until);
  if (IsFinal(pass.stored)) Forget(pass.name);
  return until;
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Block& what) {
  ASYNCOPS_RETURN_IF_ERROR(Show(pass, what.why));
  return std::optional<Time>(pass.now + kBlockedCheck);
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Wake& /*what*/) {
  // A person who says "now" knows more than a circuit does.
  parts_.external.gate().Probe(GateNameOf(pass.system()));
  return Commit(pass, WakeStep(pass.context(), *pass.state(), &pass.memory.track));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::TakeSuspend& /*what*/) {
  return Commit(pass, SuspendStep(pass.context(), *pass.state()));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Refuse& what) {
  if (pass.state() != nullptr) return Commit(pass, RefuseStep(pass.context(), *pass.state(), what));
  ASYNCOPS_RETURN_IF_ERROR(writer_.RefuseAnnotation(pass.operation(), what.annotation,
                                                    RefusalEvent(pass.operation(), what)));
  return std::optional<Time>(Time::min());
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Park& what) {
  return Commit(pass, ParkStep(pass.context(), *pass.state(), what.why));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Adopt& what) {
  const Result<std::optional<OtherOperation>> other =
      FindSameOperation(parts_.store, pass.operation(), what.operation_id);
  if (!other.ok()) return other.status();
  if (*other && what.told) {
    return Commit(
        pass, TellForeignStep(pass.context(), *pass.state(), what.operation_id, (*other)->name));
  }
  if (*other && (*other)->live && !what.force) {
    return Do(pass,
              action::Refuse{kResolve, "AsyncOperation " + (*other)->name + " follows " +
                                           what.operation_id +
                                           " already; to adopt it all "
                                           "the same: " +
                                           std::string(kForceAdoptPrefix) + what.operation_id});
  }
  pass.memory.track = PollTrack();
  Transition adopted = AdoptStep(pass.context(), *pass.state(), what);
  AdoptUrl(pass.memory.declared ? &pass.protocol() : nullptr, what.operation_id, &adopted.next);
  return Commit(pass, std::move(adopted));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::BeginCancel& what) {
  return Commit(pass, BeginCancelStep(pass.context(), *pass.state(), what.reason));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Finish& what) {
  const StepContext context = pass.context();
  const OperationState before = pass.state() != nullptr
                                    ? *pass.state()
                                    : NewSubmission(context, nullptr, std::string(), false);
  return Commit(pass, FinishStep(context, before, what));
}

OperationReconciler::Next OperationReconciler::Do(Pass& pass, const action::Remove& what) {
  const FaultScope scope(parts_.faults, FaultPoint::Kind::kWrite, "Remove");
  std::vector<EventDraft> events;
  const bool sent = pass.state() != nullptr && !IsFinal(pass.stored);
  if (what.forced && sent) {
    events.push_back({.warning = true,
                      .reason = "Orphaned",
                      .message = "deleted by force" + ByWhom(pass.operation()) +
                                 ": what it may have made outside is left behind"});
  }
  ASYNCOPS_RETURN_IF_ERROR(writer_.Remove(pass.operation(), events));
  Forget(pass.name);
  return std::optional<Time>();
}

}  // namespace asyncops::reconciler
