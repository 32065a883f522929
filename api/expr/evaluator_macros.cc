#include <utility>

#include "api/expr/evaluator.h"

namespace asyncops::expr {
namespace {

// The elements of a list, or the keys of a map, one after the other.
class Elements {
 public:
  explicit Elements(const Value& range) : list_(range.list()), map_(range.map()) {}

  // The next element, valid until the next call; null after the last.
  const Json* Next() {
    if (list_ != nullptr) return next_ < list_->size() ? &(*list_)[next_++] : nullptr;
    if (next_ == map_->size()) return nullptr;
    key_ = Json(map_->begin()[next_++].name);
    return &key_;
  }

 private:
  const JsonArray* list_;
  const JsonObject* map_;
  std::size_t next_ = 0;
  Json key_;
};

}  // namespace

Evaluated Evaluator::Comprehension(const Node& node) {
  const Evaluated range = Evaluate(node.args[0]);
  if (!range.ok()) return range;
  const Value& value = range.value();
  if (value.list() == nullptr && value.map() == nullptr) return NoOverload(node.name, {&value});
  locals_.resize(node.local + 1);
  switch (node.macro) {
    case Macro::kAll: return Quantifier(node, value, false);
    case Macro::kExists: return Quantifier(node, value, true);
    case Macro::kExistsOne: return ExistsOne(node, value);
    case Macro::kFilter: return Filter(node, value);
    case Macro::kMap: return Transform(node, value);
  }
  return ErrorFault("unknown macro");
}

Evaluated Evaluator::Predicate(const Node& node, NodeId body) {
  Evaluated result = Evaluate(body);
  if (budget_.exhausted()) return TooManySteps();
  if (result.ok() && !result.value().boolean()) return NoOverload(node.name, {&result.value()});
  return result;
}

Evaluated Evaluator::Quantifier(const Node& node, const Value& range, bool deciding) {
  std::optional<Fault> first_fault;
  Elements elements(range);
  while (const Json* element = elements.Next()) {
    locals_[node.local] = element;
    Evaluated result = Predicate(node, node.args[1]);
    if (budget_.exhausted()) return TooManySteps();
    if (result.ok() && result.value().boolean() == deciding) return Json(deciding);
    if (!result.ok() && !first_fault) first_fault = std::move(result.fault());
  }
  if (first_fault) return *std::move(first_fault);
  return Json(!deciding);
}

Evaluated Evaluator::ExistsOne(const Node& node, const Value& range) {
  std::size_t count = 0;
  Elements elements(range);
  while (const Json* element = elements.Next()) {
    locals_[node.local] = element;
    Evaluated result = Predicate(node, node.args[1]);
    if (!result.ok()) return result;
    if (result.value().boolean() == true) ++count;
  }
  return Json(count == 1);
}

Evaluated Evaluator::Filter(const Node& node, const Value& range) {
  JsonArray kept;
  Elements elements(range);
  while (const Json* element = elements.Next()) {
    locals_[node.local] = element;
    Evaluated result = Predicate(node, node.args[1]);
    if (!result.ok()) return result;
    if (result.value().boolean() != true) continue;
    if (!budget_.SpendCopy(*element)) return TooManySteps();
    kept.push_back(*element);
  }
  return Json(std::move(kept));
}

Evaluated Evaluator::Transform(const Node& node, const Value& range) {
  const bool filtered = node.args.size() == 3;
  JsonArray results;
  Elements elements(range);
  while (const Json* element = elements.Next()) {
    locals_[node.local] = element;
    if (filtered) {
      Evaluated wanted = Predicate(node, node.args[1]);
      if (!wanted.ok()) return wanted;
      if (wanted.value().boolean() != true) continue;
    }
    Evaluated result = Evaluate(node.args.back());
    if (!result.ok()) return result;
    if (auto fault = Store(std::move(result.value()), &results.emplace_back())) {
      return *std::move(fault);
    }
  }
  return Json(std::move(results));
}

}  // namespace asyncops::expr
