// Events of a cluster: objects of kube-apiserver.
#ifndef ASYNCOPS_RECONCILER_CLUSTER_EVENTS_H_
#define ASYNCOPS_RECONCILER_CLUSTER_EVENTS_H_

#include <memory>

#include "kube/api_client.h"
#include "reconciler/event_sink.h"

namespace asyncops::reconciler {

// Creates them there. What is refused for good: the namespace is gone or going, or the Event is
// nothing that kube-apiserver takes. Without the right to create Events they wait; the failure says
// so. A call takes 2 s at most. The client outlives the sink.
std::unique_ptr<EventSink> MakeClusterEventSink(kube::ApiClient& client);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_CLUSTER_EVENTS_H_
