// The rules for names and labels. Texts are apimachinery's, as people search the web for them.
#include <algorithm>
#include <string>

#include "api/meta/object_meta.h"
#include "base/ascii.h"

namespace asyncops {
namespace {

constexpr std::size_t kMaxLabel = 63;  // DNS labels, label names and label values
constexpr std::size_t kMaxSubdomain = 253;

constexpr std::string_view kNotDnsLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kNotDnsSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kNotQualifiedName =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kNotLabelValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

bool IsLowerAlphanumeric(char c) { return IsLowerLetter(c) || IsDigit(c); }
bool IsDnsLabelText(std::string_view text) {
  return !text.empty() && IsLowerAlphanumeric(text.front()) && IsLowerAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '-' || IsLowerAlphanumeric(c); });
}

bool IsDnsSubdomainText(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!IsDnsLabelText(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool IsNameText(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '-' || c == '_' || c == '.' || IsAlphanumeric(c); });
}

// The rules broken, in order, as one text.
class Broken {
 public:
  void Add(std::string_view rule) { text_.append(text_.empty() ? "" : "; ").append(rule); }
  void AddTooLong(std::string_view part, std::size_t max) {
    Add(std::string(part) + "must be no more than " + std::to_string(max) + " bytes");
  }
  std::optional<std::string> Take() {
    if (text_.empty()) return std::nullopt;
    return std::move(text_);
  }

 private:
  std::string text_;
};

}  // namespace

std::optional<std::string> CheckDnsSubdomain(std::string_view text) {
  Broken broken;
  if (text.size() > kMaxSubdomain) broken.AddTooLong("", kMaxSubdomain);
  if (!IsDnsSubdomainText(text)) broken.Add(kNotDnsSubdomain);
  return broken.Take();
}

std::optional<std::string> CheckDnsLabel(std::string_view text) {
  Broken broken;
  if (text.size() > kMaxLabel) broken.AddTooLong("", kMaxLabel);
  if (!IsDnsLabelText(text)) {
    broken.Add(IsDnsSubdomainText(text) ? "must not contain dots" : kNotDnsLabel);
  }
  return broken.Take();
}

std::optional<std::string> CheckQualifiedName(std::string_view text) {
  Broken broken;
  std::string_view name = text;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return std::string("a qualified name ")
          .append(kNotQualifiedName)
          .append(" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    }
    if (prefix.empty()) {
      broken.Add("prefix part must be non-empty");
    } else if (const auto rule = CheckDnsSubdomain(prefix)) {
      broken.Add("prefix part " + *rule);
    }
  }
  if (name.empty()) broken.Add("name part must be non-empty");
  if (name.size() > kMaxLabel) broken.AddTooLong("name part ", kMaxLabel);
  if (!IsNameText(name)) broken.Add(std::string("name part ").append(kNotQualifiedName));
  return broken.Take();
}

std::optional<std::string> CheckLabelValue(std::string_view text) {
  Broken broken;
  if (text.size() > kMaxLabel) broken.AddTooLong("", kMaxLabel);
  if (!text.empty() && !IsNameText(text)) broken.Add(kNotLabelValue);
  return broken.Take();
}

}  // namespace asyncops
