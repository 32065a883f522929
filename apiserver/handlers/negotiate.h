// In which form an object, list or watch is to be answered (apiserver
// pkg/endpoints/handlers/negotiation).
#ifndef ASYNCOPS_APISERVER_HANDLERS_NEGOTIATE_H_
#define ASYNCOPS_APISERVER_HANDLERS_NEGOTIATE_H_

#include <string>

#include "apiserver/http/request.h"
#include "base/status.h"

namespace asyncops::apiserver {

// What the JSON holds.
enum class View { kObject, kTable, kPartialMetadata };

// What of the object a Table's rows carry.
enum class IncludeObject { kMetadata, kObject, kNone };

struct Representation {
  View view = View::kObject;
  std::string version = "v1";  // of meta.k8s.io, for Table and PartialObjectMetadata: v1 or v1beta1
  IncludeObject include_object = IncludeObject::kMetadata;
};

// What is answered: one object, a list, or a watch (a stream of single objects); kWatchList is one
// that begins with the present state, and has no Tables.
enum class Answer { kObject, kList, kWatch, kWatchList };

// The first clause of Accept that can be served wins, by falling quality; clauses for other
// encodings are passed over. NotAcceptable where none can; BadRequest for an unknown includeObject.
Result<Representation> Negotiate(const http::Request& request, Answer answer);

// How the JSON of an answer goes on the wire (reshape.h).
enum class Form { kCompact, kPretty, kYaml };

// The encoding of the clause that Negotiate takes. Indented where ?pretty or the clause asks for
// it, or where the client is one that people read: curl, Wget and browsers. A watch is always
// compact JSON. Without a clause that can be served (then the answer is a refusal) it is JSON.
Form FormOf(const http::Request& request, Answer answer);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_NEGOTIATE_H_
