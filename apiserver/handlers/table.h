// meta.k8s.io Tables and PartialObjectMetadata: what `kubectl get` shows and informers of metadata
// hold.
#ifndef ASYNCOPS_APISERVER_HANDLERS_TABLE_H_
#define ASYNCOPS_APISERVER_HANDLERS_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/object_summary.h"
#include "api/scheme.h"
#include "apiserver/handlers/negotiate.h"
#include "base/clock.h"
#include "base/json.h"
#include "storage/store.h"

namespace asyncops::apiserver {

// What the store has of an object: its JSON, its summary, or both. Views.
struct StoredObject {
  std::string_view json = {};
  std::string_view summary = {};
};

// The columnDefinitions of a Table.
JsonArray ColumnDefinitions(const std::vector<TableColumn>& columns);

// Writes stored objects as one representation asks for them: from their summaries
// (api/object_summary.h), and from their JSON where there is none, or one of other columns.
// Immutable.
class TableWriter {
 public:
  // The resource outlives it.
  TableWriter(const ResourceInfo& resource, const Representation& representation);

  // What a list has to read for the rows of the representation, whichever its view is.
  storage::RowParts RowParts() const;

  // "apiVersion":"meta.k8s.io/v1","columnDefinitions":[...],"kind":"Table" without braces;
  // `with_columns` false leaves the definitions empty (later events of a watch).
  std::string TableHead(bool with_columns) const;

  // One row: cells as of `now`, and of the object what the representation asks for.
  void AppendTableRow(const StoredObject& object, Time now, std::string* out) const;

  // A whole Table of one object: of a get, and of each event of a watch. Its resource version is
  // the object's.
  void AppendTableOfOne(bool with_columns, const StoredObject& object, Time now,
                        std::string* out) const;

  // {"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":...}.
  void AppendPartialMetadata(const StoredObject& object, std::string* out) const;

 private:
  // The object's summary, or one that is made of its JSON; then `cells` holds what it views.
  ObjectSummary SummaryOf(const StoredObject& object, std::string* cells) const;
  void AppendRow(const ObjectSummary& summary, std::string_view json, Time now,
                 std::string* out) const;
  void AppendMetadata(std::string_view metadata, std::string* out) const;

  const ResourceInfo& resource_;
  const Representation representation_;
  const std::string prefix_;  // of summaries
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_TABLE_H_
