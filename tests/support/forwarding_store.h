// A store that is the one below it, for tests that change a part of that.
#ifndef ASYNCOPS_TESTS_SUPPORT_FORWARDING_STORE_H_
#define ASYNCOPS_TESTS_SUPPORT_FORWARDING_STORE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "storage/store.h"

namespace asyncops {

// Hands every call on. Safe for use from several threads where what overrides it is.
class ForwardingStore : public storage::Store {
 public:
  // The store outlives it.
  explicit ForwardingStore(storage::Store& store) : store_(store) {}

  Result<storage::Record> Get(const storage::ObjectKey& key) const override {
    return store_.Get(key);
  }
  Result<storage::ListEnd> ListRows(const storage::ListQuery& query,
                                    const storage::RowFunction& row) const override {
    return store_.ListRows(query, row);
  }
  Result<storage::ChangeBatch> Changes(std::string_view resource, std::string_view namespace_name,
                                       storage::Revision after, int limit) const override {
    return store_.Changes(resource, namespace_name, after, limit);
  }
  storage::Revision revision() const override { return store_.revision(); }
  std::unique_ptr<storage::Subscription> Subscribe(std::string resource,
                                                   std::function<void()> notify) override {
    return store_.Subscribe(std::move(resource), std::move(notify));
  }
  void Write(storage::WriteFunction write, storage::WriteDone done) override {
    store_.Write(std::move(write), std::move(done));
  }
  Status Health() const override { return store_.Health(); }
  const storage::EngineReader& engine() const override { return store_.engine(); }

 protected:
  storage::Store& below() { return store_; }
  const storage::Store& below() const { return store_; }

 private:
  storage::Store& store_;
};

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_SUPPORT_FORWARDING_STORE_H_
