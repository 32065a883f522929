// What is to be taken out of the answers of one operation.
#ifndef ASYNCOPS_RECONCILER_SECRET_VALUES_H_
#define ASYNCOPS_RECONCILER_SECRET_VALUES_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace asyncops::reconciler {

// Values of outputs that go into Secrets. Never logged, never stored.
struct SecretValues {
  std::vector<std::string> texts;   // of texts, numbers and booleans
  std::vector<std::string> wholes;  // objects and arrays, as JSON
  std::vector<std::string> parts;   // the texts in those

  bool empty() const { return texts.empty() && wholes.empty(); }
  // A value as an answer shows it.
  void Add(const Json& value);
  // A value as its Secret keeps it.
  void AddKept(const std::string& text);
};

// Those that earlier answers showed, within bounds: the ones that came last stay. Objects are
// remembered by their parts.
struct SeenSecrets {
  std::vector<std::string> texts;
  std::vector<std::string> parts;

  bool empty() const { return texts.empty() && parts.empty(); }
  void Remember(const SecretValues& values);
};

}  // namespace asyncops::reconciler

#endif  // ASYNCOPS_RECONCILER_SECRET_VALUES_H_
