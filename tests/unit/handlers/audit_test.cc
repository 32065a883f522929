#include <fcntl.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/handlers/audit_line.h"
#include "apiserver/handlers/audit_log.h"
#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::HasSubstr;
using testing::Not;

struct AuditTest : testing::Test {
  // The line of the last request.
  Json Last() { return api.AuditLines().back(); }
  ApiHarness api;
};

TEST_F(AuditTest, SaysWhoAskedForWhatAndWhatCameOfIt) {
  api.Get(At(kResources, "v") + "/status", {{"Audit-ID", "mine-1"}});
  EXPECT_EQ(EncodeJson(Last()),
            R"({"annotations":{"authorization.k8s.io/decision":"allow",)"
            R"("authorization.k8s.io/reason":""},"auditID":"mine-1","code":404,)"
            R"("groups":["system:authenticated"],"latency":"0s","objectRef":{)"
            R"("apiGroup":"asyncops.dev","apiVersion":"v1alpha1","name":"v",)"
            R"("namespace":"team-a","resource":"asyncresources","subresource":"status"},)"
            R"("requestReceivedTimestamp":"2026-01-01T00:00:00.000000Z",)"
            R"("sourceIPs":["127.0.0.1"],"stage":"ResponseComplete","user":"tester",)"
            R"("verb":"get"})");
}

TEST_F(AuditTest, EveryRequestHasOneLine) {
  struct Row {
    std::string_view reason;
    std::string_view method;
    std::string target;
    std::string_view verb;
    int code;
  };
  const std::vector<Row> table = {
      {"a list", "GET", std::string(kSecrets), "list", 200},
      {"a refusal by the method", "PUT", std::string(kSecrets), "update", 405},
      {"a body that is none", "POST", std::string(kSecrets), "create", 400},
      {"no resource", "GET", "/version", "get", 200},
      {"a probe", "GET", "/livez", "get", 200},
      {"a path that is none", "GET", "/nothing", "get", 404},
      {"a timeout that is none", "GET", "/version?timeout=x", "get", 400},
  };
  for (const Row& row : table) {
    const std::size_t before = api.AuditLines().size();
    api.Send(row.method, row.target);
    ASSERT_EQ(api.AuditLines().size(), before + 1) << row.reason;
    EXPECT_EQ(Last().StringAt({"verb"}), row.verb) << row.reason;
    EXPECT_EQ(Last().IntAt({"code"}, 0), row.code) << row.reason;
  }
}

TEST_F(AuditTest, WhoIsNotKnownHasNoUser) {
  api.Get(kSecrets, {{"Authorization", "Bearer wrong"}});
  EXPECT_EQ(Last().IntAt({"code"}, 0), 401);
  EXPECT_FALSE(Last().Find("user"));
  EXPECT_FALSE(Last().Find("annotations"));
  api.Get(kSecrets, {{"Authorization", "none"}});
  EXPECT_EQ(Last().StringAt({"user"}), "system:anonymous");
  EXPECT_EQ(Last().StringAt({"annotations", "authorization.k8s.io/decision"}), "forbid");
}

TEST_F(AuditTest, AWatchHasItsLineWhenItBegins) {
  const auto watch = api.Watch(std::string(kSecrets) + "?watch=true");
  EXPECT_EQ(Last().StringAt({"stage"}), "ResponseStarted");
  EXPECT_EQ(Last().StringAt({"verb"}), "watch");
  EXPECT_EQ(Last().IntAt({"code"}, 0), 200);
}

TEST_F(AuditTest, NoSecretStandsInALine) {
  api.Send("POST", kSecrets, EncodeJson(SecretObject("acme")));
  api.Get(std::string(kSecrets) + "?labelSelector=hunter2&hunter2=hunter2");
  api.Get("/version?token=hunter2");
  for (const Json& line : api.AuditLines()) {
    EXPECT_THAT(EncodeJson(line), Not(HasSubstr("hunter2")));
    EXPECT_THAT(EncodeJson(line), Not(HasSubstr("aHVudGVyMg")));
    EXPECT_THAT(EncodeJson(line), Not(HasSubstr(std::string(ApiHarness::kToken))));
  }
}

