// The whole simulated cloud behind one function: a request in, a reply out.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_SERVICE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_SERVICE_H_

#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "tests/simcloud/admin.h"
#include "tests/simcloud/behaviour.h"
#include "tests/simcloud/cloud.h"
#include "tests/simcloud/key_store.h"
#include "tests/simcloud/message.h"
#include "tests/simcloud/protocol.h"

namespace asyncops::simcloud {

// Safe for use from several threads; never blocks but for its own mutex.
class Service {
 public:
  // Clock and identifiers must outlive this. `initial` is the behaviour that a reset goes back to.
  Service(const Clock& clock, IdGenerator& ids, const Behaviour& initial);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // The reply to a request, and when and how it leaves (see Reply).
  Reply Handle(const Request& request) ASYNCOPS_EXCLUDES(mutex_);
  // Does the work of a request whose reply was `deferred`, and gives the reply to it.
  Reply Perform(const Request& request) ASYNCOPS_EXCLUDES(mutex_);

 private:
  // How the work of one request is to be done.
  struct Orders {
    std::optional<Failure> failure;  // the operation that is started will fail with this
    Duration delay{0};               // before the answer leaves
  };

  Reply Admin(const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply PutBehaviour(const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply Apply(const Action& action, const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply Work(const Request& request, const Orders& orders) ASYNCOPS_REQUIRES(mutex_);
  Reply Dispatch(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  // A call that starts something, once for each idempotency key.
  Reply Submit(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply Start(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply Create(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply Delete(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply Update(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply Poll(const Route& route, const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply Cancel(const Route& route, const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply GetVolume(const Route& route, const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply ListVolumes(const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply ListOperations(const Request& request) ASYNCOPS_REQUIRES(mutex_);
  Reply Started(const Route& route, const Request& request, const std::string& operation_id)
      ASYNCOPS_REQUIRES(mutex_);
  OperationView ViewOf(const Operation& operation, const Route& route, const Request& request)
      ASYNCOPS_REQUIRES(mutex_);
  Course CourseOf(Protocol protocol, const Orders& orders) const ASYNCOPS_REQUIRES(mutex_);
  bool Authorized(const Request& request) const ASYNCOPS_REQUIRES(mutex_);
  // Answers a poll with the first or the last answer that such a poll had.
  Reply Repeat(const Request& request, bool first) ASYNCOPS_REQUIRES(mutex_);

  // --- /arm and /aws (service_vendors.cc) ---
  Reply DispatchAzure(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply PutVolume(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply AwsCall(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply AwsStart(const Route& route, const Request& request, const Orders& orders)
      ASYNCOPS_REQUIRES(mutex_);
  Reply AwsListResources() ASYNCOPS_REQUIRES(mutex_);

  const Clock& clock_;
  const Behaviour initial_;

  Mutex mutex_;
  Cloud cloud_ ASYNCOPS_GUARDED_BY(mutex_);
  Behaviour behaviour_ ASYNCOPS_GUARDED_BY(mutex_);
  KeyStore keys_ ASYNCOPS_GUARDED_BY(mutex_);
  Counters counters_ ASYNCOPS_GUARDED_BY(mutex_);
  // Of polls, by what asks; kept only while a rule may repeat them.
  struct Answers {
    Reply first;
    Reply last;
  };
  std::unordered_map<std::string, Answers> answers_ ASYNCOPS_GUARDED_BY(mutex_);
};

// --- for the files of Service ---
Reply NotFoundReply(std::string_view what, std::string_view id);
Reply MethodNotAllowed(const Request& request);
Reply Full();
Reply NoContent();
Origin OriginOf(const Route& route, const Request& request);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_SERVICE_H_
