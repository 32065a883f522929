#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/core/v1/secret.h"
#include "tests/unit/kinds/objects.h"

namespace asyncops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json ValidSecret() {
  return ParseObject(R"(
apiVersion: v1
kind: Secret
metadata: {name: acme, namespace: team-a}
data: {token: aGVsbG8=}
)");
}

TEST(SecretTest, MovesPlainTextIntoData) {
  Json secret = Patched(ValidSecret(), "stringData: {token: new, other: plain}");
  core::MergeStringData(&secret);
  EXPECT_EQ(secret.Find("stringData"), nullptr);
  EXPECT_EQ(*secret.Find("data"), Json::Of({{"token", "bmV3"}, {"other", "cGxhaW4="}}));
}

TEST(SecretTest, LeavesPlainTextOfAWrongTypeToBeRefused) {
  Json secret = Patched(ValidSecret(), "stringData: {token: 1}");
  core::MergeStringData(&secret);
  EXPECT_THAT(Texts(Create(secret)), ElementsAre(HasSubstr("stringData.token: Invalid value")));
}

TEST(SecretTest, DefaultsToOpaqueAndAcceptsIt) {
  EXPECT_THAT(Texts(Create(ValidSecret())), IsEmpty());
}

TEST(SecretTest, RefusesKeysThatAreNoFileNames) {
  EXPECT_THAT(Texts(Create(Patched(ValidSecret(), "data: {a/b: aGVsbG8=}"))),
              ElementsAre(HasSubstr("data[a/b]: Invalid value: \"a/b\": a key of a Secret")));
}

TEST(SecretTest, NeverShowsAValueThatIsNotBase64) {
  const auto texts = Texts(Create(Patched(ValidSecret(), "data: {token: hunter2}")));
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_THAT(texts.front(), Not(HasSubstr("hunter2")));
}

TEST(SecretTest, AsksForTheKeysOfItsType) {
  EXPECT_THAT(Texts(Create(Patched(ValidSecret(), "type: kubernetes.io/tls"))),
              ElementsAre(HasSubstr("data[tls.crt]: Required value"),
                          HasSubstr("data[tls.key]: Required value")));
}

TEST(SecretTest, AnImmutableOneDoesNotChange) {
  const Json old = Patched(ValidSecret(), "immutable: true");
  EXPECT_THAT(Texts(Update(Patched(old, "data: {token: bmV3}"), old)),
              ElementsAre("data: Forbidden: field is immutable when `immutable` is set"));
  EXPECT_THAT(Texts(Update(Patched(old, "type: other"), old)),
              ElementsAre("type: Invalid value: \"other\": field is immutable"));
}

TEST(NamespaceTest, ItsNameIsALabel) {
  const Json object = ParseObject("{apiVersion: v1, kind: Namespace, metadata: {name: team.a}}");
  EXPECT_THAT(Texts(Create(object)), ElementsAre(HasSubstr("metadata.name: Invalid value")));
  EXPECT_THAT(Texts(Create(Patched(object, "metadata: {name: team-a}"))), IsEmpty());
}

TEST(EventTest, IsInTheNamespaceOfItsObject) {
  const Json event = ParseObject(R"(
apiVersion: v1
kind: Event
metadata: {name: e, namespace: team-a}
involvedObject: {kind: AsyncResource, name: data-volume, namespace: team-a}
reason: Submitted
)");
  EXPECT_THAT(Texts(Create(event)), IsEmpty());
  EXPECT_THAT(Texts(Create(Patched(event, "involvedObject: {namespace: team-b}"))),
              ElementsAre("involvedObject.namespace: Invalid value: \"team-b\": does not match "
                          "event.namespace"));
}

}  // namespace
}  // namespace asyncops
