#include "storage/encoded_pairs.h"

#include <gtest/gtest.h>

namespace asyncops::storage {
namespace {

TEST(EncodedPairsTest, AnyBytesComeBackAsTheyWere) {
  const Pairs pairs = {{"", ""},
                       {"app", "x:y,z"},
                       {"long", std::string(300, '7')},
                       {"nul", std::string("a\0b", 3)},
                       {"1:", ",2:"}};
  const EncodedPairs encoded(pairs);
  EXPECT_EQ(DecodePairs(encoded.text()), pairs);
  EXPECT_EQ(EncodedPairs::OfText(encoded.text()), encoded);
  for (const auto& [key, value] : pairs) EXPECT_EQ(FindPair(encoded.text(), key), value) << key;
  EXPECT_EQ(EncodedPairs(Pairs{{"app", "x"}}).text(), "3:app,1:x,");
  EXPECT_EQ(EncodedPairs().text(), "");
  EXPECT_TRUE(DecodePairs("").empty());
}

TEST(EncodedPairsTest, AKeyThatIsNotThereReadsAsNothing) {
  const EncodedPairs encoded(Pairs{{"a", "b"}, {"b", "c"}});
  EXPECT_EQ(FindPair(encoded.text(), "c"), "");
  EXPECT_EQ(FindPair("", "a"), "");
}

struct DamagedCase {
  const char* reason;
  const char* text;
};

TEST(EncodedPairsTest, DecodingStopsAtTheFirstByteThatIsWrong) {
  const DamagedCase cases[] = {
      {"a length beyond the end", "3:app,9:x,"},
      {"a length that is no number", "3:app,x:x,"},
      {"an overflowing length", "3:app,99999999999999999999999:x,"},
      {"a negative length", "3:app,-1:x,"},
      {"no end mark", "3:app,1:x"},
      {"no value", "3:app,"},
      {"a length alone", "3"},
  };
  for (const DamagedCase& item : cases) {
    EXPECT_TRUE(DecodePairs(item.text).empty()) << item.reason;
    const std::string behind = std::string("1:a,1:b,") + item.text;
    EXPECT_EQ(DecodePairs(behind), (Pairs{{"a", "b"}})) << item.reason;
    EXPECT_EQ(FindPair(behind, "app"), "") << item.reason;
  }
}

}  // namespace
}  // namespace asyncops::storage
