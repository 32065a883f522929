#include "manifests/generated_manifests.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

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

TEST(GeneratedManifestsTest, EveryKindThatKubeApiserverServesHasOne) {
  std::vector<std::string> paths;
  for (const Manifest& manifest : GeneratedManifests()) paths.push_back(manifest.path);
  EXPECT_THAT(paths, testing::ElementsAre("manifests/crds/asyncops.dev_asyncresources.yaml",
                                          "manifests/crds/asyncops.dev_externalsystems.yaml"));
}

}  // namespace
}  // namespace asyncops
