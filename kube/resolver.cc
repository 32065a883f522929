#include "kube/resolver.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <netdb.h>
#include <netinet/in.h>
#include <string_view>
#include <thread>

#include "base/mutex.h"

namespace asyncops::kube {
namespace {

// Lookups under way at one time, those included that nobody waits for any more.
constexpr int kMaxLookups = 64;
constexpr std::size_t kMaxAddresses = 16;
// How soon a waiter sees that it is cancelled.
constexpr std::chrono::milliseconds kLook{20};

std::string BytesOf(const sockaddr& address) {
  std::array<char, 16> bytes{};
  if (address.sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address);
    const auto* raw = reinterpret_cast<const char*>(&v4->sin_addr);
    std::copy_n(raw, 4, bytes.begin());
    return {bytes.data(), 4};
  }
  if (address.sa_family != AF_INET6) return "";
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address);
  const auto* raw = reinterpret_cast<const char*>(&v6->sin6_addr);
  std::copy_n(raw, 16, bytes.begin());
  return {bytes.data(), 16};
}

Result<std::vector<std::string>> LookUp(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_family = AF_UNSPEC;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0)
    return Status(Reason::kNotFound,
                  "the name " + host + " has no address: " + gai_strerror(error));
  std::vector<std::string> addresses;
  for (const addrinfo* at = found; at != nullptr && addresses.size() < kMaxAddresses;
       at = at->ai_next) {
    std::string bytes = BytesOf(*at->ai_addr);
    const bool known = std::find(addresses.begin(), addresses.end(), bytes) != addresses.end();
    if (!bytes.empty() && !known) addresses.push_back(std::move(bytes));
  }
  freeaddrinfo(found);
  if (addresses.empty()) return Status(Reason::kNotFound, "the name " + host + " has no address");
  return addresses;
}

// One lookup, shared by the thread that makes it and the one that waits.
struct Lookup {
  Mutex mutex;
  CondVar done;
  std::unique_ptr<Result<std::vector<std::string>>> result ASYNCOPS_GUARDED_BY(mutex);
};

}  // namespace

struct Resolver::Shared {
  std::atomic<int> lookups = 0;
};

std::string ParseAddressLiteral(const std::string& text) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return "";
}

std::string AddressText(const std::string& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  const char* out = inet_ntop(family, bytes.data(), text.data(), text.size());
  return out == nullptr ? "?" : out;
}

Resolver::Resolver(const Clock& clock) : clock_(clock), shared_(std::make_shared<Shared>()) {}
Resolver::~Resolver() = default;

Result<std::vector<std::string>> Resolver::Resolve(const std::string& host, SteadyTime deadline,
                                                   const CancelSignal& cancel) {
  if (std::string literal = ParseAddressLiteral(host); !literal.empty())
    return std::vector<std::string>{std::move(literal)};
  if (++shared_->lookups > kMaxLookups) {
    --shared_->lookups;
    return Status(Reason::kTooManyRequests,
                  "the name " + host + " was not looked up: too many lookups are under way");
  }
  auto lookup = std::make_shared<Lookup>();
  // Detached: getaddrinfo cannot be cancelled, and nobody can wait for it when its time is over.
  std::thread([lookup, host, shared = shared_] {
    auto result = std::make_unique<Result<std::vector<std::string>>>(LookUp(host));
    --shared->lookups;
    const MutexLock lock(lookup->mutex);
    lookup->result = std::move(result);
    lookup->done.NotifyAll();
  }).detach();
  const MutexLock lock(lookup->mutex);
  while (lookup->result == nullptr && clock_.SteadyNow() < deadline && !cancel.is_set())
    static_cast<void>(lookup->done.WaitFor(lookup->mutex, kLook));
  if (lookup->result == nullptr)
    return Status(Reason::kTimeout, "the name " + host + " could not be looked up in time");
  return *std::move(lookup->result);
}

}  // namespace asyncops::kube
