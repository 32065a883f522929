#include "apiserver/tls/file_watcher.h"

#include <optional>
#include <utility>

#include "apiserver/tls/private_file.h"
#include "base/log.h"

namespace asyncops::tls {
namespace {

// The bytes of all of them, each behind its length; a file that does not read counts as itself, so
// that `take` is asked and can name it.
std::string ReadAll(const std::vector<std::string>& paths) {
  std::string all;
  for (const std::string& path : paths) {
    const Result<std::optional<std::string>> bytes = ReadFileIfExists(path);
    const std::string text = !bytes.ok()                 ? bytes.status().message()
                             : bytes.value().has_value() ? **bytes
                                                         : std::string();
    all += std::to_string(text.size()) + ":" + text;
  }
  return all;
}

}  // namespace

FileWatcher::FileWatcher(std::vector<WatchedFiles> watched) {
  for (WatchedFiles& files : watched)
    entries_.push_back({.files = std::move(files), .taken = {}, .failure = {}});
}

void FileWatcher::Look() {
  for (Entry& entry : entries_) Look(&entry);
}

void FileWatcher::Look(Entry* entry) {
  std::string bytes = ReadAll(entry->files.paths);
  if (bytes == entry->taken) {
    // A change that was taken back.
    entry->failure.clear();
    entry->logged = false;
    return;
  }
  const Status status = entry->files.take();
  if (status.ok()) {
    entry->taken = std::move(bytes);
    entry->failure.clear();
    entry->logged = false;
    return;
  }
  if (entry->failure != status.message()) {
    entry->failure = status.message();
    entry->logged = false;
  } else if (!entry->logged) {
    Log(LogLevel::kError, "a file is not taken, and what was read before stays in use",
        {{"error", entry->failure}});
    entry->logged = true;
  }
}

WatchedFiles WatchServingFiles(const ServingFiles& files, CurrentCertificate& current) {
  return {.take =
              [files, &current] {
                const Result<KeyPair> pair = LoadServingFiles(files);
                if (!pair.ok()) return pair.status();
                return current.Replace(*pair).WithContext(files.certificate_path);
              },
          .paths = {files.certificate_path, files.key_path}};
}

WatchedFiles WatchCaBundle(const std::string& path,
                           std::function<Status(const std::string& pem)> use) {
  return {.take =
              [path, use = std::move(use)] {
                const Result<std::string> bundle = LoadCaBundle(path);
                if (!bundle.ok()) return bundle.status();
                return use(*bundle).WithContext(path);
              },
          .paths = {path}};
}

std::unique_ptr<Periodic> StartFileWatcher(std::vector<WatchedFiles> watched) {
  auto watcher = std::make_shared<FileWatcher>(std::move(watched));
  // Shared only because std::function copies what it holds.
  return std::make_unique<Periodic>([watcher = std::move(watcher)] {
    watcher->Look();
    return std::chrono::milliseconds(kFileLook);
  });
}

}  // namespace asyncops::tls
