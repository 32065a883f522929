// Where in a source a mistake is.
#ifndef ASYNCOPS_API_EXPR_SOURCE_POSITION_H_
#define ASYNCOPS_API_EXPR_SOURCE_POSITION_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace asyncops::expr {

// What is wrong, and at which byte of the source.
struct Mistake {
  std::size_t offset = 0;
  std::string message;
};

// "col 14: MESSAGE", or "line 2, col 3: MESSAGE" in a source of several lines. Columns count
// characters from 1.
std::string Describe(std::string_view source, const Mistake& mistake);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_SOURCE_POSITION_H_
