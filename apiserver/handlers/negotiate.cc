#include "apiserver/handlers/negotiate.h"

#include <optional>
#include <utility>

#include "apiserver/handlers/media_type.h"

namespace asyncops::apiserver {
namespace {

constexpr std::string_view kMetaGroup = "meta.k8s.io";
constexpr std::string_view kJson = "application/json";

Status NothingAcceptable() {
  return {Reason::kNotAcceptable, "only the following media types are accepted: application/json"};
}

bool WantsPretty(const http::Request& request, const MediaType& clause) {
  const auto truthy = [](std::string_view value) { return value == "1" || value == "true"; };
  if (request.query.Has("pretty")) return truthy(request.query.Get("pretty"));
  if (truthy(clause.Parameter("pretty"))) return true;
  const std::string_view agent = request.headers.Get("User-Agent");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

// The view that the clause's parameters ask for; nothing where it is one that we do not have.
std::optional<View> ViewOf(const MediaType& clause, Answer answer) {
  const std::string_view as = clause.Parameter("as");
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
    if (!clause.Includes(kJson)) continue;
    const std::optional<View> view = ViewOf(clause, answer);
    if (!view) {
      if (!mistaken) mistaken = MistakenPartial(clause, answer);
      continue;
    }
    Representation representation;
    representation.view = *view;
    if (*view != View::kObject) representation.version = clause.Parameter("v");
    representation.pretty = WantsPretty(request, clause);
    if (*view == View::kTable) {
      const Result<IncludeObject> include = IncludeObjectOf(request);
      if (!include.ok()) return include.status();
      representation.include_object = *include;
    }
    return representation;
  }
  return mistaken ? *mistaken : NothingAcceptable();
}

}  // namespace asyncops::apiserver
