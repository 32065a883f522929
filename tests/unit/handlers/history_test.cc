#include "apiserver/handlers/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/api_harness.h"
#include "tests/support/api_objects.h"

namespace asyncops::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kTable = "application/json;as=Table;v=v1;g=meta.k8s.io";

struct HistoryTest : testing::Test {
  HistoryTest() {
    const ApiResponse made = api.Send("POST", kOperations, EncodeJson(OperationObject("o")));
    uid = made.Text({"metadata", "uid"});
  }
  storage::Attempt Attempt(std::string action) {
    storage::Attempt attempt;
    attempt.uid = uid;
    attempt.submission = 1;
    attempt.at = api.clock().Now();
    attempt.action = std::move(action);
    attempt.state = "Running";
    return attempt;
  }
  void Append(const std::vector<storage::Attempt>& attempts) {
    const Status written =
        storage::WriteAndWait(api.store(), [&attempts](storage::Transaction& transaction) {
          for (const storage::Attempt& attempt : attempts)
            ASYNCOPS_RETURN_IF_ERROR(transaction.operations().AppendAttempt(attempt));
          return Status::Ok();
        });
    ASSERT_TRUE(written.ok()) << written.ToString();
  }
  ApiResponse Get(std::string_view query = "", const std::vector<ApiHeader>& headers = {}) {
    return api.Get(At(kOperations, "o/history" + std::string(query)), headers);
  }
  static std::vector<std::int64_t> Sequences(const ApiResponse& history) {
    std::vector<std::int64_t> out;
    const Json json = history.json();
    for (const Json& item : json.Find("items")->as_array())
      out.push_back(item.IntAt({"sequence"}, 0));
    return out;
  }
  ApiHarness api;
  std::string uid;
};

TEST_F(HistoryTest, OfNothingIsEmpty) {
  const ApiResponse history = Get();
  EXPECT_EQ(history.status, 200) << history.body;
  EXPECT_EQ(history.Text({"kind"}), "AsyncOperationHistory");
  EXPECT_EQ(history.Text({"apiVersion"}), "operations.asyncops.dev/v1alpha1");
  EXPECT_EQ(history.Text({"items"}), "[]");
  EXPECT_EQ(history.Text({"metadata", "uid"}), uid);
  EXPECT_EQ(history.Text({"metadata", "continue"}), "");
  EXPECT_EQ(api.Get(At(kOperations, "nothing/history")).status, 404);
}

TEST_F(HistoryTest, TellsEachAttempt) {
  storage::Attempt call = Attempt("Submit");
  call.method = "POST";
  call.url = "https://api.acme.example/v1/volumes";
  call.http_status = 503;
  call.error_class = "Recoverable";
  call.message = "try later";
  call.state = "Backoff";
  call.next_step = "submits again";
  call.next_attempt_at = api.clock().Now() + std::chrono::seconds(10);
  call.shard = 2;
  call.owner_epoch = 3;
  Append({Attempt("Intent"), call});
  const Json json = Get().json();
  const JsonArray& items = json.Find("items")->as_array();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].StringAt({"action"}), "Intent");
  EXPECT_EQ(items[0].Find("method"), nullptr) << "no call was made";
  EXPECT_EQ(items[0].Find("httpStatus"), nullptr);
  EXPECT_EQ(items[0].IntAt({"ownerEpoch"}, -1), 0);
  JsonObject second = items[1].as_object();
  EXPECT_THAT(std::string(items[1].StringAt({"time"})), HasSubstr("."));
  second.Erase("time");
  second.Erase("nextAttemptTime");
  EXPECT_EQ(EncodeJson(second),
            R"({"action":"Submit","errorClass":"Recoverable","httpStatus":503,)"
            R"("message":"try later","method":"POST","nextStep":"submits again","ownerEpoch":3,)"
            R"("sequence":2,"shard":2,"state":"Backoff","submission":1,)"
            R"("url":"https://api.acme.example/v1/volumes"})");
}

