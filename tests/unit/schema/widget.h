// A small made-up kind with one field of each sort.
#ifndef ASYNCOPS_TESTS_UNIT_SCHEMA_WIDGET_H_
#define ASYNCOPS_TESTS_UNIT_SCHEMA_WIDGET_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"
#include "api/scheme.h"

namespace asyncops {

struct Part {
  std::string name;
  std::optional<std::int64_t> count;

  static const ObjectBinding<Part>& Binding();
  bool operator==(const Part&) const = default;
};

struct WidgetSpec {
  std::string color;
  std::string code;
  std::optional<Duration> delay;
  std::optional<Time> due;
  std::optional<Time> seen;  // to the microsecond
  std::map<std::string, std::string> secrets;
  std::vector<Part> parts;
  std::vector<std::int64_t> sizes;
  std::optional<Part> main_part;
  double ratio = 0;
  bool enabled = false;
  Json body;

  static const ObjectBinding<WidgetSpec>& Binding();
  bool operator==(const WidgetSpec&) const = default;
};

struct WidgetStatus {
  Conditions conditions;

  static const ObjectBinding<WidgetStatus>& Binding();
  bool operator==(const WidgetStatus&) const = default;
};

struct Widget {
  ObjectMeta metadata;
  WidgetSpec spec;
  WidgetStatus status;

  static const ObjectBinding<Widget>& Binding();
  bool operator==(const Widget&) const = default;
};

// widgets.example.com/v1.
ResourceInfo WidgetResource();

}  // namespace asyncops

#endif  // ASYNCOPS_TESTS_UNIT_SCHEMA_WIDGET_H_
