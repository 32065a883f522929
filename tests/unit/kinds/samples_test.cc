#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "api/core/v1/secret.h"
#include "api/schema/walk.h"
#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

// Tests run from the root of the tree.
constexpr const char* kSamples = "manifests/samples";

Json ReadObject(const std::filesystem::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return ParseObject(text.str());
}

TEST(SamplesTest, AreValidAndUseNoUnknownField) {
  int samples = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSamples)) {
    if (entry.path().filename() == "invalid.yaml" || entry.path().extension() != ".yaml") continue;
    ++samples;
    Json object = ReadObject(entry.path());
    if (object.StringAt({"kind"}) == "Secret") core::MergeStringData(&object);
    EXPECT_THAT(PruneUnknownFields(*ResourceOf(object).schema, &object), testing::IsEmpty())
        << entry.path();
    EXPECT_THAT(Texts(Create(object)), testing::IsEmpty()) << entry.path();
  }
  EXPECT_EQ(samples, 8);
}

TEST(SamplesTest, TheInvalidOneIsRefusedForEachOfItsMistakes) {
  const ValidationResult result =
      Create(ReadObject(std::filesystem::path(kSamples) / "invalid.yaml"));
  EXPECT_THAT(
      Texts(result),
      testing::UnorderedElementsAre(
          "spec.create.poll.acceptors[1].state: Unsupported value: \"Broken\": supported values: "
          "\"Running\", \"Succeeded\", \"Failed\", \"Canceled\", \"NotFound\", "
          "\"Unreadable\"",
          testing::StartsWith(
              "spec.create.submit.headers[0].name: Forbidden: Authorization carries "
              "credentials; put them in spec.auth of the ExternalSystem"),
          testing::StartsWith(
              "spec.create.submit.body.name: Invalid value: \"${metadata.nmae}\": col "),
          testing::StartsWith("spec.create.poll.acceptors[1].when: Invalid value: "
                              "\"response.status = 500\": col 17")));
}

}  // namespace
}  // namespace asyncops
