// An Accept header of a client.
#include <string>

#include "apiserver/handlers/negotiate.h"
#include "tests/fuzz/fuzz_target.h"

void asyncops::fuzz::Run(std::string_view input) {
  http::Request request;
  request.method = "GET";
  request.path = "/";
  request.headers.Add("Accept", std::string(input));
  for (const auto answer :
       {apiserver::Answer::kObject, apiserver::Answer::kList, apiserver::Answer::kWatch}) {
    const Result<apiserver::Representation> chosen = apiserver::Negotiate(request, answer);
    if (chosen.ok()) continue;
    const int code = HttpCode(chosen.status().reason());
    Hold(code >= 400 && code < 500, "a bad Accept header is the client's mistake");
  }
}
