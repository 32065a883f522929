#include "api/expr/regex.h"

#include <re2/re2.h>

#include "base/limits.h"

namespace asyncops::expr {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

class Re2Regex final : public Regex {
 public:
  explicit Re2Regex(std::string_view pattern) : re2_(Piece(pattern), Options()) {}

  bool ok() const { return re2_.ok(); }
  const std::string& error() const { return re2_.error(); }

  std::size_t instructions() const override { return static_cast<std::size_t>(re2_.ProgramSize()); }

  bool Matches(std::string_view text) const override {
    return re2::RE2::PartialMatch(Piece(text), re2_);
  }

 private:
  static re2::RE2::Options Options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_never_capture(true);
    options.set_max_mem(kMaxRegexMemoryBytes);
    return options;
  }

  re2::RE2 re2_;
};

}  // namespace

std::variant<std::unique_ptr<Regex>, std::string> Regex::Compile(std::string_view pattern) {
  if (pattern.size() > kMaxRegexBytes) {
    return "pattern is longer than " + std::to_string(kMaxRegexBytes) + " bytes";
  }
  auto regex = std::make_unique<Re2Regex>(pattern);
  if (!regex->ok()) return "invalid pattern: " + regex->error();
  return std::unique_ptr<Regex>(std::move(regex));
}

}  // namespace asyncops::expr
