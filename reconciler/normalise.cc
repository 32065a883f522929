#include "reconciler/normalise.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/encoding.h"
#include "base/limits.h"

namespace asyncops::reconciler {
namespace {

constexpr std::string_view kId = "<id>";
constexpr std::string_view kTime = "<time>";
constexpr std::string_view kNumber = "<number>";
// Names of cloud resources and error codes are shorter, or have hyphens in them.
constexpr std::size_t kLongIdentifier = 20;
// A hexadecimal run of a trace (16) or longer; words such as "deadbeef" are shorter.
constexpr std::size_t kLongHex = 16;
constexpr std::size_t kLongNumber = 10;

std::size_t RunLength(std::string_view text, bool (*is)(char)) {
  const auto* end = std::find_if_not(text.begin(), text.end(), is);
  return static_cast<std::size_t>(end - text.begin());
}

// Whether the text begins as the pattern says: 'd' a digit, 'x' a hex digit, others themselves.
bool Fits(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char want = pattern[i];
    const bool fits = want == 'd'   ? IsDigit(text[i])
                      : want == 'x' ? IsHexDigit(text[i])
                                    : text[i] == want;
    if (!fits) return false;
  }
  return true;
}

std::size_t UuidLength(std::string_view text) {
  constexpr std::string_view kUuid = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return Fits(text, kUuid) ? kUuid.size() : 0;
}

// "2026-11-29T16:47:53.123Z", "2026-11-29 16:47:53 UTC", "2026/11/29 16:47:53", "16:47:53.12".
std::size_t TimeLength(std::string_view text) {
  std::size_t at = 0;
  if (Fits(text, "dddd-dd-dd") || Fits(text, "dddd/dd/dd")) at = 10;
  const std::size_t date = at;
  if (at > 0 && text.size() > at && (text[at] == 'T' || text[at] == 't' || text[at] == ' ')) ++at;
  if (!Fits(text.substr(at), "dd:dd:dd")) return date;
  at += 8;
  if (at + 1 < text.size() && (text[at] == '.' || text[at] == ',') && IsDigit(text[at + 1]))
    at += 1 + RunLength(text.substr(at + 1), IsDigit);
  for (const std::string_view zone : {"Z", " UTC", " GMT"}) {
    if (text.substr(at).starts_with(zone)) return at + zone.size();
  }
  const std::string_view rest = text.substr(at);
  for (const std::string_view offset : {"+dd:dd", "-dd:dd", "+dddd", "-dddd"}) {
    if (Fits(rest, offset)) return at + offset.size();
  }
  return at;
}

// "Sun, 29 Nov 2026 16:47:53 GMT".
std::size_t HttpDateLength(std::string_view text) {
  constexpr std::string_view kDays = "Mon,Tue,Wed,Thu,Fri,Sat,Sun,";
  if (text.size() < 17 || kDays.find(text.substr(0, 4)) % 4 != 0) return 0;
  if (!Fits(text.substr(4), " dd ") || !Fits(text.substr(11), " dddd ")) return 0;
  return 17 + TimeLength(text.substr(17));
}

bool StartsWithWord(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (ToLower(text[i]) != word[i]) return false;
  }
  return true;
}

// The length of a label such as "Request ID: " that an identifier follows; 0 where it is none.
std::size_t LabelLength(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWhats = {"request",     "trace",    "correlation",
                                                      "transaction", "activity", "span"};
  for (const std::string_view what : kWhats) {
    if (!StartsWithWord(text, what)) continue;
    std::size_t at = what.size();
    if (at < text.size() && (text[at] == ' ' || text[at] == '-' || text[at] == '_')) ++at;
    if (!StartsWithWord(text.substr(at), "id")) continue;
    at += 2;
    if (at < text.size() && IsAlphanumeric(text[at])) continue;
    const std::size_t label = at;
    constexpr std::string_view kBetween = " :=\"'([";
    while (at < text.size() && kBetween.find(text[at]) != std::string_view::npos) ++at;
    return at == label ? 0 : at;
  }
  return 0;
}

