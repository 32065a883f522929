// What /proc says about this process, under the names of Prometheus' client libraries.
#ifndef ASYNCOPS_APISERVER_HANDLERS_PROCESS_METRICS_H_
#define ASYNCOPS_APISERVER_HANDLERS_PROCESS_METRICS_H_

#include <string>

namespace asyncops::apiserver {

// process_cpu_seconds_total, process_resident_memory_bytes, process_virtual_memory_bytes,
// process_start_time_seconds, process_open_fds, process_max_fds and process_threads in Prometheus
// text; without those that cannot be read.
std::string ProcessMetrics();

}  // namespace asyncops::apiserver

#endif  // ASYNCOPS_APISERVER_HANDLERS_PROCESS_METRICS_H_
