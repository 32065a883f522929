// A list on its way out: pages are read from the store as the client takes them, so that memory
// does not grow with the list.
#ifndef ASYNCOPS_APISERVER_HANDLERS_LIST_SOURCE_H_
#define ASYNCOPS_APISERVER_HANDLERS_LIST_SOURCE_H_

#include <string>

#include "api/scheme.h"
#include "apiserver/handlers/list_options.h"
#include "apiserver/handlers/negotiate.h"
#include "apiserver/http/response.h"
#include "base/clock.h"
#include "storage/store.h"

namespace asyncops::apiserver {

// The envelope's metadata is written last: only then is it known whether a continue token goes into
// it. Never indented nor compressed: `pretty` is for what is small enough to be held whole.
class ListSource final : public http::BodySource {
 public:
  // `first` is the page that `query` gave; the store outlives the source.
  ListSource(const storage::Store& store, const ResourceInfo& resource,
             Representation representation, storage::ListQuery query, std::int64_t limit,
             storage::ListPage first, Time now);

  State Read(std::string* out) override;
  void SetWake(std::function<void()> wake) override;
  void Stop() override {}

 private:
  void AppendHead(std::string* out);
  void AppendRow(const storage::Record& record, std::string* out);
  void AppendTail(std::string* out);
  bool ReachedLimit() const { return limit_ > 0 && written_ >= limit_; }
  // False where the store fails: the body cannot be completed.
  bool NextPage();

  const storage::Store& store_;
  const ResourceInfo& resource_;
  const Representation representation_;
  storage::ListQuery query_;
  const std::int64_t limit_;
  const Time now_;
  storage::ListPage page_;
  std::size_t next_row_ = 0;
  std::int64_t written_ = 0;
  bool begun_ = false;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_LIST_SOURCE_H_
