// Azure Resource Manager's asynchronous operations. One of three things is polled, and they are
// told apart by the answer to the submit: a status monitor of operations (Azure-AsyncOperation or
// Operation-Location), a Location, or the resource itself with its provisioningState.
#include "reconciler/presets.h"

namespace asyncops::reconciler {
namespace {

constexpr std::string_view kAsync = "'azure-asyncoperation' in submit.response.headers";
constexpr std::string_view kMonitor =
    "('azure-asyncoperation' in submit.response.headers"
    " || 'operation-location' in submit.response.headers)";
constexpr std::string_view kHasState =
    "has(response.body.properties) && has(response.body.properties.provisioningState)";
constexpr std::string_view kState = "response.body.properties.provisioningState.lowerAscii()";
constexpr std::string_view kStatus = "response.body.status.lowerAscii()";
constexpr std::string_view kResource =
    "(!has(operation.pollURL) || operation.pollURL == operation.submitURL)";

std::string And(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) {
    if (!out.empty()) out += " && ";
    out += part;
  }
  return out;
}

std::string Is(std::string_view word, std::string_view list) {
  return std::string(word) + " in [" + std::string(list) + "]";
}

// Words that end it, as `word` tells them.
void AddWords(std::string_view where, std::string_view word, std::vector<Acceptor>* acceptors) {
  constexpr std::string_view kRead = "response.status < 300";
  acceptors->push_back({And({kRead, where, Is(word, "'succeeded'")}), "Succeeded"});
  acceptors->push_back({And({kRead, where, Is(word, "'failed'")}), "Failed"});
  acceptors->push_back({And({kRead, where, Is(word, "'canceled', 'cancelled'")}), "Canceled"});
}

// Errors that speak of the operation or of this one request, not of our credentials or our pace.
constexpr std::string_view kRefused =
    "response.status >= 400 && response.status < 500"
    " && !(response.status in [401, 403, 404, 408, 410, 425, 429])";

std::vector<Acceptor> Acceptors() {
  std::vector<Acceptor> out;
  // The resource: none of its own means that it is there as wished.
  AddWords(And({kResource, kHasState}), kState, &out);
  out.push_back({And({kResource, "response.status in [200, 201, 202]", kHasState}), "Running"});
  out.push_back({And({kResource, "response.status in [200, 204]"}), "Succeeded"});
  out.push_back({And({kResource, "response.status in [201, 202]"}), "Running"});
  // A monitor of operations: an error there is of the reading, never of the operation.
  AddWords(kMonitor, kStatus, &out);
  out.push_back({And({kMonitor, "response.status < 300 && has(response.body.status)"}), "Running"});
  out.push_back({And({kMonitor, "response.status < 300"}), "Unreadable"});
  out.push_back({And({kMonitor, kRefused}), "Unreadable"});
  // A Location.
  out.push_back({"response.status == 202", "Running"});
  AddWords(kHasState, kState, &out);
  out.push_back({And({"response.status < 300", kHasState}), "Running"});
  out.push_back({"response.status < 300", "Succeeded"});
  out.push_back({std::string(kRefused), "Failed"});
  return out;
}

// Where the finished thing is read from.
std::string ResultOf(const std::string& method) {
  const std::string async(kAsync);
  const std::string location =
      "(has(response.headers.location) ? response.headers.location"
      " : has(submit.response.headers.location) ? submit.response.headers.location : '')";
  const std::string named =
      "'operation-location' in submit.response.headers && has(response.body.resourceLocation)"
      " ? response.body.resourceLocation : ";
  if (method == "PUT" || method == "PATCH")
    return async + " ? operation.submitURL : " + named + std::string(kMonitor) +
           " ? operation.submitURL : ''";
  if (method == "POST")
    return async + " ? " + location + " : " + named + std::string(kMonitor) + " ? " + location +
           " : ''";
  return "''";
}

std::string PollUrlOf(const std::string& method) {
  const std::string headers =
      "'azure-asyncoperation' in response.headers ? response.headers['azure-asyncoperation']"
      " : 'operation-location' in response.headers ? response.headers['operation-location']"
      " : has(response.headers.location) ? response.headers.location : ";
  if (method != "PUT" && method != "PATCH") return headers + "''";
  return headers + "response.status == 204 ? '' : (" + std::string(kHasState) + ") ? (" +
         Is(kState, "'succeeded', 'failed', 'canceled', 'cancelled'") +
         " ? '' : operation.submitURL)"
         " : response.status == 200 ? '' : operation.submitURL";
}

}  // namespace

void FillAzureArm(Declaration* declaration) {
  const std::string& method = declaration->submit.method;
  const bool puts = method == "PUT" || method == "PATCH";
  OperationMapping& operation = declaration->operation;
  FillText(&operation.poll_url, PollUrlOf(method));
  FillText(&operation.id,
           "'azure-asyncoperation' in response.headers"
           " ? response.headers['azure-asyncoperation'].split('?')[0].split('/')"
           "[size(response.headers['azure-asyncoperation'].split('?')[0].split('/')) - 1]"
           " : 'operation-location' in response.headers"
           " ? response.headers['operation-location'].split('?')[0].split('/')"
           "[size(response.headers['operation-location'].split('?')[0].split('/')) - 1]"
           " : has(response.headers.location) ? " +
               std::string(kLastOfLocation) + " : response.body.name");
  FillText(&operation.resource_id,
           "has(response.body.resourceId) ? response.body.resourceId"
           " : !has(response.body.status) ? response.body.id : ''");
  FillText(&operation.immediate, "Judged");
  if (puts && declaration->lookup) FillText(&declaration->lookup->poll_url, "operation.submitURL");
  PollSpec& poll = declaration->poll;
  FillText(&poll.next_url,
           "'azure-asyncoperation' in response.headers ? response.headers['azure-asyncoperation']"
           " : 'operation-location' in response.headers ? response.headers['operation-location']"
           " : response.status == 202 && !" +
               std::string(kMonitor) + " ? response.headers.location : ''");
  FillText(&poll.progress, "/percentComplete");
  if (!poll.result) poll.result = ResultSource{"Expression", "", ResultOf(method)};
  if (poll.acceptors.empty()) poll.acceptors = Acceptors();
}

}  // namespace asyncops::reconciler
