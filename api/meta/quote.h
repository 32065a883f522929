// Text in quotes, as Go's %q prints it: the form in which Kubernetes' messages show what people
// wrote.
#ifndef ASYNCOPS_API_META_QUOTE_H_
#define ASYNCOPS_API_META_QUOTE_H_

#include <string>
#include <string_view>

namespace asyncops {

// `"a\"b\n"`. Control characters and bytes that are no UTF-8 are escaped, so that the result is
// printable.
std::string Quote(std::string_view text);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_QUOTE_H_
