// Content-Encoding gzip for large bodies; the adapter of zlib is gzip.cc.
#ifndef ASYNCOPS_APISERVER_HTTP_GZIP_H_
#define ASYNCOPS_APISERVER_HTTP_GZIP_H_

#include <string>
#include <string_view>

namespace asyncops::http {

// The bytes as one gzip member, compressed at level 1 (fast, as kube-apiserver does), with no time
// or file name in it: equal bytes give equal output.
std::string Gzip(std::string_view bytes);

// Whether an Accept-Encoding value lets us send gzip: it names "gzip" (or "*", where gzip is not
// named) with a quality above 0. "" does not.
bool AcceptsGzip(std::string_view accept_encoding);

}  // namespace asyncops::http

#endif  // ASYNCOPS_APISERVER_HTTP_GZIP_H_
