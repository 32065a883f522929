// Names to addresses, with a bound on the wait that the system's resolver lacks.
#ifndef ASYNCOPS_KUBE_RESOLVER_H_
#define ASYNCOPS_KUBE_RESOLVER_H_

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "kube/cancel_signal.h"

namespace asyncops::kube {

// The bytes of an address that is written as one (4 or 16, network order); "" for a name.
std::string ParseAddressLiteral(const std::string& text);
// "127.0.0.1", "::1".
std::string AddressText(const std::string& bytes);

// Safe for use from several threads.
class Resolver {
 public:
  explicit Resolver(const Clock& clock);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // The host's addresses in the order of the system; a literal is its own. NotFound where the name
  // has none, Timeout where the system does not answer by the deadline or the signal is set,
  // TooManyRequests where too many such lookups still hang. A lookup that hangs goes on in a thread
  // of its own, which owns all that it uses.
  Result<std::vector<std::string>> Resolve(const std::string& host, SteadyTime deadline,
                                           const CancelSignal& cancel);

 private:
  struct Shared;

  const Clock& clock_;
  // Shared with lookups that outlive this object.
  const std::shared_ptr<Shared> shared_;
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_RESOLVER_H_
