// What the rows of a list carry: json, summaries, labels and fields, each where it is asked for.
#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

using Operator = LabelRequirement::Operator;

class RowPartsContractTest : public StoreContractTest {
 protected:
  static ListQuery Summaries() {
    ListQuery query;
    query.resource = kResource;
    query.parts = {.json = false, .summary_prefix = std::string(kSummaryPrefix)};
    return query;
  }
  // "summary" of each row, or its json where it has none, separated by spaces.
  static std::string Shown(const ListPage& page) {
    std::string out;
    for (const Record& row : page.rows) {
      EXPECT_TRUE(row.summary.empty() || row.json.empty()) << row.key.name;
      out += (out.empty() ? "" : " ") + (row.summary.empty() ? row.json : row.summary);
    }
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, RowPartsContractTest, testing::ValuesIn(AllStores()), KindName);

TEST_P(RowPartsContractTest, JsonAndUidAreWhatIsReadByDefault) {
  const Revision revision = Create(KeyOf("a", "n"), VersionOf("t", {{"app", "x"}}, {{"f", "1"}}));
  ListQuery query;
  query.resource = kResource;
  const Record row = List(query).rows.at(0);
  EXPECT_EQ(row.json, JsonOf("t", revision));
  EXPECT_EQ(row.uid, "uid-of-it");
  EXPECT_EQ(row.summary, "");
  EXPECT_EQ(row.labels, EncodedPairs());
  EXPECT_EQ(row.fields, EncodedPairs());
}

TEST_P(RowPartsContractTest, EachPartIsGivenWhereItIsAskedFor) {
  const Labels labels = {{"app", "x"}};
  const Fields fields = {{"status.phase", "Ready"}};
  const Revision revision = Create(KeyOf("a", "n"), VersionOf("t", labels, fields));
  for (const bool json : {false, true}) {
    for (const bool values : {false, true}) {
      for (const bool summary : {false, true}) {
        ListQuery query;
        query.resource = kResource;
        query.parts = {.json = json, .values = values};
        if (summary) query.parts.summary_prefix = kSummaryPrefix;
        const std::string asked = std::to_string(json) + std::to_string(values);
        const Record row = List(query).rows.at(0);
        EXPECT_EQ(row.key, KeyOf("a", "n")) << asked;
        EXPECT_EQ(row.revision, revision) << asked;
        EXPECT_EQ(row.json, json ? JsonOf("t", revision) : "") << asked;
        EXPECT_EQ(row.uid, json ? "uid-of-it" : "") << asked;
        EXPECT_EQ(row.summary, summary ? SummaryOf("t", revision) : "") << asked;
        EXPECT_EQ(row.labels, values ? EncodedPairs(labels) : EncodedPairs()) << asked;
        EXPECT_EQ(row.fields, values ? EncodedPairs(fields) : EncodedPairs()) << asked;
      }
    }
  }
}

TEST_P(RowPartsContractTest, SummaryIsThatOfTheNewestState) {
  Create(KeyOf("a", "gone"), VersionOf("gone"));
  Create(KeyOf("a", "n"), VersionOf("first"));
  const Revision other = Create(KeyOf("b", "n"), VersionOf("other"));
  const Revision second = Update(KeyOf("a", "n"), VersionOf("second and longer than the first"));
  Delete(KeyOf("a", "gone"));
  EXPECT_EQ(Shown(List(Summaries())), SummaryOf("second and longer than the first", second) + " " +
                                          SummaryOf("other", other));
  Reopen();
  EXPECT_EQ(Shown(List(Summaries())), SummaryOf("second and longer than the first", second) + " " +
                                          SummaryOf("other", other));
}

TEST_P(RowPartsContractTest, PastStateHasItsJsonInstead) {
  const Revision kept = Create(KeyOf("a", "kept"), VersionOf("kept"));
  const Revision first = Create(KeyOf("a", "n"), VersionOf("first"));
  Update(KeyOf("a", "n"), VersionOf("second"));
  ListQuery query = Summaries();
  query.at = first;
  const ListPage page = List(query);
  EXPECT_EQ(Shown(page), SummaryOf("kept", kept) + " " + JsonOf("first", first));
  EXPECT_EQ(page.rows.at(1).uid, "uid-of-it");
}

TEST_P(RowPartsContractTest, SummaryThatBeginsOtherwiseIsNotGiven) {
  const Revision revision = Create(KeyOf("a", "n"), VersionOf("t"));
  ListQuery query = Summaries();
  query.parts.summary_prefix = "v2\n";
  EXPECT_EQ(Shown(List(query)), JsonOf("t", revision));
  query.parts.summary_prefix = std::string(kSummaryPrefix) + "t@2 and more than there is";
  EXPECT_EQ(Shown(List(query)), JsonOf("t", revision));
}

TEST_P(RowPartsContractTest, ObjectWithoutASummaryHasItsJsonInstead) {
  ObjectVersion version = VersionOf("t");
  version.summary = {};
  const Revision revision = Create(KeyOf("a", "n"), version);
  EXPECT_EQ(Shown(List(Summaries())), JsonOf("t", revision));
}

TEST_P(RowPartsContractTest, RefusedWriteLeavesTheSummary) {
  const Revision revision = Create(KeyOf("a", "n"), VersionOf("t"));
  EXPECT_FALSE(Write([](Transaction& transaction) {
                 static_cast<void>(transaction.Update(KeyOf("a", "n"), 0, VersionOf("u")));
                 static_cast<void>(transaction.Create(KeyOf("a", "m"), VersionOf("m")));
                 return BadRequest("no");
               }).ok());
  EXPECT_EQ(Shown(List(Summaries())), SummaryOf("t", revision));
}

TEST_P(RowPartsContractTest, SelectorsFindSummaries) {
  Create(KeyOf("a", "1"), VersionOf("one", {{"app", "x"}}, {{"phase", "Ready"}}));
  const Revision past = store().revision();
  const Revision two =
      Create(KeyOf("a", "2"), VersionOf("two", {{"app", "y"}}, {{"phase", "Ready"}}));
  Update(KeyOf("a", "1"), VersionOf("one more", {{"app", "x"}}, {{"phase", "Failed"}}));
  struct Case {
    const char* reason;
    LabelSelector labels;
    FieldSelector fields;
    Revision at;
    std::string shown;
  };
  const Case cases[] = {
      {"looked up by a field", {}, {{{"phase", true, "Ready"}}}, 0, SummaryOf("two", two)},
      {"looked up by a label", {{{"app", Operator::kIn, {"y"}}}}, {}, 0, SummaryOf("two", two)},
      {"filtered", {{{"app", Operator::kNotIn, {"x"}}}}, {}, 0, SummaryOf("two", two)},
      {"looked up in the past", {}, {{{"phase", true, "Ready"}}}, past, JsonOf("one", past)},
      {"filtered in the past", {{{"app", Operator::kExists, {}}}}, {}, past, JsonOf("one", past)},
  };
  for (const Case& item : cases) {
    ListQuery query = Summaries();
    query.labels = item.labels;
    query.fields = item.fields;
    query.at = item.at;
    EXPECT_EQ(Shown(List(query)), item.shown) << item.reason;
  }
}

TEST_P(RowPartsContractTest, SummariesComeInPagesInTheOrderOfKeys) {
  for (const char* name : {"c", "a", "e", "b", "d"}) Create(KeyOf("ns", name), VersionOf(name));
  ListQuery query = Summaries();
  query.limit = 2;
  std::string names;
  for (bool more = true; more;) {
    const ListPage page = List(query);
    names += NamesOf(page) + ";";
    more = page.more;
    query.at = page.revision;
    query.after_namespace = page.rows.back().key.namespace_name;
    query.after_name = page.rows.back().key.name;
  }
  EXPECT_EQ(names, "ns/a ns/b;ns/c ns/d;ns/e;");
}

TEST_P(RowPartsContractTest, ChangesCarrySummariesWhileTheyAreInMemory) {
  const Revision created = Create(KeyOf("a", "n"), VersionOf("first"));
  const Revision updated = Update(KeyOf("a", "n"), VersionOf("second"));
  Delete(KeyOf("a", "n"));
  const ChangeBatch batch = Changes(1);
  ASSERT_EQ(batch.changes.size(), 3U);
  EXPECT_EQ(batch.changes[0]->record.summary, SummaryOf("first", created));
  EXPECT_EQ(batch.changes[1]->record.summary, SummaryOf("second", updated));
  EXPECT_EQ(batch.changes[2]->record.summary, "");
}

}  // namespace
}  // namespace asyncops::storage
