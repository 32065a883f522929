// What is shown to kube-apiserver, and whom of it is believed: kept as the files have it.
#ifndef ASYNCOPS_KUBE_CREDENTIAL_FILES_H_
#define ASYNCOPS_KUBE_CREDENTIAL_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "kube/cluster_config.h"
#include "kube/http_transport.h"

namespace asyncops::kube {

struct Credentials {
  std::shared_ptr<const TlsSettings> tls;  // shared by the requests that were made with it
  std::string token;                       // "" for none; never logged
};

// Safe for use from several threads.
class CredentialFiles {
 public:
  // BadRequest where one is missing, unreadable, no PEM or no token. `clock` outlives it.
  static Result<std::unique_ptr<CredentialFiles>> Open(const ClusterConfig& config,
                                                       const Clock& clock);

  // The last good ones. Looks at most once a second whether a file is another one, or changed; a
  // link that leads elsewhere counts. What cannot be used is logged once and looked at again.
  Credentials Current() ASYNCOPS_EXCLUDES(mutex_);
  // What is shown, and where it is kept: "the token /path", for messages.
  std::string Shown() const;
  // They were refused: the next call reads the files whatever they look like.
  void Distrust() ASYNCOPS_EXCLUDES(mutex_);

 private:
  // What tells one content of a file from another without reading it.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t modified_ns = 0;
    std::int64_t size = 0;

    bool operator==(const Stamp&) const = default;
  };

  CredentialFiles(const ClusterConfig& config, const Clock& clock);
  std::vector<Stamp> Look() const;
  Result<Credentials> Read() const;

  const ClusterConfig::Source ca_;
  const ClusterConfig::Source certificate_;
  const ClusterConfig::Source key_;
  const ClusterConfig::Source token_;
  const Clock& clock_;

  Mutex mutex_;
  Credentials current_ ASYNCOPS_GUARDED_BY(mutex_);
  std::vector<Stamp> stamps_ ASYNCOPS_GUARDED_BY(mutex_);  // of what was read last
  SteadyTime next_look_ ASYNCOPS_GUARDED_BY(mutex_){};
  bool looking_ ASYNCOPS_GUARDED_BY(mutex_) = false;  // a thread does, without the lock
  std::string last_error_ ASYNCOPS_GUARDED_BY(mutex_);
};

}  // namespace asyncops::kube

#endif  // ASYNCOPS_KUBE_CREDENTIAL_FILES_H_
