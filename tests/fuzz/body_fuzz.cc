// A body of a client: its Content-Type on the first line, the bytes below. Apply bodies are among
// them.
#include <string>

#include "apiserver/handlers/body.h"
#include "apiserver/handlers/write_options.h"
#include "tests/fuzz/fuzz_target.h"

namespace asyncops::fuzz {
namespace {

void HoldRefusal(const Status& status) {
  const int code = HttpCode(status.reason());
  Hold(code >= 400 && code < 500, "a bad body is the client's mistake");
}

}  // namespace

void Run(std::string_view input) {
  const Split split = SplitLine(input);
  http::Request request;
  request.path = "/apis/operations.asyncops.dev/v1alpha1/namespaces/a/asyncoperations/b";
  request.method = "POST";
  request.headers.Add("Content-Type", std::string(split.first));
  request.body = split.rest;
  const Result<apiserver::DecodedBody> body = apiserver::DecodeBody(request);
  if (!body.ok()) HoldRefusal(body.status());
  request.method = "PATCH";
  const ResourceInfo& resource = *FindResource("operations.asyncops.dev", "asyncoperations");
  const Result<apiserver::DecodedPatch> patch = apiserver::DecodePatch(request, resource);
  if (!patch.ok()) HoldRefusal(patch.status());
  request.method = "DELETE";
  const Result<apiserver::DeleteOptions> options = apiserver::DeleteOptionsOf(request);
  if (!options.ok()) HoldRefusal(options.status());
}

}  // namespace asyncops::fuzz
