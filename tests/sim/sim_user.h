// The people of a simulation: those who declare and change their minds, and the one who resolves.
#ifndef ASYNCOPS_TESTS_SIM_SIM_USER_H_
#define ASYNCOPS_TESTS_SIM_SIM_USER_H_

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tests/sim/world.h"

namespace asyncops::sim {

// They speak to the registry as the API server's handlers do. For one thread.
class SimUser {
 public:
  // The world outlives it.
  explicit SimUser(World* world);

  // Does what is due; what the server could not do is tried again. When there is more to do.
  SteadyTime ActUntil();
  bool done() const { return acts_.empty(); }
  // Resolves what is parked, as somebody does who has looked at the cloud.
  void Resolve();
  void DeleteAll();
  // Leaves behind outside what could not be deleted for a long time.
  void Orphan();

  // How often somebody asked for a retry, or resolved, by the name of the object.
  int retries(const std::string& name) const;
  bool orphaned(const std::string& name) const { return orphaned_.contains(name); }

 private:
  void Prepare();
  // False where it is to be tried again.
  bool Do(const Act& act);
  bool Create(std::string_view plural, Json object);
  bool SetSecret(int number);
  bool Merge(std::string_view plural, const std::string& name, const Json& patch);
  bool Delete(std::string_view plural, const std::string& name);
  bool Ask(const std::string& name, const std::string& verb, const Json& body);
  bool Settle(std::string_view what, const std::string& name,
              const Result<apiserver::WriteResult>& result);
  void ResolveOne(const SeenObject& seen);

  World& world_;
  std::deque<Act> acts_;
  std::map<std::string, int> retries_;
  std::map<std::string, Duration> blocked_;  // since when a deletion is, by the resource's name
  std::set<std::string> orphaned_;
};

}  // namespace asyncops::sim

#endif  // ASYNCOPS_TESTS_SIM_SIM_USER_H_
