#include "apiserver/auth/user_info.h"

#include <algorithm>

namespace asyncops::apiserver {

bool UserInfo::InGroup(std::string_view group) const {
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

}  // namespace asyncops::apiserver
