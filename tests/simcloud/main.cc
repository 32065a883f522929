// simcloud: the simulated cloud as a program.
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "tests/simcloud/delay_queue.h"
#include "tests/simcloud/http_face.h"
#include "tests/simcloud/options.h"
#include "tests/simcloud/service.h"

namespace asyncops::simcloud {
namespace {

constexpr int kExitRuntime = 1;
constexpr int kExitUsage = 2;

void Print(std::FILE* out, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out);
  std::fflush(out);
}

// Blocks the signals that end the program, for this thread and all that it starts.
sigset_t BlockEndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

int Serve(const Options& options) {
  const sigset_t ending = BlockEndingSignals();
  const SystemClock clock;
  RandomIds ids;
  Service service(clock, ids, options.behaviour);
  DelayQueue delays(clock);
  const auto face = HttpFace::Start(options.address, options.port, service, delays);
  if (!face) {
    Print(stderr, "simcloud: " + face.status().message() + "\n");
    return kExitRuntime;
  }
  Print(stdout, "simcloud: serving " + (*face)->url() + "\n");
  int received = 0;
  sigwait(&ending, &received);
  return 0;
}

int Main(const std::vector<std::string_view>& arguments) {
  const Result<Options> options = ParseOptions(arguments);
  if (!options) {
    Print(stderr, "simcloud: " + options.status().message() + "\n");
    return kExitUsage;
  }
  if (options->help) {
    Print(stdout, UsageText());
    return 0;
  }
  return Serve(*options);
}

}  // namespace
}  // namespace asyncops::simcloud

int main(int argc, char** argv) { return asyncops::simcloud::Main({argv + 1, argv + argc}); }
