#include "api/expr/functions.h"

#include <algorithm>
#include <array>

#include "api/expr/conversions.h"
#include "api/expr/encoding_functions.h"
#include "api/expr/string_functions.h"
#include "api/expr/substring_functions.h"
#include "api/expr/time_functions.h"
#include "api/expr/utf8.h"

namespace asyncops::expr {
namespace {

Evaluated Size(std::span<const Value> args, const CallContext& context) {
  const Value& value = args[0];
  if (const std::string* text = value.string()) {
    if (!context.budget->SpendBytes(text->size())) return TooManySteps();
    return Json(CountCodePoints(*text));
  }
  if (value.list() != nullptr) return Json(value.list()->size());
  if (value.map() != nullptr) return Json(value.map()->size());
  return NoOverload("size", {&value});
}

using enum Function::Style;

constexpr std::array kFunctions = {
    Function{"size", kEither, 1, 1, Size},
    Function{"startsWith", kMember, 2, 2, StartsWith},
    Function{"endsWith", kMember, 2, 2, EndsWith},
    Function{"contains", kMember, 2, 2, Contains},
    Function{"matches", kEither, 2, 2, Matches},
    Function{"lowerAscii", kMember, 1, 1, LowerAscii},
    Function{"upperAscii", kMember, 1, 1, UpperAscii},
    Function{"split", kMember, 2, 3, Split},
    Function{"join", kMember, 1, 2, Join},
    Function{"replace", kMember, 3, 4, Replace},
    Function{"trim", kMember, 1, 1, Trim},
    Function{"substring", kMember, 2, 3, Substring},
    Function{"charAt", kMember, 2, 2, CharAt},
    Function{"indexOf", kMember, 2, 3, IndexOf},
    Function{"lastIndexOf", kMember, 2, 3, LastIndexOf},
    Function{"url.encode", kGlobal, 1, 1, UrlEncode},
    Function{"base64.encode", kGlobal, 1, 1, ToBase64},
    Function{"base64.decode", kGlobal, 1, 1, FromBase64},
    Function{"json.encode", kGlobal, 1, 1, ToJsonText},
    Function{"json.decode", kGlobal, 1, 1, FromJsonText},
    Function{"int", kGlobal, 1, 1, ToInt},
    Function{"double", kGlobal, 1, 1, ToDouble},
    Function{"string", kGlobal, 1, 1, ToString},
    Function{"bool", kGlobal, 1, 1, ToBool},
    Function{"timestamp", kGlobal, 1, 1, ToTimestamp},
    Function{"duration", kGlobal, 1, 1, ToDuration},
    Function{"getFullYear", kMember, 1, 1, GetFullYear},
    Function{"getMonth", kMember, 1, 1, GetMonth},
    Function{"getDate", kMember, 1, 1, GetDate},
    Function{"getDayOfMonth", kMember, 1, 1, GetDayOfMonth},
    Function{"getDayOfWeek", kMember, 1, 1, GetDayOfWeek},
    Function{"getDayOfYear", kMember, 1, 1, GetDayOfYear},
    Function{"getHours", kMember, 1, 1, GetHours},
    Function{"getMinutes", kMember, 1, 1, GetMinutes},
    Function{"getSeconds", kMember, 1, 1, GetSeconds},
    Function{"getMilliseconds", kMember, 1, 1, GetMilliseconds},
};

}  // namespace

const Function* FindFunction(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &Function::name);
  return found == kFunctions.end() ? nullptr : &*found;
}

}  // namespace asyncops::expr
