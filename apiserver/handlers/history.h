// asyncoperations/NAME/history: every attempt that the engine wrote down.
#ifndef ASYNCOPS_APISERVER_HANDLERS_HISTORY_H_
#define ASYNCOPS_APISERVER_HANDLERS_HISTORY_H_

#include <vector>

#include "api/scheme.h"
#include "apiserver/http/request.h"
#include "base/json.h"
#include "storage/store.h"

namespace asyncops::apiserver {

// An AsyncOperationHistory: oldest attempt first, at most kMaxHistoryRows. `?after=N` goes on
// behind sequence N; metadata.continue holds the N of the next page where there is one. BadRequest
// for an N that is no number.
Result<Json> ReadHistory(const storage::EngineReader& engine, const ResourceInfo& resource,
                         const storage::Record& operation, const http::Query& query);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_HISTORY_H_
