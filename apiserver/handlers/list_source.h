// A list on its way out: rows go from the store into the answer as the client takes it, so that
// memory does not grow with the list.
#ifndef ASYNCOPS_APISERVER_HANDLERS_LIST_SOURCE_H_
#define ASYNCOPS_APISERVER_HANDLERS_LIST_SOURCE_H_

#include <memory>
#include <string>

#include "api/scheme.h"
#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/handlers/table.h"
#include "apiserver/http/response.h"
#include "base/clock.h"
#include "base/status.h"
#include "storage/store.h"

namespace asyncops::apiserver {

// The envelope's metadata is written last: only then is it known whether a continue token goes into
// it. Compact JSON, and names without escapes: what reshape.h makes of it goes by that.
class ListSource final : public http::BodySource {
 public:
  // Reads the first rows, so that what the store refuses is an answer of its own (as
  // Store::ListRows). At most `limit` rows, 0 for all; the query's limit and parts are the
  // source's. The store and the resource outlive the source.
  static Result<std::unique_ptr<ListSource>> Open(const storage::Store& store,
                                                  const ResourceInfo& resource,
                                                  const Representation& representation,
                                                  storage::ListQuery query, std::int64_t limit,
                                                  Time now);

  State Read(std::string* out) override;
  void SetWake(std::function<void()> wake) override;
  void Stop() override {}

 private:
  ListSource(const storage::Store& store, const ResourceInfo& resource,
             const Representation& representation, storage::ListQuery query, std::int64_t limit,
             Time now);

  // Appends rows from where the list stands, until there are enough bytes.
  Status ReadRows(std::string* out);
  void AppendHead(std::string* out) const;
  void AppendRow(const storage::ListRow& row, std::string* out);
  void AppendTail(std::string* out) const;
  bool ReachedLimit() const { return limit_ > 0 && written_ >= limit_; }

  const storage::Store& store_;
  const ResourceInfo& resource_;
  const Representation representation_;
  const TableWriter writer_;
  storage::ListQuery query_;
  const std::int64_t limit_;
  const Time now_;
  std::string first_;     // the head and the first rows, until they are taken
  storage::ListEnd end_;  // after the rows that were read
  std::int64_t written_ = 0;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_LIST_SOURCE_H_
