// Objects as the store knows them: keys, encoded bytes, and the values that selectors may ask for.
#ifndef ASYNCOPS_STORAGE_RECORD_H_
#define ASYNCOPS_STORAGE_RECORD_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "storage/encoded_pairs.h"

namespace asyncops::storage {

// The store's one monotonic revision: each write of an object takes the next number. It is what
// clients see as metadata.resourceVersion. Positive; 0 stands for "none" or "any".
using Revision = std::int64_t;

struct ObjectKey {
  std::string resource;  // "asyncoperations.operations.asyncops.dev"; "events" for the core group
  std::string namespace_name;  // "" for a cluster-scoped object
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
};

// An object's canonical JSON with an empty resourceVersion: `"resourceVersion":""`. The store puts
// the revision's digits in at `revision_at` when it knows them, so that reads never parse and never
// splice.
struct EncodedObject {
  std::string json;
  std::size_t revision_at = 0;  // offset between the two quotes
};

// What lists show instead of the object (api/object_summary.h): a text that the store does not look
// into, with a place for the revision as in EncodedObject. "" where there is none.
struct EncodedSummary {
  std::string text;
  std::size_t revision_at = 0;
};

// What a write stores.
struct ObjectVersion {
  std::string uid;
  EncodedObject encoded;
  EncodedSummary summary;
  EncodedPairs labels;
  // The resource's selectable fields, without metadata.name and metadata.namespace.
  EncodedPairs fields;
};

// What a read returns; each read says which of these it fills in. A value.
struct Record {
  ObjectKey key;
  std::string uid;
  Revision revision = 0;
  std::string json;     // complete, resourceVersion included
  std::string summary;  // the same
  EncodedPairs labels;
  EncodedPairs fields;
};

}  // namespace asyncops::storage

#endif  // ASYNCOPS_STORAGE_RECORD_H_
