#include "api/expr/substring_functions.h"

#include <algorithm>
#include <array>

#include "api/expr/text_search.h"
#include "api/expr/utf8.h"

namespace asyncops::expr {
namespace {

// "no matching overload of NAME for (...)", with as many operands as there are.
Fault NoOverloadOf(std::string_view name, std::span<const Value> args) {
  if (args.size() == 1) return NoOverload(name, {&args[0]});
  if (args.size() == 2) return NoOverload(name, {&args[0], &args[1]});
  return NoOverload(name, {&args[0], &args[1], &args[2]});
}

Fault OutOfRange() { return ErrorFault("a place outside the text"); }

// The byte at which a character of that number starts, the end among them; nothing outside.
std::optional<std::size_t> ByteOf(std::string_view text, std::int64_t character) {
  if (character < 0) return std::nullopt;
  std::size_t at = 0;
  for (; character > 0; --character) {
    if (at == text.size()) return std::nullopt;
    at += CodePointLength(text.substr(at));
  }
  return at;
}

std::int64_t CharacterOf(std::string_view text, std::size_t byte) {
  return static_cast<std::int64_t>(CountCodePoints(text.substr(0, byte)));
}

Evaluated Copy(std::string_view part) {
  if (part.size() > kMaxExpressionOutputBytes) return TooLong();
  return Json(part);
}

// Two strings and, where there is a third argument, a place in the first; their length paid for.
std::optional<Fault> CheckSearch(std::string_view name, std::span<const Value> args,
                                 const CallContext& context) {
  const bool strings = args[0].string() != nullptr && args[1].string() != nullptr;
  if (!strings || (args.size() == 3 && !args[2].integer())) return NoOverloadOf(name, args);
  if (!context.budget->SpendBytes(args[0].string()->size() + args[1].string()->size())) {
    return TooManySteps();
  }
  return std::nullopt;
}

// The length of Unicode's White_Space at the start of the text, 0 where there is none.
std::size_t SpaceLength(std::string_view text) {
  static constexpr std::array<std::string_view, 19> kWide = {
      "\u0085", "\u00A0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
      "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200A",
      "\u2028", "\u2029", "\u202F", "\u205F", "\u3000"};
  if (text.empty()) return 0;
  if (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')) return 1;
  const std::size_t length = CodePointLength(text);
  return std::ranges::find(kWide, text.substr(0, length)) == kWide.end() ? 0 : length;
}

}  // namespace

Evaluated CharAt(std::span<const Value> args, const CallContext& context) {
  if (args[0].string() == nullptr || !args[1].integer()) return NoOverloadOf("charAt", args);
  const std::string_view text = *args[0].string();
  if (!context.budget->SpendBytes(text.size())) return TooManySteps();
  const auto at = ByteOf(text, *args[1].integer());
  if (!at) return OutOfRange();
  if (*at == text.size()) return Json("");
  return Json(text.substr(*at, CodePointLength(text.substr(*at))));
}

Evaluated IndexOf(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckSearch("indexOf", args, context)) return *std::move(fault);
  const std::string_view text = *args[0].string();
  const auto from = ByteOf(text, args.size() == 3 ? *args[2].integer() : 0);
  if (!from) return OutOfRange();
  const std::size_t found = FindText(text, *args[1].string(), *from);
  return Json(found == std::string_view::npos ? std::int64_t{-1} : CharacterOf(text, found));
}

Evaluated LastIndexOf(std::span<const Value> args, const CallContext& context) {
  if (auto fault = CheckSearch("lastIndexOf", args, context)) return *std::move(fault);
  const std::string_view text = *args[0].string();
  const auto last = args.size() == 3 ? ByteOf(text, *args[2].integer()) : text.size();
  if (!last) return OutOfRange();
  const std::size_t found = FindLastText(text, *args[1].string(), *last);
  return Json(found == std::string_view::npos ? std::int64_t{-1} : CharacterOf(text, found));
}

Evaluated Substring(std::span<const Value> args, const CallContext& context) {
  const bool has_end = args.size() == 3;
  if (args[0].string() == nullptr || !args[1].integer() || (has_end && !args[2].integer())) {
    return NoOverloadOf("substring", args);
  }
  const std::string_view text = *args[0].string();
  if (!context.budget->SpendBytes(text.size())) return TooManySteps();
  const auto begin = ByteOf(text, *args[1].integer());
  const auto end = has_end ? ByteOf(text, *args[2].integer()) : text.size();
  if (!begin || !end || *begin > *end) return OutOfRange();
  return Copy(text.substr(*begin, *end - *begin));
}

Evaluated Trim(std::span<const Value> args, const CallContext& context) {
  if (args[0].string() == nullptr) return NoOverloadOf("trim", args);
  std::string_view text = *args[0].string();
  if (!context.budget->SpendBytes(text.size())) return TooManySteps();
  while (const std::size_t length = SpaceLength(text)) text.remove_prefix(length);
  // A character is at most three bytes here, and no space of three bytes ends with a shorter one.
  for (std::size_t length = 1; length <= 3 && length <= text.size();) {
    const std::string_view tail = text.substr(text.size() - length);
    const bool space = SpaceLength(tail) == length;
    if (space) text.remove_suffix(length);
    length = space ? 1 : length + 1;
  }
  return Copy(text);
}

}  // namespace asyncops::expr
