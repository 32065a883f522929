#include "apiserver/tls/standalone_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/tls/ca.h"
#include "apiserver/tls/private_file.h"
#include "base/encoding.h"
#include "base/yaml.h"

namespace asyncops::tls {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

class SettableClock final : public Clock {
 public:
  Time Now() const override { return now; }
  SteadyTime SteadyNow() const override { return SteadyTime(); }

  Time now{std::chrono::seconds(1796057273)};
};

class StandaloneIdentityTest : public testing::Test {
 protected:
  StandaloneIdentityTest() {
    std::string pattern = testing::TempDir() + "asyncops-identity-XXXXXX";
    options_ = {.data_dir = std::string(mkdtemp(pattern.data())) + "/data",
                .server_url = "https://127.0.0.1:8443",
                .names = {"localhost", "127.0.0.1", "0:0::1"}};
  }

  StandaloneIdentity Load() {
    auto identity = LoadStandaloneIdentity(options_, clock_);
    EXPECT_TRUE(identity.ok()) << identity.status().ToString();
    return *std::move(identity);
  }
  std::string Path(const std::string& name) const { return options_.data_dir + "/" + name; }
  std::string Read(const std::string& name) const {
    return ReadFileIfExists(Path(name)).value().value_or("(missing)");
  }
  void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(Path(name), text, 0600).ok());
  }
  std::string FailureWith(const std::string& name, const std::string& text) {
    const std::string whole = Read(name);
    Write(name, text);
    const auto identity = LoadStandaloneIdentity(options_, clock_);
    Write(name, whole);
    return identity.ok() ? "(no failure)" : identity.status().message();
  }

  SettableClock clock_;
  StandaloneOptions options_;
};

TEST_F(StandaloneIdentityTest, FirstStartMakesAllAndLaterStartsKeepIt) {
  const StandaloneIdentity first = Load();
  const std::string kubeconfig = Read("kubeconfig");
  const StandaloneIdentity second = Load();
  EXPECT_EQ(second.ca_certificate_pem, first.ca_certificate_pem);
  EXPECT_EQ(second.serving, first.serving);
  EXPECT_EQ(Read("kubeconfig"), kubeconfig);
  EXPECT_THAT(ReadCertificate(first.serving.certificate_pem)->names,
              UnorderedElementsAre("localhost", "127.0.0.1", "::1"));
}

