#include <memory>
#include <utility>

#include "apiserver/registry/registry.h"
#include "base/limits.h"
#include "storage/object_version.h"

namespace asyncops::apiserver {
namespace {

// Objects in one transaction: a writer behind it waits for some milliseconds at most.
constexpr int kDeletedAtOnce = 32;

storage::ListQuery FirstPage(const ResourceInfo& resource, const CollectionQuery& query) {
  storage::ListQuery page;
  page.resource = resource.GroupResource();
  page.namespace_name = query.namespace_name;
  page.labels = query.labels;
  page.fields = query.fields;
  page.after_namespace = query.after_name.empty() ? "" : query.namespace_name;
  page.after_name = query.after_name;
  return page;
}

}  // namespace

// One such deletion on its way. It goes on from the callback of each transaction, so it keeps
// itself alive; one thread at a time is in it.
class Registry::CollectionDeletion : public std::enable_shared_from_this<CollectionDeletion> {
 public:
  CollectionDeletion(Registry& registry, const ResourceInfo& resource, const CollectionQuery& query,
                     DeleteOptions options, CollectionCallback done)
      : registry_(registry),
        resource_(resource),
        options_(std::move(options)),
        done_(std::move(done)),
        left_(query.limit),
        limited_(query.limit > 0),
        query_(FirstPage(resource, query)) {
    result_.items.emplace();
  }

  void Continue() {
    while (true) {
      const Status read = ReadPage();
      if (!read.ok()) return done_(read);
      if (page_.rows.empty()) return done_(std::move(result_));
      if (!options_.dry_run) return WritePage();
      const Status checked = CheckPage();
      if (!checked.ok()) return done_(checked);
      if (!StepOn()) return done_(std::move(result_));
    }
  }

 private:
  Status ReadPage() {
    query_.limit = kDeletedAtOnce;
    if (limited_ && left_ < kDeletedAtOnce) query_.limit = static_cast<int>(left_);
    Result<storage::ListPage> page = registry_.store_.List(query_);
    if (!page.ok()) return page.status();
    page_ = std::move(*page);
    if (result_.revision == 0) result_.revision = page_.revision;
    return Status::Ok();
  }

  Status CheckPage() {
    for (const storage::Record& row : page_.rows) {
      const Result<Modification> computed = Compute(row);
      if (!computed.ok()) return computed.status();
    }
    return Status::Ok();
  }

  void WritePage() {
    registry_.store_.Write(
        [self = shared_from_this()](storage::Transaction& transaction) {
          return self->DeletePage(transaction);
        },
        [self = shared_from_this()](const Status& written) {
          if (!written.ok()) return self->done_(written);
          if (!self->StepOn()) return self->done_(std::move(self->result_));
          self->Continue();
        });
  }

  Status DeletePage(storage::Transaction& transaction) {
    for (const storage::Record& row : page_.rows) {
      const Result<storage::Record> now = transaction.Get(row.key);
      const bool gone = now.status().reason() == Reason::kNotFound;
      // Another one of this name was not asked for.
      if (gone || (now.ok() && now->uid != row.uid)) continue;
      if (!now.ok()) return now.status();
      const Result<Modification> computed = Compute(*now);
      if (!computed.ok()) return computed.status();
      Result<storage::Revision> written = now->revision;
      if (computed->kind == Modification::Kind::kUpdate)
        written = transaction.Update(row.key, now->revision, computed->version);
      if (computed->kind == Modification::Kind::kDelete)
        written = transaction.Delete(row.key, now->revision, computed->version.encoded);
      if (!written.ok()) return written.status();
    }
    return Status::Ok();
  }

  Result<Modification> Compute(const storage::Record& record) const {
    const Result<Json> object = ParseJson(record.json);
    if (!object.ok()) return InternalError("a stored object does not parse");
    return registry_.ComputeDelete(resource_, *object, options_);
  }

  // Takes note of the page that is done; false where it was the last one.
  bool StepOn() {
    for (storage::Record& row : page_.rows) {
      if (result_.items && result_.items->size() == kMaxListedDeletions) result_.items.reset();
      if (result_.items) result_.items->push_back(std::move(row.json));
    }
    query_.after_namespace = page_.rows.back().key.namespace_name;
    query_.after_name = page_.rows.back().key.name;
    left_ -= static_cast<std::int64_t>(page_.rows.size());
    if (!page_.more) return false;
    if (!limited_ || left_ > 0) return true;
    result_.last_name = query_.after_name;
    return false;
  }

  Registry& registry_;
  const ResourceInfo& resource_;
  const DeleteOptions options_;
  const CollectionCallback done_;
  std::int64_t left_;
  const bool limited_;
  storage::ListQuery query_;
  storage::ListPage page_;
  CollectionResult result_;
};

void Registry::DeleteCollection(const ResourceInfo& resource, const CollectionQuery& query,
                                DeleteOptions options, CollectionCallback done) {
  std::make_shared<CollectionDeletion>(*this, resource, query, std::move(options), std::move(done))
      ->Continue();
}

}  // namespace asyncops::apiserver
