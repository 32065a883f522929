#include "api/expr/string_functions.h"

#include <algorithm>

#include "api/expr/text_search.h"
#include "api/expr/utf8.h"
#include "base/ascii.h"

namespace asyncops::expr {
namespace {

// Two strings, their length paid for; or the fault.
std::optional<Fault> CheckTwoStrings(std::string_view name, std::span<const Value> args,
                                     const CallContext& context) {
  if (args[0].string() == nullptr || args[1].string() == nullptr) {
    return NoOverload(name, {&args[0], &args[1]});
  }
  if (!context.budget->SpendBytes(args[0].string()->size() + args[1].string()->size())) {
    return TooManySteps();
  }
  return std::nullopt;
}

Evaluated MapAscii(std::string_view name, const Value& value, const CallContext& context,
                   char (*map)(char)) {
  if (value.string() == nullptr) return NoOverload(name, {&value});
  std::string text = *value.string();
  if (text.size() > kMaxExpressionOutputBytes) return TooLong();
  if (!context.budget->SpendBytes(text.size())) return TooManySteps();
  std::ranges::transform(text, text.begin(), map);
  return Json(std::move(text));
}

// Whether the text has a match. A pattern whose automaton outgrows its memory is followed one
// instruction after the other for each byte, so that both count.
Evaluated Search(const Regex& regex, std::string_view text, const CallContext& context) {
  constexpr std::size_t kInstructionsPerStep = 16;
  const std::size_t factor = regex.instructions() / kInstructionsPerStep;
  if (factor > 0 && !context.budget->SpendBytes(text.size() * factor)) return TooManySteps();
  return Json(regex.Matches(text));
}

// A count where one is given and not negative; negative means no limit.
constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);
std::size_t Limit(std::int64_t count) {
  return count < 0 ? kNoLimit : static_cast<std::size_t>(count);
}

// The next separator at or after `from`; an empty one stands between any two characters.
std::size_t FindSeparator(std::string_view text, std::string_view separator, std::size_t from) {
  if (!separator.empty()) return FindText(text, separator, from);
  if (from >= text.size()) return std::string_view::npos;
  const std::size_t next = from + CodePointLength(text.substr(from));
  return next < text.size() ? next : std::string_view::npos;
}

std::optional<JsonArray> SplitText(std::string_view text, std::string_view separator,
                                   std::size_t limit, Budget* budget) {
  JsonArray parts;
  if (limit == 0 || (text.empty() && separator.empty())) return parts;
  std::size_t start = 0;
  while (parts.size() + 1 < limit) {
    const std::size_t end = FindSeparator(text, separator, start);
    if (end == std::string_view::npos) break;
    if (!budget->SpendBytes(end - start)) return std::nullopt;
    parts.emplace_back(text.substr(start, end - start));
    start = end + separator.size();
  }
  if (!budget->SpendBytes(text.size() - start)) return std::nullopt;
  parts.emplace_back(text.substr(start));
  return parts;
}

// Text that is built piece by piece, no longer than an expression may make.
class BoundedText {
 public:
  explicit BoundedText(Budget* budget) : budget_(budget) {}

  bool Append(std::string_view piece) {
    if (text_.size() + piece.size() > kMaxExpressionOutputBytes) {
      fault_ = TooLong();
    } else if (!budget_->SpendBytes(piece.size())) {
      fault_ = TooManySteps();
    } else {
      text_ += piece;
    }
    return !fault_;
  }

  Evaluated Take() && {
    if (fault_) return *std::move(fault_);
    return Json(std::move(text_));
  }

