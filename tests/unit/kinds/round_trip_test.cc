#include <gtest/gtest.h>
#include <random>

#include "api/asyncops/v1alpha1/async_resource.h"
#include "api/asyncops/v1alpha1/external_system.h"
#include "api/core/v1/event.h"
#include "api/core/v1/namespace.h"
#include "api/core/v1/secret.h"
#include "api/operations/v1alpha1/async_operation.h"
#include "api/operations/v1alpha1/operation_action.h"
#include "api/operations/v1alpha1/operation_history.h"
#include "api/schema/binding.h"
#include "api/schema/walk.h"

namespace asyncops {
namespace {

// Makes values that fit a schema. The same seed makes the same values.
class RandomValues {
 public:
  explicit RandomValues(unsigned seed) : random_(seed) {}

  Json Make(const Schema& schema) {
    switch (schema.type) {
      case SchemaType::kObject: return MakeObject(schema);
      case SchemaType::kMap: return JsonObject({{"a", Make(*schema.items)}});
      case SchemaType::kArray: return MakeArray(schema);
      case SchemaType::kString: return MakeString(schema);
      case SchemaType::kInteger:
        return static_cast<std::int64_t>(schema.minimum.value_or(0)) + Pick(5);
      case SchemaType::kNumber: return schema.minimum.value_or(0) + 0.25;
      case SchemaType::kBoolean: return Pick(2) == 0;
      case SchemaType::kFreeForm: break;
    }
    return Json::Of({{"free", Pick(100)}, {"list", JsonArray{1, "two", nullptr}}});
  }

 private:
  int Pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }

  Json MakeObject(const Schema& schema) {
    JsonObject object;
    for (const SchemaField& field : schema.fields) {
      // A list of managers is free-form to us but not to metadata.
      if (field.name == "managedFields") continue;
      if (field.required || Pick(2) == 0) object.Set(field.name, Make(*field.schema));
    }
    return object;
  }

  Json MakeArray(const Schema& schema) {
    JsonArray array;
    for (int i = Pick(3); i >= 0; --i) array.push_back(Make(*schema.items));
    return array;
  }

  Json MakeString(const Schema& schema) {
    if (!schema.enum_values.empty())
      return schema
          .enum_values[static_cast<std::size_t>(Pick(static_cast<int>(schema.enum_values.size())))];
    switch (schema.format) {
      case StringFormat::kDuration: return Pick(2) == 0 ? "30s" : "1h30m";
      case StringFormat::kTime: return "2026-11-29T16:47:53Z";
      case StringFormat::kMicroTime: return "2026-11-29T16:47:53.000123Z";
      case StringFormat::kBase64: return "aGVsbG8=";
      default: return "Text" + std::to_string(Pick(1000));
    }
  }

  std::mt19937 random_;
};

template <class T>
void ExpectRoundTrips() {
  const SchemaRef schema = T::Binding().schema();
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const Json json = RandomValues(seed).Make(*schema);
    ASSERT_TRUE(ValidateStructure(*schema, json).empty())
        << "seed " << seed << ": " << ValidateStructure(*schema, json).front().ToString();
    const Result<T> object = DecodeAs<T>(json);
    ASSERT_TRUE(object.ok()) << "seed " << seed << ": " << object.status().ToString();
    const Json encoded = T::Binding().Encode(*object);
    EXPECT_TRUE(ValidateStructure(*schema, encoded).empty()) << "seed " << seed;
    const Result<T> again = DecodeAs<T>(encoded);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.status().ToString();
    EXPECT_EQ(*again, *object) << "seed " << seed << "\n" << EncodePrettyJson(encoded);
  }
}

TEST(RoundTripTest, AsyncResource) { ExpectRoundTrips<AsyncResource>(); }
TEST(RoundTripTest, ExternalSystem) { ExpectRoundTrips<ExternalSystem>(); }
TEST(RoundTripTest, AsyncOperation) { ExpectRoundTrips<AsyncOperation>(); }
TEST(RoundTripTest, AsyncOperationCancel) { ExpectRoundTrips<AsyncOperationCancel>(); }
TEST(RoundTripTest, AsyncOperationRetry) { ExpectRoundTrips<AsyncOperationRetry>(); }
TEST(RoundTripTest, AsyncOperationResolution) { ExpectRoundTrips<AsyncOperationResolution>(); }
TEST(RoundTripTest, AsyncOperationHistory) { ExpectRoundTrips<AsyncOperationHistory>(); }
TEST(RoundTripTest, Event) { ExpectRoundTrips<core::Event>(); }
TEST(RoundTripTest, Namespace) { ExpectRoundTrips<core::Namespace>(); }
TEST(RoundTripTest, Secret) { ExpectRoundTrips<core::Secret>(); }

TEST(RoundTripTest, AnEncodedKindSaysWhatItIs) {
  const Json json = AsyncOperation::Binding().Encode({});
  EXPECT_EQ(json.StringAt({"apiVersion"}), "operations.asyncops.dev/v1alpha1");
  EXPECT_EQ(json.StringAt({"kind"}), "AsyncOperation");
}

}  // namespace
}  // namespace asyncops
