#include "api/expr/body_template.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/expr/budget.h"
#include "base/ascii.h"
#include "base/limits.h"

namespace asyncops::expr {
namespace {

bool IsTemplate(std::string_view text) { return text.find("${") != std::string_view::npos; }

bool IsPlainName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return IsAlphanumeric(c) || c == '_' || c == '-';
  });
}

std::string MemberPath(const std::string& path, const std::string& name) {
  if (!IsPlainName(name)) return path + "[" + EncodeJson(Json(name)) + "]";
  return path.empty() ? name : path + "." + name;
}

std::string ItemPath(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

// Compiles the strings of a body in the order of a walk.
class BodyCompiler {
 public:
  explicit BodyCompiler(const Environment& environment) : environment_(environment) {}

  void Walk(const Json& value, const std::string& path, int depth) {
    if (depth > kMaxJsonDepth) {
      Refuse(path, "nested more than " + std::to_string(kMaxJsonDepth) + " levels deep");
    } else if (value.is_string()) {
      CompileString(value.as_string(), path);
    } else if (value.is_array()) {
      std::size_t index = 0;
      for (const Json& item : value.as_array()) Walk(item, ItemPath(path, index++), depth + 1);
    } else if (value.is_object()) {
      for (const JsonMember& member : value.as_object()) {
        Walk(member.value, MemberPath(path, member.name), depth + 1);
      }
    }
  }

  std::vector<StatusCause>& mistakes() { return mistakes_; }
  std::vector<Template>& templates() { return templates_; }

 private:
  void CompileString(const std::string& text, const std::string& path) {
    if (!IsTemplate(text)) return;
    Result<Template> compiled = Template::Compile(text, environment_);
    if (compiled.ok()) {
      templates_.push_back(*std::move(compiled));
    } else {
      Refuse(path, compiled.status().message());
    }
  }

  void Refuse(const std::string& path, std::string message) {
    if (mistakes_.size() == kMaxDuplicatesReported) return;
    mistakes_.push_back({"FieldValueInvalid", std::move(message), path});
  }

  const Environment& environment_;
  std::vector<StatusCause> mistakes_;
  std::vector<Template> templates_;
};

// Renders a body in the same order.
class BodyRenderer {
 public:
  BodyRenderer(const std::vector<Template>& templates, const Bindings& bindings)
      : templates_(templates), bindings_(bindings) {}

  Result<Json> Walk(const Json& value, const std::string& path) {
    if (value.is_array()) return WalkArray(value.as_array(), path);
    if (value.is_object()) return WalkObject(value.as_object(), path);
    if (!value.is_string() || !IsTemplate(value.as_string())) return Spend(value);
    Result<Json> rendered = templates_[next_++].Render(bindings_);
    if (rendered.ok()) return Spend(*std::move(rendered));
    return path.empty() ? rendered.status() : rendered.status().WithContext(path);
  }

 private:
  Result<Json> WalkArray(const JsonArray& array, const std::string& path) {
    JsonArray items;
    for (std::size_t i = 0; i < array.size(); ++i) {
      Result<Json> item = Walk(array[i], ItemPath(path, i));
      if (!item.ok()) return item;
      items.push_back(*std::move(item));
    }
    return Json(std::move(items));
  }

  Result<Json> WalkObject(const JsonObject& object, const std::string& path) {
    JsonObject members;
    for (const JsonMember& member : object) {
      Result<Json> value = Walk(member.value, MemberPath(path, member.name));
      if (!value.ok()) return value;
      members.Set(member.name, *std::move(value));
    }
    return Json(std::move(members));
  }

  Result<Json> Spend(Json value) {
    bytes_ += EstimateBytes(value, kMaxRenderedBodyBytes);
    if (bytes_ > kMaxRenderedBodyBytes) {
      return BadRequest("the body renders to more than " + std::to_string(kMaxRenderedBodyBytes) +
                        " bytes");
    }
    return value;
  }

  const std::vector<Template>& templates_;
  const Bindings& bindings_;
  std::size_t next_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<BodyTemplate> BodyTemplate::Compile(const Json& body, const Environment& environment) {
  BodyCompiler compiler(environment);
  compiler.Walk(body, "", 1);
  if (compiler.mistakes().empty()) return BodyTemplate(body, std::move(compiler.templates()));
  const StatusCause& first = compiler.mistakes().front();
  Status status = BadRequest(first.message);
  if (!first.field.empty()) status = status.WithContext(first.field);
  StatusDetails details;
  details.causes = std::move(compiler.mistakes());
  return status.WithDetails(std::move(details));
}

Result<Json> BodyTemplate::Render(const Bindings& bindings) const {
  return BodyRenderer(templates_, bindings).Walk(body_, "");
}

}  // namespace asyncops::expr
