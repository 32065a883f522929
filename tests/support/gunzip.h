// Inflates what the server deflated, without the server's adapter.
#ifndef ASYNCOPS_TESTS_SUPPORT_GUNZIP_H_
#define ASYNCOPS_TESTS_SUPPORT_GUNZIP_H_

#include <string>
#include <string_view>

namespace asyncops {

// The bytes of one gzip member; "not gzip" where it is none, is cut short, or has a tail.
std::string Gunzip(std::string_view bytes);

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_SUPPORT_GUNZIP_H_
