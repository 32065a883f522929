#include "api/core/v1/secret.h"

#include "base/encoding.h"

namespace asyncops::core {

void MergeStringData(Json* secret) {
  if (!secret->is_object()) return;
  const Json* plain = secret->Find("stringData");
  if (plain == nullptr) return;
  if (plain->is_object()) {
    JsonObject left;
    const JsonObject values = plain->as_object();
    const Json* data = secret->Find("data");
    const bool mergeable = data == nullptr || data->is_null() || data->is_object();
    for (const auto& [key, value] : values) {
      // What has a wrong type stays, so that validation names it.
      if (mergeable && value.is_string())
        secret->ObjectAt("data").Set(key, Base64Encode(value.as_string()));
      else
        left.Set(key, value);
    }
    if (!left.empty()) {
      secret->Set("stringData", std::move(left));
      return;
    }
  } else if (!plain->is_null()) {
    return;
  }
  secret->as_object().Erase("stringData");
}

}  // namespace asyncops::core
