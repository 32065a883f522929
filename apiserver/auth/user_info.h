// Who is asking.
#ifndef ASYNCOPS_APISERVER_AUTH_USER_INFO_H_
#define ASYNCOPS_APISERVER_AUTH_USER_INFO_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace asyncops::apiserver {

inline constexpr std::string_view kAnonymousUser = "system:anonymous";
inline constexpr std::string_view kAuthenticatedGroup = "system:authenticated";
inline constexpr std::string_view kUnauthenticatedGroup = "system:unauthenticated";
inline constexpr std::string_view kMastersGroup = "system:masters";

struct UserInfo {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool InGroup(std::string_view group) const;
  bool operator==(const UserInfo&) const = default;
};

// Immutable, shared by the requests of one user; null where nobody is known.
using UserPointer = std::shared_ptr<const UserInfo>;

// The user with system:authenticated among the groups, unless it is system:anonymous or in
// system:unauthenticated: a front proxy passes on requests of nobody, too.
UserPointer MakeAuthenticated(UserInfo user);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_AUTH_USER_INFO_H_
