// The flags of `asyncops serve`: one table for parsing, help and the configuration file.
#ifndef ASYNCOPS_APISERVER_CMD_SERVE_FLAGS_H_
#define ASYNCOPS_APISERVER_CMD_SERVE_FLAGS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/cmd/options.h"

namespace asyncops {

// Which way of serving a flag is for.
enum class Mode { kBoth, kStandalone, kCluster };

// One flag: where its value goes. Exactly one of the members is set.
struct Flag {
  std::string_view name;
  std::string_view value_name = {};  // in the help; "" for a switch
  std::string_view help;
  Mode mode = Mode::kBoth;
  bool ServeOptions::*boolean = nullptr;
  int ServeOptions::*number = nullptr;
  std::string ServeOptions::*text = nullptr;
  std::vector<std::string> ServeOptions::*list = nullptr;
};

// In the order of the help.
std::span<const Flag> ServeFlags();

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_SERVE_FLAGS_H_
