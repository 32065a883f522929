#include "reconciler/redact.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"

namespace asyncops::reconciler {
namespace {

std::string JsonEscaped(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, &quoted);
  return quoted.substr(1, quoted.size() - 2);
}

// As PercentEncode, with lower-case digits.
std::string LowerEscapes(std::string text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (text[i] != '%') continue;
    for (std::size_t j = i + 1; j <= i + 2; ++j) {
      if (text[j] >= 'A' && text[j] <= 'F') text[j] = static_cast<char>(text[j] - 'A' + 'a');
    }
  }
  return text;
}

// As a form has it: a space is "+".
std::string FormEncoded(std::string text) {
  std::size_t at = 0;
  while ((at = text.find("%20", at)) != std::string::npos) text.replace(at, 3, "+");
  return text;
}

std::string WithoutPadding(std::string base64) {
  while (!base64.empty() && base64.back() == '=') base64.pop_back();
  return base64;
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& secrets) {
  std::vector<std::string> forms;
  for (const std::string& secret : secrets) {
    if (secret.size() < kMinRedactedBytes) continue;
    const std::string percent = PercentEncode(secret);
    const std::string escaped = JsonEscaped(secret);
    const std::string base64 = Base64Encode(secret);
    for (const std::string& form :
         {secret, escaped, JsonEscaped(escaped), base64, WithoutPadding(base64),
          Base64UrlEncode(secret), percent, LowerEscapes(percent), FormEncoded(percent)})
      forms.push_back(form);
  }
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  std::vector<std::size_t> open;  // those that the present one may start with, longest last
  for (std::string& form : forms) {
    while (!open.empty() && !form.starts_with(forms_[open.back()].text)) open.pop_back();
    starts_.set(static_cast<unsigned char>(form.front()));
    open.push_back(forms_.size());
    const std::size_t shorter = open.size() > 1 ? open[open.size() - 2] : kNone;
    forms_.push_back({.text = std::move(form), .shorter = shorter});
  }
}

std::size_t Redactor::MatchAt(std::string_view text) const {
  if (text.empty() || !starts_.test(static_cast<unsigned char>(text.front()))) return 0;
  // The last form that is not after the text: all that the text starts with, it starts with too.
  const auto after =
      std::upper_bound(forms_.begin(), forms_.end(), text,
                       [](std::string_view value, const Form& form) { return value < form.text; });
  if (after == forms_.begin()) return 0;
  auto at = static_cast<std::size_t>(after - forms_.begin()) - 1;
  while (at != kNone && !text.starts_with(forms_[at].text)) at = forms_[at].shorter;
  return at == kNone ? 0 : forms_[at].text.size();
}

std::string Redactor::RedactText(std::string_view text) const {
  if (forms_.empty()) return std::string(text);
  std::string out;
  std::size_t kept = 0;  // up to here all is in `out`
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at + MatchAt(text.substr(at));
    if (end == at) continue;
    out.append(text, kept, at - kept).append(kRedacted);
    for (++at; at < end; ++at) end = std::max(end, at + MatchAt(text.substr(at)));
    kept = at--;
  }
  return out.append(text, kept);
}

Json Redactor::RedactJson(const Json& value) const {
  if (value.is_string()) return RedactText(value.as_string());
  if (value.is_int()) {
    const std::string text = std::to_string(value.as_int());
    return MatchAt(text) == text.size() ? Json(kRedacted) : value;
  }
  if (value.is_array()) {
    JsonArray out;
    for (const Json& item : value.as_array()) out.push_back(RedactJson(item));
    return out;
  }
  if (!value.is_object()) return value;
  std::vector<JsonMember> members;
  for (const JsonMember& member : value.as_object())
    members.push_back({RedactText(member.name), RedactJson(member.value)});
  return JsonObject(std::move(members));
}

}  // namespace asyncops::reconciler
