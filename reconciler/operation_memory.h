// What the engine remembers of an operation between two passes; nothing that a restart may not
// lose.
#ifndef ASYNCOPS_RECONCILER_OPERATION_MEMORY_H_
#define ASYNCOPS_RECONCILER_OPERATION_MEMORY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "reconciler/call_turn.h"
#include "reconciler/packed_text.h"
#include "reconciler/poll_steps.h"
#include "reconciler/protocol_cache.h"
#include "reconciler/rarely.h"
#include "reconciler/secret_values.h"
#include "storage/record.h"

namespace asyncops::reconciler {

// A poll that may be made without reading the operation, since nobody told of a change of it. Only
// its URL is kept, and what the last answer came to.
struct NextPoll {
  PackedText url;             // from its path on where it is the system's; "": it is to be read
  std::uint64_t verdict = 0;  // FingerprintOf the last one
  Time until{};               // from then on there may be more to decide, as by its deadline
};

// There may be 100,000 of them: what few operations have is in `rare`.
struct OperationMemory {
  struct Rare {
    TurnMemory turn;
    // Outputs of a submit that ended the operation, and whose Secrets could not be written yet.
    std::vector<SecretOutput> unwritten;
    SeenSecrets seen_secrets;  // values for Secrets that answers showed
  };

  std::uint64_t uid = 0;  // StableHash of the operation's
  PollTrack track;
  NextPoll next_poll;
  std::shared_ptr<const Declared> declared;  // null where there is no protocol
  std::int64_t generation = 0;               // of the operation, that `declared` was compiled from
  // The revision of the object up to which all changes are seen, while it waits for nothing but
  // those and `track.due`; 0 otherwise.
  storage::Revision looked = 0;
  Duration jumped{};  // of the wall clock, up to which the row's times are right
  Rarely<Rare> rare;
  std::uint8_t counted = 0;  // state::IndexOf that under which it is counted
  bool nudged = false;       // while it waits for its turn: it was told that something has changed

  const TurnMemory& turn() const { return rare.get().turn; }
  void SetTurn(const TurnMemory& turn) {
    const bool held = !(turn == TurnMemory());
    if (!held && !rare.is_made()) return;
    Rare& kept = rare.Make();
    kept.turn = turn;
    if (!held && kept.unwritten.empty() && kept.seen_secrets.empty()) rare.Reset();
  }
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_OPERATION_MEMORY_H_
