// kill -9 at random moments. It shows what a killed process leaves; what a power cut leaves it
// cannot.
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <signal.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "storage/sqlite_store.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/storage/store_files.h"

namespace asyncops::storage {
namespace {

constexpr int kCycles = 20;
constexpr int kThreads = 4;

Result<std::unique_ptr<Store>> Open(const std::string& path, const Clock& clock) {
  SqliteStoreOptions options;
  options.path = path;
  return OpenSqliteStore(options, clock);
}

// The child: creates, updates and deletes until it is killed, and tells each acknowledged create.
[[noreturn]] void WriteUntilKilled(const std::string& path, int cycle, int pipe) {
  const SystemClock clock;
  auto store = Open(path, clock);
  if (!store.ok()) ::_exit(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&store, cycle, t, pipe] {
      for (int i = 0; i < 1000000; ++i) {
        const std::string name =
            std::to_string(cycle) + "-" + std::to_string(t) + "-" + std::to_string(i);
        if (!CreateThing(**store, name, std::string(1000, 'x')).ok()) ::_exit(4);
        const auto created = (*store)->Get(ThingKey(name));
        if (!created.ok()) ::_exit(5);
        const std::string line = name + " " + std::to_string(created->revision) + "\n";
        if (::write(pipe, line.data(), line.size()) < 0) ::_exit(6);
        const std::string other = name + "-other";
        if (!CreateThing(**store, other).ok() || !UpdateThing(**store, other, "y").ok() ||
            !DeleteThing(**store, other).ok())
          ::_exit(7);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ::_exit(8);
}

// All that the child told, killing it after `lines` lines.
std::string RunAndKill(const std::string& path, int cycle, int lines) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    WriteUntilKilled(path, cycle, ends[1]);
  }
  ::close(ends[1]);
  std::string told;
  std::array<char, 4096> buffer{};
  int seen = 0;
  bool killed = false;
  while (true) {
    const ssize_t size = ::read(ends[0], buffer.data(), buffer.size());
    if (size <= 0) break;
    told.append(buffer.data(), static_cast<std::size_t>(size));
    for (ssize_t i = 0; i < size; ++i) seen += buffer.at(static_cast<std::size_t>(i)) == '\n';
    if (seen >= lines && !killed) {
      ::kill(child, SIGKILL);
      killed = true;
    }
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
  return told;
}

TEST(CrashTest, KilledProcessLosesNoAcknowledgedWriteAndReusesNoRevision) {
  const TempDir directory;
  const std::string path = directory.File("store.db");
  const unsigned seed = 3;
  std::mt19937 random(seed);
  const SystemClock clock;
  std::map<std::string, Revision> acknowledged;
  Revision newest = 0;
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    std::istringstream told(RunAndKill(path, cycle, 1 + static_cast<int>(random() % 60)));
    const Revision before = newest;
    std::string name;
    Revision revision = 0;
    while (told >> name >> revision) {
      EXPECT_GT(revision, before) << name << " reuses a revision, seed " << seed;
      acknowledged.emplace(name, revision);
    }
    auto store = Open(path, clock);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    for (const auto& [key, at] : acknowledged) {
      const auto record = (*store)->Get(ThingKey(key));
      ASSERT_TRUE(record.ok()) << "lost " << key << ", cycle " << cycle << ", seed " << seed;
      EXPECT_EQ(record->revision, at);
    }
    newest = (*store)->revision();
    store->reset();
    ASSERT_EQ(RunSql(path, "PRAGMA integrity_check"), "ok");
  }
  EXPECT_GE(acknowledged.size(), static_cast<std::size_t>(kCycles));
}

}  // namespace
}  // namespace asyncops::storage
