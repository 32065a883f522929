// Polls of OperationReconciler for which the operation is not read.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/crypto.h"
#include "reconciler/operation_pass.h"
#include "reconciler/operation_states.h"
#include "reconciler/retry.h"

namespace asyncops::reconciler {
namespace {

// Notifications are hints: the operation is read now and then whatever nobody told.
constexpr Duration kReadAnyway = std::chrono::hours(1);

// Of all that a running operation's verdict tells and a row keeps.
std::uint64_t FingerprintOf(const PollVerdict& verdict) {
  std::string told = verdict.progress;
  for (const std::string* part : {&verdict.poll_url, &verdict.resource_id, &verdict.console_url})
    told.append("\n").append(*part);
  return StableHash(told);
}

// One path after another is what the URLs of most operations differ in.
PackedText Shortened(const Declared& declared, std::string_view url) {
  const std::string& origin = declared.protocol->origin();
  const bool is_ours = url.starts_with(origin) && url.substr(origin.size()).starts_with('/');
  return PackedText(is_ours ? url.substr(origin.size()) : url);
}

std::string UrlOf(const Declared& declared, const PackedText& shortened) {
  const std::string url(shortened.view());
  return url.starts_with('/') ? declared.protocol->origin() + url : url;
}

bool SaysSecrets(const std::string& headers) {
  return headers.find("secretKeyRef") != std::string::npos;
}

}  // namespace

OperationReconciler::Memory* OperationReconciler::FindMemory(const ObjectName& name) {
  const MutexLock lock(mutex_);
  const auto it = memories_.find(NameDigest(name));
  return it == memories_.end() ? nullptr : &it->second;
}

bool OperationReconciler::IsPresent(const Declared& declared) const {
  const ObjectMeta& meta = declared.system->metadata;
  const Result<SharedSystem> present =
      parts_.resources.GetSystem({.namespace_name = meta.namespace_name, .name = meta.name});
  if (!present.ok()) return false;
  return *present == declared.system || VersionOf(**present) == declared.system_version;
}

std::optional<Time> OperationReconciler::AwaitedTurn(const Memory& memory) {
  const Time again = memory.turn().again;
  const bool known = !memory.nudged && clock_watch_.Look() == memory.jumped;
  return known && parts_.clock.Now() < again ? std::optional<Time>(again) : std::nullopt;
}

Time OperationReconciler::EndOf(const Pass& pass) {
  const Duration deadline = pass.policy().active_deadline;
  const std::optional<Time>& start = pass.state()->memo.start_time;
  return start && deadline > Duration::zero() ? *start + deadline : Time::max();
}

void OperationReconciler::PlanNextPoll(const Pass& pass, const std::string& url,
                                       const PollVerdict& verdict) const {
  const OperationState& state = *pass.state();
  Memory& memory = pass.memory;
  const bool quiet = state.row.state == state::kRunning && state.memo.code.empty() &&
                     !state.memo.throttled_until &&
                     memory.track.failing.get() == PollTrack::Failing();
  const bool running = verdict.outcome == PollVerdict::Outcome::kRunning;
  if (!quiet || !running || !memory.declared->protocol->polls_alone()) return;
  // What the answer must not show would have to be known.
  if (SaysSecrets(state.row.headers) || !state.row.callback_token_hash.empty()) return;
  // Its deletion is told of when it has lasted too long.
  if (pass.operation().metadata.deletion_timestamp) return;
  memory.next_poll = {.url = Shortened(*memory.declared, url),
                      .verdict = FingerprintOf(verdict),
                      .until = std::min(EndOf(pass), pass.now + kReadAnyway)};
}

std::optional<OperationReconciler::Next> OperationReconciler::PollAlone(
    Memory& memory, std::optional<Polled>* polled) {
  const std::optional<Time> due = memory.track.next();
  if (!due || memory.nudged || clock_watch_.Look() != memory.jumped) return std::nullopt;
  const Time now = parts_.clock.Now();
  if (now < *due && memory.looked != 0) return Next(due);
  if (now < *due || memory.next_poll.url.empty() || now >= memory.next_poll.until)
    return std::nullopt;
  const std::shared_ptr<const Declared> declared = memory.declared;
  if (!IsPresent(*declared)) return std::nullopt;
  Polled poll{.url = UrlOf(*declared, memory.next_poll.url), .answer = {}, .pressure = 1};
  TurnMemory turn = memory.turn();
  Admission admission = parts_.external.Admit(*declared->system, poll.url, &turn.ticket);
  // Whoever reads the operation asks again, from this place, and shows it.
  if (!admission.permit.held()) turn.until = admission.until;
  memory.SetTurn(turn);
  if (!admission.permit.held()) return std::nullopt;
  poll.answer = Call(*declared->system, declared->protocol->PollOf(poll.url),
                     std::move(admission.permit), "Poll", &poll.pressure);
  const PollVerdict verdict = declared->protocol->JudgeAlone(poll.answer, poll.url);
  const bool running = verdict.outcome == PollVerdict::Outcome::kRunning;
  if (!running || FingerprintOf(verdict) != memory.next_poll.verdict) {
    *polled = std::move(poll);
    return std::nullopt;
  }
  ++memory.track.polls;
  memory.track.due =
      parts_.clock.Now() + PollDelay(declared->protocol->policy(), memory.track.polls,
                                     verdict.poll_after, parts_.ids.Fraction(), poll.pressure);
  if (memory.track.due <= memory.next_poll.until) return Next(memory.track.next());
  memory.looked = 0;
  return Next(std::optional<Time>(memory.next_poll.until));
}

}  // namespace asyncops::reconciler