TEST_F(StandaloneIdentityTest, KeysAreReadableByTheOwnerAlone) {
  Load();
  for (const char* name : {"pki/ca.key", "pki/serving.pem", "pki/admin.pem", "kubeconfig"}) {
    struct stat info {};
    ASSERT_EQ(stat(Path(name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777, 0600u) << name;
  }
}

TEST_F(StandaloneIdentityTest, KubeconfigSpeaksForTheAdministrator) {
  const StandaloneIdentity identity = Load();
  const auto documents = ParseYaml(Read("kubeconfig"));
  ASSERT_TRUE(documents.ok());
  ASSERT_EQ(documents->size(), 1u);
  const Json& config = documents->front();
  EXPECT_EQ(config.StringAt({"apiVersion"}), "v1");
  EXPECT_EQ(config.StringAt({"kind"}), "Config");
  EXPECT_EQ(config.StringAt({"current-context"}), "asyncops");
  const Json& context = config.Find("contexts")->as_array().front();
  EXPECT_EQ(context.StringAt({"name"}), "asyncops");
  EXPECT_EQ(context.StringAt({"context", "namespace"}), "default");
  const Json& cluster = config.Find("clusters")->as_array().front();
  EXPECT_EQ(cluster.StringAt({"name"}), context.StringAt({"context", "cluster"}));
  EXPECT_EQ(cluster.StringAt({"cluster", "server"}), "https://127.0.0.1:8443");
  EXPECT_EQ(Base64Decode(cluster.StringAt({"cluster", "certificate-authority-data"})),
            identity.ca_certificate_pem);
  const Json& user = config.Find("users")->as_array().front();
  EXPECT_EQ(user.StringAt({"name"}), context.StringAt({"context", "user"}));
  const KeyPair client{*Base64Decode(user.StringAt({"user", "client-certificate-data"})),
                       *Base64Decode(user.StringAt({"user", "client-key-data"}))};
  EXPECT_TRUE(CheckKeyPair(client).ok());
  EXPECT_TRUE(IsSignedBy(client, {identity.ca_certificate_pem, ""}));
  const auto info = ReadCertificate(client.certificate_pem);
  EXPECT_EQ(info->common_names, std::vector<std::string>{"asyncops-admin"});
  EXPECT_EQ(info->organizations, std::vector<std::string>{"system:masters"});
}

TEST_F(StandaloneIdentityTest, ServingCertificateFollowsTheNames) {
  const StandaloneIdentity first = Load();
  options_.names = {"127.0.0.1", "localhost", "::1", "LOCALHOST"};
  EXPECT_EQ(Load().serving, first.serving) << "the same names, in another order and spelling";
  options_.names.push_back("asyncops.example");
  const StandaloneIdentity second = Load();
  EXPECT_NE(second.serving, first.serving);
  EXPECT_EQ(second.ca_certificate_pem, first.ca_certificate_pem);
}

TEST_F(StandaloneIdentityTest, CertificatesNearTheirEndAreRenewed) {
  const StandaloneIdentity first = Load();
  const std::string admin = Read("pki/admin.pem");
  clock_.now += kLeafLifetime - kRenewBefore - std::chrono::hours(1);
  EXPECT_EQ(Load().serving, first.serving);
  clock_.now += std::chrono::hours(2);
  EXPECT_NE(Load().serving, first.serving);
  EXPECT_NE(Read("pki/admin.pem"), admin);
  EXPECT_EQ(Load().ca_certificate_pem, first.ca_certificate_pem);
}

TEST_F(StandaloneIdentityTest, KubeconfigIsWrittenAnewWhereItReadsOtherwise) {
  Load();
  const std::string kubeconfig = Read("kubeconfig");
  Write("kubeconfig", kubeconfig.substr(0, 100));
  Load();
  EXPECT_EQ(Read("kubeconfig"), kubeconfig);
  options_.server_url = "https://127.0.0.1:9443";
  Load();
  EXPECT_THAT(Read("kubeconfig"), HasSubstr("https://127.0.0.1:9443"));
}

TEST_F(StandaloneIdentityTest, NewCaReissuesWhatTheOldOneSigned) {
  const StandaloneIdentity first = Load();
  ASSERT_EQ(unlink(Path("pki/ca.crt").c_str()), 0);
  ASSERT_EQ(unlink(Path("pki/ca.key").c_str()), 0);
  const StandaloneIdentity second = Load();
  EXPECT_NE(second.ca_certificate_pem, first.ca_certificate_pem);
  EXPECT_TRUE(IsSignedBy(second.serving, {second.ca_certificate_pem, ""}));
}

TEST_F(StandaloneIdentityTest, CrashBeforeTheCaWasWholeIsMadeGood) {
  Load();
  ASSERT_EQ(unlink(Path("pki/ca.crt").c_str()), 0);
  const StandaloneIdentity identity = Load();
  EXPECT_TRUE(CheckKeyPair({identity.ca_certificate_pem, Read("pki/ca.key")}).ok());
}

TEST_F(StandaloneIdentityTest, DamagedFileIsNamedAndItsBytesAreNot) {
  Load();
  const std::string other_key = MakeCertificateAuthority("x", clock_.now)->key_pem;
  struct Case {
    const char* name;
    std::string text;
    const char* reason;
  };
  const Case cases[] = {
      {"pki/ca.crt", "", "empty"},
      {"pki/ca.crt", Read("pki/ca.crt").substr(0, 200), "half written"},
      {"pki/ca.crt", Read("pki/admin.pem"), "no CA"},
      {"pki/ca.key", "", "empty"},
      {"pki/ca.key", Read("pki/ca.key").substr(0, 100), "half written"},
      {"pki/ca.key", other_key, "another's key"},
      {"pki/serving.pem", Read("pki/serving.pem").substr(0, 300), "half written"},
      {"pki/serving.pem", Read("pki/serving.pem").substr(0, 900), "key half written"},
      {"pki/admin.pem", Read("pki/ca.crt") + other_key, "parts that do not belong together"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(FailureWith(c.name, c.text),
                AllOf(HasSubstr(Path(c.name) + " is damaged"), Not(HasSubstr("BEGIN"))))
        << c.reason;
  }
  ASSERT_EQ(unlink(Path("pki/ca.key").c_str()), 0);
  EXPECT_THAT(LoadStandaloneIdentity(options_, clock_).status().message(),
              HasSubstr(Path("pki/ca.key") + " is damaged (it is missing)"));
}

TEST_F(StandaloneIdentityTest, ExpiredCaIsToldAndNotReplaced) {
  const StandaloneIdentity first = Load();
  clock_.now += kCaLifetime + std::chrono::hours(1);
  EXPECT_THAT(LoadStandaloneIdentity(options_, clock_).status().message(),
              HasSubstr("it has expired"));
  EXPECT_EQ(Read("pki/ca.crt"), first.ca_certificate_pem);
}

}  // namespace
}  // namespace asyncops::tls
