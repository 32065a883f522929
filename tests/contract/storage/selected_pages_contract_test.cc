// Lists by a selector that matches more than a page, while others write: each is exactly the state
// that it says it is, however names are found.
#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "tests/contract/storage/store_contract.h"

namespace asyncops::storage {
namespace {

using Operator = LabelRequirement::Operator;

// So many that a lookup of the marked third is kept, and that their scan would cost more.
constexpr int kObjects = 2250;
constexpr int kMarked = kObjects / 3;
const Labels kX = {{"app", "x"}, {"tier", "1"}};
const Labels kY = {{"app", "y"}, {"tier", "1"}};

std::string NameOf(int number) { return "n" + std::to_string(10'000 + number); }
std::string NamespaceOf(int number) { return number % 4 == 0 ? "b" : "a"; }
ObjectKey NumberedKey(int number) { return KeyOf(NamespaceOf(number), NameOf(number)); }

class SelectedPagesContractTest : public StoreContractTest {
 protected:
  // Every third object has app=x.
  void Fill() {
    ASSERT_TRUE(Write([](Transaction& transaction) {
                  for (int i = 0; i < kObjects; ++i) {
                    const ObjectVersion version = VersionOf("first", i % 3 == 0 ? kX : kY);
                    ASYNCOPS_RETURN_IF_ERROR(transaction.Create(NumberedKey(i), version).status());
                  }
                  return Status::Ok();
                }).ok());
  }
  // Updates the objects from `first` to before `end`, each `step`th, in one write.
  void UpdateSome(int first, int end, int step, const char* text, const Labels& labels) {
    ASSERT_TRUE(Write([first, end, step, text, &labels](Transaction& transaction) {
                  for (int i = first; i < end; i += step) {
                    ASYNCOPS_RETURN_IF_ERROR(
                        transaction.Update(NumberedKey(i), 0, VersionOf(text, labels)).status());
                  }
                  return Status::Ok();
                }).ok());
  }

  static ListQuery All(Revision at = 0) {
    ListQuery query;
    query.resource = kResource;
    query.parts.values = true;
    query.at = at;
    return query;
  }
  static ListQuery OfX(Revision at = 0) {
    ListQuery query = All(at);
    query.labels.requirements = {{"app", Operator::kIn, {"x"}}};
    return query;
  }

  // A page as text; the query goes on behind it, at its revision. False after the last page.
  bool AddPage(ListQuery* query, std::string* rows) {
    const ListPage page = List(*query);
    for (const Record& row : page.rows) *rows += TextOf(row);
    EXPECT_TRUE(query->at == 0 || query->at == page.revision);
    query->at = page.revision;
    if (!page.more || page.rows.empty()) return false;
    EXPECT_EQ(page.rows.size(), static_cast<std::size_t>(query->limit));
    query->after_namespace = page.rows.back().key.namespace_name;
    query->after_name = page.rows.back().key.name;
    return true;
  }
  static std::string TextOf(const Record& row) {
    return row.key.namespace_name + "/" + row.key.name + "@" + std::to_string(row.revision) + " " +
           row.json + "\n";
  }
  // All rows from the query's position on. Where it has no revision, it gets that of the list.
  std::string Walk(ListQuery* query) {
    std::string rows;
    while (AddPage(query, &rows)) {
    }
    return rows;
  }
  std::string Walk(ListQuery query, int limit) {
    query.limit = limit;
    return Walk(&query);
  }
  // What a list by app=x is to be: told from all objects, without a selector.
  std::string Expected(Revision at, std::string_view namespace_name = "") {
    std::string rows;
    ListQuery query = All(at);
    for (bool more = true; more;) {
      const ListPage page = List(query);
      for (const Record& row : page.rows) {
        if (FindPair(row.labels.text(), "app") != "x") continue;
        if (namespace_name.empty() || row.key.namespace_name == namespace_name) rows += TextOf(row);
      }
      more = page.more;
      if (!more) break;
      query.at = page.revision;
      query.after_namespace = page.rows.back().key.namespace_name;
      query.after_name = page.rows.back().key.name;
    }
    return rows;
  }
  // Names come, go, and come again, before and behind where a list stands.
  void Disturb(int round) {
    const int at = round * 90;
    Update(NumberedKey(at + 1), VersionOf("entered", kX));
    Update(NumberedKey(kObjects - at - 3), VersionOf("left", kY));
    Update(NumberedKey(at + 6), VersionOf("changed", kX));
    Update(NumberedKey(at + 6), VersionOf("changed again", kX));
    Delete(NumberedKey(at + 9));
    Delete(NumberedKey(kObjects - at - 6));
    Create(NumberedKey(kObjects - at - 6), VersionOf("made again", kX));
    Delete(NumberedKey(at + 12));
    Create(NumberedKey(at + 12), VersionOf("made again", kY));
    Create(KeyOf("a", NameOf(at + 15) + "x"), VersionOf("new", kX));
    Create(KeyOf("a", NameOf(kObjects - at) + "y"), VersionOf("new", kY));
    Update(NumberedKey(at + 2), VersionOf("entered", kX));
    Update(NumberedKey(at + 2), VersionOf("left", kY));
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, SelectedPagesContractTest, testing::ValuesIn(AllStores()),
                         KindName);

TEST_P(SelectedPagesContractTest, PagesShowTheFirstPagesStateWhileOthersWrite) {
  Fill();
  ListQuery query = OfX();
  query.limit = 100;
  std::string rows;
  int rounds = 0;
  while (AddPage(&query, &rows)) Disturb(rounds++);
  EXPECT_EQ(rounds, 7);
  EXPECT_EQ(rows, Expected(query.at));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), kMarked);
}

TEST_P(SelectedPagesContractTest, EachNewListShowsWhatWasWrittenBeforeIt) {
  Fill();
  for (int round = 0; round < 8; ++round) {
    const std::string expected = Expected(0);
    EXPECT_EQ(Walk(OfX(), 300), expected) << round;
    EXPECT_EQ(Walk(OfX(), 300), expected) << round << ", again";
    Disturb(round);
  }
}

TEST_P(SelectedPagesContractTest, EarlierStatesAreListedAfterLaterOnes) {
  Fill();
  std::vector<Revision> states;
  std::vector<std::string> expected;
  for (int round = 0; round < 4; ++round) {
    states.push_back(store().revision());
    expected.push_back(Expected(0));
    Disturb(round);
  }
  // The first look by the selector is at the newest state.
  EXPECT_EQ(Walk(OfX(), 500), Expected(0));
  for (std::size_t i = 0; i < states.size(); ++i)
    EXPECT_EQ(Walk(OfX(states[i]), 200), expected[i]) << i;
  Disturb(4);
  const Revision between = store().revision();
  Disturb(5);
  EXPECT_EQ(Walk(OfX(between), 200), Expected(between));
  EXPECT_EQ(Walk(OfX(states[2]), 200), expected[2]);
}

TEST_P(SelectedPagesContractTest, MoreChangesThanThereAreNamesLeadToTheSameList) {
  Fill();
  ListQuery query = OfX();
  query.limit = 200;
  std::string rows;
  ASSERT_TRUE(AddPage(&query, &rows));
  UpdateSome(1, kObjects, 3, "noise", kY);
  UpdateSome(1, kObjects, 3, "noise", kY);
  UpdateSome(1, 400, 3, "entered", kX);
  UpdateSome(kObjects - 600, kObjects, 3, "left", kY);
  EXPECT_EQ(Walk(OfX(), 300), Expected(0));
  EXPECT_EQ(rows + Walk(&query), Expected(query.at));
}

TEST_P(SelectedPagesContractTest, NamesThatAllLeaveWhileOthersComeAreFollowed) {
  Fill();
  // After nine rounds each object has had the label and lost it.
  for (int round = 0; round < 9; ++round) {
    const int first = round * kObjects / 9;
    UpdateSome(first, first + kObjects / 9, 1, "in", kX);
    EXPECT_EQ(Walk(OfX(), 500), Expected(0)) << round;
    UpdateSome(first, first + kObjects / 9, 1, "out", kY);
    EXPECT_EQ(Walk(OfX(), 500), Expected(0)) << round;
  }
  EXPECT_EQ(Walk(OfX(), 500), "");
  UpdateSome(0, kObjects, 3, "in again", kX);
  EXPECT_EQ(Walk(OfX(), 500), Expected(0));
}

TEST_P(SelectedPagesContractTest, CompactionBetweenListsLosesNothing) {
  Fill();
  ListQuery begun = OfX();
  begun.limit = 100;
  std::string rows;
  ASSERT_TRUE(AddPage(&begun, &rows));
  Disturb(0);
  CompactAll();
  EXPECT_EQ(store().List(begun).status().reason(), Reason::kExpired);
  EXPECT_EQ(Walk(OfX(), 100), Expected(0));
  // Nothing of it changes while more is compacted.
  CompactAll();
  EXPECT_EQ(Walk(OfX(), 100), Expected(0));
  Disturb(1);
  EXPECT_EQ(Walk(OfX(), 100), Expected(0));
}

TEST_P(SelectedPagesContractTest, NamespaceAndNameNarrowTheList) {
  Fill();
  for (int round = 0; round < 3; ++round) {
    for (const char* ns : {"b", "a", "c"}) {
      ListQuery query = OfX();
      query.namespace_name = ns;
      EXPECT_EQ(Walk(query, 60), Expected(0, ns)) << ns << round;
      query.namespace_name.clear();
      query.fields.requirements = {{"metadata.namespace", true, ns}};
      EXPECT_EQ(Walk(query, 60), Expected(0, ns)) << ns << round;
      query.fields.requirements = {{"metadata.namespace", false, ns}};
      EXPECT_EQ(Walk(query, 60).find("\n" + std::string(ns) + "/"), std::string::npos);
    }
    ListQuery named = OfX();
    named.fields.requirements = {{"metadata.name", true, NameOf(600)}};
    EXPECT_EQ(NamesOf(List(named)), "b/" + NameOf(600));
    Disturb(round);
  }
}

TEST_P(SelectedPagesContractTest, SeveralRequirementsAndValuesMatchTogether) {
  Fill();
  ListQuery both = OfX();
  both.labels.requirements.push_back({"tier", Operator::kIn, {"1"}});
  ListQuery either = All();
  either.labels.requirements = {{"app", Operator::kIn, {"x", "z"}}};
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(Walk(OfX(), 200), Expected(0));
    EXPECT_EQ(Walk(both, 200), Expected(0));
    EXPECT_EQ(Walk(either, 200), Expected(0));
    Disturb(round);
  }
  Update(NumberedKey(0), VersionOf("z", {{"app", "z"}, {"tier", "2"}}));
  EXPECT_EQ(NamesOf(List(both)).find(NameOf(0)), std::string::npos);
  EXPECT_EQ(NamesOf(List(either)).find("a/"), 0U);
  EXPECT_NE(Walk(either, 500).find(NameOf(0)), std::string::npos);
}

TEST_P(SelectedPagesContractTest, OtherResourceWithTheSameNamesHasAListOfItsOwn) {
  Fill();
  EXPECT_EQ(Walk(OfX(), 500), Expected(0));
  ASSERT_TRUE(Write([](Transaction& transaction) {
                for (int i = 1; i < kObjects; i += 3) {
                  const ObjectKey key{"others", NamespaceOf(i), NameOf(i)};
                  ASYNCOPS_RETURN_IF_ERROR(transaction.Create(key, VersionOf("x", kX)).status());
                }
                return Status::Ok();
              }).ok());
  EXPECT_EQ(Walk(OfX(), 500), Expected(0));
  ListQuery others = OfX();
  others.resource = "others";
  const std::string rows = Walk(others, 100);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), kMarked);
}

