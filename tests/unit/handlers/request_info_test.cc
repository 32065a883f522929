#include "apiserver/handlers/request_info.h"

#include <gtest/gtest.h>

#include "tests/support/api_harness.h"

namespace asyncops::apiserver {
namespace {

// "verb group/version namespace resource name subresource", "-" for what is empty; "no" for a
// non-resource request.
std::string Summary(std::string_view method, std::string_view target) {
  const RequestInfo info = ParseRequestInfo(ApiHarness::MakeRequest(method, target, "", {}));
  if (!info.resource_request) return "no " + info.verb;
  std::string out = info.verb + " " + info.GroupVersion();
  for (const std::string& part : {info.namespace_name, info.resource, info.name, info.subresource})
    out += " " + (part.empty() ? "-" : part);
  return out;
}

struct Row {
  std::string_view reason;
  std::string_view method;
  std::string_view target;
  std::string_view expected;
};

TEST(RequestInfoTest, ReadsMethodPathAndQuery) {
  const std::vector<Row> table = {
      {"an object", "GET", "/apis/a.dev/v1/namespaces/ns/things/n", "get a.dev/v1 ns things n -"},
      {"HEAD is a get", "HEAD", "/apis/a.dev/v1/namespaces/ns/things/n",
       "get a.dev/v1 ns things n -"},
      {"a list", "GET", "/apis/a.dev/v1/namespaces/ns/things", "list a.dev/v1 ns things - -"},
      {"of all namespaces", "GET", "/apis/a.dev/v1/things", "list a.dev/v1 - things - -"},
      {"a watch", "GET", "/apis/a.dev/v1/things?watch=true", "watch a.dev/v1 - things - -"},
      {"python's booleans", "GET", "/apis/a.dev/v1/things?watch=True",
       "watch a.dev/v1 - things - -"},
      {"a bare switch", "GET", "/apis/a.dev/v1/things?watch", "watch a.dev/v1 - things - -"},
      {"anything but 0 and false", "GET", "/apis/a.dev/v1/things?watch=no",
       "watch a.dev/v1 - things - -"},
      {"0", "GET", "/apis/a.dev/v1/things?watch=0", "list a.dev/v1 - things - -"},
      {"False", "GET", "/apis/a.dev/v1/things?watch=False", "list a.dev/v1 - things - -"},
      {"a name takes away the watch", "GET", "/apis/a.dev/v1/namespaces/ns/things/n?watch=1",
       "get a.dev/v1 ns things n -"},
      {"the name of a field selector", "GET",
       "/apis/a.dev/v1/namespaces/ns/things?watch=1&fieldSelector=metadata.name%3Dn",
       "watch a.dev/v1 ns things n -"},
      {"with == and others beside it", "GET",
       "/apis/a.dev/v1/namespaces/ns/things?fieldSelector=a%3Db,metadata.name%3D%3Dn",
       "list a.dev/v1 ns things n -"},
      {"!= names nobody", "GET",
       "/apis/a.dev/v1/namespaces/ns/things?fieldSelector=metadata.name!%3Dn",
       "list a.dev/v1 ns things - -"},
      {"a selected name that no object has: '/'", "GET",
       "/apis/a.dev/v1/namespaces/ns/things?fieldSelector=metadata.name%3Dn/status",
       "list a.dev/v1 ns things - -"},
      {"a selected name that no object has: '%'", "GET",
       "/apis/a.dev/v1/namespaces/ns/things?fieldSelector=metadata.name%3Dn%25",
       "list a.dev/v1 ns things - -"},
      {"a selected name that no object has: '..'", "GET",
       "/apis/a.dev/v1/namespaces/ns/things?fieldSelector=metadata.name%3D..",
       "list a.dev/v1 ns things - -"},
      {"create", "POST", "/apis/a.dev/v1/namespaces/ns/things", "create a.dev/v1 ns things - -"},
      {"update", "PUT", "/apis/a.dev/v1/namespaces/ns/things/n", "update a.dev/v1 ns things n -"},
      {"patch", "PATCH", "/apis/a.dev/v1/namespaces/ns/things/n", "patch a.dev/v1 ns things n -"},
      {"delete", "DELETE", "/apis/a.dev/v1/namespaces/ns/things/n",
       "delete a.dev/v1 ns things n -"},
      {"delete of all", "DELETE", "/apis/a.dev/v1/namespaces/ns/things",
       "deletecollection a.dev/v1 ns things - -"},
      {"a subresource", "PUT", "/apis/a.dev/v1/namespaces/ns/things/n/status",
       "update a.dev/v1 ns things n status"},
      {"a deeper path", "GET", "/apis/a.dev/v1/namespaces/ns/things/n/proxy/x",
       "get a.dev/v1 ns things n proxy/x"},
      {"the core group", "GET", "/api/v1/namespaces/ns/secrets/s", "get v1 ns secrets s -"},
      {"namespaces", "GET", "/api/v1/namespaces", "list v1 - namespaces - -"},
      {"one namespace", "GET", "/api/v1/namespaces/ns", "get v1 ns namespaces ns -"},
      {"its status", "PUT", "/api/v1/namespaces/ns/status", "update v1 ns namespaces ns status"},
      {"a slash at the end", "GET", "/apis/a.dev/v1/things/", "list a.dev/v1 - things - -"},
      {"a doubled slash is another path", "GET", "/apis//a.dev/v1/things", "no get"},
      {"inside too", "GET", "/apis/a.dev/v1/namespaces//things", "no get"},
      {"a version is no resource", "GET", "/apis/a.dev/v1", "no get"},
      {"a group is none", "GET", "/apis/a.dev", "no get"},
      {"other paths", "POST", "/validate", "no post"},
      {"the root", "GET", "/", "no get"},
      {"an unknown method", "BREW", "/apis/a.dev/v1/things", "brew a.dev/v1 - things - -"},
      {"an escaped slash parts segments", "GET", "/apis/a.dev/v1/namespaces/ns/things/n%2Fstatus",
       "get a.dev/v1 ns things n status"},
  };
  for (const Row& row : table)
    EXPECT_EQ(Summary(row.method, row.target), row.expected) << row.reason;
}

TEST(RequestInfoTest, KnowsWhatIsAnsweredByAStream) {
  const std::string owner =
      "/apis/operations.asyncops.dev/v1alpha1/namespaces/ns/asyncresources/n/asyncoperations";
  struct StreamRow {
    std::string_view reason;
    std::string target;
    std::string_view verb;
    bool streams;
  };
  const std::vector<StreamRow> table = {
      {"a watch", "/apis/a.dev/v1/things?watch=1", "watch", true},
      {"a list", "/apis/a.dev/v1/things", "list", false},
      {"an object is never watched by its path", "/apis/a.dev/v1/namespaces/ns/things/n?watch=1",
       "get", false},
      {"nor is its status", "/apis/a.dev/v1/namespaces/ns/things/n/status?watch=1", "get", false},
      {"a subresource that is a list is got by its verb, and streams", owner + "?watch=true", "get",
       true},
      {"as a list it does not", owner, "get", false},
      {"the same path in another group is another thing",
       "/apis/a.dev/v1/namespaces/ns/asyncresources/n/asyncoperations?watch=1", "get", false},
  };
  for (const StreamRow& row : table) {
    const RequestInfo info = ParseRequestInfo(ApiHarness::MakeRequest("GET", row.target, "", {}));
    EXPECT_EQ(info.verb, row.verb) << row.reason;
    EXPECT_EQ(info.streams, row.streams) << row.reason;
  }
}

}  // namespace
}  // namespace asyncops::apiserver