std::size_t ValueLength(std::string_view text) {
  constexpr std::string_view kEnds = " \t\r\n\"'),;]}";
  std::size_t length = std::min(text.find_first_of(kEnds), text.size());
  while (length > 0 && (text[length - 1] == '.' || text[length - 1] == ':')) --length;
  return length;
}

// "request id is missing" names none.
bool IsIdentifier(std::string_view label, std::string_view value) {
  if (value.empty()) return false;
  return label.find_first_of(":=\"'([") != std::string_view::npos ||
         std::find_if(value.begin(), value.end(), IsDigit) != value.end();
}

struct Replacement {
  std::size_t length = 0;  // of what is replaced; 0 for nothing
  std::string_view by = {};
};

// What stands at the start of a word.
Replacement ReplaceWord(std::string_view text) {
  if (const std::size_t length = UuidLength(text); length > 0) return {length, kId};
  if (const std::size_t length = HttpDateLength(text); length > 0) return {length, kTime};
  if (const std::size_t length = TimeLength(text); length > 0) return {length, kTime};
  if (text.starts_with("0x") || text.starts_with("0X")) {
    const std::size_t hex = RunLength(text.substr(2), IsHexDigit);
    if (hex >= 4) return {2 + hex, kId};
  }
  const std::size_t word = RunLength(text, IsAlphanumeric);
  const std::string_view run = text.substr(0, word);
  const std::size_t digits = RunLength(text, IsDigit);
  if (digits == word) return word >= kLongNumber ? Replacement{word, kNumber} : Replacement{};
  if (std::find_if(run.begin(), run.end(), IsDigit) == run.end()) return {};
  const bool hex = RunLength(run, IsHexDigit) == word;
  return word >= (hex ? kLongHex : kLongIdentifier) ? Replacement{word, kId} : Replacement{};
}

void AppendCharacter(std::string_view text, std::size_t* at, std::string* out) {
  const auto byte = static_cast<unsigned char>(text[*at]);
  if (byte <= 0x20 || byte == 0x7f) {
    if (!out->empty() && out->back() != ' ') *out += ' ';
    ++*at;
    return;
  }
  const std::size_t length = Utf8Length(text.substr(*at));
  if (length == 0) {
    *out += "\xef\xbf\xbd";
    ++*at;
    return;
  }
  out->append(text, *at, length);
  *at += length;
}

void CutTo(std::size_t bytes, std::string* text) {
  constexpr std::string_view kCut = "...";
  while (!text->empty() && text->back() == ' ') text->pop_back();
  if (text->size() <= bytes) return;
  std::size_t end = bytes - kCut.size();
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>((*text)[end]) & 0xC0U) == 0x80U) --end;
  text->resize(end);
  *text += kCut;
}

}  // namespace

std::string NormaliseMessage(std::string_view text) {
  // What is beyond has no part in the result, however much is replaced.
  text = text.substr(0, 8 * kMaxMessageBytes);
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool word_start = at == 0 || !IsAlphanumeric(text[at - 1]);
    const std::string_view rest = text.substr(at);
    if (word_start && IsAlphanumeric(text[at])) {
      if (const std::size_t label = LabelLength(rest); label > 0) {
        out.append(rest.substr(0, label));
        at += label;
        const std::string_view value = text.substr(at, ValueLength(text.substr(at)));
        if (!IsIdentifier(rest.substr(0, label), value)) continue;
        out.append(kId);
        at += value.size();
        continue;
      }
      if (const Replacement found = ReplaceWord(rest); found.length > 0) {
        out.append(found.by);
        at += found.length;
        continue;
      }
      const std::size_t word = RunLength(rest, IsAlphanumeric);
      out.append(rest.substr(0, word));
      at += word;
      continue;
    }
    AppendCharacter(text, &at, &out);
  }
  CutTo(kMaxMessageBytes, &out);
  return out;
}

}  // namespace asyncops::reconciler
