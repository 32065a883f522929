// The URLs that external systems call back: made, and told from forged ones, without a look into
// the database.
#ifndef ASYNCOPS_CALLBACKS_LINK_H_
#define ASYNCOPS_CALLBACKS_LINK_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace asyncops::callbacks {

// One submission of one operation, by the names that its URL shows.
struct LinkSubject {
  std::string namespace_name;
  std::string name;
  std::string uid;
  int submission = 1;

  bool operator==(const LinkSubject&) const = default;
};

// What stands in stored requests where the token goes; filled in when they are sent.
inline constexpr std::string_view kTokenPlaceholder = "asyncops-callback-token_";

// Derives tokens from a key, so that none has to be kept. A value; as secret as its key.
class Links {
 public:
  // `base_url` without a slash at its end; `key` is the server's own secret, 32 bytes at least.
  Links(std::string base_url, std::string key)
      : base_url_(std::move(base_url)), key_(std::move(key)) {}

  const std::string& base_url() const { return base_url_; }

  // BASE/callbacks/NAMESPACE/NAME/PLACEHOLDER.
  std::string UrlWithPlaceholder(const LinkSubject& subject) const;
  // What takes the placeholder's place: a MAC of 256 bits over the subject, then its submission and
  // uid. Holds nothing but letters, digits, '-' and '_', and at least one '_', which tells it from
  // an object's name.
  std::string Token(const LinkSubject& subject) const;
  // The subject that a token of this path is for; nothing where we did not make it. In constant
  // time for tokens of one length.
  std::optional<LinkSubject> Check(std::string_view namespace_name, std::string_view name,
                                   std::string_view token) const;

 private:
  std::string MacOf(const LinkSubject& subject) const;

  const std::string base_url_;
  const std::string key_;
};

// SHA-256 in hex: what the row of the operation keeps of its token.
std::string HashToken(std::string_view token);

// A path below /callbacks/, taken apart.
struct LinkPath {
  std::string namespace_name;
  std::string name;   // of the AsyncOperation, or of the ExternalSystem where there is no token
  std::string token;  // "" at the URL of a system
};

// /callbacks/NAMESPACE/NAME/TOKEN and /callbacks/NAMESPACE/systems/NAME; nothing of other paths.
std::optional<LinkPath> ParseLinkPath(std::string_view path);
// Whether the path is for callbacks, well formed or not.
bool IsLinkPath(std::string_view path);

}  // namespace asyncops::callbacks

#endif  // ASYNCOPS_CALLBACKS_LINK_H_
