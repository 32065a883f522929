#include "apiserver/tls/file_watcher.h"

#include <filesystem>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/tls/ca.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace asyncops::tls {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// What is logged while it lives.
class LogText {
 public:
  LogText() { testing::internal::CaptureStderr(); }
  std::string Take() {
    std::string text = testing::internal::GetCapturedStderr();
    testing::internal::CaptureStderr();
    return text;
  }
  ~LogText() { testing::internal::GetCapturedStderr(); }
};

class FileWatcherTest : public testing::Test {
 protected:
  FileWatcherTest() { WritePair(first_); }

  KeyPair Issue() { return IssueServingCertificate(ca_, {"localhost"}, clock_.Now()).value(); }
  void WritePair(const KeyPair& pair) {
    directory_.Write("tls.crt", pair.certificate_pem);
    directory_.Write("tls.key", pair.key_pem);
  }
  FileWatcher WatchPair() { return FileWatcher({WatchServingFiles(files_, current_)}); }

  FakeClock clock_;
  TempDir directory_;
  ServingFiles files_{directory_.File("tls.crt"), directory_.File("tls.key")};
  KeyPair ca_ = MakeCertificateAuthority("test-ca", clock_.Now()).value();
  KeyPair first_ = Issue();
  std::vector<KeyPair> presented_;
  CurrentCertificate current_{first_,
                              [this](const KeyPair& pair) {
                                presented_.push_back(pair);
                                return Status::Ok();
                              },
                              clock_};
};

TEST_F(FileWatcherTest, ARenewedPairIsPresented) {
  FileWatcher watcher = WatchPair();
  watcher.Look();
  EXPECT_THAT(presented_, IsEmpty());
  const KeyPair next = Issue();
  WritePair(next);
  watcher.Look();
  watcher.Look();
  EXPECT_THAT(presented_, ElementsAre(next));
}

TEST_F(FileWatcherTest, AMountedSecretThatIsSwappedIsPresented) {
  // As kubelet does it: files are links into ..data, which is a link to a folder of one version.
  namespace fs = std::filesystem;
  const fs::path mount = directory_.path() + "/mount";
  const auto make_version = [&mount](const char* name, const KeyPair& pair) {
    fs::create_directories(mount / name);
    const TempDir scratch;
    fs::copy_file(scratch.Write("c", pair.certificate_pem), mount / name / "tls.crt");
    fs::copy_file(scratch.Write("k", pair.key_pem), mount / name / "tls.key");
    fs::create_directory_symlink(name, mount / "..data_tmp");
    fs::rename(mount / "..data_tmp", mount / "..data");
  };
  make_version("..1", first_);
  fs::create_symlink("..data/tls.crt", mount / "tls.crt");
  fs::create_symlink("..data/tls.key", mount / "tls.key");
  FileWatcher watcher({WatchServingFiles({mount / "tls.crt", mount / "tls.key"}, current_)});
  watcher.Look();
  const KeyPair next = Issue();
  make_version("..2", next);
  watcher.Look();
  EXPECT_THAT(presented_, ElementsAre(next));
}

TEST_F(FileWatcherTest, AHalfWrittenPairKeepsTheLastAndIsNotEvenLogged) {
  LogText log;
  FileWatcher watcher = WatchPair();
  watcher.Look();
  const KeyPair next = Issue();
  directory_.Write("tls.crt", next.certificate_pem);
  watcher.Look();
  EXPECT_THAT(presented_, IsEmpty());
  EXPECT_THAT(log.Take(), Not(HasSubstr("error")));
  directory_.Write("tls.key", next.key_pem);
  watcher.Look();
  EXPECT_THAT(presented_, ElementsAre(next));
  EXPECT_THAT(log.Take(), Not(HasSubstr("error")));
}

TEST_F(FileWatcherTest, ABrokenFileKeepsTheLastAndIsNamedOnce) {
  FileWatcher watcher = WatchPair();
  watcher.Look();
  struct Row {
    const char* reason;
    const char* file;
    std::string text;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"cut off", "tls.crt", first_.certificate_pem.substr(0, 200), "no PEM certificate"},
      {"empty", "tls.key", "", "no unencrypted PEM private key"},
      {"another's", "tls.key", Issue().key_pem, "does not belong"},
  };
  for (const Row& row : rows) {
    LogText log;
    WritePair(first_);
    watcher.Look();
    directory_.Write(row.file, row.text);
    watcher.Look();
    EXPECT_EQ(log.Take(), "") << row.reason;
    watcher.Look();
    EXPECT_THAT(log.Take(), AllOf(HasSubstr("\"level\":\"error\""), HasSubstr(row.message),
                                  HasSubstr(directory_.path()), Not(HasSubstr("BEGIN"))))
        << row.reason;
    watcher.Look();
    EXPECT_EQ(log.Take(), "") << row.reason;
    EXPECT_THAT(presented_, IsEmpty()) << row.reason;
  }
}

