// A template of a declaration, on an answer of a cloud: the answer on the first line, the template
// below.
#include "api/expr/body_template.h"
#include "base/encoding.h"
#include "base/json.h"
#include "base/limits.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

void HoldText(std::string_view text, const expr::Bindings& bindings) {
  const Result<expr::Template> compiled =
      expr::Template::Compile(text, expr::ResponseEnvironment());
  if (!compiled.ok()) {
    return Hold(compiled.status().reason() == Reason::kBadRequest,
                "a mistake in a template is a bad request");
  }
  const Result<std::string> rendered = compiled->RenderText(bindings);
  if (!rendered.ok()) {
    return Hold(!compiled->is_literal() && rendered.status().reason() == Reason::kBadRequest,
                "only an expression fails to render, as a bad request");
  }
  Hold(rendered->size() <= kMaxRenderedBodyBytes, "a text is no larger than allowed");
  Hold(IsUtf8(*rendered), "a text is made of characters");
  const Result<Json> value = compiled->Render(bindings);
  Hold(value.ok() && (!value->is_string() || value->as_string() == *rendered),
       "what renders to text renders to a value");
}

void HoldBody(const Json& body, const expr::Bindings& bindings) {
  const Result<expr::BodyTemplate> compiled =
      expr::BodyTemplate::Compile(body, expr::ResponseEnvironment());
  if (!compiled.ok()) return;
  const Result<Json> rendered = compiled->Render(bindings);
  Hold(rendered.ok() || rendered.status().reason() == Reason::kBadRequest,
       "a body that does not render is a bad request");
}

}  // namespace

void Run(std::string_view input) {
  const Split split = SplitLine(input);
  // Templates are strings of JSON objects.
  if (!IsUtf8(split.rest)) return;
  const Result<Json> parsed = ParseJson(split.first);
  const Json answer = parsed.ok() ? *parsed : Json();
  expr::Bindings bindings;
  bindings.Set("response", &answer);
  HoldText(split.rest, bindings);
  const Result<Json> body = ParseJson(split.rest);
  if (body.ok()) HoldBody(*body, bindings);
}

}  // namespace asyncops::fuzz
