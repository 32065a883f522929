// The syntax tree of a compiled expression.
#ifndef ASYNCOPS_API_EXPR_PROGRAM_H_
#define ASYNCOPS_API_EXPR_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"

namespace asyncops::expr {

class Regex;
struct Function;

using NodeId = std::uint32_t;

enum class Operator : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIn,
};

enum class Macro : std::uint8_t { kAll, kExists, kExistsOne, kFilter, kMap };

struct Node {
  enum class Kind : std::uint8_t {
    kConstant,       // constant
    kVariable,       // path: a root and its fixed fields
    kLocal,          // local: a variable of a macro
    kPointer,        // path (of the base), names: the tokens of a JSON Pointer
    kField,          // args[0].name
    kHas,            // has(args[0].name)
    kIndex,          // args[0][args[1]]
    kNot,            // !args[0]
    kNegate,         // -args[0]
    kBinary,         // args[0] op args[1]
    kAnd,            // all args, two or more
    kOr,             // all args, two or more
    kConditional,    // args[0] ? args[1] : args[2]
    kList,           // [args...]
    kMap,            // {names[i]: args[i]}
    kCall,           // function(args...); a receiver is args[0]
    kComprehension,  // args[0].macro(local, args[1]); map with a filter has args[2]
  };

  Kind kind = Kind::kConstant;
  Operator op = Operator::kAdd;
  Macro macro = Macro::kAll;
  std::uint32_t local = 0;
  std::size_t offset = 0;
  // Levels below and including this node: bounds the recursion of whoever walks the tree.
  int depth = 1;
  std::string name = {};
  std::vector<std::string> path = {};
  std::vector<std::string> names = {};
  Json constant = {};
  const Function* function = nullptr;
  // Of a call of matches() with a literal pattern. Shared so that a node can be copied.
  std::shared_ptr<const Regex> regex = nullptr;
  std::vector<NodeId> args = {};
};

struct Program {
  std::string source;
  std::vector<Node> nodes;
  NodeId root = 0;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_PROGRAM_H_
