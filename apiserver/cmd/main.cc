#include <cstdlib>
#include <iostream>
#include <memory>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t and friends are POSIX's
#include <string>
#include <vector>

#include "apiserver/cmd/app.h"
#include "apiserver/cmd/options.h"
#include "apiserver/cmd/version.h"
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

// SIGTERM and SIGINT are waited for on this thread alone; every thread that starts later inherits
// the mask.
sigset_t BlockStopSignals() {
  signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
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
  const sigset_t signals = BlockStopSignals();
  const Result<std::unique_ptr<App>> app = StartApp(*options, faults.get());
  if (!app.ok()) return Fail(app.status());
  std::cout << "asyncops " << kProductVersion << " serving on " << (*app)->url() << "\n"
            << "kubeconfig: " << (*app)->kubeconfig_path() << "\n"
            << "try: kubectl --kubeconfig " << (*app)->kubeconfig_path()
            << " get asyncresources,asyncoperations\n"
            << std::flush;
  int received = 0;
  sigwait(&signals, &received);
  Log(LogLevel::kInfo, "stopping", {{"signal", received == SIGTERM ? "SIGTERM" : "SIGINT"}});
  (*app)->Stop();
  return kClean;
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
