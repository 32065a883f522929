// Which state of our CustomResourceDefinitions this binary was built with.
#ifndef ASYNCOPS_API_CRD_REVISION_H_
#define ASYNCOPS_API_CRD_REVISION_H_

#include <string_view>

namespace asyncops {

// One more with each change of the generated CRDs; tests/golden/crd_revisions.txt has what each
// revision was.
inline constexpr int kCrdRevision = 1;

// On each of them.
inline constexpr std::string_view kCrdRevisionAnnotation = "asyncops.dev/crd-revision";

}  // namespace asyncops

#endif  // ASYNCOPS_API_CRD_REVISION_H_
