#include "apiserver/handlers/process_metrics.h"

#include <algorithm>
#include <charconv>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "base/metric_text.h"

namespace asyncops::apiserver {
namespace {

std::string ReadAll(const char* path) {
  std::ifstream file(path);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::optional<double> NumberAt(const std::vector<std::string_view>& words, std::size_t at) {
  if (at >= words.size()) return std::nullopt;
  double value = 0;
  const auto parsed = std::from_chars(words[at].data(), words[at].data() + words[at].size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

// The fields of proc(5)'s stat after the name, which may hold anything: the first one is number 3.
std::vector<std::string_view> StatFields(std::string_view stat) {
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return {};
  return Words(stat.substr(end + 1));
}

// "btime" of /proc/stat: when the machine started, seconds since 1970.
std::optional<double> BootTime() {
  const std::string text = ReadAll("/proc/stat");
  const std::vector<std::string_view> words = Words(text);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "btime") return NumberAt(words, i + 1);
  }
  return std::nullopt;
}

std::optional<double> OpenFiles() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return std::nullopt;
  int count = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): safe on a stream of one's own
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  // Less ".", ".." and the directory itself.
  return count - 3;
}

std::optional<double> MaxFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

void Append(std::string_view name, std::string_view type, std::string_view help,
            std::optional<double> value, std::string* out) {
  if (!value) return;
  AppendMetricHead(name, type, help, out);
  AppendMetricSample(name, "", *value, out);
}

}  // namespace

std::string ProcessMetrics() {
  const std::string stat = ReadAll("/proc/self/stat");
  const std::vector<std::string_view> fields = StatFields(stat);
  const auto field = [&fields](std::size_t number) { return NumberAt(fields, number - 3); };
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double page = static_cast<double>(sysconf(_SC_PAGESIZE));
  std::optional<double> cpu;
  if (field(14) && field(15)) cpu = (*field(14) + *field(15)) / ticks;
  std::optional<double> resident = field(24);
  if (resident) *resident *= page;
  std::optional<double> started = BootTime();
  if (started && field(22)) *started += *field(22) / ticks;
  std::string out;
  Append("process_cpu_seconds_total", "counter", "User and system CPU time spent.", cpu, &out);
  Append("process_resident_memory_bytes", "gauge", "Resident memory.", resident, &out);
  Append("process_virtual_memory_bytes", "gauge", "Virtual memory.", field(23), &out);
  Append("process_start_time_seconds", "gauge", "Start of the process, since 1970.", started, &out);
  Append("process_open_fds", "gauge", "Open file descriptors.", OpenFiles(), &out);
  Append("process_max_fds", "gauge", "The most file descriptors that may be open.", MaxFiles(),
         &out);
  Append("process_threads", "gauge", "Threads.", field(20), &out);
  return out;
}

}  // namespace asyncops::apiserver
