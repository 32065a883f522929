// Secrets of a cluster, read by name: those that are in use are kept and read again.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_SECRETS_H_
#define ASYNCOPS_RECONCILER_CLUSTER_SECRETS_H_

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/mutex.h"
#include "reconciler/cluster_calls.h"
#include "reconciler/last_secrets.h"
#include "reconciler/resource_client.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// Needs the verb `get` alone, so it cannot watch. A Secret that was asked for within ten minutes is
// read again about every 30 s, one that is missing or refused every 5 s in its first minute; what
// is asked for less often every five minutes, and after 65 minutes (an operation that waits looks
// at least hourly) it is forgotten. At most ten reads a second; where there are more Secrets they
// wait in a row. Safe for use from several threads; values are never logged.
class ClusterSecrets {
 public:
  // All outlive it, and it outlives its subscriptions.
  ClusterSecrets(ClusterCalls& calls, const Clock& clock, IdGenerator& ids);

  // The first read of a Secret blocks. NotFound where it is not there, Forbidden where we may not
  // read it; while kube-apiserver is away the last that was known, or its failure where there is
  // none.
  Result<SecretData> Get(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // The same; of one that is missing or refused, what was read or written last by this process.
  Result<SecretData> GetLast(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // What kube-apiserver answered to a write of ours.
  void Note(const ObjectName& name, const Json& secret) ASYNCOPS_EXCLUDES(mutex_);

  // Reads the one that has been due for longest. Returns how long to wait before the next call.
  Duration ReadNext() ASYNCOPS_EXCLUDES(mutex_);

  // As ResourceClient::Watch: for those that are known, and then for each that changes, comes or
  // goes, or of which we learn that we may not read it, or may.
  std::unique_ptr<storage::Subscription> Watch(std::function<void(const ObjectName&)> changed)
      ASYNCOPS_EXCLUDES(mutex_);

 private:
  class Watcher;
  enum class Found { kUnknown, kPresent, kMissing, kForbidden };
  struct Entry {
    Found found = Found::kUnknown;
    std::string version;  // of what is present
    SecretData data;
    std::string refusal;    // of what is forbidden
    SteadyTime used{};      // asked for last
    SteadyTime without{};   // since when there is no value
    SteadyTime due{};       // of the next read
    bool away = false;      // the last read came to nothing
    std::int64_t told = 0;  // times that something was learnt of it
  };

  static Result<SecretData> Show(const ObjectName& name, const Entry& entry);
  // One GET, and what it tells.
  Status Read(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // Takes in what was learnt, unless something was since `told`; whether it is news.
  bool Learn(const ObjectName& name, std::int64_t told, const Result<Json>& answer)
      ASYNCOPS_REQUIRES(mutex_);
  void Schedule(Entry* entry) ASYNCOPS_REQUIRES(mutex_);
  void Tell(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // The next to read, without those that nobody uses any more; null where there is none.
  const ObjectName* Next(SteadyTime now, SteadyTime* due) ASYNCOPS_REQUIRES(mutex_);

  ClusterCalls& calls_;
  const Clock& clock_;
  IdGenerator& ids_;
  Mutex mutex_;
  std::map<ObjectName, Entry> entries_ ASYNCOPS_GUARDED_BY(mutex_);
  LastSecrets last_;      // beside the entries, whose Secrets are missing or forgotten
  Mutex watchers_mutex_;  // held while they are told, so that none is told after its end
  std::list<std::function<void(const ObjectName&)>> watchers_ ASYNCOPS_GUARDED_BY(watchers_mutex_);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_SECRETS_H_
