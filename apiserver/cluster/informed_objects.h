// ClusterObjects by informers.
#ifndef ASYNCOPS_APISERVER_CLUSTER_INFORMED_OBJECTS_H_
#define ASYNCOPS_APISERVER_CLUSTER_INFORMED_OBJECTS_H_

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "apiserver/registry/cluster_objects.h"
#include "kube/informer.h"

namespace asyncops::apiserver {

// GETs a target from kube-apiserver without blocking the caller; calls back exactly once, with the
// object or why there is none.
using AskFunction = std::function<void(std::string, std::function<void(Result<Json>)>)>;

class InformedObjects final : public ClusterObjects {
 public:
  // `informers` by GroupResource(); "namespaces" is among them. All of it outlives this.
  InformedObjects(std::map<std::string, const kube::Informer*> informers, AskFunction ask)
      : informers_(std::move(informers)), ask_(std::move(ask)) {}

  Result<Json> Get(const ResourceInfo& resource, const std::string& namespace_name,
                   const std::string& name) const override;
  void GetNamespace(const std::string& name, std::function<void(Result<Json>)> done) const override;

 private:
  const std::map<std::string, const kube::Informer*> informers_;
  const AskFunction ask_;
};

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_CLUSTER_INFORMED_OBJECTS_H_
