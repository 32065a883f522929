// The keys that the workers have to look at, and when.
#ifndef ASYNCOPS_RECONCILER_WORK_QUEUE_H_
#define ASYNCOPS_RECONCILER_WORK_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "reconciler/work_key.h"

namespace asyncops::reconciler {

// In place of a revision: callbacks came that ask for a poll and tell nothing else.
inline constexpr std::int64_t kPollsAsked = -1;

struct WorkItem {
  WorkKey key;
  // Something that the object waits for has changed (a Secret, its ExternalSystem): what failed
  // without being sent need not wait for its retry time.
  bool nudged = false;
  // Whether somebody has added it since it was last taken; else it came by its time, and so far as
  // anybody told nothing has changed.
  bool told = false;
  // Where all that was told is a change of the object: the newest revision of it; kPollsAsked where
  // it is that; 0 otherwise.
  std::int64_t changed = 0;

  bool operator==(const WorkItem&) const = default;
};

// A queue's times are points of the steady clock, as microseconds: a wall clock that jumps neither
// brings keys on nor holds them back.
Time QueueNow(const Clock& clock);
// The queue's time of a wall-clock time; of one that has passed, one that has passed.
Time QueueTimeOf(Time due, const Clock& clock);

// Keys of the backlog are what a start of the process found: they must neither hold up what is new
// nor starve behind it.
enum class WorkLevel : std::uint8_t { kNormal, kBacklog };

// While keys of both levels are due, one in so many that are taken is of the backlog.
inline constexpr int kBacklogShare = 4;

// A key is in at most one place: waiting, due, or worked on; a key that is added while it is worked
// on is due again afterwards. Bounded by the number of objects. No thread and no clock of its own;
// not safe for use from several threads.
class WorkQueue {
 public:
  // Makes the key due, behind those of its level that are; one of the backlog that is added as
  // kNormal is of the backlog no more. `changed` as in WorkItem.
  void Add(const WorkKey& key, bool nudged = false, std::int64_t changed = 0);
  // Makes it due at this time; an earlier time that it waits for, or being due, wins.
  void AddAt(const WorkKey& key, Time due, WorkLevel level = WorkLevel::kNormal);

  // Makes those due whose time has come at `now`; Pop does it too.
  void MakeDue(Time now);
  // Takes the next key that is due at `now`, of kNormal first but for the backlog's share; nothing
  // where there is none. Done must follow.
  std::optional<WorkItem> Pop(Time now);
  // The work on a popped key is over.
  void Done(const WorkKey& key);

  // When Pop has something next: a time that may have passed; nothing where no key waits.
  std::optional<Time> NextDue() const;
  // Keys that Pop could give.
  std::size_t due() const { return normal_.size() + backlog_.size(); }
  // Keys due, waiting or worked on.
  std::size_t size() const { return entries_.size(); }

 private:
  enum class Place : std::uint8_t { kNew, kWaiting, kDue, kActive };
  struct Entry;
  // A key and what is known of it; it stays in its place until the key is nowhere.
  using Slot = std::pair<const PackedKey, Entry>;
  using Row = std::list<Slot*>;
  struct Entry {
    Time due{};                // kWaiting: of now; kActive, with again_at: of afterwards
    Row::iterator in_row{};    // kDue
    std::int64_t changed = 0;  // as in WorkItem
    std::uint32_t at = 0;      // kWaiting: its place in by_time_
    Place place = Place::kNew;
    WorkLevel level = WorkLevel::kNormal;
    bool nudged : 1 = false;
    bool told : 1 = false;      // added since it was last taken
    bool again_at : 1 = false;  // a time was asked for while worked on
  };

  static bool IsSooner(const Slot& a, const Slot& b);
  // Puts a slot into by_time_, or takes it out.
  void AddTime(Slot* slot);
  void DropTime(Slot* slot);
  // Puts the slot where it belongs, given that all others are, from this place of by_time_.
  void Rise(Slot* slot, std::size_t at);
  void Sink(Slot* slot, std::size_t at);
  void Put(Slot* slot, std::size_t at);

  Slot& SlotOf(const WorkKey& key);
  void MakeDue(Slot* slot, WorkLevel level);
  void Wait(Slot* slot, Time due, WorkLevel level);
  // The first key of the level; null where none is due.
  Slot* TakeFirst(WorkLevel level);
  Row& RowOf(WorkLevel level) { return level == WorkLevel::kNormal ? normal_ : backlog_; }

  std::unordered_map<PackedKey, Entry, PackedKey::Hash, PackedKey::Equal> entries_;
  Row normal_;
  Row backlog_;
  int since_backlog_ = 0;       // keys taken since the backlog's turn
  std::vector<Slot*> by_time_;  // a binary heap: those that wait, the soonest first
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_WORK_QUEUE_H_
