#include "apiserver/cmd/callback_key.h"

#include <optional>

#include "apiserver/tls/private_file.h"
#include "base/ascii.h"
#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr int kPrivate = 0600;

}  // namespace

Result<std::string> LoadCallbackKey(const std::string& data_dir) {
  const std::string path = data_dir + "/callback.key";
  Result<std::optional<std::string>> stored = tls::ReadFileIfExists(path);
  if (!stored.ok()) return stored.status();
  if (*stored) {
    std::string text = **stored;
    if (!text.empty() && text.back() == '\n') text.pop_back();
    std::optional<std::string> key = Base64UrlDecode(text);
    if (key && key->size() == kKeyBytes) return *std::move(key);
    return BadRequest(path + " is no key of ours: restore it, or remove it to make a new one");
  }
  std::string key = RandomBytes(kKeyBytes);
  ASYNCOPS_RETURN_IF_ERROR(tls::WriteFileAtomically(path, Base64UrlEncode(key) + "\n", kPrivate));
  return key;
}

}  // namespace asyncops
