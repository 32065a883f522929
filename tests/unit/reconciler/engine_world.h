// The real store, reconcilers and protocol, with time, randomness and the network in a test's hand.
#ifndef ASYNCOPS_TESTS_UNIT_RECONCILER_ENGINE_WORLD_H_
#define ASYNCOPS_TESTS_UNIT_RECONCILER_ENGINE_WORLD_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/operation_reconciler.h"
#include "reconciler/operation_writer.h"
#include "reconciler/resource_reconciler.h"
#include "reconciler/work_queue.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace asyncops::reconciler {

// Objects live in the namespace "team". For one thread.
class EngineWorld {
 public:
  EngineWorld();
  ~EngineWorld();

  // Opens the store and makes the reconcilers, as a start of the server does.
  void Start(FaultPoints* faults = nullptr);
  // Forgets all but the file, as kill -9 does.
  void Crash();

  // Of the running reconcilers; until Crash.
  ResourceClient& resources();
  ExternalClient& external();

  // Creates the object that the YAML says, with what the API server would add; returns its uid.
  std::string Create(std::string_view yaml);
  // Changes the stored object's JSON; a change of spec raises the generation.
  void Edit(std::string_view plural, std::string_view name, const std::function<void(Json*)>& edit);
  void Annotate(std::string_view plural, std::string_view name, std::string_view annotation,
                std::string_view value);
  // As kubectl delete: marks it, or removes it where no finalizer holds it.
  void Delete(std::string_view plural, std::string_view name);

  // Reconciles all that is due at the present time, until nothing is; then delivers events.
  void Settle();
  // Moves the clock on in steps, settling after each, until `by` has passed.
  void Pass(Duration by, Duration step = std::chrono::seconds(1));
  // As Controller::Look; with kPollsAsked as its Poll.
  void Look(const ObjectName& operation, std::int64_t changed = 0);
  // Tells the operations in Backoff that something they wait for has changed.
  void Nudge();

  bool Exists(std::string_view plural, std::string_view name) const;
  Json Get(std::string_view plural, std::string_view name) const;
  AsyncOperationStatus Operation(std::string_view name) const;
  AsyncResourceStatus Resource(std::string_view name) const;
  // Names of all operations.
  std::vector<std::string> Operations() const;
  // The row of the operation's latest submission.
  storage::OperationRow Row(std::string_view name) const;
  // "Reason" of each Event about this kind and name, oldest first.
  std::vector<std::string> Events(std::string_view kind, std::string_view name) const;
  // The messages of those of one reason.
  std::vector<std::string> EventMessages(std::string_view kind, std::string_view name,
                                         std::string_view reason) const;
  // The operation's history, oldest first.
  std::vector<storage::Attempt> History(std::string_view name) const;
  // "Ready=False/Pending": status and reason of a condition; "" where there is none.
  static std::string Show(const Conditions& conditions, std::string_view type);

  FakeClock clock;
  FakeIds ids;
  FakeTransport transport;
  const callbacks::Links links{"https://asyncops.example", std::string(32, 'k')};
  CallbackMetrics callback_metrics;
  const TempDir directory;
  std::unique_ptr<storage::Store> store;

 private:
  struct Running;
  storage::Revision AddAll();
  storage::Revision MarkOfDependencies() const;
  // Of what is about this kind and name, oldest first.
  std::vector<Json> EventObjects(std::string_view kind, std::string_view name) const;
  void PutObject(std::string_view plural, std::string_view name, const Json& object, bool create);

  FaultPoints no_faults_;
  std::unique_ptr<Running> running_;
};

// ExternalSystem "cloud": AcceptedLocation; with an Idempotency-Key where `key`.
std::string CloudYaml(bool key);
// An AsyncOperation "op" that makes a volume; `more` is added to its spec (2 spaces deep).
std::string OperationYaml(std::string_view more = "");
// An AsyncResource "vol" with create, update and delete; `more` is added to its spec.
std::string ResourceYaml(std::string_view more = "");

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_TESTS_UNIT_RECONCILER_ENGINE_WORLD_H_
