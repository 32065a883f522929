#include "api/expr/environment.h"

#include <algorithm>
#include <array>

namespace asyncops::expr {
namespace {

using enum Shape::Kind;

constexpr std::array kSpec = {Shape{"parameters", kOpen}};

constexpr std::array kMetadata = {
    Shape{"name", kScalar}, Shape{"namespace", kScalar}, Shape{"uid", kScalar},
    Shape{"labels", kOpen}, Shape{"annotations", kOpen},
};

constexpr std::array kOperation = {
    Shape{"id", kScalar},         Shape{"pollURL", kScalar},       Shape{"submitURL", kScalar},
    Shape{"resourceID", kScalar}, Shape{"correlationID", kScalar}, Shape{"idempotencyKey", kScalar},
    Shape{"submission", kScalar}, Shape{"attempt", kScalar},       Shape{"startTime", kScalar},
};

constexpr std::array kResponse = {
    Shape{"status", kScalar},
    Shape{"headers", kHeaders},
    Shape{"body", kOpen},
};

constexpr std::array kSubmit = {Shape{"response", kFields, kResponse}};

constexpr std::array kError = {
    Shape{"code", kScalar},
    Shape{"message", kScalar},
    Shape{"httpStatus", kScalar},
};

// Ordered so that each environment below is a prefix of the next.
constexpr std::array kRoots = {
    Shape{"spec", kFields, kSpec},     Shape{"metadata", kFields, kMetadata},
    Shape{"outputs", kOpen},           Shape{"operation", kFields, kOperation},
    Shape{"submit", kFields, kSubmit}, Shape{"response", kFields, kResponse},
    Shape{"error", kFields, kError},
};
constexpr std::size_t kSubmitRoots = 4;
constexpr std::size_t kFollowUpRoots = 5;

constexpr std::array kEventRoots = {Shape{"event", kOpen}};

const Shape* FindByName(std::span<const Shape> shapes, std::string_view name) {
  const auto found = std::ranges::find(shapes, name, &Shape::name);
  return found == shapes.end() ? nullptr : &*found;
}

}  // namespace

const Shape* Environment::FindRoot(std::string_view name) const { return FindByName(roots_, name); }

const Shape* FindField(const Shape& shape, std::string_view name) {
  return FindByName(shape.fields, name);
}

Environment SubmitEnvironment() { return {std::span(kRoots).first(kSubmitRoots), ""}; }

Environment FollowUpEnvironment() { return {std::span(kRoots).first(kFollowUpRoots), ""}; }

Environment ResponseEnvironment() { return {kRoots, "response.body"}; }

Environment EventEnvironment() { return {kEventRoots, "event"}; }

}  // namespace asyncops::expr
