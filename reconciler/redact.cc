#include "reconciler/redact.h"

#include <algorithm>

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
  for (const std::string& secret : secrets) {
    if (secret.size() < kMinRedactedBytes) continue;
    const std::string percent = PercentEncode(secret);
    const std::string escaped = JsonEscaped(secret);
    const std::string base64 = Base64Encode(secret);
    for (const std::string& form :
         {secret, escaped, JsonEscaped(escaped), base64, WithoutPadding(base64),
          Base64UrlEncode(secret), percent, LowerEscapes(percent), FormEncoded(percent)})
      forms_.push_back(form);
  }
  std::sort(forms_.begin(), forms_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  forms_.erase(std::unique(forms_.begin(), forms_.end()), forms_.end());
}

std::string Redactor::RedactText(std::string_view text) const {
  std::string out(text);
  for (const std::string& form : forms_) {
    std::size_t at = 0;
    while ((at = out.find(form, at)) != std::string::npos) {
      out.replace(at, form.size(), kRedacted);
      at += kRedacted.size();
    }
  }
  return out;
}

Json Redactor::RedactJson(const Json& value) const {
  if (value.is_string()) return RedactText(value.as_string());
  if (value.is_int()) {
    const std::string text = std::to_string(value.as_int());
    return std::find(forms_.begin(), forms_.end(), text) == forms_.end() ? value : Json(kRedacted);
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
