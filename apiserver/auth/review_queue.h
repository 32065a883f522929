// Reviews that kube-apiserver is asked for while requests wait: TokenReview, SubjectAccessReview.
#ifndef ASYNCOPS_APISERVER_AUTH_REVIEW_QUEUE_H_
#define ASYNCOPS_APISERVER_AUTH_REVIEW_QUEUE_H_

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kube/api_client.h"

namespace asyncops::apiserver {

struct ReviewQueueOptions {
  int threads = 8;
  std::size_t max_waiting = 512;
  Duration time_limit = std::chrono::seconds(10);  // of one review, its wait and retries included
  Duration first_backoff = std::chrono::milliseconds(200);  // doubled each time
  int attempts = 5;
};

// A few threads of its own, since each call blocks. Safe for use from several threads.
class ReviewQueue {
 public:
  // The object with its status filled in, or why there is none.
  using Callback = std::function<void(Result<Json>)>;

  // Both outlive it.
  ReviewQueue(kube::ApiClient& client, const Clock& clock, const ReviewQueueOptions& options = {});
  // As Stop.
  ~ReviewQueue();
  ReviewQueue(const ReviewQueue&) = delete;
  ReviewQueue& operator=(const ReviewQueue&) = delete;

  // Posts the review to the path, again where the server is away, fails or is busy, and calls
  // `done` exactly once: on a thread of this queue, or at once with TooManyRequests where too many
  // wait, with ServiceUnavailable after Stop.
  void Post(std::string path, const Json& review, Callback done);

  // The same of a GET of this target (path and query).
  void Get(std::string target, Callback done);

  // Answers all that waits and joins the threads. Call it before what the callbacks use goes, and
  // after the client was cancelled, or it waits for calls under way. Safe to call more than once,
  // from one thread.
  void Stop();

 private:
  struct Job {
    kube::ApiRequest request;
    SteadyTime until;
    Callback done;
  };

  void Add(kube::ApiRequest request, Callback done);
  // Takes the job where it is OK, and leaves it alone otherwise.
  Status Enqueue(Job* job);
  void Run();
  Result<Json> Ask(const Job& job);
  // False where it was stopped meanwhile.
  bool Pause(Duration time);

  kube::ApiClient& client_;
  const Clock& clock_;
  const ReviewQueueOptions options_;

  Mutex mutex_;
  CondVar added_;
  CondVar stopped_;
  std::deque<Job> jobs_ ASYNCOPS_GUARDED_BY(mutex_);
  bool stopping_ ASYNCOPS_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_REVIEW_QUEUE_H_
