// Content-Encoding gzip for large bodies; the adapter of zlib is gzip.cc.
#ifndef ASYNCOPS_APISERVER_HTTP_GZIP_H_
#define ASYNCOPS_APISERVER_HTTP_GZIP_H_

#include <memory>
#include <string>
#include <string_view>

namespace asyncops::http {

// The bytes as one gzip member, compressed at level 1 (fast, as kube-apiserver does), with no time
// or file name in it: equal bytes give equal output.
std::string Gzip(std::string_view bytes);

// The same, of bytes that come in parts.
class GzipStream {
 public:
  GzipStream();
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  // Compresses; some of it may come out with a later call alone.
  void Append(std::string_view bytes, std::string* out) { Run(bytes, false, out); }
  // The end of the member. Nothing may follow.
  void Finish(std::string* out) { Run({}, true, out); }

 private:
  struct State;  // zlib's

  void Run(std::string_view bytes, bool finish, std::string* out);

  const std::unique_ptr<State> state_;
};

// Whether an Accept-Encoding value lets us send gzip: it names "gzip" (or "*", where gzip is not
// named) with a quality above 0. "" does not.
bool AcceptsGzip(std::string_view accept_encoding);

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_GZIP_H_
