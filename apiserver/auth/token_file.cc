#include "apiserver/auth/token_file.h"

#include <optional>
#include <utility>
#include <vector>

#include "apiserver/auth/bearer_token.h"
#include "base/crypto.h"

namespace asyncops::apiserver {
namespace {

// Splits at commas outside double quotes; nothing where a quote is not closed.
std::optional<std::vector<std::string>> SplitCsv(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back().push_back(c);
    }
  }
  if (quoted) return std::nullopt;
  return cells;
}

std::vector<std::string> SplitGroups(std::string_view text) {
  std::vector<std::string> groups;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view group = text.substr(0, comma);
    while (!group.empty() && group.front() == ' ') group.remove_prefix(1);
    if (!group.empty()) groups.emplace_back(group);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return groups;
}

}  // namespace

Result<std::unique_ptr<Authenticator>> TokenAuthenticator::Parse(std::string_view csv) {
  std::map<std::string, UserPointer> users;
  int number = 0;
  while (!csv.empty()) {
    const std::size_t end = csv.find('\n');
    std::string_view line = csv.substr(0, end);
    csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    auto cells = SplitCsv(line);
    const bool complete = cells && cells->size() >= 3 && cells->size() <= 4;
    if (!complete || (*cells)[0].empty() || (*cells)[1].empty()) {
      return BadRequest("line " + std::to_string(number) +
                        " is not of the form token,user,uid[,\"group1,group2\"]");
    }
    UserInfo user;
    user.name = (*cells)[1];
    user.uid = (*cells)[2];
    if (cells->size() == 4) user.groups = SplitGroups((*cells)[3]);
    users[Sha256((*cells)[0])] = MakeAuthenticated(std::move(user));
  }
  return std::unique_ptr<Authenticator>(new TokenAuthenticator(std::move(users)));
}

Authentication TokenAuthenticator::Identify(const http::Request& request) const {
  const std::optional<std::string_view> token = BearerTokenOf(request);
  if (!token) return UserPointer();
  const auto found = users_.find(Sha256(*token));
  if (found == users_.end()) return Status(Reason::kUnauthorized, "Unauthorized");
  return found->second;
}

}  // namespace asyncops::apiserver
