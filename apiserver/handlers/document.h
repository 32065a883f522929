// A fixed document with an entity tag: discovery and OpenAPI.
#ifndef ASYNCOPS_APISERVER_HANDLERS_DOCUMENT_H_
#define ASYNCOPS_APISERVER_HANDLERS_DOCUMENT_H_

#include <string>

#include "apiserver/http/response.h"

namespace asyncops::apiserver {

// Immutable bytes and their tag.
class Document {
 public:
  Document(std::string content_type, std::string bytes);

  const std::string& bytes() const { return bytes_; }
  // SHA-512 in upper-case hex, without quotes.
  const std::string& hash() const { return hash_; }

  // 200 with ETag, Vary: Accept and Cache-Control: public; a bare 304 where If-None-Match names the
  // tag.
  http::Response Serve(const http::Request& request) const;

 private:
  const std::string content_type_;
  const std::string bytes_;
  const std::string hash_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_DOCUMENT_H_
