#include "tests/support/fake_transport.h"

#include <algorithm>

#include "base/ascii.h"

namespace asyncops {

kube::Exchange Answered(int status, std::string body,
                        std::vector<std::pair<std::string, std::string>> headers) {
  kube::Exchange exchange;
  exchange.outcome = kube::Exchange::Outcome::kAnswered;
  exchange.response.status = status;
  exchange.response.body = std::move(body);
  exchange.response.headers = std::move(headers);
  if (!exchange.response.body.empty())
    exchange.response.headers.emplace_back("Content-Type", "application/json");
  return exchange;
}

kube::Exchange Ambiguous(std::string error) {
  kube::Exchange exchange;
  exchange.outcome = kube::Exchange::Outcome::kAmbiguous;
  exchange.error = std::move(error);
  return exchange;
}

kube::Exchange NotSent(std::string error) {
  kube::Exchange exchange;
  exchange.outcome = kube::Exchange::Outcome::kNotSent;
  exchange.error = std::move(error);
  return exchange;
}

kube::Exchange CutAfter(std::string body) {
  kube::Exchange exchange = Ambiguous("the connection was closed");
  exchange.code = "ConnectionReset";
  exchange.response.status = 200;
  exchange.response.body = std::move(body);
  return exchange;
}

kube::Exchange FakeTransport::Send(const kube::OutboundRequest& request) {
  kube::Exchange exchange = Answer(request);
  if (!request.receive || exchange.response.status / 100 != 2) return exchange;
  const std::string body = std::exchange(exchange.response.body, {});
  std::size_t piece = 0;
  {
    const MutexLock lock(mutex_);
    piece = piece_;
  }
  std::string_view left = body;
  while (!left.empty()) {
    if (!request.receive(left.substr(0, piece))) {
      exchange.outcome = kube::Exchange::Outcome::kAnswered;
      return exchange;
    }
    left.remove_prefix(std::min(piece, left.size()));
  }
  return exchange;
}

kube::Exchange FakeTransport::Answer(const kube::OutboundRequest& request) {
  Handler handler;
  {
    const MutexLock lock(mutex_);
    requests_.push_back(request);
    if (!script_.empty()) {
      kube::Exchange exchange = std::move(script_.front());
      script_.pop_front();
      return exchange;
    }
    handler = handler_;
  }
  return handler ? handler(request) : NotSent("no answer is scripted");
}

void FakeTransport::Cancel() {
  const MutexLock lock(mutex_);
  cancelled_ = true;
}

void FakeTransport::Script(kube::Exchange exchange) {
  const MutexLock lock(mutex_);
  script_.push_back(std::move(exchange));
}

void FakeTransport::Handle(Handler handler) {
  const MutexLock lock(mutex_);
  handler_ = std::move(handler);
}

void FakeTransport::SetPieces(std::size_t bytes) {
  const MutexLock lock(mutex_);
  piece_ = bytes;
}

std::vector<kube::OutboundRequest> FakeTransport::requests() const {
  const MutexLock lock(mutex_);
  return requests_;
}

bool FakeTransport::cancelled() const {
  const MutexLock lock(mutex_);
  return cancelled_;
}

std::string PathOf(const kube::OutboundRequest& request) {
  return request.uri.target.substr(0, request.uri.target.find('?'));
}

std::string HeaderOf(const kube::OutboundRequest& request, std::string_view name) {
  for (const auto& [header, value] : request.headers) {
    if (EqualsIgnoreCase(header, name)) return value;
  }
  return "";
}

}  // namespace asyncops
