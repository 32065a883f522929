#include "tests/simcloud/wire.h"

namespace asyncops::simcloud {
namespace {

void AppendHeader(std::string_view name, std::string_view value, std::string* out) {
  out->append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string EncodeReply(const Reply& reply) {
  // The reason phrase carries no meaning (RFC 9112 4) and may be empty.
  std::string out = "HTTP/1.1 " + std::to_string(reply.status) + " \r\n";
  for (const auto& [name, value] : reply.headers) AppendHeader(name, value, &out);
  AppendHeader("Connection", "close", &out);
  if (!reply.body.empty()) AppendHeader("Content-Type", reply.content_type, &out);
  const bool endless = reply.delivery == Delivery::kEndless;
  if (reply.status != 204 && !endless)
    AppendHeader("Content-Length", std::to_string(reply.body.size()), &out);
  out.append("\r\n");
  if (reply.delivery == Delivery::kSlow) return out;
  if (reply.delivery != Delivery::kTruncate) return out.append(reply.body);
  if (reply.body.empty()) return out.substr(0, out.size() / 2);
  return out.append(reply.body, 0, reply.body.size() / 2);
}

}  // namespace asyncops::simcloud
