// A JSON value whose strings are templates: the body of a request.
#ifndef ASYNCOPS_API_EXPR_BODY_TEMPLATE_H_
#define ASYNCOPS_API_EXPR_BODY_TEMPLATE_H_

#include <vector>

#include "api/expr/template.h"

namespace asyncops::expr {

// Compiled and immutable; safe to render from several threads at once.
class BodyTemplate {
 public:
  // Compiles every string of the body; member names are taken as they are. BadRequest lists each
  // mistake (at most kMaxDuplicatesReported) as a cause in the status details: `field` is the path
  // within the body ("disks[0].name", "" for the body itself), `message` begins with the column.
  // The status message is the first one.
  static Result<BodyTemplate> Compile(const Json& body, const Environment& environment);

  // The body with every string rendered. BadRequest names the path and the expression; at most
  // kMaxRenderedBodyBytes.
  Result<Json> Render(const Bindings& bindings) const;

 private:
  BodyTemplate(Json body, std::vector<Template> templates)
      : body_(std::move(body)), templates_(std::move(templates)) {}

  Json body_;
  // Those of the strings of body_ that hold a `${`, in the order of a walk.
  std::vector<Template> templates_;
};

}  // namespace asyncops::expr

#endif  // ASYNCOPS_API_EXPR_BODY_TEMPLATE_H_
