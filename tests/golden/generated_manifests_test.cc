#include "manifests/generated_manifests.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "api/crd_revision.h"
#include "base/crypto.h"
#include "base/encoding.h"

namespace asyncops {
namespace {

std::string ReadFile(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(GeneratedManifestsTest, CommittedFilesAreWhatTheSchemasSay) {
  for (const Manifest& manifest : GeneratedManifests()) {
    EXPECT_EQ(ReadFile(manifest.path), manifest.text)
        << manifest.path << " differs from the schemas. Run from the root of the tree:\n"
        << "  cmake --build build/release --target generate_manifests\n"
        << "  build/release/bin/generate_manifests";
  }
}

TEST(GeneratedManifestsTest, AnotherTextIsAnotherRevision) {
  std::string all;
  for (const Manifest& manifest : GeneratedManifests()) all += manifest.text;
  const std::string line = std::to_string(kCrdRevision) + " " + HexEncode(Sha256(all)) + "\n";
  EXPECT_THAT(ReadFile("tests/golden/crd_revisions.txt"), testing::EndsWith("\n" + line))
      << "The CRDs are not what they were at revision " << kCrdRevision
      << ". Raise kCrdRevision in "
      << "api/crd_revision.h, run generate_manifests, and append the line that this test then asks "
      << "for; a line that was released is never changed.";
}

TEST(GeneratedManifestsTest, EveryKindThatKubeApiserverServesHasOne) {
  std::vector<std::string> paths;
  for (const Manifest& manifest : GeneratedManifests()) paths.push_back(manifest.path);
  EXPECT_THAT(paths, testing::ElementsAre("manifests/crds/asyncops.dev_asyncresources.yaml",
                                          "manifests/crds/asyncops.dev_externalsystems.yaml"));
}

}  // namespace
}  // namespace asyncops
