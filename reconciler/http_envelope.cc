#include "reconciler/http_envelope.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace asyncops::reconciler {
namespace {

// More than any answer has.
constexpr int kMaxHeaders = 256;

// Takes a line off the text, without its end (CRLF, or LF as some write it).
std::string_view TakeLine(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size());
  std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The status of "HTTP/1.1 201 Created"; "" where the line is none.
std::string_view StatusOf(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (!line.starts_with("HTTP/") || space == std::string_view::npos) return {};
  const std::string_view rest = line.substr(space + 1);
  const std::string_view status = rest.substr(0, rest.find(' '));
  const bool digits = status.size() == 3 && std::all_of(status.begin(), status.end(), IsDigit);
  return digits && status.front() != '0' ? status : std::string_view();
}

// Lays the headers up to the empty line over those of the answer. False where one is none.
bool TakeHeaders(std::string_view* text, Json* headers) {
  for (int count = 0; count < kMaxHeaders; ++count) {
    const std::string_view line = TakeLine(text);
    if (line.empty()) return true;
    const std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos) return false;
    const std::string_view name = line.substr(0, colon);
    if (!std::all_of(name.begin(), name.end(), IsTokenCharacter)) return false;
    headers->Set(LowerCase(name), TrimBlanks(line.substr(colon + 1)));
  }
  return false;
}

}  // namespace

std::optional<ExternalAnswer> OpenEnvelope(const ExternalAnswer& answer) {
  const std::string type = LowerCase(answer.headers.StringAt({"content-type"}));
  if (!type.starts_with("application/http")) return std::nullopt;
  ExternalAnswer out = answer;
  out.garbled = true;
  if (!answer.body.is_string()) return out;
  std::string_view text = answer.body.as_string();
  const std::string_view status = StatusOf(TakeLine(&text));
  if (status.empty() || !TakeHeaders(&text, &out.headers)) return out;
  out.headers.Set("asyncresult", status);
  out.garbled = false;
  Json body;
  if (!text.empty()) {
    Result<Json> json = ParseJson(text);
    // What says it is JSON must be.
    const std::string inner = LowerCase(out.headers.StringAt({"content-type"}));
    out.garbled = !json.ok() && inner.find("json") != std::string::npos;
    body = json.ok() ? *std::move(json) : Json(text);
  }
  out.body = std::move(body);
  return out;
}

}  // namespace asyncops::reconciler
