#include "kube/credential_files.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "apiserver/tls/ca.h"
#include "kube/api_client.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"
#include "tests/support/temp_dir.h"

namespace asyncops::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Time kNow = SystemClock().Now();

const tls::KeyPair& Authority() {
  static const tls::KeyPair ca = *tls::MakeCertificateAuthority("test CA", kNow);
  return ca;
}

class CredentialFilesTest : public testing::Test {
 protected:
  CredentialFilesTest() { config_.server = *ParseUri("https://kube.example"); }

  std::string TokenAfter(CredentialFiles& files, Duration wait) {
    clock_.Advance(wait);
    return files.Current().token;
  }
  std::string Refusal() {
    const auto files = CredentialFiles::Open(config_, clock_);
    std::string text = files.status().ToString();
    for (std::size_t at = 0; (at = text.find(dir_.path())) != std::string::npos;)
      text.replace(at, dir_.path().size(), "DIR");
    return text;
  }

  FakeClock clock_;
  TempDir dir_;
  ClusterConfig config_;
};

TEST_F(CredentialFilesTest, AFileIsReadAgainWhenItChangesAtMostOnceASecond) {
  config_.token.path = dir_.Write("token", "first\n");
  const auto files = *CredentialFiles::Open(config_, clock_);
  EXPECT_EQ(files->Current().token, "first") << "the end of the line is not the token's";
  dir_.Write("token", "second-one");
  EXPECT_EQ(TokenAfter(*files, milliseconds(999)), "first");
  EXPECT_EQ(TokenAfter(*files, milliseconds(1)), "second-one");
}

TEST_F(CredentialFilesTest, TheSwapOfAProjectedVolumeIsSeen) {
  namespace fs = std::filesystem;
  // As kubelet does it: token -> ..data/token, ..data -> ..1, and ..data is replaced as a whole.
  fs::create_directory(dir_.File("..1"));
  fs::create_directory(dir_.File("..2"));
  dir_.Write("..1/token", "old-1");
  dir_.Write("..2/token", "new-2");
  fs::last_write_time(dir_.File("..2/token"), fs::last_write_time(dir_.File("..1/token")));
  fs::create_directory_symlink("..1", dir_.File("..data"));
  fs::create_symlink("..data/token", dir_.File("token"));
  config_.token.path = dir_.File("token");
  const auto files = *CredentialFiles::Open(config_, clock_);
  EXPECT_EQ(files->Current().token, "old-1");
  fs::create_directory_symlink("..2", dir_.File("..data_tmp"));
  fs::rename(dir_.File("..data_tmp"), dir_.File("..data"));
  EXPECT_EQ(TokenAfter(*files, seconds(1)), "new-2") << "of the same size and time";
}

TEST_F(CredentialFilesTest, WhatCannotBeUsedLeavesTheLastGoodOneUntilItCan) {
  config_.token.path = dir_.Write("token", "good");
  config_.ca.path = dir_.Write("ca", Authority().certificate_pem);
  const auto files = *CredentialFiles::Open(config_, clock_);
  for (const char* bad : {"", "two words", "line\nline",
                          "b\x80"
                          "d"}) {
    dir_.Write("token", bad);
    EXPECT_EQ(TokenAfter(*files, seconds(1)), "good") << bad;
  }
  std::filesystem::remove(dir_.File("token"));
  EXPECT_EQ(TokenAfter(*files, seconds(1)), "good") << "gone";
  dir_.Write("token", "better");
  dir_.Write("ca", "no PEM");
  EXPECT_EQ(TokenAfter(*files, seconds(1)), "good") << "all of them or none";
  EXPECT_EQ(files->Current().tls->ca_pem, Authority().certificate_pem);
  const tls::KeyPair other = *tls::MakeCertificateAuthority("another CA", kNow);
  dir_.Write("ca", other.certificate_pem);
  EXPECT_EQ(TokenAfter(*files, seconds(1)), "better");
  EXPECT_EQ(files->Current().tls->ca_pem, other.certificate_pem);
}

