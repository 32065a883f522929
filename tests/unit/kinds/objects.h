// Objects for the tests of kinds: written as YAML, changed by merge patches in YAML.
#ifndef ASYNCOPS_TESTS_UNIT_KINDS_OBJECTS_H_
#define ASYNCOPS_TESTS_UNIT_KINDS_OBJECTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "api/scheme.h"
#include "api/validators.h"
#include "base/json.h"

namespace asyncops {

// Fails the test and returns null where the text is not one YAML document.
Json ParseObject(std::string_view yaml);
// The object with a merge patch applied; nothing changes with "".
Json Patched(const Json& object, std::string_view yaml_patch);

// Objects without a mistake or warning.
Json ValidResource();
Json ValidSystem();
Json ValidOperation();

// The resource of the object's kind.
const ResourceInfo& ResourceOf(const Json& object);
// With defaults applied, as the server and the webhook do it.
ValidationResult Create(Json object);
ValidationResult Update(Json object, Json old);
// The errors as kube-apiserver words them.
std::vector<std::string> Texts(const ValidationResult& result);

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_UNIT_KINDS_OBJECTS_H_
