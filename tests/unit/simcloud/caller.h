// A caller of a simulated cloud whose clock stands still, for tests.
#ifndef ASYNCOPS_TESTS_UNIT_SIMCLOUD_CALLER_H_
#define ASYNCOPS_TESTS_UNIT_SIMCLOUD_CALLER_H_

#include <chrono>
#include <map>
#include <string>

#include "base/json.h"
#include "tests/simcloud/service.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_ids.h"

namespace asyncops::simcloud {

// Operations take 2 s; tokens count up, so the first volume is vol-00000001 and its operation
// op-00000002.
class Caller {
 public:
  Reply Call(const std::string& method, const std::string& target, const std::string& body = "",
             const std::map<std::string, std::string>& headers = {}) {
    return service_.Handle(MakeRequest(method, target, body, headers));
  }
  Json CallForJson(const std::string& method, const std::string& target,
                   const std::string& body = "") {
    return JsonOf(Call(method, target, body));
  }
  // Does the work of a call whose reply was deferred.
  Reply Perform(const std::string& method, const std::string& target, const std::string& body) {
    return service_.Perform(MakeRequest(method, target, body, {}));
  }
  int Status(const std::string& method, const std::string& target, const std::string& body = "") {
    return Call(method, target, body).status;
  }
  Reply PutBehaviour(const std::string& json) { return Call("PUT", "/admin/behaviour", json); }
  std::int64_t Stat(const std::string& name) {
    return CallForJson("GET", "/admin/stats").IntAt({name}, -1);
  }
  void Pass(Duration duration) { clock_.Advance(duration); }

  static Json JsonOf(const Reply& reply) {
    const Result<Json> json = ParseJson(reply.body);
    return json ? *json : Json();
  }
  static std::string HeaderOf(const Reply& reply, const std::string& wanted) {
    for (const auto& [name, value] : reply.headers) {
      if (name == wanted) return value;
    }
    return "";
  }
  static std::string CodeOf(const Reply& reply) {
    return std::string(JsonOf(reply).StringAt({"error", "code"}));
  }

 private:
  // `target` may have a query of plain names and values.
  static Request MakeRequest(const std::string& method, const std::string& target,
                             const std::string& body,
                             const std::map<std::string, std::string>& headers) {
    Request request;
    request.method = method;
    const std::size_t mark = target.find('?');
    request.path = target.substr(0, mark);
    if (mark != std::string::npos) {
      const std::string query = target.substr(mark + 1);
      const std::size_t equals = query.find('=');
      request.query.emplace(query.substr(0, equals), query.substr(equals + 1));
    }
    request.body = body;
    request.headers = headers;
    return request;
  }

  FakeClock clock_;
  FakeIds ids_;
  Service service_{clock_, ids_, Behaviour{}};
};

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_UNIT_SIMCLOUD_CALLER_H_
