// Reads one HTTP/1.x request out of the bytes of a connection; strict where request smuggling
// lives.
#ifndef ASYNCOPS_APISERVER_HTTP_BEAST_REQUEST_PARSER_H_
#define ASYNCOPS_APISERVER_HTTP_BEAST_REQUEST_PARSER_H_

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "apiserver/http/request.h"

namespace asyncops::http {

// Parses one request, then is thrown away. On top of Beast's grammar it refuses: line folding;
// Transfer-Encoding other than one "chunked", or in HTTP/1.0; a Content-Length list; a Host that is
// missing (1.1) or repeated; Upgrade and CONNECT; trailers are read and dropped.
class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  enum class Step {
    kNeedMore,  // all that could be used of the input was
    kHead,      // the head is complete: set the limit of the body, then go on
    kDone,      // the request is complete; the rest of the input belongs to the next one
    kFailed,    // error_code() and error_message() say why; the connection is of no more use
  };

  // Heads larger than this fail with 431.
  explicit RequestParser(std::size_t max_header_bytes);

  // Takes what it can off the front of the input. What is left after kNeedMore is given again, with
  // more behind it.
  Step Parse(std::string_view* input);
  // The greatest body; set after kHead. A larger one fails with 413.
  void LimitBody(std::size_t bytes);

  // Whether any part of the request has been taken.
  bool started() const { return got_some(); }
  // Valid after kHead:
  Request& request() { return request_; }
  bool http10() const { return http10_; }
  bool wants_keep_alive() const { return keep_alive(); }
  bool wants_continue() const { return wants_continue_; }
  // Whether a body is still to come, and the size that the head gives it; 0 for a chunked one.
  bool expects_body() const { return !is_done(); }
  std::uint64_t announced_bytes() const { return announced_bytes_; }

  int error_code() const { return error_code_; }
  const std::string& error_message() const { return error_message_; }

 private:
  using Error = boost::beast::error_code;
  using View = boost::beast::string_view;

  Step Fail(int code, std::string message);
  Step FailWith(const Error& error);
  Step CheckHead();
  bool AppendBody(View bytes, Error* error);

  void on_request_impl(boost::beast::http::verb method, View name, View target, int version,
                       Error& error) override;
  void on_response_impl(int code, View reason, int version, Error& error) override;
  void on_field_impl(boost::beast::http::field field, View name, View value, Error& error) override;
  void on_header_impl(Error& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& size, Error& error) override;
  std::size_t on_body_impl(View bytes, Error& error) override;
  void on_chunk_header_impl(std::uint64_t size, View extensions, Error& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, View bytes, Error& error) override;
  void on_finish_impl(Error& error) override;

  const std::size_t max_header_bytes_;
  std::size_t header_bytes_ = 0;
  std::size_t body_limit_bytes_ = 0;
  std::uint64_t announced_bytes_ = 0;
  std::string_view input_;  // what the current Parse works on
  Request request_;
  std::string target_;
  bool http10_ = false;
  bool head_given_ = false;
  bool wants_continue_ = false;
  bool unknown_expectation_ = false;
  bool upgrade_ = false;
  int hosts_ = 0;
  int error_code_ = 0;
  std::string error_message_;
};

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_BEAST_REQUEST_PARSER_H_
