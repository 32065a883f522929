#include "reconciler/told_events.h"

namespace asyncops::reconciler {
namespace {

constexpr std::size_t kRemembered = 4096;

}  // namespace

bool ToldEvents::Has(const std::string& name) const {
  const MutexLock lock(mutex_);
  return names_.contains(name);
}

void ToldEvents::Add(const std::string& name) {
  const MutexLock lock(mutex_);
  if (!names_.insert(name).second) return;
  order_.push_back(name);
  if (order_.size() <= kRemembered) return;
  names_.erase(order_.front());
  order_.pop_front();
}

}  // namespace asyncops::reconciler
