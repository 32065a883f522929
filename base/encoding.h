// Text forms of bytes.
#ifndef ASYNCOPS_BASE_ENCODING_H_
#define ASYNCOPS_BASE_ENCODING_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace asyncops {

std::string HexEncode(std::string_view bytes);
// RFC 4648 with padding.
std::string Base64Encode(std::string_view bytes);
// Strict: padded, no white space. Nothing where the text is not that.
std::optional<std::string> Base64Decode(std::string_view text);
// The URL-safe alphabet without padding, as continue tokens use.
std::string Base64UrlEncode(std::string_view bytes);
std::optional<std::string> Base64UrlDecode(std::string_view text);
// Decodes %XX once; with `plus_is_space` also '+', as in a query. Nothing where an escape is
// broken.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);
// Escapes all but RFC 3986's unreserved characters.
std::string PercentEncode(std::string_view text);
// The length of the UTF-8 sequence that the text starts with; 0 where its first bytes are none.
std::size_t Utf8Length(std::string_view text);
bool IsUtf8(std::string_view text);

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_ENCODING_H_
