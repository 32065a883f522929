#include "apiserver/cmd/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/cmd/serve_flags.h"
#include "tests/support/temp_dir.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Arguments = std::vector<std::string>;

Result<ServeOptions> Parse(Arguments more) {
  Arguments all = {"--standalone", "--data-dir", "/data"};
  for (std::string& argument : more) all.push_back(std::move(argument));
  return ParseServeOptions(all);
}

TEST(ServeOptionsTest, HaveDefaults) {
  const auto options = Parse({});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  ServeOptions expected;
  expected.standalone = true;
  expected.data_dir = "/data";
  expected.bind_address = "127.0.0.1";
  EXPECT_EQ(*options, expected);
  EXPECT_EQ(options->bind_address, "127.0.0.1");
  EXPECT_EQ(options->secure_port, 6443);
}

TEST(ServeOptionsTest, AreReadInEachForm) {
  const auto options =
      Parse({"--secure-port=0", "--bind-address", "0.0.0.0", "--allow-outbound=127.0.0.0/8",
             "--allow-outbound", "10.0.0.0/8", "--secure-port", "7", "--log-level=debug"});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->secure_port, 7);
  EXPECT_EQ(options->bind_address, "0.0.0.0");
  EXPECT_THAT(options->allow_outbound, ElementsAre("127.0.0.0/8", "10.0.0.0/8"));
  EXPECT_EQ(options->log_level, "debug");
}

struct Row {
  std::string_view reason;
  Arguments arguments;
  std::string message;  // a part of it
};

void ExpectRefusals(const std::vector<Row>& table) {
  for (const Row& row : table) {
    const auto options = ParseServeOptions(row.arguments);
    ASSERT_FALSE(options.ok()) << row.reason;
    EXPECT_EQ(options.status().reason(), Reason::kBadRequest) << row.reason;
    EXPECT_THAT(options.status().message(), HasSubstr(row.message)) << row.reason;
    EXPECT_EQ(options.status().message().find('\n'), std::string::npos) << row.reason;
  }
}

TEST(ServeOptionsTest, OfTheTwoModesDoNotMix) {
  ExpectRefusals({
      {"no certificate", {"--data-dir=/d"}, "--standalone needs none"},
      {"two certificates",
       {"--data-dir=/d", "--self-signed", "--tls-cert-file=c", "--tls-private-key-file=k"},
       "not both --self-signed and --tls-cert-file: "},
      {"a certificate and a key",
       {"--data-dir=/d", "--self-signed", "--tls-private-key-file=k"},
       "not both --self-signed and --tls-private-key-file: "},
      {"a Secret for nothing",
       {"--data-dir=/d", "--tls-cert-file=c", "--tls-private-key-file=k",
        "--self-signed-secret=asyncops-serving"},
       "--self-signed-secret needs --self-signed"},
      {"headers that nobody vouches for",
       {"--data-dir=/d", "--self-signed", "--requestheader-username-headers=X-Remote-User"},
       "--requestheader-username-headers needs --requestheader-client-ca-file; without it"},
      {"half of who is admitted",
       {"--data-dir=/d", "--self-signed", "--client-ca-file=c"},
       "--client-ca-file needs --requestheader-client-ca-file; without it"},
      {"a front proxy that names nobody",
       {"--data-dir=/d", "--self-signed", "--requestheader-client-ca-file=c"},
       "needs --requestheader-username-headers"},
  });
}

// As it stands on a command line: with its default, where it has one.
std::string Shown(const Flag& flag) {
  const ServeOptions defaults;
  const std::string name = "--" + std::string(flag.name);
  if (flag.boolean != nullptr) return name;
  if (flag.number != nullptr) return name + "=" + std::to_string(defaults.*flag.number);
  return name + "=" + (flag.text != nullptr ? defaults.*flag.text : std::string());
}

