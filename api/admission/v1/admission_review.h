// admission.k8s.io/v1 AdmissionReview: what kube-apiserver asks a webhook and what it answers.
// Plain values.
#ifndef ASYNCOPS_API_ADMISSION_V1_ADMISSION_REVIEW_H_
#define ASYNCOPS_API_ADMISSION_V1_ADMISSION_REVIEW_H_

#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace asyncops::admission {

inline constexpr std::string_view kApiVersion = "admission.k8s.io/v1";
inline constexpr std::string_view kKind = "AdmissionReview";

struct GroupVersionKind {
  std::string group = {};
  std::string version = {};
  std::string kind = {};
};

// The parts that a validating webhook of ours needs; unknown members are ignored.
struct AdmissionRequest {
  std::string uid;
  GroupVersionKind kind;
  std::string sub_resource;
  std::string name;  // "" on creation with generateName
  std::string namespace_name;
  std::string operation;  // CREATE | UPDATE | DELETE | CONNECT
  Json object;            // null on DELETE
  Json old_object;        // null on CREATE
  bool dry_run = false;
};

struct AdmissionResponse {
  std::string uid = {};
  bool allowed = false;
  Status status = {};  // why it is refused; OK where it is allowed
  std::vector<std::string> warnings = {};
};

// Takes the request out of a parsed review. BadRequest where this is no AdmissionReview v1 with a
// request that has a uid; other members of a wrong type read as absent.
Result<AdmissionRequest> TakeAdmissionRequest(Json review);

// The whole review, as bytes.
std::string EncodeAdmissionReview(const AdmissionResponse& response);

// A metav1.Status object of a failure.
Json StatusObject(const Status& status);

}  // namespace asyncops::admission

#endif  // ASYNCOPS_API_ADMISSION_V1_ADMISSION_REVIEW_H_
