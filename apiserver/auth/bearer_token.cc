#include "apiserver/auth/bearer_token.h"

#include "base/ascii.h"

namespace asyncops::apiserver {

std::optional<std::string_view> BearerTokenOf(const http::Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  std::string_view header = request.headers.Get("Authorization");
  if (!EqualsIgnoreCase(header.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  header.remove_prefix(kScheme.size());
  while (!header.empty() && header.front() == ' ') header.remove_prefix(1);
  return header;
}

}  // namespace asyncops::apiserver