TEST(ServeOptionsTest, OfOneModeAreRefusedInTheOtherByNameEvenWithTheirDefault) {
  int of_a_cluster = 0;
  int of_standalone = 0;
  for (const Flag& flag : ServeFlags()) {
    const std::string name = "--" + std::string(flag.name);
    if (flag.mode == Mode::kCluster) {
      ++of_a_cluster;
      ExpectRefusals({{flag.name,
                       {"--standalone", "--data-dir=/d", Shown(flag)},
                       name + " is for a server behind a kube-apiserver, not for --standalone"}});
    } else if (flag.mode == Mode::kStandalone) {
      ++of_standalone;
      ExpectRefusals({{flag.name,
                       {"--data-dir=/d", "--self-signed", Shown(flag)},
                       name + " is for --standalone alone"}});
    }
  }
  EXPECT_EQ(of_a_cluster, 12);
  EXPECT_EQ(of_standalone, 2);
}

TEST(ServeOptionsTest, OfOneModeAreRefusedInTheFileOfTheOther) {
  const TempDir dir;
  const std::string file = dir.Write("config.yaml", "event-ttl: 1h\n");
  ExpectRefusals({{"a default in a file",
                   {"--data-dir=/d", "--self-signed", "--config", file},
                   "--event-ttl is for --standalone alone"}});
}

TEST(ServeOptionsTest, AreRefusedInOneSentence) {
  ExpectRefusals({
      {"a slip of the pen",
       {"--standalon"},
       "unknown flag --standalon; did you mean --standalone?"},
      {"an unknown flag",
       {"--frobnicate"},
       "unknown flag --frobnicate (asyncops serve --help lists them)"},
      {"no flag", {"serve"}, "unexpected argument \"serve\"; flags start with --"},
      {"no value", {"--data-dir"}, "--data-dir needs a value"},
      {"a switch with a value that is none",
       {"--standalone=maybe"},
       "--standalone is true or false, not \"maybe\""},
      {"a number that is none", {"--secure-port=https"}, "--secure-port is a number"},
      {"a number with a tail", {"--secure-port=80x"}, "--secure-port is a number"},
      {"a port too high",
       {"--standalone", "--data-dir=/d", "--secure-port=65536"},
       "--secure-port is a port from 0 to 65535"},
      {"an address that is cut short",
       {"--standalone", "--data-dir=/d", "--bind-address", "1.2.3"},
       "--bind-address is an IP address such as 127.0.0.1 or ::, not \"1.2.3\""},
      {"a name is no address",
       {"--standalone", "--data-dir=/d", "--bind-address=localhost"},
       "--bind-address is an IP address"},
      {"a range is no address",
       {"--standalone", "--data-dir=/d", "--bind-address=10.0.0.0/8"},
       "--bind-address is an IP address"},
      {"a time that is none",
       {"--standalone", "--data-dir=/d", "--event-ttl=soon"},
       "--event-ttl is a duration such as 1h or 90m, not \"soon\""},
      {"a time before the present",
       {"--standalone", "--data-dir=/d", "--event-ttl=-1h"},
       "--event-ttl is a duration"},
      {"no time to wait",
       {"--standalone", "--data-dir=/d", "--shutdown-delay-duration=soon"},
       "--shutdown-delay-duration is a duration such as 10s, not \"soon\""},
      {"less than no time to wait",
       {"--standalone", "--data-dir=/d", "--shutdown-delay-duration=-1s"},
       "--shutdown-delay-duration is a duration"},
      {"no queues", {"--standalone", "--data-dir=/d", "--shards=0"}, "--shards is a number"},
      {"no directory", {"--standalone"}, "serve needs --data-dir DIR"},
      {"half a certificate",
       {"--standalone", "--data-dir=/d", "--tls-cert-file=c"},
       "--tls-cert-file and --tls-private-key-file go together"},
      {"an unknown level",
       {"--standalone", "--data-dir=/d", "--log-level=loud"},
       "--log-level is debug, info, warning or error"},
      {"no range",
       {"--standalone", "--data-dir=/d", "--allow-outbound=here"},
       "--allow-outbound here: "},
      {"no file",
       {"--config", "/nowhere/at/all"},
       "the --config file /nowhere/at/all cannot be read: No such file"},
  });
}

TEST(ServeOptionsTest, OfAClusterHaveDefaultsOfTheirOwn) {
  const auto options = ParseServeOptions({"--data-dir=/d", "--self-signed"});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_FALSE(options->standalone);
  EXPECT_EQ(options->bind_address, "0.0.0.0");
  EXPECT_EQ(options->service_name, "asyncops");
  EXPECT_EQ(options->kubeconfig, "");
}