TEST_P(SelectedPagesContractTest, SummariesAreOfTheStateThatIsListed) {
  Fill();
  ListQuery query = OfX();
  query.parts = {.json = false, .values = false, .summary_prefix = std::string(kSummaryPrefix)};
  // The second time the names are known, with what they were.
  for (int round = 0; round < 3; ++round) {
    const ListPage page = List(query);
    ASSERT_EQ(page.rows.size(), static_cast<std::size_t>(kMaxRowsPerRead));
    for (const Record& row : page.rows) {
      ASSERT_EQ(row.json, "") << row.key.name;
      ASSERT_NE(row.summary.find("@" + std::to_string(row.revision)), std::string::npos);
    }
    EXPECT_EQ(Walk(OfX(), 500), Expected(0));
    Disturb(round);
  }
}

TEST_P(SelectedPagesContractTest, ListsAfterAReopenShowWhatWasStored) {
  Fill();
  EXPECT_EQ(Walk(OfX(), 500), Expected(0));
  Disturb(0);
  const std::string expected = Expected(0);
  Reopen();
  EXPECT_EQ(Walk(OfX(), 500), expected);
}

// A list that was begun: how it goes on, and what it is to show.
struct BegunList {
  ListQuery query;
  std::string seen;
  std::string expected;
};