 private:
  Budget* budget_;
  std::string text_;
  std::optional<Fault> fault_;
};

Evaluated ReplaceText(std::string_view text, std::string_view from, std::string_view to,
                      std::size_t limit, Budget* budget) {
  BoundedText result(budget);
  std::size_t start = 0;
  std::size_t done = 0;
  if (from.empty() && limit > 0) {
    // Nothing stands before the first character too.
    if (!result.Append(to)) return std::move(result).Take();
    ++done;
  }
  while (done < limit) {
    const std::size_t end = FindSeparator(text, from, start);
    if (end == std::string_view::npos) break;
    if (!result.Append(text.substr(start, end - start)) || !result.Append(to)) {
      return std::move(result).Take();
    }
    start = end + from.size();
    ++done;
  }
  const bool open = result.Append(text.substr(start));
  if (open && from.empty() && !text.empty() && done < limit) result.Append(to);
  return std::move(result).Take();
}

}  // namespace

Evaluated StartsWith(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckTwoStrings("startsWith", args, context)) return *std::move(fault);
  return Json(args[0].string()->starts_with(*args[1].string()));
}

Evaluated EndsWith(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckTwoStrings("endsWith", args, context)) return *std::move(fault);
  return Json(args[0].string()->ends_with(*args[1].string()));
}

Evaluated Contains(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckTwoStrings("contains", args, context)) return *std::move(fault);
  return Json(FindText(*args[0].string(), *args[1].string()) != std::string_view::npos);
}

Evaluated Matches(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckTwoStrings("matches", args, context)) return *std::move(fault);
  if (context.regex != nullptr) return Search(*context.regex, *args[0].string(), context);
  // A pattern that is computed is compiled each time, which costs far more than a node.
  constexpr std::size_t kCompileSteps = 1000;
  if (!context.budget->Spend(kCompileSteps)) return TooManySteps();
  auto compiled = Regex::Compile(*args[1].string());
  auto* regex = std::get_if<std::unique_ptr<Regex>>(&compiled);
  // RE2's own words quote the pattern, which may hold a secret here.
  if (regex == nullptr) return ErrorFault("invalid pattern");
  return Search(**regex, *args[0].string(), context);
}

Evaluated LowerAscii(std::span<const Value> args, const CallContext& context) {
  return MapAscii("lowerAscii", args[0], context, ToLower);
}

Evaluated UpperAscii(std::span<const Value> args, const CallContext& context) {
  return MapAscii("upperAscii", args[0], context, ToUpper);
}

Evaluated Split(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckTwoStrings("split", args, context)) return *std::move(fault);
  if (args.size() == 3 && !args[2].integer()) {
    return NoOverload("split", {&args[0], &args[1], &args[2]});
  }
  const std::size_t limit = args.size() == 3 ? Limit(*args[2].integer()) : kNoLimit;
  auto parts = SplitText(*args[0].string(), *args[1].string(), limit, context.budget);
  if (!parts) return TooManySteps();
  return Json(*std::move(parts));
}

Evaluated Join(std::span<const Value> args, const CallContext& context) {
  const bool has_separator = args.size() == 2;
  if (args[0].list() == nullptr || (has_separator && args[1].string() == nullptr)) {
    return has_separator ? NoOverload("join", {&args[0], &args[1]})
                         : NoOverload("join", {&args[0]});
  }
  const std::string_view separator = has_separator ? *args[1].string() : std::string_view();
  BoundedText text(context.budget);
  bool first = true;
  for (const Json& item : *args[0].list()) {
    if (!item.is_string()) return ErrorFault("join needs a list of strings");
    if ((!first && !text.Append(separator)) || !text.Append(item.as_string())) break;
    first = false;
  }
  return std::move(text).Take();
}

Evaluated Replace(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckTwoStrings("replace", args, context)) return *std::move(fault);
  if (args[2].string() == nullptr || (args.size() == 4 && !args[3].integer())) {
    return args.size() == 4 ? NoOverload("replace", {&args[0], &args[1], &args[2], &args[3]})
                            : NoOverload("replace", {&args[0], &args[1], &args[2]});
  }
  const std::size_t limit = args.size() == 4 ? Limit(*args[3].integer()) : kNoLimit;
  return ReplaceText(*args[0].string(), *args[1].string(), *args[2].string(), limit,
                     context.budget);
}

}  // namespace asyncops::expr
