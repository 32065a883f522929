#include <gtest/gtest.h>

#include "api/fieldmanager/updater.h"
#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

// An object on which managers apply and update, one after the other.
class ApplyTest : public testing::Test {
 protected:
  ApplyOutcome Try(const std::string& manager, std::string_view spec, bool force = false) {
    const FieldManager writer = ManagerAt(manager, second_);
    return fieldmanager::Apply({GadgetScope(), writer, force}, exists_ ? &object_ : nullptr,
                               Gadget(spec));
  }

  // The conflicts, a path each; the object changes where there are none.
  std::string Apply(const std::string& manager, std::string_view spec, bool force = false) {
    ApplyOutcome outcome = Try(manager, spec, force);
    std::string conflicts;
    for (const FieldConflict& conflict : outcome.conflicts)
      conflicts.append(conflict.owner.manager).append(FormatPath(conflict.path)).append(" ");
    if (!conflicts.empty()) return conflicts;
    object_ = std::move(outcome.object);
    SetApplyTime(ManagerAt(manager, second_), &object_);
    exists_ = true;
    return "";
  }

  void Update(const std::string& manager, std::string_view spec) {
    Json out = exists_ ? object_ : Gadget(spec);
    out.Set("spec", Value(spec));
    TrackUpdate(GadgetScope(), ManagerAt(manager, second_), exists_ ? &object_ : nullptr, &out);
    object_ = std::move(out);
    exists_ = true;
  }

  std::string Spec() const {
    const Json* spec = object_.Find("spec");
    return spec == nullptr ? "" : Text(*spec);
  }
  std::string OwnersOf() const { return Owners(object_); }

  Json object_;
  bool exists_ = false;
  int second_ = 0;
};

TEST_F(ApplyTest, TheFirstConfigurationIsTheObject) {
  EXPECT_EQ(Apply("a", "{'name':'x','limits':{'k':'1'}}"), "");
  EXPECT_EQ(Spec(), "{'limits':{'k':'1'},'name':'x'}");
  EXPECT_EQ(OwnersOf(), "a Apply@00 {'f:spec':{'f:limits':{'f:k':{}},'f:name':{}}}\n");
}

TEST_F(ApplyTest, TheSameConfigurationChangesNothing) {
  Apply("a", "{'name':'x'}");
  second_ = 5;
  const Json before = object_;
  EXPECT_EQ(Try("a", "{'name':'x'}").object, before) << "not even the time";
}

TEST_F(ApplyTest, ManagersShareFieldsThatTheyAgreeOn) {
  Apply("a", "{'name':'x','size':1}");
  EXPECT_EQ(Apply("b", "{'name':'x'}"), "");
  EXPECT_EQ(
      OwnersOf(),
      "a Apply@00 {'f:spec':{'f:name':{},'f:size':{}}}\nb Apply@00 {'f:spec':{'f:name':{}}}\n");
}

TEST_F(ApplyTest, AnotherValueOfAnOwnedFieldIsAConflict) {
  struct Row {
    const char* reason;
    const char* owned;
    const char* applied;
    std::string conflicts;
  };
  const Row table[] = {
      {"another value", "{'name':'x','size':1}", "{'name':'y','size':1}", "a.spec.name "},
      {"several", "{'name':'x','size':1}", "{'name':'y','size':2}", "a.spec.name a.spec.size "},
      {"a field that is nobody's", "{'name':'x'}", "{'size':2}", ""},
      {"another key of an owned map", "{'limits':{'k':'1'}}", "{'limits':{'l':'2'}}", ""},
      {"an owned key", "{'limits':{'k':'1'}}", "{'limits':{'k':'2'}}", "a.spec.limits.k "},
      {"an atomic list", "{'command':['x']}", "{'command':['x','y']}", "a.spec.command "},
      {"values of a set never conflict", "{'tags':['x']}", "{'tags':['y']}", ""},
      {"another member of an owned item", "{'steps':[{'name':'s','args':['x']}]}",
       "{'steps':[{'name':'s','limits':{'k':'1'}}]}", ""},
      {"an owned member of an item", "{'steps':[{'name':'s','args':['x']}]}",
       "{'steps':[{'name':'s','args':['y']}]}", R"(a.spec.steps[name="s"].args )"},
      {"a free-form value", "{'parameters':{'p':{'q':1}}}", "{'parameters':{'p':{'q':2}}}",
       "a.spec.parameters.p.q "},
      {"an object in place of a free-form value", "{'parameters':{'p':1}}",
       "{'parameters':{'p':{'q':2}}}", "a.spec.parameters.p "},
  };
  for (const Row& row : table) {
    exists_ = false;
    Apply("a", row.owned);
    EXPECT_EQ(Apply("b", row.applied), row.conflicts) << row.reason;
  }
}

TEST_F(ApplyTest, UpdatersAreOwnersToo) {
  Update("editor", "{'name':'x','size':1}");
  EXPECT_EQ(Apply("a", "{'name':'y'}"), "editor.spec.name ");
  EXPECT_EQ(Spec(), "{'name':'x','size':1}");
}

