// Reads single values out of canonical JSON bytes without building a tree: what lists and tables do
// with thousands of stored objects.
#ifndef ASYNCOPS_BASE_JSON_RAW_H_
#define ASYNCOPS_BASE_JSON_RAW_H_

#include <string>
#include <string_view>
#include <vector>

namespace asyncops {

// The bytes of the value of a member of an object ("" where there is none). `object` must be what
// EncodeJson made: no white space, each name once.
std::string_view RawMember(std::string_view object, std::string_view name);
// The same along a path of names.
std::string_view RawAt(std::string_view object, const std::vector<std::string>& path);
// The bytes of the items of an array.
std::vector<std::string_view> RawItems(std::string_view array);
// Whether these bytes are a string, or null or nothing.
bool RawIsString(std::string_view raw);
bool RawIsNull(std::string_view raw);
// The text of a string's bytes, escapes resolved; other values as their bytes stand.
std::string RawText(std::string_view raw);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_JSON_RAW_H_
