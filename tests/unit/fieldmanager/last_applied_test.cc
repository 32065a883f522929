#include "api/fieldmanager/last_applied.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

Json Annotated(std::string_view spec, std::string annotation) {
  Json object = Gadget(spec);
  object.Find("metadata")
      ->Set("annotations", Json::Of({{std::string(kLastApplied), std::move(annotation)}}));
  return object;
}

std::string Annotation(const Json& object) {
  return std::string(object.StringAt({"metadata", "annotations", kLastApplied}));
}

TEST(LastAppliedTest, ExcusesConflictsOverWhatItAppliedAndStillStands) {
  struct Row {
    const char* reason;
    const char* spec;
    std::string annotation;
    std::size_t left;
  };
  const std::string applied = EncodeJson(Gadget("{'name':'x'}"));
  Json other_version = Gadget("{'name':'x'}");
  other_version.Set("apiVersion", "test/v0");
  const Row table[] = {
      {"it stands", "{'name':'x','size':1}", applied, 0},
      {"somebody changed it since", "{'name':'y','size':1}", applied, 1},
      {"somebody removed it since", "{'size':1}", applied, 1},
      {"it did not apply the field", "{'name':'x'}", EncodeJson(Gadget("{'size':1}")), 1},
      {"of another version", "{'name':'x'}", EncodeJson(other_version), 1},
      {"that does not parse", "{'name':'x'}", "{", 1},
      {"empty", "{'name':'x'}", "", 1},
  };
  for (const Row& row : table) {
    const std::vector<FieldConflict> left =
        WithoutLastApplied(GadgetScope(), "test/v1", Annotated(row.spec, row.annotation),
                           {{ManagerEntry(), {"f:spec", "f:name"}}});
    EXPECT_EQ(left.size(), row.left) << row.reason;
  }
  EXPECT_EQ(WithoutLastApplied(GadgetScope(), "test/v1", Gadget("{'name':'x'}"),
                               {{ManagerEntry(), {"f:spec", "f:name"}}})
                .size(),
            1u)
      << "no annotation";
}

TEST(LastAppliedTest, RenewsAnAnnotationThatIsThere) {
  Json object = Annotated("{'name':'x'}", "{}");
  RenewLastApplied(Annotated("{'name':'y'}", "itself"), &object);
  EXPECT_EQ(Annotation(object),
            R"({"apiVersion":"test/v1","kind":"Gadget","metadata":{"annotations":{},"name":"g"},)"
            R"("spec":{"name":"y"}})"
            "\n");
  Json without = Gadget("{'name':'x'}");
  RenewLastApplied(Gadget("{'name':'y'}"), &without);
  EXPECT_EQ(without, Gadget("{'name':'x'}"));
}

TEST(LastAppliedTest, KeepsAnAnnotationThatWouldGrowTooLarge) {
  Json object = Annotated("{}", "{}");
  Json large = Gadget("{}");
  large.Find("spec")->Set("name", std::string(kMaxAnnotationsBytes, 'x'));
  RenewLastApplied(large, &object);
  EXPECT_EQ(Annotation(object), "{}");
}

}  // namespace
}  // namespace asyncops::fieldmanager
