// How each family of APIs tells of operations and volumes: one file each.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_FACES_H_
#define ASYNCOPS_TESTS_SIMCLOUD_FACES_H_

#include <string_view>

#include "tests/simcloud/protocol.h"

namespace asyncops::simcloud {

// What a cancelled or failed operation is said to have ended with.
Failure FailureOf(const Operation& operation);
Json ErrorJson(const Failure& failure);
// The volume's JSON, or an empty object when it was deleted.
Json ResultJson(const OperationView& view);
void AddRetryAfter(const OperationView& view, Reply* reply);

// --- Compute Engine v1 (face_compute.cc) ---
Reply ComputeOperationReply(const OperationView& view);

// --- Azure Resource Manager (face_azure.cc) ---
// The answer to a PUT, PATCH or DELETE that started the operation, with the headers that view.via
// names: "async" (also ""), "operation", "location" or "body".
Reply AzureStartedReply(const OperationView& view);
// GET of operationStatuses/ID, and of operationResults/ID.
Reply AzureStatusReply(const OperationView& view);
Reply AzureResultReply(const OperationView& view);
Json AzureVolumeJson(const Volume& volume, const Operation& newest);

// --- OData (face_odata.cc) ---
Reply ODataStartedReply(const OperationView& view);
Reply ODataMonitorReply(const OperationView& view);

// --- AWS Cloud Control (face_aws.cc) ---
Reply AwsEventReply(const OperationView& view);
// {"__type": "com.amazonaws.cloudcontrol#CODE", "message": ...}
Reply AwsErrorReply(int status, std::string_view code, std::string_view message);
Json AwsProperties(const Volume& volume);

// --- a thing that is described (face_describe.cc) ---
Json DescribedJson(const Volume& volume, const OperationView& view);
Reply DescribeStartedReply(const OperationView& view);

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_FACES_H_
