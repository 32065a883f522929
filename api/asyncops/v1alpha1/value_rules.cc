#include "api/asyncops/v1alpha1/value_rules.h"

#include <algorithm>

#include "api/asyncops/v1alpha1/header_rules.h"
#include "api/expr/json_pointer.h"
#include "base/ascii.h"
#include "base/duration.h"

namespace asyncops {
namespace {

bool IsKeyCharacter(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

bool IsQueryNameCharacter(char c) { return IsKeyCharacter(c) || c == '~' || c == '$'; }

void CheckPointer(const std::string& path, const std::string& pointer, ValidationResult* out) {
  if (pointer.empty()) {
    out->errors.push_back(
        RequiredField(path, "with in: Body, give a JSON Pointer such as /requestId"));
    return;
  }
  const auto parsed = expr::JsonPointer::Parse(pointer);
  if (!parsed.ok()) {
    out->errors.push_back(InvalidField(
        path, pointer, parsed.status().message() + "; write a JSON Pointer such as /requestId"));
  }
}

}  // namespace

void CheckPositive(const std::string& path, const std::optional<Duration>& value,
                   ValidationResult* out) {
  if (!value || *value > Duration::zero()) return;
  out->errors.push_back(
      InvalidField(path, FormatDuration(*value), "must be longer than 0, such as 30s"));
}

void CheckObjectRef(const std::string& path, const std::optional<LocalObjectRef>& ref,
                    ValidationResult* out) {
  if (!ref) return;
  if (auto rule = CheckDnsSubdomain(ref->name))
    out->errors.push_back(InvalidField(path + ".name", ref->name, *rule));
}

std::optional<std::string> CheckSecretKey(std::string_view key) {
  if (!key.empty() && key.size() <= 253 && key != "." && key != ".." &&
      std::all_of(key.begin(), key.end(), IsKeyCharacter))
    return std::nullopt;
  return "a key of a Secret consists of letters, digits, '-', '_' and '.', such as token";
}

void CheckSecretKeyRef(const std::string& path, const std::optional<SecretKeyRef>& ref,
                       ValidationResult* out) {
  if (!ref) return;
  if (auto rule = CheckDnsSubdomain(ref->name))
    out->errors.push_back(InvalidField(path + ".name", ref->name, *rule));
  if (auto rule = CheckSecretKey(ref->key))
    out->errors.push_back(InvalidField(path + ".key", ref->key, *rule));
}

void CheckPlacement(const std::string& path, const Placement& placement, ValidationResult* out) {
  if (placement.in == "Query") {
    if (placement.name.empty())
      out->errors.push_back(
          RequiredField(path + ".name", "with in: Query, give the parameter's name"));
    else if (!std::all_of(placement.name.begin(), placement.name.end(), IsQueryNameCharacter))
      out->errors.push_back(InvalidField(path + ".name", placement.name,
                                         "must be letters, digits, '-', '_', '.', '~' and '$', "
                                         "such as requestId"));
    if (!placement.pointer.empty())
      out->errors.push_back(
          ForbiddenField(path + ".pointer", "belongs to in: Body; remove it, or write in: Body"));
  } else if (placement.in == "Header") {
    if (placement.name.empty())
      out->errors.push_back(
          RequiredField(path + ".name", "with in: Header, give the header's name"));
    else
      CheckHeaderName(path + ".name", placement.name, HeaderUse::kRequest, out);
    if (!placement.pointer.empty())
      out->errors.push_back(
          ForbiddenField(path + ".pointer", "belongs to in: Body; remove it, or write in: Body"));
  } else if (placement.in == "Body") {
    CheckPointer(path + ".pointer", placement.pointer, out);
    if (!placement.name.empty())
      out->errors.push_back(
          ForbiddenField(path + ".name", "belongs to in: Header; remove it, or write in: Header"));
  }
}

void Warn(std::string text, ValidationResult* out) {
  if (std::find(out->warnings.begin(), out->warnings.end(), text) == out->warnings.end())
    out->warnings.push_back(std::move(text));
}

}  // namespace asyncops
