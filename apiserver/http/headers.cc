#include <algorithm>

#include "apiserver/http/request.h"
#include "base/ascii.h"

namespace asyncops::http {

std::string_view Headers::Get(std::string_view name) const {
  for (const auto& [key, value] : all_) {
    if (EqualsIgnoreCase(key, name)) return value;
  }
  return "";
}

std::vector<std::string_view> Headers::GetAll(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : all_) {
    if (EqualsIgnoreCase(key, name)) values.push_back(value);
  }
  return values;
}

bool Headers::Has(std::string_view name) const {
  return std::any_of(all_.begin(), all_.end(),
                     [name](const auto& header) { return EqualsIgnoreCase(header.first, name); });
}

void Headers::Add(std::string name, std::string value) {
  all_.emplace_back(std::move(name), std::move(value));
}

void Headers::Set(std::string_view name, std::string value) {
  Erase(name);
  all_.emplace_back(std::string(name), std::move(value));
}

void Headers::Erase(std::string_view name) {
  std::erase_if(all_, [name](const auto& header) { return EqualsIgnoreCase(header.first, name); });
}

}  // namespace asyncops::http
