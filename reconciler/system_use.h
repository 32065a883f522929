// Which ExternalSystems operations refer to, as the operations saw them last.
#ifndef ASYNCOPS_RECONCILER_SYSTEM_USE_H_
#define ASYNCOPS_RECONCILER_SYSTEM_USE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/asyncops/v1alpha1/external_system.h"
#include "base/mutex.h"
#include "reconciler/resource_client.h"

namespace asyncops::reconciler {

// A system's version, as operations depend on it; a change of its status makes no other one.
std::string VersionOf(const ExternalSystem& system);

// In memory only, bounded by the systems that operations name. Safe for use from several threads.
class SystemUse {
 public:
  // An operation is about to look for this system: whatever it becomes from now on is a change.
  void Expect(const ObjectName& name) ASYNCOPS_EXCLUDES(mutex_);
  // An operation looked for this system, and saw this version; "" where there is none.
  void Note(const ObjectName& name, const std::string& version) ASYNCOPS_EXCLUDES(mutex_);
  bool IsUsed(const ObjectName& name) const ASYNCOPS_EXCLUDES(mutex_);

  // Whether operations saw another version than this one. They are taken to see it from now on: the
  // caller tells them.
  bool TakeChange(const ObjectName& name, const std::string& version) ASYNCOPS_EXCLUDES(mutex_);

  // The Secrets that this system's spec names; those that are named no more are forgotten.
  void NoteSecrets(const ObjectName& name, std::set<std::string> secrets) ASYNCOPS_EXCLUDES(mutex_);
  // The systems, used or not, that name this Secret.
  std::vector<ObjectName> SystemsWith(const ObjectName& secret) const ASYNCOPS_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<ObjectName, std::string> versions_ ASYNCOPS_GUARDED_BY(mutex_);
  std::map<ObjectName, std::set<std::string>> secrets_ ASYNCOPS_GUARDED_BY(mutex_);
};

// Names of the Secrets that the spec refers to.
std::set<std::string> SecretsOf(const ExternalSystemSpec& spec);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SYSTEM_USE_H_
