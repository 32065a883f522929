// The callbacks of the simulated cloud: when, how often, in whose name, and what they say.
#ifndef ASYNCOPS_TESTS_SIM_SIM_CALLER_H_
#define ASYNCOPS_TESTS_SIM_SIM_CALLER_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "callbacks/receiver.h"

#include "base/clock.h"
#include "base/json.h"
#include "tests/sim/dice.h"
#include "tests/sim/journal.h"

namespace asyncops::sim {

// How a cloud calls back. A value.
struct Calling {
  bool asked = false;      // at all: by the URL in each submit, or else by that of the system
  bool at_system = false;  // one URL for all operations
  bool is_signed = false;  // else a token is shown, at the URL of the system
  bool names_id = false;   // the operation's URL is told the ID, and the declaration says where
  bool trusted = false;
  bool secrets_change = false;  // so that a good one may be refused
  // Of a thousand operations.
  int early = 0;    // before the answer to the submit
  int silent = 0;   // nothing when it ends
  int doubled = 0;  // each call once more
  int late = 0;     // long after the end
  int forged = 0;   // somebody else calls, too
};

// One POST.
struct SimCall {
  std::string operation;    // ID
  std::string correlation;  // of the submit that asked for it
  std::string url;          // "" for the system's
  bool forged = false;
  int tries = 0;
  // What is sent; made at the first time, and for as long as it is refused.
  std::optional<callbacks::Delivery> delivery = {};
};

// For one thread.
class SimCaller {
 public:
  // All outlive it.
  SimCaller(const Calling& calling, const Clock& clock, Dice dice, Journal* journal)
      : calling_(calling), clock_(clock), dice_(dice), journal_(*journal) {}

  // An operation begins, which asked to be called at `url`. It ends so long from now.
  void Begin(const std::string& operation, const std::string& correlation, const std::string& url,
             Duration lasts);
  // When the next call is due; nothing where none is.
  std::optional<SteadyTime> next() const;
  // The next call, if it is due; `tell` gives what is known of an operation by its ID.
  std::optional<SimCall> Take(const std::function<Json(const std::string&)>& tell);
  // What came of it: it may be made again. Problem: a forged one was believed, or a good one was
  // not.
  void TakeAnswer(SimCall call, callbacks::Answer answer);

  // The secret with which calls are signed; the server may know it later, or have known it before.
  void SetSecret(std::string secret) { secret_ = std::move(secret); }
  // The tokens of all URLs that it was told.
  const std::set<std::string>& tokens() const { return tokens_; }
  // How many different ones.
  int made() const { return made_; }
  // Whether the server has taken a call for this submission that named its ID, and has had the time
  // to act upon it.
  bool HasNamed(const std::string& correlation) const;

 private:
  void Add(Duration after, SimCall call);
  callbacks::Delivery Make(const SimCall& call, const Json& known);
  void Sign(const std::string& secret, callbacks::Message* message) const;

  const Calling calling_;
  const Clock& clock_;
  Dice dice_;
  Journal& journal_;
  std::string secret_;
  int made_ = 0;
  std::multimap<SteadyTime, SimCall> calls_;
  std::map<std::string, SteadyTime> named_;  // since when
  std::set<std::string> tokens_;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_SIM_CALLER_H_