TEST_F(ApplyTest, OwnersThatAreGoneFromAFieldDoNotConflict) {
  Apply("a", "{'name':'x'}");
  Update("editor", "{'name':'y'}");
  EXPECT_EQ(OwnersOf(), "editor Update@00 {'f:spec':{'f:name':{}}}\n");
  EXPECT_EQ(Apply("b", "{'name':'y'}"), "") << "the value that is there";
  EXPECT_EQ(Apply("a", "{'name':'x'}"), "b.spec.name editor.spec.name ") << "all its owners";
}

TEST_F(ApplyTest, ForceTakesOver) {
  Apply("a", "{'name':'x','size':1}");
  second_ = 5;
  EXPECT_EQ(Apply("b", "{'name':'y'}", true), "");
  EXPECT_EQ(Spec(), "{'name':'y','size':1}");
  EXPECT_EQ(OwnersOf(),
            "a Apply@00 {'f:spec':{'f:size':{}}}\nb Apply@05 {'f:spec':{'f:name':{}}}\n");
  EXPECT_EQ(Apply("a", "{'name':'x','size':1}"), "b.spec.name ") << "both ways";
}

TEST_F(ApplyTest, WhatIsNotAppliedAnyMoreIsRemoved) {
  struct Row {
    const char* reason;
    const char* first;
    const char* second;
    std::string spec;
  };
  const Row table[] = {
      {"a scalar", "{'name':'x','size':1}", "{'name':'x'}", "{'name':'x'}"},
      {"a key of a map", "{'limits':{'k':'1','l':'2'}}", "{'limits':{'l':'2'}}",
       "{'limits':{'l':'2'}}"},
      {"the whole map", "{'name':'x','limits':{'k':'1'}}", "{'name':'x'}", "{'name':'x'}"},
      {"a map that is still applied, empty", "{'name':'x','limits':{'k':'1'}}",
       "{'name':'x','limits':{}}", "{'limits':{},'name':'x'}"},
      {"a set that is still applied, empty", "{'name':'x','tags':['y']}", "{'name':'x','tags':[]}",
       "{'name':'x','tags':[]}"},
      {"a value of a set", "{'tags':['x','y']}", "{'tags':['y']}", "{'tags':['y']}"},
      {"an item", "{'steps':[{'name':'s'},{'name':'t'}]}", "{'steps':[{'name':'t'}]}",
       "{'steps':[{'name':'t'}]}"},
      {"a member of an item", "{'steps':[{'name':'s','args':['x']}]}", "{'steps':[{'name':'s'}]}",
       "{'steps':[{'name':'s'}]}"},
      {"an atomic list", "{'name':'x','command':['y']}", "{'name':'x'}", "{'name':'x'}"},
      {"a free-form key", "{'parameters':{'p':{'q':1,'r':2}}}", "{'parameters':{'p':{'q':1}}}",
       "{'parameters':{'p':{'q':1}}}"},
      {"a free-form object", "{'name':'x','parameters':{'p':{'q':1}}}", "{'name':'x'}",
       "{'name':'x'}"},
      {"a free-form object that becomes a value", "{'parameters':{'p':{'q':1}}}",
       "{'parameters':{'p':5}}", "{'parameters':{'p':5}}"},
  };
  for (const Row& row : table) {
    exists_ = false;
    Apply("a", row.first);
    EXPECT_EQ(Apply("a", row.second), "") << row.reason;
    EXPECT_EQ(Spec(), row.spec) << row.reason;
  }
}

TEST_F(ApplyTest, AConfigurationWithoutASpecTakesTheSpecAway) {
  Apply("a", "{'name':'x'}");
  const FieldManager writer = ManagerAt("a");
  const ApplyOutcome outcome =
      fieldmanager::Apply({GadgetScope(), writer}, &object_, Value("{'metadata':{'name':'g'}}"));
  EXPECT_EQ(outcome.object.Find("spec"), nullptr);
  EXPECT_EQ(outcome.object.StringAt({"metadata", "name"}), "g") << "but never its identity";
  EXPECT_EQ(Owners(outcome.object), "");
}

TEST_F(ApplyTest, WhatOthersOwnStays) {
  struct Row {
    const char* reason;
    const char* others;  // applied by b
    const char* first;   // by a
    const char* second;
    std::string spec;
  };
  const Row table[] = {
      {"a shared scalar", "{'name':'x'}", "{'name':'x','size':1}", "{'size':1}",
       "{'name':'x','size':1}"},
      {"others' keys of a map", "{'limits':{'k':'1'}}", "{'limits':{'l':'2'}}", "{}",
       "{'limits':{'k':'1'}}"},
      {"others' values of a set", "{'tags':['x']}", "{'tags':['y']}", "{}", "{'tags':['x']}"},
      {"a shared value of a set", "{'tags':['x']}", "{'tags':['x','y']}", "{}", "{'tags':['x']}"},
      {"others' members of an item", "{'steps':[{'name':'s','args':['x']}]}",
       "{'steps':[{'name':'s','limits':{'k':'1'}}]}", "{}",
       "{'steps':[{'args':['x'],'name':'s'}]}"},
      {"others' free-form keys", "{'parameters':{'p':{'q':1}}}", "{'parameters':{'p':{'r':2}}}",
       "{}", "{'parameters':{'p':{'q':1}}}"},
  };
  for (const Row& row : table) {
    exists_ = false;
    Apply("b", row.others);
    EXPECT_EQ(Apply("a", row.first), "") << row.reason;
    EXPECT_EQ(Apply("a", row.second), "") << row.reason;
    EXPECT_EQ(Spec(), row.spec) << row.reason;
  }
}

