// std::mutex and friends with clang's thread-safety annotations; the macros are empty elsewhere.
// Members that a mutex guards carry ASYNCOPS_GUARDED_BY(mutex_).
#ifndef ASYNCOPS_BASE_MUTEX_H_
#define ASYNCOPS_BASE_MUTEX_H_

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define ASYNCOPS_ANNOTATION(x) __attribute__((x))
#else
#define ASYNCOPS_ANNOTATION(x)
#endif

#define ASYNCOPS_CAPABILITY(x) ASYNCOPS_ANNOTATION(capability(x))
#define ASYNCOPS_SCOPED_CAPABILITY ASYNCOPS_ANNOTATION(scoped_lockable)
#define ASYNCOPS_GUARDED_BY(x) ASYNCOPS_ANNOTATION(guarded_by(x))
#define ASYNCOPS_REQUIRES(...) ASYNCOPS_ANNOTATION(requires_capability(__VA_ARGS__))
#define ASYNCOPS_EXCLUDES(...) ASYNCOPS_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ASYNCOPS_ACQUIRE(...) ASYNCOPS_ANNOTATION(acquire_capability(__VA_ARGS__))
#define ASYNCOPS_RELEASE(...) ASYNCOPS_ANNOTATION(release_capability(__VA_ARGS__))

namespace asyncops {

class ASYNCOPS_CAPABILITY("mutex") Mutex {
 public:
  void lock() ASYNCOPS_ACQUIRE() { mutex_.lock(); }
  void unlock() ASYNCOPS_RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// Holds a Mutex for a scope.
class ASYNCOPS_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ASYNCOPS_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() ASYNCOPS_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition over a Mutex. Wait is called with the mutex held and returns with it held; it may
// wake without cause, so callers loop.
class CondVar {
 public:
  void Wait(Mutex& mutex) ASYNCOPS_REQUIRES(mutex) { cv_.wait(mutex); }
  // Returns false where the time passed first.
  template <class Rep, class Period>
  bool WaitFor(Mutex& mutex, std::chrono::duration<Rep, Period> timeout) ASYNCOPS_REQUIRES(mutex) {
    return cv_.wait_for(mutex, timeout) == std::cv_status::no_timeout;
  }
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }

 private:
  std::condition_variable_any cv_;
};

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_MUTEX_H_
