#include "tests/simcloud/cloud.h"

#include <algorithm>
#include <array>

namespace asyncops::simcloud {

bool Exists(VolumeStatus status) {
  return status == VolumeStatus::kCreating || status == VolumeStatus::kAvailable ||
         status == VolumeStatus::kDeleting || status == VolumeStatus::kUpdating;
}

std::string_view StatusName(VolumeStatus status) {
  constexpr std::array<std::string_view, 7> kNames = {
      "creating", "available", "deleting", "deleted", "failed", "canceled", "updating"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view StatusName(OperationStatus status) {
  constexpr std::array<std::string_view, 4> kNames = {"running", "succeeded", "failed", "canceled"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view KindName(OperationKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"create", "delete", "update"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view ProtocolName(Protocol protocol) {
  constexpr std::array<std::string_view, 9> kNames = {"v1",  "lro",   "jobs", "sync",    "compute",
                                                      "arm", "odata", "aws",  "describe"};
  return kNames.at(static_cast<std::size_t>(protocol));
}

const Operation* Cloud::Create(const VolumeSpec& spec, const Origin& origin, const Course& course) {
  Settle();
  if (operations_.size() >= kMaxOperations) return nullptr;
  Volume volume;
  volume.id = NewId("vol-");
  volume.spec = spec;
  volume.create_time = clock_.Now();
  volume.origin = origin;
  volume_index_.emplace(volume.id, volumes_.size());
  volumes_.push_back(volume);
  if (!course.failure) CountCreated(&volumes_.back());
  return Start(OperationKind::kCreate, &volumes_.back(), origin, course);
}

const Operation* Cloud::Delete(std::string_view volume_id, const Origin& origin,
                               const Course& course) {
  Settle();
  Volume* volume = VolumeById(volume_id);
  if (volume == nullptr || !Exists(volume->status)) return nullptr;
  Operation* newest = OperationById(volume->operation_id);
  if (volume->status == VolumeStatus::kDeleting) return newest;
  if (operations_.size() >= kMaxOperations) return nullptr;
  const bool busy =
      volume->status == VolumeStatus::kCreating || volume->status == VolumeStatus::kUpdating;
  if (busy) Close(newest, OperationStatus::kCanceled);
  volume->status = VolumeStatus::kDeleting;
  return Start(OperationKind::kDelete, volume, origin, course);
}

const Operation* Cloud::Update(std::string_view volume_id, const Json& size, const Origin& origin,
                               const Course& course) {
  Settle();
  Volume* volume = VolumeById(volume_id);
  if (volume == nullptr || volume->status != VolumeStatus::kAvailable) return nullptr;
  if (operations_.size() >= kMaxOperations) return nullptr;
  volume->status = VolumeStatus::kUpdating;
  Operation* operation = Start(OperationKind::kUpdate, volume, origin, course);
  operation->size = size;
  return operation;
}

bool Cloud::Cancel(std::string_view operation_id) {
  Settle();
  Operation* operation = OperationById(operation_id);
  if (operation == nullptr) return false;
  if (operation->status == OperationStatus::kRunning) End(operation, OperationStatus::kCanceled);
  return true;
}

const Volume* Cloud::FindVolume(std::string_view id) {
  const Volume* volume = FindAnyVolume(id);
  return volume != nullptr && Exists(volume->status) ? volume : nullptr;
}

const Volume* Cloud::FindByName(std::string_view name) {
  Settle();
  const auto found = std::find_if(volumes_.rbegin(), volumes_.rend(), [name](const Volume& each) {
    return each.spec.name == name && (Exists(each.status) || each.status == VolumeStatus::kFailed);
  });
  return found == volumes_.rend() ? nullptr : &*found;
}

const Volume* Cloud::FindAnyVolume(std::string_view id) {
  Settle();
  return VolumeById(id);
}

const Operation* Cloud::FindOperation(std::string_view id) {
  Settle();
  return OperationById(id);
}

void Cloud::CountPoll(std::string_view operation_id) {
  Operation* operation = OperationById(operation_id);
  if (operation != nullptr) ++operation->polls;
}

int Cloud::Progress(const Operation& operation) const {
  if (operation.status != OperationStatus::kRunning) return 100;
  const auto passed = std::chrono::duration_cast<Duration>(clock_.SteadyNow() - operation.started);
  const std::int64_t whole = std::max<std::int64_t>(operation.duration.count(), 1);
  return static_cast<int>(std::clamp<std::int64_t>(passed.count() * 100 / whole, 0, 99));
}

const std::deque<Volume>& Cloud::AllVolumes() {
  Settle();
  return volumes_;
}

const std::deque<Operation>& Cloud::AllOperations() {
  Settle();
  return operations_;
}

std::int64_t Cloud::DuplicatesByCorrelation() const {
  return std::count_if(made_by_correlation_.begin(), made_by_correlation_.end(),
                       [](const auto& entry) { return entry.second > 1; });
}

std::int64_t Cloud::DuplicatesByName() const {
  return static_cast<std::int64_t>(duplicate_names_.size());
}

void Cloud::Reset() {
  due_.clear();
  volume_index_.clear();
  operation_index_.clear();
  made_by_correlation_.clear();
  existing_by_name_.clear();
  duplicate_names_.clear();
  operations_.clear();
  volumes_.clear();
  created_ = 0;
  deleted_ = 0;
  updated_ = 0;
}

void Cloud::Settle() {
  const SteadyTime now = clock_.SteadyNow();
  while (!due_.empty() && due_.begin()->first <= now) {
    Operation& operation = operations_[due_.begin()->second];
    End(&operation, operation.failure ? OperationStatus::kFailed : OperationStatus::kSucceeded);
  }
}

void Cloud::Close(Operation* operation, OperationStatus status) {
  const auto [first, last] = due_.equal_range(operation->started + operation->duration);
  const std::size_t index = operation_index_.at(operation->id);
  due_.erase(std::find_if(first, last, [index](const auto& due) { return due.second == index; }));
  operation->status = status;
}

void Cloud::End(Operation* operation, OperationStatus status) {
  Close(operation, status);
  Volume& volume = *VolumeById(operation->volume_id);
  const bool succeeded = status == OperationStatus::kSucceeded;
  if (operation->kind == OperationKind::kDelete) {
    volume.status = succeeded ? VolumeStatus::kDeleted : VolumeStatus::kAvailable;
    if (succeeded && volume.counted) ++deleted_;
  } else if (operation->kind == OperationKind::kUpdate) {
    volume.status = VolumeStatus::kAvailable;
    if (succeeded) volume.spec.size = operation->size;
    if (succeeded) ++updated_;
  } else if (succeeded) {
    volume.status = VolumeStatus::kAvailable;
  } else {
    volume.status =
        status == OperationStatus::kFailed ? VolumeStatus::kFailed : VolumeStatus::kCanceled;
  }
  if (!Exists(volume.status) && volume.counted) CountGone(volume);
}

Operation* Cloud::Start(OperationKind kind, Volume* volume, const Origin& origin,
                        const Course& course) {
  Operation operation;
  operation.id = NewId("op-");
  operation.kind = kind;
  operation.volume_id = volume->id;
  operation.create_time = clock_.Now();
  operation.started = clock_.SteadyNow();
  operation.duration = course.duration;
  operation.failure = course.failure;
  operation.origin = origin;
  volume->operation_id = operation.id;
  const std::size_t index = operations_.size();
  operation_index_.emplace(operation.id, index);
  due_.emplace(operation.started + operation.duration, index);
  operations_.push_back(std::move(operation));
  return &operations_.back();
}

Operation* Cloud::OperationById(std::string_view id) {
  const auto found = operation_index_.find(std::string(id));
  return found == operation_index_.end() ? nullptr : &operations_[found->second];
}

Volume* Cloud::VolumeById(std::string_view id) {
  const auto found = volume_index_.find(std::string(id));
  return found == volume_index_.end() ? nullptr : &volumes_[found->second];
}

std::string Cloud::NewId(std::string_view prefix) {
  // Unpredictable, so that an identifier of an earlier run never names something of this one.
  std::string id;
  do {
    id = std::string(prefix) + ids_.Token(4);
  } while (volume_index_.contains(id) || operation_index_.contains(id));
  return id;
}

void Cloud::CountCreated(Volume* volume) {
  volume->counted = true;
  ++created_;
  const std::string& correlation_id = volume->origin.correlation_id;
  if (!correlation_id.empty()) ++made_by_correlation_[correlation_id];
  if (++existing_by_name_[volume->spec.name] > 1) duplicate_names_.insert(volume->spec.name);
}

void Cloud::CountGone(const Volume& volume) {
  const auto found = existing_by_name_.find(volume.spec.name);
  if (--found->second == 0) existing_by_name_.erase(found);
}

}  // namespace asyncops::simcloud
