// What each fuzz target is: a function that takes any bytes and holds what it promises of them.
// The sources are built twice: with a replay of their corpus as a test, and, where ASYNCOPS_FUZZ is
// set, with libFuzzer (CONTRIBUTING.md).
#ifndef ASYNCOPS_TESTS_FUZZ_FUZZ_TARGET_H_
#define ASYNCOPS_TESTS_FUZZ_FUZZ_TARGET_H_

#include <string_view>

namespace asyncops::fuzz {

// Defined once by each target. Aborts (Hold) where a promise is broken.
void Run(std::string_view input);

// Ends the process where the promise does not hold.
void Hold(bool promise, std::string_view what);

// The input up to the first line feed, and the rest.
struct Split {
  std::string_view first;
  std::string_view rest;
};
Split SplitLine(std::string_view input);

}  // namespace asyncops::fuzz

#endif  // ASYNCOPS_TESTS_FUZZ_FUZZ_TARGET_H_
