#include "tests/simcloud/message.h"

namespace asyncops::simcloud {
namespace {

std::string ValueOf(const std::map<std::string, std::string>& map, std::string_view name) {
  const auto found = map.find(std::string(name));
  return found == map.end() ? std::string() : found->second;
}

}  // namespace

std::string Request::Header(std::string_view name) const { return ValueOf(headers, name); }

std::string Request::Query(std::string_view name) const { return ValueOf(query, name); }

std::string Request::BaseUrl() const { return "http://" + Header("host"); }

Reply JsonReply(int status, const Json& body) {
  Reply reply;
  reply.status = status;
  reply.body = EncodeJson(body);
  return reply;
}

Reply ErrorReply(int status, std::string_view code, std::string_view message) {
  return JsonReply(status, Json::Of({{"error", Json::Of({{"code", code}, {"message", message}})}}));
}

}  // namespace asyncops::simcloud
