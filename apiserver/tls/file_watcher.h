// Certificates and CAs in files that change under the running server: mounted Secrets above all.
#ifndef ASYNCOPS_APISERVER_TLS_FILE_WATCHER_H_
#define ASYNCOPS_APISERVER_TLS_FILE_WATCHER_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/tls/current_certificate.h"
#include "apiserver/tls/periodic.h"
#include "apiserver/tls/serving_files.h"
#include "base/status.h"

namespace asyncops::tls {

inline constexpr std::chrono::seconds kFileLook{1};

// Files that mean something together.
struct WatchedFiles {
  // How they are read and taken: OK where they are in use now. A failure leaves what was taken last
  // in use, and names the file.
  std::function<Status()> take;
  std::vector<std::string> paths;
};

// Reads by path at each look, so that a link that points elsewhere is as good as a file that was
// written; calls `take` where bytes changed, and again each time until it succeeds. A failure is
// logged once it was seen twice in a row (files are not written in one moment), and again only
// when it becomes another.
class FileWatcher {
 public:
  explicit FileWatcher(std::vector<WatchedFiles> watched);

  // One look at all of them, on this thread; one thread at a time.
  void Look();

 private:
  struct Entry {
    WatchedFiles files;
    std::string taken;    // the bytes of the last success
    std::string failure;  // of the last look; "" where it succeeded
    bool logged = false;
  };

  static void Look(Entry* entry);

  std::vector<Entry> entries_;
};

// The serving certificate: both files, once they belong together and are valid now.
WatchedFiles WatchServingFiles(const ServingFiles& files, CurrentCertificate& current);

// A CA bundle (--client-ca-file), once it holds certificates; `use` gets its PEM.
WatchedFiles WatchCaBundle(const std::string& path,
                           std::function<Status(const std::string& pem)> use);

// Looks each kFileLook until it is destroyed.
std::unique_ptr<Periodic> StartFileWatcher(std::vector<WatchedFiles> watched);

}  // namespace asyncops::tls

#endif  // ASYNCOPS_APISERVER_TLS_FILE_WATCHER_H_
