// The manifests that are made from the schemas, so that no one edits them.
#ifndef ASYNCOPS_MANIFESTS_GENERATED_MANIFESTS_H_
#define ASYNCOPS_MANIFESTS_GENERATED_MANIFESTS_H_

#include <string>
#include <vector>

namespace asyncops {

struct Manifest {
  std::string path;  // from the root of the tree
  std::string text;
};

// One CustomResourceDefinition for each kind that a kube-apiserver serves for us.
std::vector<Manifest> GeneratedManifests();

}  // namespace asyncops

#endif  // ASYNCOPS_MANIFESTS_GENERATED_MANIFESTS_H_
