#include "apiserver/handlers/negotiate.h"

#include <optional>
#include <utility>

#include "apiserver/handlers/media_type.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kMetaGroup = "meta.k8s.io";
constexpr std::string_view kJson = "application/json";

constexpr std::string_view kYaml = "application/yaml";

bool IsWatch(Answer answer) { return answer == Answer::kWatch || answer == Answer::kWatchList; }

Status NothingAcceptable(Answer answer) {
  return {Reason::kNotAcceptable, std::string("only the following media types are accepted: ") +
                                      (IsWatch(answer) ? "application/json;stream=watch"
                                                       : "application/json, application/yaml")};
}

// Go's strconv.ParseBool, which takes what it does not know for false.
bool IsTrue(std::string_view value) {
  return value == "1" || value == "t" || value == "T" || value == "true" || value == "TRUE" ||
         value == "True";
}

bool WantsPretty(const http::Request& request) {
  if (const std::string_view asked = request.query.Get("pretty"); !asked.empty())
    return IsTrue(asked);
  const std::string_view agent = request.headers.Get("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

// Whether we have the encoding of the clause: YAML has no form for streams.
bool HasEncoding(const MediaType& clause, Answer answer) {
  return clause.Includes(kJson) || (!IsWatch(answer) && clause.type == kYaml);
}

// The view that the clause's parameters ask for; nothing where it is one that we do not have.
std::optional<View> ViewOf(const MediaType& clause, Answer answer) {
  const std::string_view as = clause.Parameter("as");
  // The one form of streams that there is.
  if (const auto stream = clause.Parameter("stream"); !stream.empty() && stream != "watch")
    return std::nullopt;
  if (as.empty()) return View::kObject;
  const std::string_view version = clause.Parameter("v");
  if (clause.Parameter("g") != kMetaGroup || (version != "v1" && version != "v1beta1"))
    return std::nullopt;
  // A state that comes as events is for caches, which have no use for tables.
  if (as == "Table" && answer != Answer::kWatchList) return View::kTable;
  const std::string_view partial =
      answer == Answer::kList ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  if (as == partial) return View::kPartialMetadata;
  return std::nullopt;
}

// What kube-apiserver says to those who take an object for a list, or the other way round.
std::optional<Status> MistakenPartial(const MediaType& clause, Answer answer) {
  const std::string_view as = clause.Parameter("as");
  const bool is_list = answer == Answer::kList;
  if (is_list && as == "PartialObjectMetadata") {
    return Status(Reason::kNotAcceptable,
                  "you requested PartialObjectMetadata, but the requested object is a list");
  }
  if (!is_list && as == "PartialObjectMetadataList") {
    return Status(Reason::kNotAcceptable,
                  "you requested PartialObjectMetadataList, but the requested object is not a "
                  "list");
  }
  return std::nullopt;
}

Result<IncludeObject> IncludeObjectOf(const http::Request& request) {
  const std::string_view text = request.query.Get("includeObject");
  if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
  if (text == "Object") return IncludeObject::kObject;
  if (text == "None") return IncludeObject::kNone;
  return BadRequest(
      "Unable to convert to Table as requested: includeObject must be None, "
      "Metadata or Object");
}

}  // namespace

Result<Representation> Negotiate(const http::Request& request, Answer answer) {
  std::optional<Status> mistaken;
  for (const MediaType& clause : ParseAccept(request.headers.Get("Accept"))) {
    if (!HasEncoding(clause, answer)) continue;
    const std::optional<View> view = ViewOf(clause, answer);
    if (!view) {
      if (!mistaken) mistaken = MistakenPartial(clause, answer);
      continue;
    }
    Representation representation;
    representation.view = *view;
    if (*view != View::kObject) representation.version = clause.Parameter("v");
    if (*view == View::kTable) {
      const Result<IncludeObject> include = IncludeObjectOf(request);
      if (!include.ok()) return include.status();
      representation.include_object = *include;
    }
    return representation;
  }
  return mistaken ? *mistaken : NothingAcceptable(answer);
}

Form FormOf(const http::Request& request, Answer answer) {
  if (IsWatch(answer)) return Form::kCompact;
  const Form json = WantsPretty(request) ? Form::kPretty : Form::kCompact;
  const std::string_view accept = request.headers.Get("Accept");
  // Most clients say nothing that matters here, and the clauses need not be taken apart.
  if (accept.find("yaml") == std::string_view::npos &&
      accept.find("pretty") == std::string_view::npos) {
    return json;
  }
  for (const MediaType& clause : ParseAccept(accept)) {
    if (!HasEncoding(clause, answer) || !ViewOf(clause, answer)) continue;
    if (!clause.Includes(kJson)) return Form::kYaml;
    return clause.Parameter("pretty") == "1" ? Form::kPretty : json;
  }
  return json;
}

}  // namespace asyncops::apiserver
