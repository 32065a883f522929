#include "apiserver/handlers/negotiate.h"

#include <gtest/gtest.h>

#include "tests/support/api_harness.h"

namespace asyncops::apiserver {
namespace {

// "object", "table/v1", "partial/v1" or the refusal's code and message.
std::string Outcome(std::string_view accept, Answer answer, std::string_view query = "") {
  const auto request = ApiHarness::MakeRequest("GET", "/x" + std::string(query), "",
                                               {{"Accept", std::string(accept)}});
  const Result<Representation> made = Negotiate(request, answer);
  if (!made.ok())
    return std::to_string(HttpCode(made.status().reason())) + " " + made.status().message();
  switch (made->view) {
    case View::kTable: return "table/" + made->version;
    case View::kPartialMetadata: return "partial/" + made->version;
    case View::kObject: return "object";
  }
  return "";
}

constexpr std::string_view kKubectlTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;"
    "g=meta.k8s.io,application/json";
constexpr std::string_view kMetadataClient =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr std::string_view kMetadataListClient =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
constexpr std::string_view kNothing =
    "406 only the following media types are accepted: application/json, application/yaml";

struct Row {
  std::string_view reason;
  std::string_view accept;
  Answer answer;
  std::string_view expected;
};

TEST(NegotiateTest, TakesTheFirstClauseThatCanBeServed) {
  const std::vector<Row> table = {
      {"nothing asked", "", Answer::kObject, "object"},
      {"plain", "application/json", Answer::kObject, "object"},
      {"anything", "*/*", Answer::kList, "object"},
      {"a range", "application/*", Answer::kList, "object"},
      {"kubectl get", kKubectlTable, Answer::kList, "table/v1"},
      {"kubectl get -w", kKubectlTable, Answer::kWatch, "table/v1"},
      {"kubectl get of one", kKubectlTable, Answer::kObject, "table/v1"},
      {"the old Table", "application/json;as=Table;v=v1beta1;g=meta.k8s.io", Answer::kList,
       "table/v1beta1"},
      {"metadata of one: protobuf is passed over", kMetadataClient, Answer::kObject, "partial/v1"},
      {"metadata of a watch is of objects", kMetadataClient, Answer::kWatch, "partial/v1"},
      {"metadata of a list", kMetadataListClient, Answer::kList, "partial/v1"},
      {"metadata of a list, else whole", kMetadataClient, Answer::kList, "object"},
      {"protobuf first", "application/vnd.kubernetes.protobuf,application/json", Answer::kList,
       "object"},
      {"a streaming form", "application/json;stream=watch", Answer::kWatch, "object"},
      {"by quality", "application/json;q=0.1,application/json;as=Table;v=v1;g=meta.k8s.io;q=0.9",
       Answer::kList, "table/v1"},
      {"quality 0 is a refusal", "application/json;q=0,text/html", Answer::kList, kNothing},
      {"protobuf alone", "application/vnd.kubernetes.protobuf", Answer::kList, kNothing},
      {"text", "text/html", Answer::kObject, kNothing},
      {"a Table of a version that is not", "application/json;as=Table;v=v9;g=meta.k8s.io",
       Answer::kList, kNothing},
      {"a Table of another group", "application/json;as=Table;v=v1;g=example.com", Answer::kList,
       kNothing},
      {"one object's form of a list",
       "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", Answer::kList,
       "406 you requested PartialObjectMetadata, but the requested object is a list"},
      {"a list's form of one object",
       "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", Answer::kObject,
       "406 you requested PartialObjectMetadataList, but the requested object is not a list"},
      {"YAML", "application/yaml", Answer::kObject, "object"},
      {"a Table in YAML", "application/yaml;as=Table;v=v1;g=meta.k8s.io", Answer::kList,
       "table/v1"},
      {"YAML has no stream", "application/yaml", Answer::kWatch,
       "406 only the following media types are accepted: application/json;stream=watch"},
      {"a stream in YAML, else in JSON", "application/yaml,application/json;stream=watch",
       Answer::kWatch, "object"},
      {"a stream that is not", "application/json;stream=other", Answer::kWatch,
       "406 only the following media types are accepted: application/json;stream=watch"},
      {"unknown parameters", "application/json;charset=utf-8", Answer::kObject, "object"},
      {"in any case", "Application/JSON", Answer::kObject, "object"},
  };
  for (const Row& row : table)
    EXPECT_EQ(Outcome(row.accept, row.answer), row.expected) << row.reason;
}

TEST(NegotiateTest, IncludeObjectIsOneOfThree) {
  EXPECT_EQ(Outcome(kKubectlTable, Answer::kList, "?includeObject=Object"), "table/v1");
  EXPECT_EQ(Outcome(kKubectlTable, Answer::kList, "?includeObject=Some"),
            "400 Unable to convert to Table as requested: includeObject must be None, Metadata or "
            "Object");
  EXPECT_EQ(Outcome("application/json", Answer::kList, "?includeObject=Some"), "object");
}

std::string_view NameOf(Form form) {
  switch (form) {
    case Form::kCompact: return "compact";
    case Form::kPretty: return "pretty";
    case Form::kYaml: return "yaml";
  }
  return "";
}

struct FormRow {
  std::string_view reason;
  std::string_view query;
  std::string_view agent;
  std::string_view accept;
  std::string_view form;
};

TEST(NegotiateTest, TheFormIsAskedForOrGuessed) {
  const std::vector<FormRow> table = {
      {"a machine", "", "kubectl/v1.33.0", "application/json", "compact"},
      {"curl is a person", "", "curl/8.0", "*/*", "pretty"},
      {"so is Wget", "", "Wget/1.21", "*/*", "pretty"},
      {"a browser too", "", "Mozilla/5.0 (X11)", "*/*", "pretty"},
      {"an older browser is none", "", "Mozilla/4.0", "*/*", "compact"},
      {"asked", "?pretty=true", "", "", "pretty"},
      {"asked in short", "?pretty=1", "", "", "pretty"},
      {"refused", "?pretty=false", "curl/8.0", "", "compact"},
      {"neither true nor false", "?pretty=yes", "curl/8.0", "", "compact"},
      {"asked for nothing", "?pretty=", "curl/8.0", "", "pretty"},
      {"in the clause", "", "", "application/json;pretty=1", "pretty"},
      {"the clause wins", "?pretty=false", "", "application/json;pretty=1", "pretty"},
      {"true is no 1", "", "", "application/json;pretty=true", "compact"},
      {"YAML", "", "", "application/yaml", "yaml"},
      {"YAML is never compact", "", "curl/8.0", "application/yaml", "yaml"},
      {"JSON before YAML", "", "", "application/json,application/yaml", "compact"},
      {"YAML by quality", "", "", "application/json;q=0.5,application/yaml", "yaml"},
      {"a range is JSON", "", "", "*/*,application/yaml", "compact"},
      {"a Table that is not, else YAML", "", "",
       "application/json;as=Table;v=v9;g=meta.k8s.io,application/yaml", "yaml"},
      {"nothing that we have", "", "", "text/x-yaml", "compact"},
  };
  for (const FormRow& row : table) {
    const auto request = ApiHarness::MakeRequest(
        "GET", "/x" + std::string(row.query), "",
        {{"Accept", std::string(row.accept)}, {"User-Agent", std::string(row.agent)}});
    EXPECT_EQ(NameOf(FormOf(request, Answer::kObject)), row.form) << row.reason;
    EXPECT_EQ(NameOf(FormOf(request, Answer::kWatch)), "compact") << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
