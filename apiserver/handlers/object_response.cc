#include "apiserver/handlers/object_response.h"

#include <utility>

#include "apiserver/handlers/respond.h"
#include "apiserver/handlers/table.h"
#include "apiserver/handlers/warnings.h"

namespace asyncops::apiserver {

http::Response ObjectResponse(const ResourceInfo& resource, const Representation& representation,
                              int code, std::string json, Time now) {
  std::string body;
  if (representation.view == View::kObject) {
    body = std::move(json);
  } else {
    const TableWriter writer(resource, representation);
    if (representation.view == View::kTable) {
      writer.AppendTableOfOne(true, {.json = json}, now, &body);
    } else {
      writer.AppendPartialMetadata({.json = json}, &body);
    }
  }
  body.push_back('\n');
  return JsonResponse(code, std::move(body));
}

WriteCallback AnswerOfWrite(const ResourceInfo& resource, Representation representation,
                            WriteAnswer answer, const Clock& clock, http::Responder respond) {
  return [&resource, &clock, representation = std::move(representation), answer = std::move(answer),
          respond = std::move(respond)](Result<WriteResult> result) {
    if (!result.ok()) return respond(ErrorResponse(result.status()));
    std::vector<std::string> warnings = answer.warnings;
    for (std::string& warning : result->warnings) warnings.push_back(std::move(warning));
    const int code = result->created ? 201 : answer.code;
    http::Response response =
        ObjectResponse(resource, representation, code, std::move(result->json), clock.Now());
    AddWarnings(warnings, &response);
    respond(std::move(response));
  };
}

}  // namespace asyncops::apiserver
