// Searching text in linear time: what is searched and what for may both come from outside.
#ifndef ASYNCOPS_API_EXPR_TEXT_SEARCH_H_
#define ASYNCOPS_API_EXPR_TEXT_SEARCH_H_

#include <cstddef>
#include <string_view>

namespace asyncops::expr {

// As text.find(needle, from): npos where there is nothing.
std::size_t FindText(std::string_view text, std::string_view needle, std::size_t from = 0);

// As text.rfind(needle, last): the last place at or before `last` where the needle stands.
std::size_t FindLastText(std::string_view text, std::string_view needle, std::size_t last);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_TEXT_SEARCH_H_