TEST_F(CredentialFilesTest, ACertificateThatIsReplacedBeforeItsKeyWaitsForIt) {
  const tls::KeyPair first = *tls::IssueClientCertificate(Authority(), {"me", {}}, kNow);
  const tls::KeyPair second = *tls::IssueClientCertificate(Authority(), {"me", {}}, kNow);
  config_.client_certificate.path = dir_.Write("crt", first.certificate_pem);
  config_.client_key.path = dir_.Write("key", first.key_pem);
  const auto files = *CredentialFiles::Open(config_, clock_);
  dir_.Write("crt", second.certificate_pem);
  clock_.Advance(seconds(1));
  EXPECT_EQ(files->Current().tls->client_certificate_pem, first.certificate_pem);
  dir_.Write("key", second.key_pem);
  clock_.Advance(seconds(1));
  EXPECT_EQ(files->Current().tls->client_certificate_pem, second.certificate_pem);
  EXPECT_EQ(files->Current().tls->client_key_pem, second.key_pem);
}

TEST_F(CredentialFilesTest, ARefusedTokenIsReadAtTheNextCall) {
  config_.token.path = dir_.Write("token", "one");
  FakeTransport transport;
  const auto client = *MakeApiClient(config_, transport, clock_);
  dir_.Write("token", "two");
  transport.Script(
      Answered(401, R"({"kind":"Status","reason":"Unauthorized","code":401,"message":"no"})"));
  transport.Script(Answered(200, "{}"));
  EXPECT_EQ(
      client->Call({}).status().ToString(),
      "Unauthorized: kube-apiserver does not accept the token " + config_.token.path + ": no");
  EXPECT_TRUE(client->Call({}).ok());
  EXPECT_EQ(HeaderOf(transport.requests()[0], "Authorization"), "Bearer one");
  EXPECT_EQ(HeaderOf(transport.requests()[1], "Authorization"), "Bearer two") << "no second passed";
}

TEST_F(CredentialFilesTest, UnchangedCredentialsAreSharedByAllRequests) {
  config_.token.bytes = "x";
  const auto files = *CredentialFiles::Open(config_, clock_);
  const auto first = files->Current().tls;
  clock_.Advance(seconds(5));
  EXPECT_EQ(files->Current().tls, first);
}

TEST_F(CredentialFilesTest, WhatIsMissingOrNoneIsRefusedAtTheStart) {
  const tls::KeyPair client = *tls::IssueClientCertificate(Authority(), {"me", {}}, kNow);
  config_.token.path = dir_.File("token");
  EXPECT_EQ(Refusal(), "BadRequest: the token DIR/token cannot be read: No such file or directory");
  dir_.Write("token", " \n");
  EXPECT_EQ(Refusal(), "BadRequest: the token DIR/token holds no token");
  config_.token = {.path = "", .bytes = "a b"};
  EXPECT_EQ(Refusal(), "BadRequest: the token holds no token");
  config_.token = {};
  config_.ca.path = dir_.path();
  EXPECT_EQ(Refusal(), "BadRequest: the CA bundle DIR cannot be read: Is a directory")
      << "a folder";
  config_.ca.path = dir_.Write("ca", "");
  EXPECT_EQ(Refusal(), "BadRequest: the CA bundle DIR/ca is empty");
  config_.ca = {.path = "", .bytes = "no PEM"};
  EXPECT_EQ(Refusal(), "BadRequest: the CA bundle holds no certificate in PEM");
  config_.ca = {};
  config_.client_certificate.bytes = client.certificate_pem;
  EXPECT_EQ(Refusal(),
            "BadRequest: a client certificate and its key are used together or not at all");
  config_.client_key.bytes = Authority().key_pem;
  EXPECT_EQ(Refusal(), "BadRequest: the client key is no key in PEM of the client certificate");
  config_.client_key.bytes = client.key_pem;
  EXPECT_EQ(Refusal(), "OK");
}

}  // namespace
}  // namespace asyncops::kube
