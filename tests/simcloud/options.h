// The command line of simcloud.
#ifndef ASYNCOPS_TESTS_SIMCLOUD_OPTIONS_H_
#define ASYNCOPS_TESTS_SIMCLOUD_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tests/simcloud/behaviour.h"

namespace asyncops::simcloud {

struct Options {
  std::string address = "127.0.0.1";  // a loopback address, without brackets
  std::uint16_t port = 0;             // 0: any
  Behaviour behaviour;
  bool help = false;
};

// The arguments without the program's name. BadRequest in one sentence for a mistake, an address
// that is not a loopback one among them. "localhost" is taken for 127.0.0.1.
Result<Options> ParseOptions(const std::vector<std::string_view>& arguments);
// What --help prints.
std::string_view UsageText();

}  // namespace asyncops::simcloud

#endif  // ASYNCOPS_TESTS_SIMCLOUD_OPTIONS_H_
