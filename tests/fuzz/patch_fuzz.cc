// A JSON patch and a merge patch of a client, on a document: one line for the document, the patch
// below.
#include "api/meta/patch.h"
#include "base/json.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

void HoldResult(const Result<Json>& patched) {
  if (!patched.ok()) return Hold(HttpCode(patched.status().reason()) < 500, "a patch is no 5xx");
  Hold(ParseJson(EncodeJson(*patched)).ok(), "what a patch makes is JSON");
}

}  // namespace

void Run(std::string_view input) {
  const Split split = SplitLine(input);
  const Result<Json> document = ParseJson(split.first);
  const Result<Json> patch = ParseJson(split.rest);
  if (!document.ok() || !patch.ok()) return;
  HoldResult(ApplyJsonPatch(*document, *patch));
  HoldResult(ApplyMergePatch(*document, *patch));
}

}  // namespace asyncops::fuzz
