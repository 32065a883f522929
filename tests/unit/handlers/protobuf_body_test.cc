#include "apiserver/handlers/protobuf_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace asyncops::apiserver {
namespace {

// A length-delimited field of less than 2^14 bytes.
std::string Bytes(int number, std::string_view value) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  const std::size_t size = value.size();
  if (size >= 128) out.push_back(static_cast<char>((size & 127) | 128));
  out.push_back(static_cast<char>(size >= 128 ? size >> 7 : size));
  return out.append(value);
}

std::string Number(int number, int value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

std::string Entry(int number, std::string_view key, std::string_view value) {
  return Bytes(number, Bytes(1, key) + Bytes(2, value));
}

std::string Body(std::string_view kind, std::string_view raw) {
  return std::string("k8s\0", 4) + Bytes(1, Bytes(1, "v1") + Bytes(2, kind)) + Bytes(2, raw);
}

// What kubectl 1.33 sends for `create secret generic`, with what Go writes though it is empty.
std::string SecretBody() {
  const std::string metadata = Bytes(1, "s") + Bytes(2, "") + Bytes(3, "team-a") + Bytes(4, "") +
                               Bytes(5, "") + Bytes(6, "") + Number(7, 0) + Bytes(8, "") +
                               Entry(11, "tier", "gold") + Bytes(14, "a.example/x");
  return Body("Secret", Bytes(1, metadata) + Entry(2, "password", "hunter2") +
                            Entry(2, "bytes", std::string("\x00\xff", 2)) + Bytes(3, "Opaque") +
                            Number(5, 1));
}

TEST(ProtobufBodyTest, ReadsASecret) {
  const Result<Json> secret = DecodeProtobuf(SecretBody());
  ASSERT_TRUE(secret.ok()) << secret.status().ToString();
  EXPECT_EQ(EncodeJson(*secret),
            R"({"apiVersion":"v1","data":{"bytes":"AP8=","password":"aHVudGVyMg=="},)"
            R"("immutable":true,"kind":"Secret","metadata":{"finalizers":["a.example/x"],)"
            R"("labels":{"tier":"gold"},"name":"s","namespace":"team-a"},"type":"Opaque"})");
}

TEST(ProtobufBodyTest, ReadsOwners) {
  const std::string owner = Bytes(1, "AsyncResource") + Bytes(3, "v") + Bytes(4, "u-1") +
                            Bytes(5, "asyncops.dev/v1alpha1") + Number(6, 1) + Number(7, 0);
  const Result<Json> secret = DecodeProtobuf(
      Body("Secret", Bytes(1, Bytes(1, "s") + Bytes(13, owner) + Bytes(13, Bytes(4, "u-2")))));
  ASSERT_TRUE(secret.ok()) << secret.status().ToString();
  EXPECT_EQ(EncodeJson(*secret->FindPath({"metadata", "ownerReferences"})),
            R"([{"apiVersion":"asyncops.dev/v1alpha1","blockOwnerDeletion":false,)"
            R"("controller":true,"kind":"AsyncResource","name":"v","uid":"u-1"},{"uid":"u-2"}])");
}

TEST(ProtobufBodyTest, ReadsANamespace) {
  const Result<Json> object =
      DecodeProtobuf(Body("Namespace", Bytes(1, Bytes(1, "n")) + Bytes(2, "") + Bytes(3, "")));
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  EXPECT_EQ(object->StringAt({"metadata", "name"}), "n");
}

TEST(ProtobufBodyTest, ReadsDeleteOptionsOfAnyGroup) {
  const std::string raw = Number(1, 30) + Bytes(2, Bytes(1, "u-1") + Bytes(2, "7")) + Number(3, 0) +
                          Bytes(4, "Foreground") + Bytes(5, "All");
  const std::string body = std::string("k8s\0", 4) +
                           Bytes(1, Bytes(1, "apps/v1") + Bytes(2, "DeleteOptions")) +
                           Bytes(2, raw);
  const Result<Json> options = DecodeProtobuf(body);
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(EncodeJson(*options),
            R"({"apiVersion":"apps/v1","dryRun":["All"],"gracePeriodSeconds":30,)"
            R"("kind":"DeleteOptions","orphanDependents":false,"preconditions":)"
            R"({"resourceVersion":"7","uid":"u-1"},"propagationPolicy":"Foreground"})");
}

TEST(ProtobufBodyTest, PassesOverWhatItDoesNotKnow) {
  const Result<Json> object =
      DecodeProtobuf(Body("Secret", Bytes(15, "future") + Number(9, 7) + Bytes(1, Bytes(1, "s"))));
  ASSERT_TRUE(object.ok()) << object.status().ToString();
  EXPECT_EQ(object->StringAt({"metadata", "name"}), "s");
}

TEST(ProtobufBodyTest, OtherKindsAreAskedForInJson) {
  const Result<Json> object = DecodeProtobuf(Body("Pod", ""));
  EXPECT_EQ(object.status().reason(), Reason::kUnsupportedMediaType);
}

TEST(ProtobufBodyTest, RefusesWhatIsNoMessage) {
  struct Row {
    std::string_view reason;
    std::string bytes;
  };
  const std::vector<Row> table = {
      {"nothing", ""},
      {"no prefix", "k8sx"},
      {"a length beyond the end", std::string("k8s\0\x0a\x7f", 6)},
      {"a number where bytes belong", Body("Secret", Number(1, 1))},
      {"bytes where a number belongs", Body("Secret", Bytes(5, "x"))},
      {"text that is no UTF-8", Body("Secret", Bytes(3, "\xff"))},
      {"a group, which is long gone", Body("Secret", std::string("\x0b\x0c", 2))},
      {"field 0", Body("Secret", std::string("\x02\x00", 2))},
      {"a varint without an end", std::string("k8s\0", 4) + std::string(11, '\xff')},
  };
  for (const Row& row : table)
    EXPECT_EQ(DecodeProtobuf(row.bytes).status().reason(), Reason::kBadRequest) << row.reason;
}

TEST(ProtobufBodyTest, NoCutAndNoFlippedBitDoesHarm) {
  const std::string whole = SecretBody();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Result<Json> cut = DecodeProtobuf(std::string_view(whole).substr(0, size));
    EXPECT_TRUE(cut.ok() || !cut.status().message().empty());
  }
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const Result<Json> read = DecodeProtobuf(flipped);
    EXPECT_THAT(read.status().message(), testing::Not(testing::HasSubstr("hunter2")));
  }
}

TEST(ProtobufBodyTest, ManyEntriesInTheWorstOrderTakeNoTime) {
  std::string data;
  constexpr int kEntries = 200000;
  for (int i = kEntries; i > 0; --i) data += Entry(2, std::to_string(1000000 + i), "");
  // A length of four bytes, which Bytes() does not write.
  std::string body = std::string("k8s\0", 4) + Bytes(1, Bytes(1, "v1") + Bytes(2, "Secret"));
  body.push_back(2 << 3 | 2);
  for (int shift = 0; shift < 28; shift += 7)
    body.push_back(static_cast<char>((data.size() >> shift & 127) | (shift < 21 ? 128 : 0)));
  const Result<Json> secret = DecodeProtobuf(body + data);
  ASSERT_TRUE(secret.ok()) << secret.status().ToString();
  EXPECT_EQ(secret->Find("data")->as_object().size(), static_cast<std::size_t>(kEntries));
}

}  // namespace
}  // namespace asyncops::apiserver
