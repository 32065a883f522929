// Texts of failures in a form that does not change from one try to the next: otherwise each try
// would change a condition's message, and the change would wake its watchers.
#ifndef ASYNCOPS_RECONCILER_NORMALISE_H_
#define ASYNCOPS_RECONCILER_NORMALISE_H_

#include <string>
#include <string_view>

namespace asyncops::reconciler {

// Replaces UUIDs, hexadecimal addresses, long identifiers and what follows "request id" and the
// like by "<id>", times by "<time>", and numbers of 10 digits and more by "<number>"; makes one
// line of it, of valid UTF-8 and at most kMaxMessageBytes.
std::string NormaliseMessage(std::string_view text);

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_NORMALISE_H_
