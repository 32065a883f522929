#include "reconciler/known_secrets.h"

#include <algorithm>

namespace asyncops::reconciler {

std::shared_ptr<const Redactor> KnownSecrets::Use(const std::string& system_uid,
                                                  const std::vector<std::string>& values) {
  const SteadyTime now = clock_.SteadyNow();
  const MutexLock lock(mutex_);
  System& system = systems_[system_uid];
  system.used_at = now;
  for (const std::string& value : values) {
    if (value.size() < kMinRedactedBytes) continue;
    const auto [at, fresh] = system.values.emplace(value, now);
    at->second = now;
    if (fresh) system.redactor.reset();
  }
  if (DropOld(now, &system)) system.redactor.reset();
  if (system.redactor == nullptr) {
    std::vector<std::string> all;
    for (const auto& [value, used_at] : system.values) all.push_back(value);
    system.redactor = std::make_shared<const Redactor>(all);
  }
  std::shared_ptr<const Redactor> redactor = system.redactor;
  if (systems_.size() > kMaxSystems) DropOldestSystem();
  return redactor;
}

bool KnownSecrets::DropOld(SteadyTime now, System* system) {
  const auto expired = [now](const auto& item) { return now - item.second > kTimeToLive; };
  bool dropped = std::erase_if(system->values, expired) > 0;
  while (system->values.size() > kMaxValues) {
    const auto oldest =
        std::min_element(system->values.begin(), system->values.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    // All in use at this moment: none of them can be forgotten.
    if (oldest->second == now) break;
    system->values.erase(oldest);
    dropped = true;
  }
  return dropped;
}

void KnownSecrets::DropOldestSystem() {
  const auto oldest = std::min_element(
      systems_.begin(), systems_.end(),
      [](const auto& a, const auto& b) { return a.second.used_at < b.second.used_at; });
  systems_.erase(oldest);
}

}  // namespace asyncops::reconciler
