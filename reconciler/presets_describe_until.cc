// The thing itself is asked until it is as wished: what has no operations of its own.
#include "reconciler/presets.h"

namespace asyncops::reconciler {

void FillDescribeUntil(Declaration* declaration) {
  OperationMapping& operation = declaration->operation;
  FillText(&operation.id,
           "has(response.body.id) ? string(response.body.id) : " + std::string(kLastOfLocation));
  FillText(&operation.resource_id, "operation.id");
  declaration->polls_thing = true;
  if (!declaration->poll.path.empty()) return;
  // A POST goes to the collection, every other method to the thing.
  const bool to_collection = declaration->submit.method == "POST";
  FillText(&operation.poll_url, to_collection
                                    ? "has(response.headers.location) ? response.headers.location"
                                      " : operation.submitURL.split('?')[0] + '/' + operation.id"
                                    : "operation.submitURL");
  if (!declaration->lookup) return;
  FillText(&declaration->lookup->poll_url,
           to_collection ? "operation.submitURL.split('?')[0] + '/' + operation.id"
                         : "operation.submitURL");
}

}  // namespace asyncops::reconciler
