#include "apiserver/auth/impersonation.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/encoding.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kPrefix = "Impersonate-";
constexpr std::string_view kExtraPrefix = "Impersonate-Extra-";
constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kServiceAccountsGroup = "system:serviceaccounts";
constexpr std::string_view kAuthenticationGroup = "authentication.k8s.io";
// Each costs a review.
constexpr std::size_t kMaxChecks = 100;

bool HasPrefix(std::string_view name, std::string_view prefix) {
  return EqualsIgnoreCase(name.substr(0, prefix.size()), prefix);
}

// One attribute of the wanted user; owns what is asked.
struct Check {
  std::string_view group;
  std::string_view resource;
  std::string subresource = {};
  std::string namespace_name = {};
  std::string name;

  Attributes AttributesFor(const UserInfo& requester) const {
    return {.user = &requester,
            .verb = "impersonate",
            .resource_request = true,
            .group = group,
            .version = "v1",
            .resource = resource,
            .subresource = subresource,
            .namespace_name = namespace_name,
            .name = name};
  }
};

struct Wish {
  UserInfo user;
  std::vector<Check> checks;
};

// Nothing in `namespace_name` where the user is no service account.
void SplitServiceAccount(std::string_view user, std::string* namespace_name, std::string* name) {
  if (!user.starts_with(kServiceAccountPrefix)) return;
  user.remove_prefix(kServiceAccountPrefix.size());
  const std::size_t colon = user.find(':');
  const bool whole = colon != std::string_view::npos && colon > 0 && colon + 1 < user.size() &&
                     user.find(':', colon + 1) == std::string_view::npos;
  if (!whole) return;
  *namespace_name = user.substr(0, colon);
  *name = user.substr(colon + 1);
}

Status ReadNames(const http::Headers& headers, Wish* wish) {
  const std::vector<std::string_view> users = headers.GetAll("Impersonate-User");
  const std::vector<std::string_view> uids = headers.GetAll("Impersonate-Uid");
  if (users.size() > 1 || uids.size() > 1)
    return BadRequest("Impersonate-User and Impersonate-Uid can be given once");
  if (users.empty() || users.front().empty())
    return BadRequest("impersonation needs Impersonate-User");
  wish->user.name = users.front();
  Check account{.group = "", .resource = "serviceaccounts", .name = ""};
  SplitServiceAccount(wish->user.name, &account.namespace_name, &account.name);
  const bool is_account = !account.namespace_name.empty();
  if (is_account && !headers.Has("Impersonate-Group")) {
    wish->user.groups.emplace_back(kServiceAccountsGroup);
    wish->user.groups.push_back(std::string(kServiceAccountsGroup) + ":" + account.namespace_name);
  }
  wish->checks.push_back(
      is_account ? account : Check{.group = "", .resource = "users", .name = wish->user.name});
  if (uids.empty() || uids.front().empty()) return Status::Ok();
  wish->user.uid = uids.front();
  wish->checks.push_back(
      {.group = kAuthenticationGroup, .resource = "uids", .name = wish->user.uid});
  return Status::Ok();
}

Result<Wish> ReadWish(const http::Headers& headers) {
  Wish wish;
  ASYNCOPS_RETURN_IF_ERROR(ReadNames(headers, &wish));
  for (const auto& [name, value] : headers.all()) {
    if (EqualsIgnoreCase(name, "Impersonate-Group")) {
      wish.user.groups.push_back(value);
      wish.checks.push_back({.group = "", .resource = "groups", .name = value});
    } else if (HasPrefix(name, kExtraPrefix)) {
      const std::string raw = LowerCase(std::string_view(name).substr(kExtraPrefix.size()));
      const std::string key = PercentDecode(raw, false).value_or(raw);
      wish.user.extra[key].push_back(value);
      wish.checks.push_back({.group = kAuthenticationGroup,
                             .resource = "userextras",
                             .subresource = key,
                             .name = value});
    }
    if (wish.checks.size() > kMaxChecks) return BadRequest("too many Impersonate headers");
  }
  return wish;
}

UserPointer ActingUser(UserInfo user) {
  const bool marked = user.InGroup(kUnauthenticatedGroup) || user.InGroup(kAuthenticatedGroup);
  if (user.name == kAnonymousUser && !marked) user.groups.emplace_back(kUnauthenticatedGroup);
  return MakeAuthenticated(std::move(user));
}

struct Asking {
  const Authorizer& authorizer;
  UserPointer requester;
  Wish wish;
  std::function<void(Result<UserPointer>)> done;
  std::size_t index = 0;
};

void AskNext(const std::shared_ptr<Asking>& asking) {
  if (asking->index == asking->wish.checks.size())
    return asking->done(ActingUser(std::move(asking->wish.user)));
  const Check& check = asking->wish.checks[asking->index];
  asking->authorizer.Authorize(
      check.AttributesFor(*asking->requester), [asking](const Decision& decision) {
        const Check& asked = asking->wish.checks[asking->index];
        if (!decision.allowed)
          return asking->done(RefusalStatus(asked.AttributesFor(*asking->requester), decision));
        ++asking->index;
        AskNext(asking);
      });
}

}  // namespace

bool AsksToImpersonate(const http::Headers& headers) {
  for (const auto& [name, value] : headers.all()) {
    if (HasPrefix(name, kPrefix)) return true;
  }
  return false;
}

void Impersonate(const Authorizer& authorizer, const UserPointer& requester,
                 const http::Headers& headers, std::function<void(Result<UserPointer>)> done) {
  Result<Wish> wish = ReadWish(headers);
  if (!wish.ok()) return done(wish.status());
  AskNext(
      std::make_shared<Asking>(Asking{authorizer, requester, *std::move(wish), std::move(done)}));
}

}  // namespace asyncops::apiserver
