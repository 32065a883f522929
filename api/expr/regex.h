// Regular expressions (RE2: linear time, no backtracking). The adapter of the library.
#ifndef ASYNCOPS_API_EXPR_REGEX_H_
#define ASYNCOPS_API_EXPR_REGEX_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace asyncops::expr {

// A compiled pattern. Safe to use from several threads at once.
class Regex {
 public:
  virtual ~Regex() = default;

  // The pattern, or what is wrong with it: no RE2 syntax, longer than kMaxRegexBytes, or more than
  // kMaxRegexMemoryBytes when compiled.
  static std::variant<std::unique_ptr<Regex>, std::string> Compile(std::string_view pattern);

  // The size of the compiled pattern.
  virtual std::size_t instructions() const = 0;

  // Whether the text contains a match.
  virtual bool Matches(std::string_view text) const = 0;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_REGEX_H_