TEST_F(ApplyTest, AnItemGoesWithWhatUpdatersAddedToIt) {
  Apply("a", "{'name':'x','steps':[{'name':'s'}]}");
  Update("editor", "{'name':'x','steps':[{'name':'s','args':['x']}]}");
  EXPECT_EQ(Apply("a", "{'name':'x'}"), "");
  EXPECT_EQ(Spec(), "{'name':'x'}") << "it cannot be without what names it";
}

TEST_F(ApplyTest, WhatIsNobodysStays) {
  Apply("a", "{'limits':{'k':'1'},'size':1}");
  // A controller of this process, which does not name itself.
  object_.Find("spec")->Find("limits")->Set("l", "2");
  EXPECT_EQ(Apply("a", "{'size':1}"), "");
  EXPECT_EQ(Spec(), "{'limits':{'l':'2'},'size':1}");
}

TEST_F(ApplyTest, AFinalizerOfNobodyOutlivesThoseOfAnApplier) {
  Json first = Gadget("{'name':'x'}");
  first.ObjectAt("metadata").Set("finalizers", JsonArray{"x.dev/a"});
  const FieldManager writer = ManagerAt("a");
  object_ = fieldmanager::Apply({GadgetScope(), writer}, nullptr, first).object;
  object_.Find("metadata")->Find("finalizers")->as_array().emplace_back("x.dev/engine");
  const ApplyOutcome outcome =
      fieldmanager::Apply({GadgetScope(), writer}, &object_, Gadget("{'name':'x'}"));
  EXPECT_EQ(Text(*outcome.object.FindPath({"metadata", "finalizers"})), "['x.dev/engine']");
}

TEST_F(ApplyTest, AnObjectWithoutOwnersWasThereBefore) {
  object_ = Gadget("{'name':'x','size':1}");
  exists_ = true;
  EXPECT_EQ(Apply("a", "{'name':'y'}"), "before-first-apply.spec.name ");
  EXPECT_EQ(Apply("a", "{'name':'x','tags':['t']}"), "");
  EXPECT_EQ(OwnersOf(),
            R"(a Apply@00 {'f:spec':{'f:name':{},'f:tags':{'v:\'t\'':{}}}}
before-first-apply Update@00 {'f:spec':{'.':{},'f:name':{},'f:size':{}}}
)");
  EXPECT_EQ(Apply("a", "{}"), "");
  EXPECT_EQ(Spec(), "{'name':'x','size':1}");
}

TEST_F(ApplyTest, AManagerThatUpdatesIsNotTheOneThatApplies) {
  Apply("a", "{'name':'x'}");
  Update("a", "{'name':'y'}");
  EXPECT_EQ(OwnersOf(), "a Update@00 {'f:spec':{'f:name':{}}}\n");
  EXPECT_EQ(Apply("a", "{'name':'x'}"), "a.spec.name ");
}

TEST_F(ApplyTest, AnApplierHasOneEntryWhateverTheVersion) {
  Apply("a", "{'name':'x','size':1}");
  object_.Find("metadata")->Find("managedFields")->as_array().front().Set("apiVersion", "test/v0");
  EXPECT_EQ(Apply("a", "{'name':'x'}"), "");
  EXPECT_EQ(OwnersOf(), "a Apply@00 {'f:spec':{'f:name':{}}}\n");
  EXPECT_EQ(Spec(), "{'name':'x','size':1}") << "field names of another version mean nothing here";
}

TEST_F(ApplyTest, AppliesToTheStatusOnItsOwn) {
  Update("m", "{'name':'x'}");
  Json status = Gadget("{'name':'not through this endpoint'}");
  status.Set("status", Value("{'phase':'Up'}"));
  const FieldManager writer = ManagerAt("c", 1, "status");
  const ApplyOutcome outcome = fieldmanager::Apply({StatusScope(), writer}, &object_, status);
  EXPECT_TRUE(outcome.conflicts.empty());
  EXPECT_EQ(outcome.object.StringAt({"status", "phase"}), "Up");
  EXPECT_EQ(Owners(outcome.object),
            "c Apply/status {'f:status':{'f:phase':{}}}\n"
            "m Update@00 {'f:spec':{'.':{},'f:name':{}}}\n");
}

TEST_F(ApplyTest, AListThatDoesNotDecodeIsNone) {
  Update("m", "{'name':'x'}");
  object_.ObjectAt("metadata").Set("managedFields", Value("[{'operation':'?'}]"));
  EXPECT_EQ(Apply("a", "{'name':'y'}"), "before-first-apply.spec.name ");
}

}  // namespace
}  // namespace asyncops::fieldmanager