TEST_F(FileWatcherTest, AFileThatIsGoneKeepsTheLastUntilItIsBack) {
  LogText log;
  FileWatcher watcher = WatchPair();
  watcher.Look();
  std::filesystem::remove(files_.key_path);
  watcher.Look();
  watcher.Look();
  EXPECT_THAT(log.Take(), HasSubstr("tls.key cannot be read: No such file"));
  const KeyPair next = Issue();
  WritePair(next);
  watcher.Look();
  EXPECT_THAT(presented_, ElementsAre(next));
}

TEST_F(FileWatcherTest, WhatIsNotYetValidIsTakenWhenItIs) {
  LogText log;
  FileWatcher watcher = WatchPair();
  const KeyPair later =
      IssueServingCertificate(ca_, {"localhost"}, clock_.Now() + kBackdate * 2).value();
  WritePair(later);
  watcher.Look();
  watcher.Look();
  EXPECT_THAT(log.Take(), HasSubstr("not valid before"));
  EXPECT_THAT(presented_, IsEmpty());
  clock_.Advance(kBackdate);
  watcher.Look();
  EXPECT_THAT(presented_, ElementsAre(later));
}

TEST_F(FileWatcherTest, ACaBundleIsHandedOnWheneverItChanges) {
  LogText log;
  std::vector<std::string> used;
  Status answer;
  FileWatcher watcher({WatchCaBundle(directory_.Write("ca.crt", ca_.certificate_pem),
                                     [&used, &answer](const std::string& pem) {
                                       used.push_back(pem);
                                       return answer;
                                     })});
  watcher.Look();
  const std::string both =
      ca_.certificate_pem + MakeCertificateAuthority("next", clock_.Now()).value().certificate_pem;
  directory_.Write("ca.crt", both);
  watcher.Look();
  watcher.Look();
  EXPECT_THAT(used, ElementsAre(ca_.certificate_pem, both));

  directory_.Write("ca.crt", both + "-----BEGIN CERTIFICATE-----\nAAAA\n");
  watcher.Look();
  watcher.Look();
  EXPECT_EQ(used.size(), 2u);
  EXPECT_THAT(log.Take(), HasSubstr("ca.crt"));

  // What the user of the bundle refuses is offered again.
  answer = BadRequest("not this one");
  directory_.Write("ca.crt", ca_.certificate_pem);
  watcher.Look();
  watcher.Look();
  EXPECT_THAT(log.Take(), HasSubstr("not this one"));
  answer = Status::Ok();
  watcher.Look();
  EXPECT_EQ(used.size(), 5u);
}

TEST_F(FileWatcherTest, OneBrokenFileDoesNotHoldUpAnother) {
  const LogText log;
  std::vector<std::string> used;
  FileWatcher watcher({WatchServingFiles({directory_.File("none"), files_.key_path}, current_),
                       WatchCaBundle(directory_.Write("ca.crt", ca_.certificate_pem),
                                     [&used](const std::string& pem) {
                                       used.push_back(pem);
                                       return Status::Ok();
                                     })});
  watcher.Look();
  EXPECT_THAT(used, ElementsAre(ca_.certificate_pem));
}

TEST_F(FileWatcherTest, ItLooksByItselfUntilItIsDestroyed) {
  std::promise<void> looked;
  int calls = 0;
  auto watcher = StartFileWatcher({WatchCaBundle(directory_.Write("ca.crt", ca_.certificate_pem),
                                                 [&looked, &calls](const std::string&) {
                                                   if (++calls == 1) looked.set_value();
                                                   return Status::Ok();
                                                 })});
  looked.get_future().get();
  watcher.reset();
  EXPECT_EQ(calls, 1);
}

TEST(PeriodicTest, CallsAgainAfterThePauseAndNeverAfterItsEnd) {
  std::promise<void> thrice;
  int calls = 0;
  auto periodic = std::make_unique<Periodic>([&thrice, &calls] {
    if (++calls == 3) thrice.set_value();
    return calls < 3 ? std::chrono::milliseconds(1) : std::chrono::milliseconds(3600000);
  });
  thrice.get_future().get();
  periodic.reset();
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace asyncops::tls
