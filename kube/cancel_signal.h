// A signal that wakes every thread that waits on a socket, once and for good.
#ifndef ASYNCOPS_KUBE_CANCEL_SIGNAL_H_
#define ASYNCOPS_KUBE_CANCEL_SIGNAL_H_

#include <atomic>

namespace asyncops::kube {

// Safe for use from several threads.
class CancelSignal {
 public:
  CancelSignal();
  ~CancelSignal();
  CancelSignal(const CancelSignal&) = delete;
  CancelSignal& operator=(const CancelSignal&) = delete;

  void Set();
  bool is_set() const { return set_; }
  // Readable once it is set; for poll(2). -1 where the system gave none: then waits end by their
  // deadline alone.
  int fd() const { return fd_; }

 private:
  const int fd_;
  std::atomic<bool> set_ = false;
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CANCEL_SIGNAL_H_
