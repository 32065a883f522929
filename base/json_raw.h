// Reads single values out of canonical JSON bytes without building a tree: what lists and tables do
// with thousands of stored objects.
#ifndef ASYNCOPS_BASE_JSON_RAW_H_
#define ASYNCOPS_BASE_JSON_RAW_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asyncops {

// The members of one object, found in one pass; for several look-ups in the same bytes. Views into
// them.
class RawObject {
 public:
  // Bytes that are no object have no members.
  explicit RawObject(std::string_view object);
  // The bytes of that member's value, or "".
  std::string_view Find(std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, std::string_view>> members_;
};

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
