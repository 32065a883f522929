// An external system in a few lines: it makes, changes and deletes volumes in operations that take
// time, and keeps the books by which the engine is judged.
#ifndef ASYNCOPS_TESTS_SIM_SIM_CLOUD_H_
#define ASYNCOPS_TESTS_SIM_SIM_CLOUD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "kube/http_transport.h"
#include "tests/sim/dice.h"
#include "tests/sim/journal.h"
#include "tests/sim/sim_caller.h"

namespace asyncops::sim {

// How the cloud speaks.
enum class Face { kAcceptedLocation, kGoogleLro, kJobStatus };

// What kind of cloud it is. A value.
struct Personality {
  Face face = Face::kAcceptedLocation;
  bool honours_key = true;
  bool has_lookup = false;
  bool can_cancel = true;
  bool hints = false;  // Retry-After on answers about what runs
  Duration key_ttl = std::chrono::hours(24);
  Duration poll_lag{};    // replicas may not know an operation that is younger
  Duration lookup_lag{};  // nor list a thing that is younger
  Duration longest_operation = std::chrono::seconds(20);
  int stores_500 = 0;  // per mille of keys that are answered 500 for ever
  int refuses = 0;     // per mille of intents that are refused for good
  int fails = 0;       // per mille of operations that fail
  Calling calling;
};

// A volume: the effect that there must be one of.
struct Thing {
  std::string id;
  std::string correlation;  // "UID-SUBMISSION"
  std::string uid;          // of the AsyncOperation that made it
  std::string operation;    // that makes it
  SteadyTime begun;
  bool undone = false;  // its making failed or was cancelled
  bool deleted = false;
  int updates = 0;

  bool exists() const { return !undone && !deleted; }
};

// Time is steady: the wall clock is the engine's problem. For one thread.
class SimCloud {
 public:
  // All outlive it.
  SimCloud(const Personality& personality, const Clock& clock, Dice dice, Journal* journal)
      : personality_(personality),
        clock_(clock),
        dice_(dice),
        journal_(*journal),
        // What is called back changes no other throw.
        caller_(personality.calling, clock, Dice(dice).Fork(), journal) {}

  kube::OutboundResponse Serve(const kube::OutboundRequest& request);
  // Whether two sends of this request may both arrive without harm.
  bool IsIdempotent(const kube::OutboundRequest& request) const;

  // From now on this credential is asked for (401 otherwise), and callbacks are signed with that of
  // the same number.
  void SetCredential(int number);
  // What is to be called back now, if anything is.
  std::optional<SimCall> TakeCall();
  SimCaller& caller() { return caller_; }

  // Everything ever made, as it stands now.
  const std::vector<Thing>& things();
  const Personality& personality() const { return personality_; }

 private:
  enum class Kind { kCreate, kUpdate, kDelete };
  struct Operation {
    std::string id;
    Kind kind = Kind::kCreate;
    std::size_t thing = 0;
    SteadyTime begun;
    SteadyTime ends;
    bool fails = false;
    bool canceled = false;
    bool over = false;
  };
  struct KnownKey {
    std::string request;
    std::string operation;  // "" where 500 is stored
    SteadyTime expires;
  };

  void Settle();
  void End(Operation* operation);
  kube::OutboundResponse Create(const kube::OutboundRequest& request);
  kube::OutboundResponse MakeThing(const kube::OutboundRequest& request, std::string* operation);
  kube::OutboundResponse OnVolume(const kube::OutboundRequest& request, std::string_view id);
  kube::OutboundResponse Poll(std::string_view id);
  kube::OutboundResponse Cancel(std::string_view id);
  kube::OutboundResponse Lookup(std::string_view correlation);
  const Operation& Start(Kind kind, std::size_t thing, const kube::OutboundRequest& request);
  kube::OutboundResponse Started(const Operation& operation) const;
  kube::OutboundResponse Told(const Operation& operation) const;
  Json ResultOf(const Operation& operation) const;
  void CheckOnlyOne(const std::string& uid, const std::string& correlation);
  Operation* FindOperation(std::string_view id);

  const Personality personality_;
  const Clock& clock_;
  Dice dice_;
  Journal& journal_;
  SimCaller caller_;
  int credential_ = 0;
  std::vector<Thing> things_;
  std::vector<Operation> operations_;
  std::map<std::string, KnownKey> keys_;
};

// What stands before the number of an operation in its ID.
std::string IdPrefix(Face face);
// The credentials of the cloud in their order, which must show up nowhere; each holds kToken.
inline constexpr std::string_view kToken = "q7-hunter2-and-more-q7";
std::string Credential(int number);
std::string HookSecret(int number);

// The value of a header of the request, "" where it has none; `name` in lower case.
std::string HeaderText(const kube::OutboundRequest& request, std::string_view name);
kube::OutboundResponse JsonResponse(int status, const Json& body);
// {"error": {"code": ..., "message": ...}}
kube::OutboundResponse ErrorResponse(int status, std::string_view code, std::string_view message);

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_SIM_CLOUD_H_
