// An HttpTransport that answers as a test says.
#ifndef ASYNCOPS_TESTS_SUPPORT_FAKE_TRANSPORT_H_
#define ASYNCOPS_TESTS_SUPPORT_FAKE_TRANSPORT_H_

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "kube/http_transport.h"

namespace asyncops {

// Exchanges in short.
kube::Exchange Answered(int status, std::string body = "",
                        std::vector<std::pair<std::string, std::string>> headers = {});
kube::Exchange Ambiguous(std::string error = "connection reset after the request was sent");
kube::Exchange NotSent(std::string error = "connection refused");
// A stream of these bytes that is cut: to be had through OutboundRequest::receive alone.
kube::Exchange CutAfter(std::string body);

// Records every request. Answers come from the script, in order, then from the handler; without
// either a request is kNotSent. Where the request has a `receive`, that gets the body of a 2xx
// answer in pieces. Safe for use from several threads.
class FakeTransport final : public kube::HttpTransport {
 public:
  using Handler = std::function<kube::Exchange(const kube::OutboundRequest&)>;

  kube::Exchange Send(const kube::OutboundRequest& request) override ASYNCOPS_EXCLUDES(mutex_);
  void Cancel() override ASYNCOPS_EXCLUDES(mutex_);

  // The next answer that the script does not have yet.
  void Script(kube::Exchange exchange) ASYNCOPS_EXCLUDES(mutex_);
  void Handle(Handler handler) ASYNCOPS_EXCLUDES(mutex_);
  // Of what `receive` gets, the bytes of each piece, at least 1; whole bodies at first.
  void SetPieces(std::size_t bytes) ASYNCOPS_EXCLUDES(mutex_);
  std::vector<kube::OutboundRequest> requests() const ASYNCOPS_EXCLUDES(mutex_);
  bool cancelled() const ASYNCOPS_EXCLUDES(mutex_);

 private:
  kube::Exchange Answer(const kube::OutboundRequest& request) ASYNCOPS_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::deque<kube::Exchange> script_ ASYNCOPS_GUARDED_BY(mutex_);
  Handler handler_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<kube::OutboundRequest> requests_ ASYNCOPS_GUARDED_BY(mutex_);
  std::size_t piece_ ASYNCOPS_GUARDED_BY(mutex_) = std::string::npos;
  bool cancelled_ ASYNCOPS_GUARDED_BY(mutex_) = false;
};

// The path of the request's URL, without its query.
std::string PathOf(const kube::OutboundRequest& request);
// The value of the request's header; "" where it has none. `name` in any case.
std::string HeaderOf(const kube::OutboundRequest& request, std::string_view name);

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_SUPPORT_FAKE_TRANSPORT_H_
