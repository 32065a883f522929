// Events that tell people what happened: written into the outbox with their cause, then delivered
// as core/v1 Event objects.
#ifndef ASYNCOPS_RECONCILER_EVENTS_H_
#define ASYNCOPS_RECONCILER_EVENTS_H_

#include <string>
#include <string_view>

#include "api/core/v1/event.h"
#include "base/clock.h"
#include "reconciler/event_sink.h"
#include "reconciler/fault_points.h"
#include "reconciler/transition.h"
#include "storage/mailbox.h"
#include "storage/store.h"

namespace asyncops::reconciler {

// The message that delivers one Event. Its name is made of the object's uid, the reason and
// `sequence`, which tells one occurrence from the next: delivering it again makes no second Event.
storage::OutboxMessage MakeEventMessage(const core::ObjectReference& object,
                                        const EventDraft& draft, std::string_view sequence,
                                        Time now);

// Delivers what the outbox holds into the store; returns how many messages. Events that are there
// already are not written again. Safe to call from one thread at a time.
Result<int> DeliverEvents(storage::Store& store, FaultPoints& faults);

// What came of a round of deliveries.
struct EventRound {
  int done = 0;   // messages that are out of the outbox: delivered, or dropped for good
  Status failed;  // why the next one was not delivered; OK where nothing failed
};

// Delivers up to `limit` of what the outbox holds to the sink, oldest first, and ends at the first
// that cannot be delivered now. A failed store is told of in `failed`. Safe to call from one thread
// at a time.
EventRound DeliverEventsTo(EventSink& sink, storage::Store& store, FaultPoints& faults, int limit);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_EVENTS_H_
