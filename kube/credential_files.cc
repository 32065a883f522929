#include "kube/credential_files.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include "base/log.h"
#include "base/read_file.h"
#include "kube/tls_session.h"

namespace asyncops::kube {
namespace {

using Source = ClusterConfig::Source;

constexpr std::chrono::seconds kLookEvery{1};

Result<std::string> BytesOf(const Source& source, std::string_view what) {
  if (source.path.empty()) return source.bytes;
  return ReadFile(source.path, what);
}

// "the token" for bytes of the config, "the token /path" for a file.
std::string NameOf(const Source& source, std::string_view what) {
  return source.path.empty() ? std::string(what) : std::string(what) + " " + source.path;
}

Result<std::string> TokenOf(const Source& source) {
  Result<std::string> bytes = BytesOf(source, "the token");
  if (!bytes.ok() || source.empty()) return bytes;
  std::string token = *std::move(bytes);
  // Editors and `echo` end a file with a new line.
  while (!token.empty() && std::string_view(" \t\r\n").find(token.back()) != std::string_view::npos)
    token.pop_back();
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f;
  });
  if (token.empty() || !plain) return BadRequest(NameOf(source, "the token") + " holds no token");
  return token;
}

}  // namespace

CredentialFiles::CredentialFiles(const ClusterConfig& config, const Clock& clock)
    : ca_(config.ca),
      certificate_(config.client_certificate),
      key_(config.client_key),
      token_(config.token),
      clock_(clock) {}

Result<std::unique_ptr<CredentialFiles>> CredentialFiles::Open(const ClusterConfig& config,
                                                               const Clock& clock) {
  std::unique_ptr<CredentialFiles> files(new CredentialFiles(config, clock));
  std::vector<Stamp> stamps = files->Look();
  Result<Credentials> read = files->Read();
  if (!read.ok()) return read.status();
  const MutexLock lock(files->mutex_);
  files->current_ = *std::move(read);
  files->stamps_ = std::move(stamps);
  files->next_look_ = clock.SteadyNow() + kLookEvery;
  return files;
}

std::vector<CredentialFiles::Stamp> CredentialFiles::Look() const {
  std::vector<Stamp> stamps;
  for (const Source* source : {&ca_, &certificate_, &key_, &token_}) {
    Stamp stamp;
    struct stat found {};
    // Follows links: a projected volume swaps a link to a folder.
    if (!source->path.empty() && stat(source->path.c_str(), &found) == 0) {
      constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
      stamp = {found.st_dev, found.st_ino,
               found.st_mtim.tv_sec * kNanosecondsPerSecond + found.st_mtim.tv_nsec, found.st_size};
    }
    stamps.push_back(stamp);
  }
  return stamps;
}

Result<Credentials> CredentialFiles::Read() const {
  Result<std::string> ca = BytesOf(ca_, "the CA bundle");
  if (!ca.ok()) return ca.status();
  if (ca->empty() && !ca_.empty()) return BadRequest(NameOf(ca_, "the CA bundle") + " is empty");
  Result<std::string> certificate = BytesOf(certificate_, "the client certificate");
  if (!certificate.ok()) return certificate.status();
  Result<std::string> key = BytesOf(key_, "the client key");
  if (!key.ok()) return key.status();
  if (certificate->empty() != key->empty())
    return BadRequest("a client certificate and its key are used together or not at all");
  Result<std::string> token = TokenOf(token_);
  if (!token.ok()) return token.status();
  auto tls = std::make_shared<TlsSettings>();
  tls->ca_pem = *std::move(ca);
  tls->client_certificate_pem = *std::move(certificate);
  tls->client_key_pem = *std::move(key);
  const Result<std::shared_ptr<const TlsContext>> usable = TlsContext::Make(*tls);
  if (!usable.ok()) return BadRequest(usable.status().message());
  return Credentials{std::move(tls), *std::move(token)};
}

Credentials CredentialFiles::Current() {
  std::vector<Stamp> known;
  {
    const MutexLock lock(mutex_);
    const SteadyTime now = clock_.SteadyNow();
    if (looking_ || now < next_look_) return current_;
    looking_ = true;
    next_look_ = now + kLookEvery;
    known = stamps_;
  }
  std::vector<Stamp> stamps = Look();
  std::optional<Result<Credentials>> read;
  if (stamps != known) read = Read();
  const MutexLock lock(mutex_);
  looking_ = false;
  if (read && read->ok()) {
    current_ = **std::move(read);
    stamps_ = std::move(stamps);
    last_error_.clear();
  } else if (read && last_error_ != read->status().message()) {
    last_error_ = read->status().message();
    Log(LogLevel::kWarning, "credentials of kube-apiserver cannot be read again",
        {{"error", last_error_}});
  }
  return current_;
}

std::string CredentialFiles::Shown() const {
  if (!certificate_.empty()) return NameOf(certificate_, "the client certificate");
  return token_.empty() ? "a caller without credentials" : NameOf(token_, "the token");
}

void CredentialFiles::Distrust() {
  const MutexLock lock(mutex_);
  next_look_ = SteadyTime();
  stamps_.clear();
}

}  // namespace asyncops::kube
