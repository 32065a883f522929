// The cloud's things: volumes, and the operations that make and delete them. Time and identifiers
// are injected; nothing here knows HTTP.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_CLOUD_H_
#define ASYNCOPS_TESTS_SIMCLOUD_CLOUD_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/json.h"
#include "tests/simcloud/behaviour.h"

namespace asyncops::simcloud {

// The ways in which the same volumes are offered.
enum class Protocol {
  kAcceptedLocation,
  kLongRunning,
  kJobs,
  kSync,
  kCompute,
  kAzure,
  kOData,
  kAws,
  kDescribe,
};

enum class VolumeStatus {
  kCreating,
  kAvailable,
  kDeleting,
  kDeleted,
  kFailed,
  kCanceled,
  kUpdating,
};
enum class OperationStatus { kRunning, kSucceeded, kFailed, kCanceled };
enum class OperationKind { kCreate, kDelete, kUpdate };

// Who asked, and how.
struct Origin {
  Protocol protocol = Protocol::kAcceptedLocation;
  std::string correlation_id;
  std::string idempotency_key;
  std::string authorization_sha256;  // hex, "" where there was none
};

struct VolumeSpec {
  std::string name;
  Json size;    // null where none was given
  Json labels;  // an object, or null
};

struct Volume {
  std::string id;
  VolumeSpec spec;
  VolumeStatus status = VolumeStatus::kCreating;
  Time create_time;
  Origin origin;
  std::string operation_id;  // the newest
  bool counted = false;      // among the created ones: not when its creation was told to fail
};

struct Operation {
  std::string id;
  OperationKind kind = OperationKind::kCreate;
  OperationStatus status = OperationStatus::kRunning;
  std::string volume_id;
  Time create_time;
  SteadyTime started;
  Duration duration{0};
  std::optional<Failure> failure;  // what it ends with, when it is to fail
  Json size;                       // of an update: what the volume has when it has succeeded
  Origin origin;
  std::int64_t polls = 0;
};

// How one operation is to go.
struct Course {
  Duration duration{0};
  std::optional<Failure> failure;
};

// Not thread-safe. References stay valid until Reset. Every function first lets all operations end
// that are due by the clock.
class Cloud {
 public:
  // Both must outlive this.
  Cloud(const Clock& clock, IdGenerator& ids) : clock_(clock), ids_(ids) {}
  Cloud(const Cloud&) = delete;
  Cloud& operator=(const Cloud&) = delete;

  // Starts to make a volume. Nothing where the cloud is full (kMaxOperations).
  const Operation* Create(const VolumeSpec& spec, const Origin& origin, const Course& course);
  // Starts to delete a volume that exists; a creation that still runs is cancelled. Where a
  // deletion runs already, that one. Nothing where there is no such volume, or the cloud is full.
  const Operation* Delete(std::string_view volume_id, const Origin& origin, const Course& course);
  // Starts to change the size of a volume that is available. Nothing where there is no such volume,
  // or the cloud is full.
  const Operation* Update(std::string_view volume_id, const Json& size, const Origin& origin,
                          const Course& course);
  // Ends a running operation: a volume that was being made is gone, one that was being deleted or
  // changed stays as it was. False where there is no such operation; an ended one stays as it is.
  bool Cancel(std::string_view operation_id);

  // The volume, where it exists now (creating, available or deleting).
  const Volume* FindVolume(std::string_view id);
  // The newest volume of this name, also when its creation failed; not one that is deleted.
  const Volume* FindByName(std::string_view name);
  // The volume, also when it is gone.
  const Volume* FindAnyVolume(std::string_view id);
  const Operation* FindOperation(std::string_view id);
  // Notes that somebody asked for the operation's state.
  void CountPoll(std::string_view operation_id);
  // 0 to 99 while it runs, then 100.
  int Progress(const Operation& operation) const;

  // Everything ever made, oldest first.
  const std::deque<Volume>& AllVolumes();
  const std::deque<Operation>& AllOperations();

  std::int64_t created() const { return created_; }
  std::int64_t deleted() const { return deleted_; }
  std::int64_t updated() const { return updated_; }
  std::int64_t DuplicatesByCorrelation() const;
  std::int64_t DuplicatesByName() const;
  std::size_t RunningCount() const { return due_.size(); }

  // Forgets everything.
  void Reset();

  // Bounds the memory of a long run; some 700 bytes each.
  static constexpr std::size_t kMaxOperations = 1'000'000;

 private:
  void Settle();
  // Ends the operation and leaves its volume as it is.
  void Close(Operation* operation, OperationStatus status);
  // Ends the operation and does to its volume what that means.
  void End(Operation* operation, OperationStatus status);
  Operation* Start(OperationKind kind, Volume* volume, const Origin& origin, const Course& course);
  Operation* OperationById(std::string_view id);
  Volume* VolumeById(std::string_view id);
  std::string NewId(std::string_view prefix);
  void CountCreated(Volume* volume);
  void CountGone(const Volume& volume);

  const Clock& clock_;
  IdGenerator& ids_;

  std::deque<Volume> volumes_;
  std::deque<Operation> operations_;
  std::unordered_map<std::string, std::size_t> volume_index_;
  std::unordered_map<std::string, std::size_t> operation_index_;
  std::multimap<SteadyTime, std::size_t> due_;  // running operations
  std::unordered_map<std::string, std::int64_t> made_by_correlation_;
  std::unordered_map<std::string, std::int64_t> existing_by_name_;
  std::set<std::string> duplicate_names_;
  std::int64_t created_ = 0;
  std::int64_t deleted_ = 0;
  std::int64_t updated_ = 0;
};

// Whether a volume of this status exists for the cloud's callers.
bool Exists(VolumeStatus status);
std::string_view StatusName(VolumeStatus status);
std::string_view StatusName(OperationStatus status);
std::string_view KindName(OperationKind kind);
// "v1", "lro", "jobs", "sync", "compute", "arm", "odata", "aws" or "describe".
std::string_view ProtocolName(Protocol protocol);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_CLOUD_H_
