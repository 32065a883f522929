// A real store, a clock that a test moves, and the controllers over both.
#ifndef ASYNCOPS_TESTS_UNIT_CONTROLLERS_WORLD_H_
#define ASYNCOPS_TESTS_UNIT_CONTROLLERS_WORLD_H_

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/deletion.h"
#include "base/json.h"
#include "controllers/controller_loop.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace asyncops::controllers {

// Objects are Secrets of namespace "team" where nothing else is said: they have no meaning of their
// own here. The uid of an object is "uid-of-NAME".
class World {
 public:
  World();

  // An object of that resource ("secrets", "asyncresources", ...), stored as it is.
  void PutObject(std::string_view plural, const Json& object);
  // A Secret with these owners, each "NAME" (of a Secret) or "NAME!" where it blocks its deletion.
  void Put(std::string_view name, const std::vector<std::string>& owners = {},
           const std::vector<std::string>& finalizers = {});
  // The same, as a broken disk might leave it: text that does not parse.
  void PutDamaged(std::string_view name, const std::vector<std::string>& owners = {});
  // As the API server does it.
  void Delete(std::string_view plural, std::string_view name,
              std::optional<Propagation> policy = std::nullopt);
  void Delete(std::string_view name, std::optional<Propagation> policy = std::nullopt) {
    Delete("secrets", name, policy);
  }
  // A finalizer's owner is done.
  void Release(std::string_view plural, std::string_view name, std::string_view finalizer);

  // null where it is gone. Namespaces and Events of namespace "team" too.
  Json Get(std::string_view plural, std::string_view name) const;
  Json Get(std::string_view name) const { return Get("secrets", name); }
  bool Has(std::string_view name) const { return !Get(name).is_null(); }
  // Names of what is there in namespace "team", in order.
  std::vector<std::string> Names(std::string_view plural = "secrets") const;

  // Steps until nothing is left to do.
  void Run();
  // As many steps.
  void Step(int count);
  // Forgets all that the controllers know.
  void Restart(ControllerOptions options = {});

  std::int64_t CountOf(std::string_view resource) const { return controllers_->CountOf(resource); }

  FakeClock& clock() { return clock_; }
  storage::Store& store() { return *store_; }

 private:
  void Create(const storage::ObjectKey& key, const storage::ObjectVersion& version);

  const TempDir dir_;
  FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<Controllers> controllers_;
  const std::stop_source stop_;
};

Json Parsed(std::string_view text);
// {"apiVersion":..., "kind":..., "metadata":{...}} of this resource in namespace "team".
Json Make(std::string_view plural, std::string_view name);
std::string UidOf(std::string_view name);
// The reference to an owner of that resource.
Json Reference(std::string_view plural, std::string_view name, bool blocks);

}  // namespace asyncops::controllers

#endif  // ASYNCOPS_TESTS_UNIT_CONTROLLERS_WORLD_H_
