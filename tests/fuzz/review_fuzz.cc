// An AdmissionReview that is posted.
#include <string>

#include "base/json.h"
#include "tests/fuzz/fuzz_target.h"
#include "webhooks/admission_reviewer.h"

void asyncops::fuzz::Run(std::string_view input) {
  http::Request request;
  request.method = "POST";
  request.path = webhooks::kValidatePath;
  request.headers.Add("Content-Type", "application/json");
  request.body = input;
  const http::Response response = webhooks::AdmissionReviewer().Review(request);
  Hold(response.status == 200 || (response.status >= 400 && response.status < 500),
       "a bad review is the client's mistake");
  Hold(ParseJson(response.body).ok(), "every answer is JSON");
}
