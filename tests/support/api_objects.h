// Bodies and targets that tests of the API server share.
#ifndef ASYNCOPS_TESTS_SUPPORT_API_OBJECTS_H_
#define ASYNCOPS_TESTS_SUPPORT_API_OBJECTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace asyncops::apiserver {

inline constexpr std::string_view kNamespaces = "/api/v1/namespaces";
inline constexpr std::string_view kSecrets = "/api/v1/namespaces/team-a/secrets";
inline constexpr std::string_view kSystems =
    "/apis/asyncops.dev/v1alpha1/namespaces/team-a/externalsystems";
inline constexpr std::string_view kResources =
    "/apis/asyncops.dev/v1alpha1/namespaces/team-a/asyncresources";
inline constexpr std::string_view kOperations =
    "/apis/operations.asyncops.dev/v1alpha1/namespaces/team-a/asyncoperations";

// "BASE/NAME".
std::string At(std::string_view base, std::string_view name);

// The least object of each kind that is valid, without a namespace.
Json NamespaceObject(std::string_view name);
Json SystemObject(std::string_view name);
Json ResourceObject(std::string_view name);
Json OperationObject(std::string_view name);
// data of one value, "hunter2" under "password".
Json SecretObject(std::string_view name);

// `count` of them as they are stored in team-a, named "op-1000" (or "s-1000") and on.
std::vector<Json> ManyOperations(int count);
std::vector<Json> ManySecrets(int count);

// The object with a merge patch (JSON text) applied. Ends the process where it does not parse.
std::string With(const Json& object, std::string_view merge_patch);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_TESTS_SUPPORT_API_OBJECTS_H_