// Writes and lists by turns, as the seed says.
class RandomPagesContractTest : public SelectedPagesContractTest {
 protected:
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  void WriteSome() {
    const int count = Below(10) == 0 ? 900 : 1 + Below(30);
    ASSERT_TRUE(Write([this, count](Transaction& transaction) {
                  for (int i = 0; i < count; ++i)
                    ASYNCOPS_RETURN_IF_ERROR(WriteOne(transaction, Below(kObjects)));
                  return Status::Ok();
                }).ok());
  }
  Status WriteOne(Transaction& transaction, int number) {
    const ObjectKey key = NumberedKey(number);
    const ObjectVersion version =
        VersionOf("v" + std::to_string(Below(1000)), Below(3) == 0 ? kX : kY);
    if (!transaction.Get(key).ok()) return transaction.Create(key, version).status();
    if (Below(5) == 0) return transaction.Delete(key, 0, VersionOf("last").encoded).status();
    return transaction.Update(key, 0, version).status();
  }
  void Begin() {
    BegunList& list = begun_.emplace_back();
    list.query = OfX();
    if (Below(3) == 0) list.query.namespace_name = "b";
    list.query.limit = 1 + Below(300);
    list.expected = Expected(0, list.query.namespace_name);
    GoOn(begun_.size() - 1);
  }
  void GoOn(std::size_t which) {
    BegunList& list = begun_[which];
    if (AddPage(&list.query, &list.seen)) return;
    EXPECT_EQ(list.seen, list.expected);
    begun_.erase(begun_.begin() + static_cast<std::ptrdiff_t>(which));
    ++ended_;
  }
  void TakeTurn() {
    const int what = Below(100);
    if (what < 35) return WriteSome();
    if (what < 55 && begun_.size() < 4) return Begin();
    if (what == 99) {
      CompactAll();
      begun_.clear();
      return;
    }
    if (!begun_.empty()) GoOn(static_cast<std::size_t>(Below(static_cast<int>(begun_.size()))));
  }

