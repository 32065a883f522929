#include "storage/sqlite/pairs.h"

#include <gtest/gtest.h>

namespace asyncops::storage {
namespace {

TEST(PairsTest, AnyBytesComeBackAsTheyWere) {
  const Pairs pairs = {{"", ""},
                       {"app", "x:y,z"},
                       {"long", std::string(300, '7')},
                       {"nul", std::string("a\0b", 3)},
                       {"1:", ",2:"}};
  EXPECT_EQ(DecodePairs(EncodePairs(pairs)), pairs);
  EXPECT_EQ(EncodePairs({{"app", "x"}}), "3:app,1:x,");
  EXPECT_TRUE(DecodePairs("").empty());
}

struct DamagedCase {
  const char* reason;
  const char* text;
};

TEST(PairsTest, DecodingStopsAtTheFirstByteThatIsWrong) {
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
    EXPECT_EQ(DecodePairs(std::string("1:a,1:b,") + item.text), (Pairs{{"a", "b"}})) << item.reason;
  }
}

}  // namespace
}  // namespace asyncops::storage
