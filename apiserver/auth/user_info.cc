#include "apiserver/auth/user_info.h"

#include <algorithm>
#include <utility>

namespace asyncops::apiserver {

bool UserInfo::InGroup(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

UserPointer MakeAuthenticated(UserInfo user) {
  const bool unknown = user.name == kAnonymousUser || user.InGroup(kUnauthenticatedGroup);
  if (!unknown && !user.InGroup(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
  return std::make_shared<const UserInfo>(std::move(user));
}

}  // namespace asyncops::apiserver
