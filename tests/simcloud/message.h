// A request and its reply as the simulated cloud sees them: no sockets, no HTTP library.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_MESSAGE_H_
#define ASYNCOPS_TESTS_SIMCLOUD_MESSAGE_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"

namespace asyncops::simcloud {

struct Request {
  std::string method;  // "GET"
  std::string path;    // decoded, without the query
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  // The value of a header (name in lower case), or "".
  std::string Header(std::string_view name) const;
  // The value of a query parameter, or "".
  std::string Query(std::string_view name) const;
  // "http://127.0.0.1:40123", as the caller knows this server.
  std::string BaseUrl() const;
};

// How a reply leaves: whole, cut in half, not at all, byte by byte, or with a body that has no end.
// All but the first close the connection.
enum class Delivery { kSend, kTruncate, kDrop, kSlow, kEndless };

struct Reply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // JSON where content_type does not say otherwise, or empty
  std::string content_type = "application/json";
  Delivery delivery = Delivery::kSend;
  // How long to wait before the reply leaves.
  Duration delay{0};
  Duration pause{0};  // of kSlow: between two bytes of the body
  // The work is not done yet: Service::Perform has to be called after `delay`, and gives the reply.
  bool deferred = false;
};

Reply JsonReply(int status, const Json& body);
// {"error": {"code": ..., "message": ...}}
Reply ErrorReply(int status, std::string_view code, std::string_view message);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_MESSAGE_H_
