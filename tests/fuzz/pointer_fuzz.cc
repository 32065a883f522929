// A JSON Pointer of a declaration, on an answer of a cloud: the pointer on the first line, the
// answer below.
#include "api/expr/json_pointer.h"
#include "base/json.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

// The text that has these tokens.
std::string Spell(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens) {
    text += '/';
    for (const char c : token) text += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return text;
}

}  // namespace

void Run(std::string_view input) {
  const Split split = SplitLine(input);
  const Result<expr::JsonPointer> pointer = expr::JsonPointer::Parse(split.first);
  if (!pointer.ok()) {
    return Hold(pointer.status().reason() == Reason::kBadRequest,
                "a mistake in a pointer is a bad request");
  }
  Hold(Spell(pointer->tokens()) == split.first, "an accepted pointer is what its steps spell");
  const Result<Json> parsed = ParseJson(split.rest);
  Json document = parsed.ok() ? *parsed : Json();
  const bool was_there = pointer->Find(document) != nullptr;
  const Status set = pointer->Set(&document, Json("mark"));
  if (was_there) {
    const Json* found = pointer->Find(document);
    Hold(set.ok() && found != nullptr && *found == Json("mark"), "what is there can be replaced");
  }
  Hold(set.ok() || set.reason() == Reason::kBadRequest, "no place in the document is no fault");
}

}  // namespace asyncops::fuzz
