#include "apiserver/tls/serving_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "apiserver/tls/ca.h"
#include "apiserver/tls/private_file.h"

namespace asyncops::tls {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr Time kNow{std::chrono::seconds(1796057273)};

class ServingFilesTest : public testing::Test {
 protected:
  ServingFilesTest() {
    std::string pattern = testing::TempDir() + "asyncops-files-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    files_ = {directory_ + "/tls.crt", directory_ + "/tls.key"};
  }
  void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(WriteFileAtomically(path, text, 0600).ok());
  }

  std::string directory_;
  ServingFiles files_;
  KeyPair ca_ = MakeCertificateAuthority("test-ca", kNow).value();
  KeyPair serving_ = IssueServingCertificate(ca_, {"localhost"}, kNow).value();
};

TEST_F(ServingFilesTest, MatchingFilesAreLoadedWithTheChain) {
  Write(files_.certificate_path, serving_.certificate_pem + ca_.certificate_pem);
  Write(files_.key_path, serving_.key_pem);
  const auto pair = LoadServingFiles(files_);
  ASSERT_TRUE(pair.ok()) << pair.status().ToString();
  EXPECT_EQ(pair->certificate_pem, serving_.certificate_pem + ca_.certificate_pem);
}

TEST_F(ServingFilesTest, TheWrongFileIsNamed) {
  EXPECT_THAT(LoadServingFiles(files_).status().message(),
              HasSubstr("tls.crt cannot be read: No such file"));
  Write(files_.certificate_path, serving_.certificate_pem);
  EXPECT_THAT(LoadServingFiles(files_).status().message(),
              HasSubstr("tls.key cannot be read: No such file"));
  Write(files_.key_path, ca_.key_pem);
  EXPECT_THAT(LoadServingFiles(files_).status().message(),
              AllOf(HasSubstr("tls.key: "), HasSubstr("does not belong")));
  Write(files_.key_path, serving_.key_pem.substr(0, 100));
  EXPECT_THAT(LoadServingFiles(files_).status().message(),
              AllOf(HasSubstr("tls.key: "), Not(HasSubstr("BEGIN"))));
  Write(files_.certificate_path, "garbage");
  EXPECT_THAT(LoadServingFiles(files_).status().message(),
              AllOf(HasSubstr("tls.crt: "), Not(HasSubstr("garbage"))));
  EXPECT_THAT(LoadServingFiles({directory_, files_.key_path}).status().message(),
              HasSubstr("cannot be read: Is a directory"));
}

TEST_F(ServingFilesTest, CaBundleIsChecked) {
  const std::string path = directory_ + "/client-ca.crt";
  Write(path, ca_.certificate_pem);
  EXPECT_EQ(LoadCaBundle(path).value(), ca_.certificate_pem);
  Write(path, "x");
  EXPECT_THAT(LoadCaBundle(path).status().message(), HasSubstr("client-ca.crt: "));
}

TEST_F(ServingFilesTest, WriteReplacesWholeAndKeepsTheModePrivate) {
  const std::string path = directory_ + "/secret";
  Write(path + ".tmp", "left over by a crash");
  Write(path, "one");
  Write(path, "two");
  EXPECT_EQ(ReadFileIfExists(path).value(), "two");
  EXPECT_EQ(ReadFileIfExists(path + ".tmp").value(), std::nullopt);
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(ServingFilesTest, UnwritablePlaceIsNamed) {
  const std::string path = directory_ + "/missing/file";
  const Status status = WriteFileAtomically(path, "secret bytes", 0600);
  EXPECT_THAT(status.message(), AllOf(HasSubstr(path), Not(HasSubstr("secret bytes"))));
  EXPECT_TRUE(MakePrivateDirectory(directory_ + "/missing/a/b").ok());
  EXPECT_TRUE(WriteFileAtomically(path, "", 0600).ok());
  EXPECT_THAT(MakePrivateDirectory(path).message(), HasSubstr("Not a directory"));
}

}  // namespace
}  // namespace asyncops::tls