TEST_F(HistoryTest, IsReadInPages) {
  Append(std::vector<storage::Attempt>(5, Attempt("Poll")));
  const ApiResponse first = Get("?limit=2");
  EXPECT_THAT(Sequences(first), ElementsAre(1, 2));
  const ApiResponse second = Get("?limit=2&continue=" + first.Text({"metadata", "continue"}));
  EXPECT_THAT(Sequences(second), ElementsAre(3, 4));
  const ApiResponse last = Get("?continue=" + second.Text({"metadata", "continue"}));
  EXPECT_THAT(Sequences(last), ElementsAre(5));
  EXPECT_EQ(last.Text({"metadata", "continue"}), "");
  EXPECT_EQ(Get("?limit=5").Text({"metadata", "continue"}), "") << "nothing follows";
  EXPECT_THAT(Sequences(Get("?limit=-1")), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(Sequences(Get("?continue=99")), IsEmpty());
}

TEST_F(HistoryTest, RefusesWhatIsNoLimitAndNoToken) {
  for (const std::string query :
       {"?limit=x", "?continue=x", "?continue=0", "?continue=-3", "?continue=99999999999999999999"})
    EXPECT_EQ(Get(query).status, 400) << query;
  EXPECT_THAT(Get("?continue=x").Text({"message"}), HasSubstr("invalid continue token"));
}

TEST_F(HistoryTest, IsATableForKubectl) {
  storage::Attempt call = Attempt("Submit");
  call.http_status = 202;
  Append({Attempt("Intent"), call});
  const ApiResponse table = Get("?limit=1", {{"Accept", std::string(kTable)}});
  EXPECT_EQ(table.Text({"kind"}), "Table");
  EXPECT_EQ(table.Text({"apiVersion"}), "meta.k8s.io/v1");
  EXPECT_EQ(table.Text({"metadata", "continue"}), "1");
  const Json json = Get("", {{"Accept", std::string(kTable)}}).json();
  const JsonArray& rows = json.Find("rows")->as_array();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].Find("object")->is_null());
  const JsonArray& columns = json.Find("columnDefinitions")->as_array();
  const JsonArray& cells = rows[1].Find("cells")->as_array();
  ASSERT_EQ(cells.size(), columns.size());
  EXPECT_EQ(cells[1], Json("Submit"));
  EXPECT_EQ(cells[3], Json("202"));
  EXPECT_EQ(cells[6], Json(2));
  EXPECT_EQ(rows[0].Find("cells")->as_array()[3], Json("")) << "nothing was called";
}

TEST_F(HistoryTest, ShowsFirstWhatAPersonLooksFor) {
  const Json json = Get("", {{"Accept", std::string(kTable)}}).json();
  std::vector<std::string> names;
  std::vector<std::string> wide;
  for (const Json& column : json.Find("columnDefinitions")->as_array())
    (column.IntAt({"priority"}, 0) == 0 ? names : wide).emplace_back(column.StringAt({"name"}));
  EXPECT_THAT(names, ElementsAre("Time", "Action", "State", "Status", "Class", "Next"));
  EXPECT_THAT(wide,
              ElementsAre("Sequence", "Submission", "Method", "URL", "Message", "Shard", "Epoch"));
}

TEST_F(HistoryTest, AStepThatFailedBeforeAnAnswerShowsItsCode) {
  struct Row {
    const char* message;
    const char* error_class;
    const char* shown;
    const char* reason;
  };
  const Row kRows[] = {
      {"ConnectionRefused: nobody listens", "Recoverable", "ConnectionRefused", "nothing was sent"},
      {"CredentialsMissing: Secret \"acme\" is not there", "Recoverable", "CredentialsMissing",
       "it did not even come to a call"},
      {"the cancel failed: no", "Recoverable", "", "a sentence is no code"},
      {"running: 40%", "", "", "nothing failed"},
  };
  std::vector<storage::Attempt> attempts;
  for (const Row& row : kRows) {
    attempts.push_back(Attempt("Submit"));
    attempts.back().message = row.message;
    attempts.back().error_class = row.error_class;
  }
  Append(attempts);
  const Json json = Get("", {{"Accept", std::string(kTable)}}).json();
  const JsonArray& rows = json.Find("rows")->as_array();
  ASSERT_EQ(rows.size(), std::size(kRows));
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(rows[i].Find("cells")->as_array()[3], Json(kRows[i].shown)) << kRows[i].reason;
}

TEST_F(HistoryTest, HasNoMetadataToShowAlone) {
  EXPECT_EQ(
      Get("", {{"Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}}).status,
      406);
  EXPECT_EQ(Get("", {{"Accept", "text/html"}}).status, 406);
}

}  // namespace
}  // namespace asyncops::apiserver
