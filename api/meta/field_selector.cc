#include "api/meta/field_selector.h"

#include <algorithm>
#include <optional>

#include "api/meta/quote.h"
#include "base/encoding.h"

namespace asyncops {
namespace {

// The terms between commas that no backslash protects.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

struct Term {
  std::string_view field;
  bool equal = true;
  std::string_view value;  // still escaped
};

// At the first "!=", "==" or "=".
std::optional<Term> SplitTerm(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    const bool differs = rest.starts_with("!=");
    if (differs || rest.starts_with("==")) return Term{term.substr(0, i), !differs, rest.substr(2)};
    if (rest.front() == '=') return Term{term.substr(0, i), true, rest.substr(1)};
  }
  return std::nullopt;
}

Result<std::string> Unescape(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == ',' || c == '=') {
      return BadRequest(std::string("invalid field selector: unescaped character in value: ") + c +
                        " (write \\" + c + ")");
    }
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    const std::string_view next = value.substr(i + 1);
    if (next.empty() || std::string_view("\\,=").find(next.front()) == std::string_view::npos) {
      const std::size_t length = next.empty() ? 0 : std::max<std::size_t>(Utf8Length(next), 1);
      return BadRequest("invalid field selector: invalid escape sequence: \\" +
                        std::string(next.substr(0, length)));
    }
    out.push_back(next.front());
    ++i;
  }
  return out;
}

Status UnknownField(std::string_view field, std::vector<std::string> known) {
  std::sort(known.begin(), known.end());
  std::string message = Quote(field) + " is not a known field selector: only ";
  for (std::size_t i = 0; i < known.size(); ++i)
    message.append(i == 0 ? "" : ", ").append(Quote(known[i]));
  return BadRequest(std::move(message));
}

}  // namespace

bool FieldRange::Contains(std::string_view value) const {
  return !value.empty() && value >= from && (before.empty() || value < before);
}

bool FieldSelector::Matches(const Fields& fields) const {
  for (const FieldRequirement& requirement : requirements) {
    const auto it = fields.find(requirement.field);
    const std::string_view value = it == fields.end() ? std::string_view() : it->second;
    if ((value == requirement.value) != requirement.equal) return false;
  }
  for (const FieldRange& range : ranges) {
    const auto it = fields.find(range.field);
    if (it == fields.end() || !range.Contains(it->second)) return false;
  }
  return true;
}

Result<FieldSelector> ParseFieldSelector(std::string_view text,
                                         const std::vector<std::string>& known) {
  FieldSelector selector;
  for (const std::string_view part : SplitTerms(text)) {
    if (part.empty()) continue;
    const std::optional<Term> term = SplitTerm(part);
    if (!term) {
      return BadRequest("invalid selector: '" + std::string(text) + "'; can't understand '" +
                        std::string(part) + "'");
    }
    Result<std::string> value = Unescape(term->value);
    if (!value.ok()) return value.status();
    if (std::find(known.begin(), known.end(), term->field) == known.end())
      return UnknownField(term->field, known);
    selector.requirements.push_back(
        {std::string(term->field), term->equal, std::move(value).value()});
  }
  return selector;
}

}  // namespace asyncops
