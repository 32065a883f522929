// Failures as the judges of answers word them. Pure.
#ifndef ASYNCOPS_RECONCILER_ANSWER_READING_H_
#define ASYNCOPS_RECONCILER_ANSWER_READING_H_

#include <string>

#include "reconciler/classify.h"
#include "reconciler/protocol.h"

namespace asyncops::reconciler {

inline bool IsSuccess(int status) { return status >= 200 && status < 300; }

// No complete answer came.
Failure NoAnswer(const ExternalAnswer& answer, ErrorClass error_class);
// A complete answer with a status that is no success, before the system's own words are read.
Failure HttpFailure(const ExternalAnswer& answer, const Classification& classed);
// A success whose body cannot be read.
Failure Unreadable(const ExternalAnswer& answer, ErrorClass error_class);
// A success that does not say how the operation is.
Failure Untelling(const ExternalAnswer& answer);
// The operation failed outside and says nothing about it.
Failure OperationFailure();
// The text where it is an absolute http(s) URL, else "".
std::string WebUrl(const std::string& text);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_ANSWER_READING_H_