TEST(ServeOptionsTest, OfAClusterNameTheFrontProxy) {
  const auto options = ParseServeOptions(
      {"--data-dir=/d", "--tls-cert-file=c", "--tls-private-key-file=k",
       "--requestheader-client-ca-file=ca", "--requestheader-username-headers=X-Remote-User",
       "--requestheader-allowed-names=front", "--requestheader-allowed-names=other"});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_THAT(options->requestheader_allowed_names, ElementsAre("front", "other"));
}

TEST(ServeOptionsTest, TheHelpSaysWhichFlagIsForWhat) {
  const std::string help = ServeHelp();
  EXPECT_THAT(help, HasSubstr("--kubeconfig FILE   (cluster)\n"));
  EXPECT_THAT(help, HasSubstr("--token-auth-file FILE   (standalone)\n"));
  EXPECT_THAT(help, HasSubstr("--data-dir DIR\n"));
}

TEST(ServeOptionsTest, TakeAddressesOfBothFamilies) {
  for (const char* address : {"0.0.0.0", "127.0.0.1", "::", "::1", "fd00::1"})
    EXPECT_TRUE(Parse({"--bind-address", address}).ok()) << address;
}

TEST(ServeOptionsTest, TheAuditLogIsOffUnlessItHasAPlace) {
  EXPECT_EQ(Parse({})->audit_log_path, "");
  EXPECT_EQ(Parse({"--audit-log-path", "-"})->audit_log_path, "-");
  EXPECT_EQ(Parse({"--audit-log-path=/var/log/audit"})->audit_log_path, "/var/log/audit");
}

TEST(ServeOptionsTest, ComeFromAFileAndFlagsWin) {
  const TempDir dir;
  const std::string file = dir.Write("config.yaml",
                                     "standalone: true\n"
                                     "data-dir: /from-file\n"
                                     "secure-port: 7443\n"
                                     "allow-outbound: [127.0.0.0/8, 10.0.0.0/8]\n");
  const auto options = ParseServeOptions({"--secure-port=1", "--config", file});
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_TRUE(options->standalone);
  EXPECT_EQ(options->data_dir, "/from-file");
  EXPECT_EQ(options->secure_port, 1);
  EXPECT_THAT(options->allow_outbound, ElementsAre("127.0.0.0/8", "10.0.0.0/8"));
}

TEST(ServeOptionsTest, AFileThatIsWrongIsNamed) {
  const TempDir dir;
  struct FileRow {
    std::string_view reason;
    std::string_view text;
    std::string_view message;
  };
  const std::vector<FileRow> table = {
      {"a slip of the pen", "secure-prot: 1\n",
       ": unknown key secure-prot; did you mean secure-port? (asyncops serve --help lists them)"},
      {"an unknown key", "frobnicate: 1\n", ": unknown key frobnicate (asyncops serve"},
      {"a flag in a file", "--secure-port: 1\n", ": unknown key --secure-port; did you mean"},
      {"a value of a wrong type", "secure-port: [1, 2]\n", "secure-port does not take a value"},
      {"a list of options", "- a\n", "expected one YAML document of options"},
      {"broken", "{", ""},
      {"a file in a file", "config: other.yaml\n", "config is a flag alone, not a key of a file"},
      {"help in a file", "help: true\n", "help is a flag alone"},
  };
  for (const FileRow& row : table) {
    const std::string file = dir.Write("config.yaml", row.text);
    const auto options = ParseServeOptions({"--config=" + file});
    ASSERT_FALSE(options.ok()) << row.reason;
    EXPECT_THAT(options.status().message(), HasSubstr(file)) << row.reason;
    EXPECT_THAT(options.status().message(), HasSubstr(std::string(row.message))) << row.reason;
  }
}

TEST(ServeOptionsTest, HelpNamesEachFlagAndNeedsNothingElse) {
  const auto options = ParseServeOptions({"--help"});
  ASSERT_TRUE(options.ok());
  EXPECT_TRUE(options->help);
  for (const char* flag :
       {"--standalone", "--data-dir DIR", "--secure-port PORT", "--config FILE", "--shards N"})
    EXPECT_THAT(ServeHelp(), HasSubstr(flag));
}

}  // namespace
}  // namespace asyncops
