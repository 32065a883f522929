#include "apiserver/auth/review_queue.h"

#include <algorithm>
#include <utility>

namespace asyncops::apiserver {
namespace {

Status Stopped() { return {Reason::kServiceUnavailable, "the server is going down"}; }

Status TooLate() { return {Reason::kTimeout, "kube-apiserver did not answer in time"}; }

bool IsWorthAnother(const Status& status) {
  return HttpCode(status.reason()) >= 500 || status.reason() == Reason::kTooManyRequests;
}

}  // namespace

ReviewQueue::ReviewQueue(kube::ApiClient& client, const Clock& clock,
                         const ReviewQueueOptions& options)
    : client_(client), clock_(clock), options_(options) {
  for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { Run(); });
}

ReviewQueue::~ReviewQueue() { Stop(); }

Status ReviewQueue::Enqueue(Job* job) {
  const MutexLock lock(mutex_);
  if (stopping_) return Stopped();
  if (jobs_.size() >= options_.max_waiting) {
    return Status(Reason::kTooManyRequests, "Too many requests, please try again later.")
        .WithRetryAfter(1);
  }
  jobs_.push_back(std::move(*job));
  return Status::Ok();
}

void ReviewQueue::Post(std::string path, const Json& review, Callback done) {
  Add({.method = "POST", .target = std::move(path), .body = EncodeJson(review)}, std::move(done));
}

void ReviewQueue::Get(std::string target, Callback done) {
  Add({.target = std::move(target)}, std::move(done));
}

void ReviewQueue::Add(kube::ApiRequest request, Callback done) {
  Job job{std::move(request), clock_.SteadyNow() + options_.time_limit, std::move(done)};
  const Status refusal = Enqueue(&job);
  if (!refusal.ok()) return job.done(refusal);
  added_.NotifyOne();
}

void ReviewQueue::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  added_.NotifyAll();
  stopped_.NotifyAll();
  threads_.clear();
}

void ReviewQueue::Run() {
  for (;;) {
    Job job;
    {
      const MutexLock lock(mutex_);
      while (jobs_.empty() && !stopping_) added_.Wait(mutex_);
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job.done(Ask(job));
  }
}

Result<Json> ReviewQueue::Ask(const Job& job) {
  Duration backoff = options_.first_backoff;
  Result<Json> answer = TooLate();
  for (int attempt = 1;; ++attempt) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(job.until - clock_.SteadyNow());
    if (!Pause(Duration(0))) return Stopped();
    if (left.count() <= 0) return answer;
    kube::ApiRequest request = job.request;
    request.timeout = left;
    answer = client_.Call(request);
    if (answer.ok() || !IsWorthAnother(answer.status()) || attempt >= options_.attempts)
      return answer;
    const std::chrono::seconds asked(answer.status().details().retry_after_seconds);
    const Duration wait = std::max<Duration>(backoff, asked);
    if (job.until - clock_.SteadyNow() <= wait) return answer;
    if (!Pause(wait)) return Stopped();
    backoff *= 2;
  }
}

bool ReviewQueue::Pause(Duration time) {
  const MutexLock lock(mutex_);
  // A wake before its time only means another try a little early.
  if (!stopping_ && time.count() > 0) stopped_.WaitFor(mutex_, time);
  return !stopping_;
}

}  // namespace asyncops::apiserver
