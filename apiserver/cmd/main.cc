#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t and friends are POSIX's
#include <string>
#include <vector>

#include "apiserver/cmd/app.h"
#include "apiserver/cmd/options.h"
#include "apiserver/cmd/version.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/log.h"
#include "reconciler/fault_points.h"

namespace asyncops {
namespace {

enum ExitCode { kClean = 0, kRuntime = 1, kUsage = 2 };

constexpr std::string_view kHelp =
    "asyncops: long-running operations for Kubernetes.\n\n"
    "  asyncops serve --standalone --data-dir DIR   run the server (serve --help lists its flags)\n"
    "  asyncops version                             print the version\n"
    "  asyncops help                                print this text\n";

int Fail(const Status& status) {
  std::cerr << "asyncops: " << status.message() << "\n";
  return status.reason() == Reason::kBadRequest ? kUsage : kRuntime;
}

// SIGTERM and SIGINT, and with an audit log SIGHUP, are waited for on this thread alone; every
// thread that starts later inherits the mask.
sigset_t BlockSignals(const ServeOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  // Without one it ends the process, as where a terminal is closed.
  if (!options.audit_log_path.empty()) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Waits for a signal to stop, for `time` at most where that is not 0 (the answer is then 0).
int AwaitStop(const sigset_t& signals, Duration time, App* app) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const timespec limit{
      .tv_sec = static_cast<std::time_t>(seconds.count()),
      .tv_nsec = static_cast<long>(std::chrono::nanoseconds(time - seconds).count())};
  while (true) {
    const int received =
        sigtimedwait(&signals, nullptr, time == Duration::zero() ? nullptr : &limit);
    if (received == SIGHUP) {
      app->ReopenAuditLog();
    } else if (received > 0) {
      return received;
    } else if (errno == EAGAIN) {
      return 0;
    }
  }
}

// Of crash tests: where in a submission this process ends itself. Null where nothing is asked for.
std::unique_ptr<reconciler::FaultPoints> AskedFaultPoint() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs yet
  const char* name = std::getenv("ASYNCOPS_FAULT_POINT");
  if (name == nullptr) return nullptr;
  Log(LogLevel::kWarning, "this process ends itself at a fault point", {{"faultPoint", name}});
  return std::make_unique<reconciler::ExitingFaultPoints>(name);
}

int Serve(const std::vector<std::string>& arguments) {
  const Result<ServeOptions> options = ParseServeOptions(arguments);
  if (!options.ok()) return Fail(options.status());
  if (options->help) {
    std::cout << ServeHelp();
    return kClean;
  }
  LogLevel level = LogLevel::kInfo;
  if (ParseLogLevel(options->log_level, &level)) SetLogLevel(level);
  const std::unique_ptr<reconciler::FaultPoints> faults = AskedFaultPoint();
  const sigset_t signals = BlockSignals(*options);
  const Result<std::unique_ptr<App>> app = StartApp(*options, faults.get());
  if (!app.ok()) return Fail(app.status());
  std::cout << "asyncops " << kProductVersion << " serving on " << (*app)->url() << "\n"
            << (*app)->greeting() << std::flush;
  const int received = AwaitStop(signals, Duration::zero(), app->get());
  Log(LogLevel::kInfo, "stopping", {{"signal", received == SIGTERM ? "SIGTERM" : "SIGINT"}});
  (*app)->LeaveService();
  // Checked with the other options.
  const Duration delay = ParseDuration(options->shutdown_delay_duration).value_or(Duration::zero());
  if (delay > Duration::zero()) AwaitStop(signals, delay, app->get());
  (*app)->Stop();
  return (*app)->failed() ? kRuntime : kClean;
}

int Main(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "help" : arguments.front();
  if (command == "serve") return Serve({arguments.begin() + 1, arguments.end()});
  if (command == "version" || command == "--version") {
    std::cout << "asyncops " << kProductVersion << "\n";
    return kClean;
  }
  const bool asked = command == "help" || command == "--help" || command == "-h";
  if (!asked) {
    std::cerr << "asyncops: unknown command \"" << command << "\"; asyncops help lists them\n";
    return kUsage;
  }
  std::cout << kHelp;
  return arguments.empty() ? kUsage : kClean;
}

}  // namespace
}  // namespace asyncops

int main(int argc, char** argv) {
  return asyncops::Main(std::vector<std::string>(argv + 1, argv + argc));
}
