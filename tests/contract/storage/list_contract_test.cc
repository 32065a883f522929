// Lists: order, pages, snapshots, selectors.
#include <functional>

#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

using Operator = LabelRequirement::Operator;

class ListContractTest : public StoreContractTest {
 protected:
  static ListQuery All() {
    ListQuery query;
    query.resource = kResource;
    return query;
  }
  void CreateAll(std::initializer_list<std::pair<const char*, const char*>> keys) {
    for (const auto& [ns, name] : keys) Create(KeyOf(ns, name), VersionOf(name));
  }
  std::vector<ListPage> Pages(ListQuery query) {
    std::vector<ListPage> pages;
    query.parts.values = true;
    do {
      pages.push_back(List(query));
      if (pages.back().rows.empty()) break;
      query.at = pages.back().revision;
      query.after_namespace = pages.back().rows.back().key.namespace_name;
      query.after_name = pages.back().rows.back().key.name;
    } while (pages.back().more);
    return pages;
  }
  // The names of the rows with this label.
  static std::string NamesWith(const ListPage& page, const char* key, const char* value) {
    std::string names;
    for (const Record& row : page.rows)
      if (FindPair(row.labels.text(), key) == value) names += row.key.name + " ";
    return names;
  }
  // All rows of a query, page by page; checks that the pages are filled and of one snapshot.
  std::string Walk(ListQuery query) {
    std::string names;
    for (int pages = 0; pages < 2000; ++pages) {
      const ListPage page = List(query);
      if (!page.rows.empty()) names += (names.empty() ? "" : " ") + NamesOf(page);
      if (!page.more) return names;
      EXPECT_EQ(page.rows.size(), static_cast<std::size_t>(query.limit));
      EXPECT_TRUE(query.at == 0 || query.at == page.revision);
      query.at = page.revision;
      query.after_namespace = page.rows.back().key.namespace_name;
      query.after_name = page.rows.back().key.name;
    }
    ADD_FAILURE() << "the list does not end";
    return names;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, ListContractTest, testing::ValuesIn(AllStores()), KindName);

TEST_P(ListContractTest, RowsComeByNamespaceAndNameWhateverTheOrderOfTheirWrites) {
  CreateAll({{"b", "2"}, {"a", "9"}, {"b", "1"}, {"a", "10"}});
  const ListPage page = List(All());
  EXPECT_EQ(NamesOf(page), "a/10 a/9 b/1 b/2");
  EXPECT_FALSE(page.more);
  EXPECT_EQ(page.revision, store().revision());
  EXPECT_EQ(page.rows[0].json, JsonOf("10", page.rows[0].revision));
}

TEST_P(ListContractTest, UnknownResourceIsAnEmptyListWithTheStoresRevision) {
  CreateAll({{"a", "1"}});
  ListQuery query;
  query.resource = "nothings";
  const ListPage page = List(query);
  EXPECT_TRUE(page.rows.empty());
  EXPECT_FALSE(page.more);
  EXPECT_EQ(page.revision, store().revision());
}

TEST_P(ListContractTest, NamespaceLimitsTheRows) {
  CreateAll({{"a", "1"}, {"b", "1"}, {"b", "2"}, {"bb", "1"}});
  ListQuery query = All();
  query.namespace_name = "b";
  EXPECT_EQ(NamesOf(List(query)), "b/1 b/2");
  query.after_namespace = "b";
  query.after_name = "1";
  EXPECT_EQ(NamesOf(List(query)), "b/2");
  query.after_namespace = "bb";
  EXPECT_EQ(NamesOf(List(query)), "");
}

TEST_P(ListContractTest, PagesJoinToTheWholeList) {
  CreateAll({{"a", "1"}, {"a", "2"}, {"b", "1"}, {"b", "2"}, {"c", "1"}});
  for (const int limit : {1, 2, 3, 4, 5, 6}) {
    ListQuery query = All();
    query.limit = limit;
    EXPECT_EQ(Walk(query), "a/1 a/2 b/1 b/2 c/1") << "limit " << limit;
  }
}

TEST_P(ListContractTest, LaterPagesShowTheFirstPagesStateAcrossWrites) {
  CreateAll({{"a", "1"}, {"a", "2"}, {"a", "3"}, {"a", "4"}});
  ListQuery query = All();
  query.limit = 2;
  const ListPage first = List(query);
  Update(KeyOf("a", "3"), VersionOf("changed"));
  Update(KeyOf("a", "3"), VersionOf("changed again"));
  Delete(KeyOf("a", "4"));
  Create(KeyOf("a", "4"), VersionOf("another"));
  Create(KeyOf("a", "5"), VersionOf("new"));
  query.at = first.revision;
  query.after_namespace = "a";
  query.after_name = "2";
  const ListPage second = List(query);
  EXPECT_EQ(second.revision, first.revision);
  EXPECT_EQ(NamesOf(second), "a/3 a/4");
  EXPECT_FALSE(second.more);
  EXPECT_EQ(second.rows[0].json, JsonOf("3", second.rows[0].revision));
  EXPECT_EQ(second.rows[1].json, JsonOf("4", second.rows[1].revision));
}

TEST_P(ListContractTest, EachPastStateCanBeListed) {
  const ObjectKey key = KeyOf("a", "1");
  const Revision before = store().revision();
  const Revision created = Create(key, VersionOf("first"));
  const Revision updated = Update(key, VersionOf("second"));
  const Revision deleted = Delete(key);
  ListQuery query = All();
  query.at = before;
  EXPECT_TRUE(List(query).rows.empty());
  query.at = created;
  EXPECT_EQ(List(query).rows.at(0).json, JsonOf("first", created));
  query.at = updated;
  EXPECT_EQ(List(query).rows.at(0).json, JsonOf("second", updated));
  query.at = deleted;
  EXPECT_TRUE(List(query).rows.empty());
}

TEST_P(ListContractTest, FutureStateIsABadRequest) {
  ListQuery query = All();
  query.at = store().revision() + 1;
  EXPECT_EQ(store().List(query).status().reason(), Reason::kBadRequest);
}

TEST_P(ListContractTest, CompactedStateIsExpiredAndTheNewestIsNot) {
  const Revision old = Create(KeyOf("a", "1"), VersionOf("first"));
  Update(KeyOf("a", "1"), VersionOf("second"));
  CompactAll();
  ListQuery query = All();
  query.at = old;
  EXPECT_EQ(store().List(query).status().reason(), Reason::kExpired);
  query.at = store().revision();
  EXPECT_EQ(NamesOf(List(query)), "a/1");
  query.at = 0;
  EXPECT_EQ(NamesOf(List(query)), "a/1");
}

TEST_P(ListContractTest, StateIsKeptForTheRetentionAfterItWasReplaced) {
  const Revision old = Create(KeyOf("a", "1"), VersionOf("first"));
  clock().Advance(kChangeLogRetention * 3);
  Update(KeyOf("a", "1"), VersionOf("second"));
  for (int i = 0; i < 4; ++i) {
    clock().Advance(kChangeLogRetention / 5);
    Create(KeyOf("b", std::to_string(i)), VersionOf("x"));
    ListQuery query = All();
    query.at = old;
    EXPECT_EQ(List(query).rows.at(0).json, JsonOf("first", old)) << i;
  }
}

struct SelectorCase {
  const char* reason;
  LabelSelector labels;
  FieldSelector fields;
  const char* names;
};

TEST_P(ListContractTest, SelectorsMatchInTheNewestAndInAPastState) {
  Create(KeyOf("a", "1"), VersionOf("1", {{"app", "x"}, {"tier", "1"}}, {{"phase", "Ready"}}));
  Create(KeyOf("a", "2"), VersionOf("2", {{"app", "y"}, {"tier", "2"}}, {{"phase", "Failed"}}));
  Create(KeyOf("b", "3"), VersionOf("3", {{"app", "x"}}, {{"phase", "Failed"}, {"type", "C"}}));
  Create(KeyOf("b", "4"), VersionOf("4", {{"empty", ""}}, {{"phase", ""}}));
  const std::vector<SelectorCase> cases = {
      {"one label", {{{"app", Operator::kIn, {"x"}}}}, {}, "a/1 b/3"},
      {"one of several values, merged in order",
       {{{"app", Operator::kIn, {"y", "x", "x"}}}},
       {},
       "a/1 a/2 b/3"},
      {"two labels", {{{"app", Operator::kIn, {"x"}}, {"tier", Operator::kIn, {"1"}}}}, {}, "a/1"},
      {"not in also matches without the key", {{{"app", Operator::kNotIn, {"x"}}}}, {}, "a/2 b/4"},
      {"exists", {{{"tier", Operator::kExists, {}}}}, {}, "a/1 a/2"},
      {"does not exist", {{{"app", Operator::kDoesNotExist, {}}}}, {}, "b/4"},
      {"greater than", {{{"tier", Operator::kGreaterThan, {"1"}}}}, {}, "a/2"},
      {"an empty label value is a value", {{{"empty", Operator::kIn, {""}}}}, {}, "b/4"},
      {"one field", {}, {{{"phase", true, "Failed"}}}, "a/2 b/3"},
      {"a field that is not there reads as empty", {}, {{{"type", true, ""}}}, "a/1 a/2 b/4"},
      {"an empty field", {}, {{{"phase", true, ""}}}, "b/4"},
      {"not equal", {}, {{{"phase", false, "Failed"}}}, "a/1 b/4"},
      {"two fields", {}, {{{"phase", true, "Failed"}, {"type", true, "C"}}}, "b/3"},
      {"label and field", {{{"app", Operator::kIn, {"x"}}}}, {{{"phase", true, "Failed"}}}, "b/3"},
      {"name", {}, {{{"metadata.name", true, "3"}}}, "b/3"},
      {"other names", {}, {{{"metadata.name", false, "3"}}}, "a/1 a/2 b/4"},
      {"namespace", {}, {{{"metadata.namespace", true, "b"}}}, "b/3 b/4"},
      {"other namespaces", {}, {{{"metadata.namespace", false, "b"}}}, "a/1 a/2"},
      {"namespaces that contradict",
       {},
       {{{"metadata.namespace", true, "a"}, {"metadata.namespace", true, "b"}}},
       ""},
      {"a key nobody has", {{{"zone", Operator::kIn, {"x"}}}}, {}, ""},
  };
  const Revision then = store().revision();
  const auto check = [this, &cases](Revision at) {
    for (const SelectorCase& item : cases) {
      ListQuery query = All();
      query.labels = item.labels;
      query.fields = item.fields;
      query.at = at;
      query.limit = 1;
      EXPECT_EQ(Walk(query), item.names) << item.reason;
    }
  };
  check(0);
  // The same questions about that state, after everything has changed.
  Update(KeyOf("a", "1"), VersionOf("1", {{"app", "y"}, {"tier", "3"}}, {{"phase", "Failed"}}));
  Update(KeyOf("a", "2"), VersionOf("2", {{"app", "x"}}, {{"phase", "Ready"}}));
  Delete(KeyOf("b", "3"));
  Update(KeyOf("b", "4"), VersionOf("4", {{"app", "x"}}, {{"phase", "Failed"}}));
  Create(KeyOf("b", "5"), VersionOf("5", {{"app", "x"}}, {{"phase", "Failed"}}));
  check(then);
}

TEST_P(ListContractTest, SelectorsFollowChangesOfLabelsAndFields) {
  const ObjectKey key = KeyOf("a", "1");
  ListQuery by_label = All();
  by_label.labels.requirements = {{"app", Operator::kIn, {"x"}}};
  ListQuery by_field = All();
  by_field.fields.requirements = {{"phase", true, "Ready"}};
  Create(key, VersionOf("1", {{"app", "x"}}, {{"phase", "Creating"}}));
  EXPECT_EQ(NamesOf(List(by_label)), "a/1");
  EXPECT_EQ(NamesOf(List(by_field)), "");
  Update(key, VersionOf("2", {{"app", "y"}}, {{"phase", "Ready"}}));
  EXPECT_EQ(NamesOf(List(by_label)), "");
  EXPECT_EQ(NamesOf(List(by_field)), "a/1");
  Delete(key);
  EXPECT_EQ(NamesOf(List(by_field)), "");
  Reopen();
  EXPECT_EQ(NamesOf(List(by_field)), "");
}

TEST_P(ListContractTest, PagesOfASparseSelectorAreFilled) {
  ASSERT_TRUE(Write([](Transaction& transaction) {
                for (int i = 0; i < 1300; ++i) {
                  const std::string name = "n" + std::to_string(10000 + i);
                  const Labels labels = i % 300 == 0 ? Labels{{"rare", "1"}} : Labels{};
                  const auto made = transaction.Create(KeyOf("a", name), VersionOf("x", labels));
                  if (!made.ok()) return made.status();
                }
                return Status::Ok();
              }).ok());
  const std::string expected = "a/n10000 a/n10300 a/n10600 a/n10900 a/n11200";
  for (const LabelRequirement& requirement : {LabelRequirement{"rare", Operator::kExists, {}},
                                              LabelRequirement{"rare", Operator::kIn, {"1"}}}) {
    ListQuery query = All();
    query.labels.requirements = {requirement};
    query.limit = 2;
    EXPECT_EQ(Walk(query), expected);
    query.limit = kMaxRowsPerRead;
    EXPECT_EQ(Walk(query), expected);
  }
  ListQuery query = All();
  query.limit = kMaxRowsPerRead * 10;
  EXPECT_EQ(List(query).rows.size(), static_cast<std::size_t>(kMaxRowsPerRead));
}

TEST_P(ListContractTest, PagesOfASelectorThatMatchesMostComeInOrderAcrossWrites) {
  constexpr int kObjects = 4500;
  ASSERT_TRUE(Write([](Transaction& transaction) {
                // The names in another order than the creations.
                for (int i = 0; i < kObjects; ++i) {
                  const std::string name = "n" + std::to_string(10000 + i * 7 % kObjects);
                  const Labels labels = i % 9 == 0 ? Labels{{"app", "y"}} : Labels{{"app", "x"}};
                  const Fields fields = {{"uid", "u" + name}};
                  const auto made =
                      transaction.Create(KeyOf("a", name), VersionOf("x", labels, fields));
                  if (!made.ok()) return made.status();
                }
                return Status::Ok();
              }).ok());
  for (const char* app : {"x", "y"}) {
    ListQuery query = All();
    query.labels.requirements = {{"app", Operator::kIn, {app}}};
    query.limit = 300;
    std::string expected;
    for (const ListPage& page : Pages(All())) expected += NamesWith(page, "app", app);
    Update(KeyOf("a", "n10001"), VersionOf("y", {{"app", "z"}}));
    std::string seen;
    query.at = store().revision() - 1;
    for (const ListPage& page : Pages(query)) seen += NamesWith(page, "app", app);
    EXPECT_EQ(seen, expected) << app;
  }
  ListQuery one = All();
  one.fields.requirements = {{"uid", true, "un12345"}};
  one.labels.requirements = {{"app", Operator::kExists, {}}};
  EXPECT_EQ(NamesOf(List(one)), "a/n12345");
}

// Each row of the query, with its labels, in calls that show a few rows each.
std::string Continued(const Store& store, ListQuery query, const std::function<void()>& meanwhile) {
  query.parts.values = true;
  std::string rows;
  for (int calls = 0; calls < 100; ++calls) {
    int left = 700;
    const Result<ListEnd> end = store.ListRows(query, [&rows, &left](const ListRow& row) {
      rows.append(row.name).append(row.json.find("changed") == std::string::npos ? " " : "! ");
      return --left > 0;
    });
    if (!end.ok()) return end.status().ToString();
    if (!end->more) return rows;
    ContinueAfter(*end, &query);
    if (calls == 1) meanwhile();
  }
  return "it does not end";
}

TEST_P(ListContractTest, WhatWasFoundStaysAsItWasWhileItIsShown) {
  constexpr int kObjects = 15'000;
  const auto name_of = [](int number) { return "n" + std::to_string(100'000 + number); };
  ASSERT_TRUE(Write([&name_of](Transaction& transaction) {
                for (int i = 0; i < kObjects; ++i) {
                  const Labels labels = i % 6 == 0 ? Labels{{"app", "x"}} : Labels{};
                  const auto made =
                      transaction.Create(KeyOf("a", name_of(i)), VersionOf("v", labels));
                  if (!made.ok()) return made.status();
                }
                return Status::Ok();
              }).ok());
  ListQuery query = All();
  query.labels.requirements = {{"app", Operator::kIn, {"x"}}};
  std::string expected;
  for (int i = 0; i < kObjects; i += 6) expected += name_of(i) + " ";
  const Labels x = {{"app", "x"}};
  const auto change = [this, &name_of, &x] {
    Update(KeyOf("a", name_of(14'994)), VersionOf("changed", x));
    Update(KeyOf("a", name_of(14'988)), VersionOf("changed", {}));
    Update(KeyOf("a", name_of(14'987)), VersionOf("changed", x));
    Delete(KeyOf("a", name_of(9'000)));
    Delete(KeyOf("a", name_of(9'006)));
    Create(KeyOf("a", name_of(9'006)), VersionOf("changed", x));
    Create(KeyOf("a", "n114898a"), VersionOf("changed", x));
  };
  EXPECT_EQ(Continued(store(), query, change), expected);
  query.at = 0;
  const std::string now = Continued(store(), query, [] {});
  EXPECT_EQ(now.find("n109000 "), std::string::npos);
  EXPECT_NE(now.find("n109006! "), std::string::npos);
  EXPECT_NE(now.find("n114898 n114898a! "), std::string::npos);
  EXPECT_NE(now.find("n114987! n114994! "), std::string::npos);
}

// A day of January 2026 and an hour, as a time.
std::string At(int day, int hour) {
  const std::string two_digits = (day < 10 ? "0" : "") + std::to_string(day);
  return "2026-01-" + two_digits + (hour < 10 ? "T0" : "T") + std::to_string(hour) + ":00:00Z";
}

TEST_P(ListContractTest, RangesOfTimesSelectTheSameHoweverTheyAreLookedUp) {
  for (int day = 1; day <= 28; ++day) {
    const std::string name = "d" + std::to_string(100 + day);
    Create(KeyOf("a", name), VersionOf(name, {}, {{"created/time", At(day, day % 24)}}));
  }
  Create(KeyOf("a", "timeless"), VersionOf("timeless"));
  const std::string latest = At(28, 23);
  struct Row {
    const char* reason;
    FieldRange range;
    std::string names;
  };
  const std::vector<Row> rows = {
      {"both ends", {"created/time", At(3, 3), At(5, 5), latest}, "a/d103 a/d104"},
      {"within one day", {"created/time", At(9, 9), At(9, 10), latest}, "a/d109"},
      {"the end is not in it", {"created/time", At(9, 8), At(9, 9), latest}, ""},
      {"open to the end", {"created/time", At(27, 0), "", latest}, "a/d127 a/d128"},
      {"open to the start", {"created/time", "", At(2, 3), latest}, "a/d101 a/d102"},
      {"more days than are looked up",
       {"created/time", "2025-01-01T00:00:00Z", At(2, 3), latest},
       "a/d101 a/d102"},
      {"upside down", {"created/time", At(5, 5), At(3, 3), latest}, ""},
      {"another time", {"completed/time", At(1, 0), "", latest}, ""},
  };
  for (const Row& row : rows) {
    ListQuery query = All();
    query.fields.ranges.push_back(row.range);
    EXPECT_EQ(NamesOf(List(query)), row.names) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::storage
