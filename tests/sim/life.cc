#include "tests/sim/life.h"

#include <utility>

namespace asyncops::sim {
namespace {

Status Refused() {
  return Status(Reason::kServiceUnavailable, "the store cannot write").WithRetryAfter(5);
}

}  // namespace

void Life::SetDanger(int death_per_mille, int refusal_per_mille) {
  death_per_mille_ = death_per_mille;
  refusal_per_mille_ = refusal_per_mille;
}

bool Life::Passes(std::string_view step) {
  if (dead_ || death_per_mille_ == 0 || !dice_.Chance(death_per_mille_)) return dead_;
  dead_ = true;
  ++deaths_;
  journal_.Say("the process dies " + std::string(step));
  return true;
}

void MortalStore::Write(storage::WriteFunction write, storage::WriteDone done) {
  if (life_.Passes("before a write")) return done(Refused());
  if (life_.RefusesWrite()) return done(Refused());
  const Status written = storage::WriteAndWait(below(), std::move(write));
  done(life_.Passes("after a write") ? Refused() : written);
}

}  // namespace asyncops::sim
