// JSON Pointer (RFC 6901).
#ifndef ASYNCOPS_API_EXPR_JSON_POINTER_H_
#define ASYNCOPS_API_EXPR_JSON_POINTER_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/expr/source_position.h"
#include "base/json.h"
#include "base/status.h"

namespace asyncops::expr {

// An immutable value.
class JsonPointer {
 public:
  // "" is the whole document, "/a/0/b~1c" a path in it. BadRequest names the column of a mistake;
  // at most kMaxExpressionBytes and kMaxJsonDepth steps.
  static Result<JsonPointer> Parse(std::string_view text);

  const std::vector<std::string>& tokens() const { return tokens_; }

  // The value it points at; null where there is none.
  const Json* Find(const Json& document) const;

  // Puts a value there. Objects that are missing on the way are made, and a null counts as missing;
  // an element of an array must be there already, "-" appends. BadRequest where a step is neither.
  Status Set(Json* document, Json value) const;

 private:
  explicit JsonPointer(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {}

  std::vector<std::string> tokens_;
};

// The two halves of the class, for programs that hold the tokens: splits a pointer (nothing on
// success, else the mistake), and follows its tokens (null where there is nothing).
std::optional<Mistake> SplitPointer(std::string_view text, std::vector<std::string>* tokens);
const Json* FollowPointer(const Json& document, std::span<const std::string> tokens);

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_JSON_POINTER_H_
