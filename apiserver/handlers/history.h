// asyncoperations/NAME/history: every attempt that the engine wrote down.
#ifndef ASYNCOPS_APISERVER_HANDLERS_HISTORY_H_
#define ASYNCOPS_APISERVER_HANDLERS_HISTORY_H_

#include <string_view>

#include "api/operations/v1alpha1/operation_history.h"
#include "apiserver/http/request.h"
#include "base/json.h"
#include "base/status.h"
#include "storage/store.h"

namespace asyncops::apiserver {

// One page, oldest attempt first: at most `limit` of the query, and at most kMaxHistoryRows. With
// `continue` it goes on where that page ended. BadRequest for a limit or token that is none.
Result<AsyncOperationHistory> ReadHistory(const storage::EngineReader& engine,
                                          const storage::Record& operation,
                                          const http::Query& query);

// The page as a meta.k8s.io Table of that version ("v1"). Rows have no object: an attempt is none.
Json HistoryTable(const AsyncOperationHistory& history, std::string_view version);

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_HISTORY_H_
