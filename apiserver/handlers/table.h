// meta.k8s.io Tables: what `kubectl get` shows. Rows are made from an object's stored bytes,
// without parsing them.
#ifndef ASYNCOPS_APISERVER_HANDLERS_TABLE_H_
#define ASYNCOPS_APISERVER_HANDLERS_TABLE_H_

#include <string>
#include <string_view>

#include "api/scheme.h"
#include "apiserver/handlers/negotiate.h"
#include "base/clock.h"

namespace asyncops::apiserver {

// "apiVersion":"meta.k8s.io/v1","columnDefinitions":[...],"kind":"Table" without braces;
// `with_columns` false leaves the definitions empty (later events of a watch).
std::string TableHead(const ResourceInfo& resource, const Representation& representation,
                      bool with_columns);

// One row: cells as of `now`, and of the object what the representation asks for.
void AppendTableRow(const ResourceInfo& resource, const Representation& representation,
                    std::string_view object, Time now, std::string* out);

// A whole Table of one object: of a get, and of each event of a watch. Its resource version is the
// object's.
void AppendTableOfOne(const ResourceInfo& resource, const Representation& representation,
                      bool with_columns, std::string_view object, Time now, std::string* out);

// {"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":...} of an object's
// stored bytes.
void AppendPartialMetadata(std::string_view object, std::string_view version, std::string* out);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_TABLE_H_
