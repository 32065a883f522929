// Which names an expression may use. A name that can never exist is refused when the expression is
// compiled, so a misspelt field is found at admission and not as a silent "no match" at run time.
#ifndef ASYNCOPS_API_EXPR_ENVIRONMENT_H_
#define ASYNCOPS_API_EXPR_ENVIRONMENT_H_

#include <span>
#include <string_view>

namespace asyncops::expr {

// What is known of a name before anything runs. Refers to static data.
struct Shape {
  enum class Kind {
    kScalar,   // a string, number or boolean: no fields
    kOpen,     // any JSON value: any fields
    kHeaders,  // an object whose keys are lower-case HTTP field names
    kFields,   // an object with exactly `fields`; named only through one of them
  };

  std::string_view name;
  Kind kind = Kind::kOpen;
  std::span<const Shape> fields = {};
};

// A set of root variables. A small value: it refers to data that must outlive it (the factories
// below refer to constants).
class Environment {
 public:
  // `pointer_base` is the dotted name that a JSON Pointer starts from ("response.body"); "" refuses
  // pointers.
  constexpr Environment(std::span<const Shape> roots, std::string_view pointer_base)
      : roots_(roots), pointer_base_(pointer_base) {}

  std::span<const Shape> roots() const { return roots_; }
  std::string_view pointer_base() const { return pointer_base_; }
  // The root of this name, or null.
  const Shape* FindRoot(std::string_view name) const;

 private:
  std::span<const Shape> roots_;
  std::string_view pointer_base_;
};

// The field of a kFields shape, or null.
const Shape* FindField(const Shape& shape, std::string_view name);

// Templates of `submit`: spec, metadata, outputs, operation. No pointers: there is no response yet.
Environment SubmitEnvironment();
// Templates of what is sent after the submission (poll, cancel, recovery lookup, result URL): what
// submit sees, and submit.response. No pointers.
Environment FollowUpEnvironment();
// Whatever judges or reads a response (acceptors, operation.*, outputs, error and progress,
// recovery.found, errorRules): what a follow-up sees, and response and error. Pointers start at
// response.body.
Environment ResponseEnvironment();
// What finds an operation for a callback or a queue message: event alone. Pointers start at event.
Environment EventEnvironment();

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_ENVIRONMENT_H_