TEST(AuditLineTest, IsOneLineWhateverAClientWrites) {
  RequestInfo info;
  info.verb = "get\n{";
  info.path = "/a\"b\nc\xff";
  UserInfo user;
  user.name = "x\n";
  user.groups = {"g\"1", "g2"};
  const std::string line = AuditLine({.audit_id = "id\r\n",
                                      .stream = false,
                                      .received = Time(),
                                      .info = &info,
                                      .user = &user,
                                      .remote_address = "[::1]:443",
                                      .decision = {},
                                      .reason = {},
                                      .code = 200,
                                      .latency = std::chrono::microseconds(1500)});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Result<Json> parsed = ParseJson(line);
  ASSERT_TRUE(parsed.ok()) << line;
  EXPECT_EQ(parsed->StringAt({"user"}), "x\n");
  EXPECT_EQ(EncodeJson(*parsed->Find("sourceIPs")), R"(["::1"])");
  EXPECT_EQ(EncodeJson(*parsed->Find("groups")), R"(["g\"1","g2"])");
  EXPECT_EQ(parsed->StringAt({"latency"}), "1.5ms");
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

TEST(AuditLogTest, AppendsWholeLinesInTheirOrder) {
  const TempDir dir;
  const std::string path = dir.Write("audit.log", "before\n");
  std::string expected = "before\n";
  {
    auto log = AuditLog::Open(path);
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    for (int i = 0; i < 1000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      (*log)->Write(line);
      expected += line;
    }
  }
  EXPECT_EQ(TextOf(path), expected);
}

TEST(AuditLogTest, GoesOnInANewFileWhereTheOldOneWasMovedAway) {
  const TempDir dir;
  const std::string path = dir.File("audit.log");
  const std::string moved = dir.File("audit.log.1");
  {
    auto log = AuditLog::Open(path);
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    (*log)->Write("one\n");
    ASSERT_EQ(rename(path.c_str(), moved.c_str()), 0);
    (*log)->Reopen();
    (*log)->Write("two\n");
  }
  EXPECT_EQ(TextOf(moved) + TextOf(path), "one\ntwo\n");
  EXPECT_THAT(TextOf(path), testing::EndsWith("two\n"));
}

TEST(AuditLogTest, APathThatDoesNotOpenAnewLosesNoLine) {
  const TempDir dir;
  const std::string path = dir.File("audit.log");
  const std::string moved = dir.File("audit.log.1");
  {
    auto log = AuditLog::Open(path);
    ASSERT_TRUE(log.ok()) << log.status().ToString();
    ASSERT_EQ(rename(path.c_str(), moved.c_str()), 0);
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0) << "a directory is no file to write to";
    (*log)->Reopen();
    (*log)->Write("one\n");
  }
  EXPECT_EQ(TextOf(moved), "one\n");
  rmdir(path.c_str());
}

TEST(AuditLogTest, IsTheOwnersAlone) {
  const TempDir dir;
  const std::string path = dir.File("audit.log");
  ASSERT_TRUE(AuditLog::Open(path).ok());
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(AuditLogTest, APlaceThatCannotBeWrittenIsNamed) {
  const auto log = AuditLog::Open("/nowhere/at/all");
  ASSERT_FALSE(log.ok());
  EXPECT_EQ(log.status().reason(), Reason::kBadRequest);
  EXPECT_THAT(log.status().message(), HasSubstr("--audit-log-path /nowhere/at/all"));
}

TEST(AuditLogTest, AFullDiskCostsLinesAndHoldsUpNobody) {
  auto log = AuditLog::Open("/dev/full");
  ASSERT_TRUE(log.ok());
  const AuditLog& counted = **log;
  for (int i = 0; i < 100; ++i) (*log)->Write("line\n");
  // The writer's thread counts what it could not write.
  for (int i = 0; i < 100 && counted.dropped() < 100; ++i) {
    Mutex mutex;
    CondVar never;
    const MutexLock lock(mutex);
    never.WaitFor(mutex, std::chrono::milliseconds(50));
  }
  EXPECT_EQ(counted.dropped(), 100);
}

TEST(AuditLogTest, AReaderWhoReadsNothingCostsLinesAndHoldsUpNobody) {
  // As the server does: a reader who has gone is a failed write.
  signal(SIGPIPE, SIG_IGN);
  const TempDir dir;
  const std::string path = dir.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  {
    auto log = AuditLog::Open(path);
    ASSERT_TRUE(log.ok());
    const std::string line = std::string(1023, 'x') + "\n";
    for (int i = 0; i < 20000; ++i) (*log)->Write(line);
    EXPECT_GT((*log)->dropped(), 10000);
  }
  // The end came though nobody read.
  close(reader);
}

}  // namespace
}  // namespace asyncops::apiserver
