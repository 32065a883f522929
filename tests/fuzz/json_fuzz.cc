// JSON, YAML and protobuf of a client.
#include "apiserver/handlers/protobuf_body.h"
#include "base/json.h"
#include "base/yaml.h"
#include "tests/fuzz/fuzz_target.h"

void asyncops::fuzz::Run(std::string_view input) {
  std::vector<std::string> duplicates;
  const Result<Json> parsed = ParseJson(input, {.duplicates = &duplicates});
  if (parsed.ok()) {
    const std::string canonical = EncodeJson(*parsed);
    const Result<Json> again = ParseJson(canonical);
    Hold(again.ok() && EncodeJson(*again) == canonical, "canonical JSON is parsed to itself");
  } else {
    Hold(parsed.status().reason() == Reason::kBadRequest, "bad JSON is a bad request");
  }
  const Result<std::vector<Json>> documents = ParseYaml(input);
  if (documents.ok()) {
    for (const Json& document : *documents) {
      Hold(ParseJson(EncodeJson(document)).ok(), "a YAML document is a JSON value");
    }
  }
  static_cast<void>(apiserver::DecodeProtobuf(input));
}
