// The target of a request line.
#include "apiserver/handlers/request_info.h"
#include "apiserver/http/request_target.h"
#include "tests/fuzz/fuzz_target.h"

void asyncops::fuzz::Run(std::string_view input) {
  http::Request request;
  request.method = "GET";
  const Status status = http::ReadRequestTarget(input, &request);
  if (!status.ok()) return;
  Hold(request.path.starts_with('/'), "a path starts at the root");
  const apiserver::RequestInfo info = apiserver::ParseRequestInfo(request);
  Hold(info.name.find('/') == std::string::npos, "a name is one segment");
}
