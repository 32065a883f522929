// Where the listener hands callbacks over, and what it is to answer.
#ifndef ASYNCOPS_CALLBACKS_RECEIVER_H_
#define ASYNCOPS_CALLBACKS_RECEIVER_H_

#include <functional>
#include <string>

#include "callbacks/link.h"
#include "callbacks/message.h"

namespace asyncops::callbacks {

struct Delivery {
  LinkPath path;
  Message message;
};

enum class Answer {
  kStored,       // durable; it is acted upon, also after a crash
  kDuplicate,    // known already, or of no use any more
  kMalformed,    // signed well, and not to be read
  kRefused,      // not signed by whom it should be, or for a system that is not there
  kUnknown,      // for an operation whose URL we never made
  kFinished,     // the operation is over: it is to stop
  kFull,         // too much waits to be acted upon
  kUnavailable,  // it cannot be stored now
};

// Safe for use from several threads.
class Receiver {
 public:
  virtual ~Receiver() = default;
  // Answers exactly once, before it returns or later on a thread of its own; an answer must not
  // block.
  virtual void Receive(Delivery delivery, std::function<void(Answer)> answer) = 0;
  // Counts one that was turned away before it was read, such as "throttled".
  virtual void CountTurnedAway(const std::string& result) = 0;
};

}  // namespace asyncops::callbacks

#endif  // ASYNCOPS_CALLBACKS_RECEIVER_H_
