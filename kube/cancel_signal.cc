#include "kube/cancel_signal.h"

#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

namespace asyncops::kube {

CancelSignal::CancelSignal() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

CancelSignal::~CancelSignal() {
  if (fd_ >= 0) close(fd_);
}

void CancelSignal::Set() {
  set_ = true;
  const std::uint64_t one = 1;
  // A full counter is readable already.
  if (fd_ >= 0 && write(fd_, &one, sizeof one) < 0) return;
}

}  // namespace asyncops::kube