  std::mt19937 random_;
  std::vector<BegunList> begun_;
  int ended_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Stores, RandomPagesContractTest, testing::ValuesIn(AllStores()), KindName);

TEST_P(RandomPagesContractTest, EachListIsTheStateThatItBeganWith) {
  Fill();
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, "seed " + std::to_string(seed));
    random_.seed(seed);
    for (int turn = 0; turn < 80 && !HasFailure(); ++turn) TakeTurn();
    while (!begun_.empty() && !HasFailure()) GoOn(begun_.size() - 1);
    if (HasFailure()) break;
  }
  EXPECT_GT(ended_, 20);
}

TEST_P(SelectedPagesContractTest, ListsOfSeveralThreadsAreExactWhileOneWrites) {
  Fill();
  std::atomic<bool> stop = false;
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t) {
    readers.emplace_back([this, t, &stop] {
      do {
        ListQuery query = OfX();
        query.limit = 150 + 100 * t;
        const std::string rows = Walk(&query);
        EXPECT_EQ(rows, Expected(query.at));
      } while (!stop && !HasFailure());
    });
  }
  for (int round = 0; round < 12; ++round) {
    for (int i = 0; i < 40; ++i)
      Update(NumberedKey((round * 41 + i * 7) % kObjects), VersionOf("v", i % 2 == 0 ? kX : kY));
    if (round % 4 == 3) UpdateSome(0, kObjects, 2, "many", round % 8 == 3 ? kX : kY);
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
}

}  // namespace
}  // namespace asyncops::storage
