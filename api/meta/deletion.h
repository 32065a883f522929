// What a deletion makes of an object: finalizers hold it, and two of them say what is to become of
// its dependents first. Pure over an object's JSON.
#ifndef ASYNCOPS_API_META_DELETION_H_
#define ASYNCOPS_API_META_DELETION_H_

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"

namespace asyncops {

// The owner stays until the dependents that block its deletion are gone.
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
// The owner stays until its dependents do not name it any more.
inline constexpr std::string_view kOrphanFinalizer = "orphan";
// In a Namespace's spec.finalizers: until what is in it is gone.
inline constexpr std::string_view kNamespaceFinalizer = "kubernetes";

enum class Propagation { kBackground, kForeground, kOrphan };

// Nothing for a text that is no policy.
std::optional<Propagation> ParsePropagation(std::string_view text);

bool IsUnderDeletion(const Json& object);
// Whether metadata.finalizers holds any, or this one.
bool HasFinalizers(const Json& object);
bool HasFinalizer(const Json& object, std::string_view finalizer);
void DropFinalizer(std::string_view finalizer, Json* object);

// Whether something keeps the object from going once it is under deletion: its finalizers, and of a
// core/v1 Namespace those of its spec too.
bool IsHeld(const Json& object);

enum class DeletionStep {
  kNone,    // it is under deletion and changes nothing
  kUpdate,  // the object as it is now is to be stored
  kRemove,  // nothing holds it: it goes
};

// A request to delete `object`. The policy decides which of the two finalizers above it has
// afterwards, also where it is under deletion already; without a policy they stay as they are.
// deletionTimestamp is set once, with a Namespace's phase and the next generation where the object
// counts them.
DeletionStep BeginDeletion(std::optional<Propagation> policy, Time now, Json* object);

}  // namespace asyncops

#endif  // ASYNCOPS_API_META_DELETION_H_
