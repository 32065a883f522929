// What holds for any objects and managers: random ones, the same in each run.
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "api/fieldmanager/merge.h"
#include "api/fieldmanager/updater.h"
#include "tests/unit/fieldmanager/gadget.h"

namespace asyncops::fieldmanager {
namespace {

constexpr int kRounds = 200;

class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  bool Maybe() { return Below(2) == 0; }
  std::string Word() { return std::string(1, static_cast<char>('a' + Below(4))); }

  Json Spec() {
    JsonObject spec;
    if (Maybe()) spec.Set("name", Word());
    if (Maybe()) spec.Set("size", Below(3));
    if (Maybe()) spec.Set("nested", Json::Of({{Maybe() ? "first" : "second", Word()}}));
    if (Maybe()) spec.Set("limits", Map());
    if (Maybe()) spec.Set("command", Words(true));
    if (Maybe()) spec.Set("tags", Words(false));
    if (Maybe()) spec.Set("steps", Steps());
    if (Maybe()) spec.Set("parameters", FreeForm(3));
    return spec;
  }

 private:
  Json Map() {
    JsonObject out;
    for (int i = Below(4); i > 0; --i) out.Set(Word(), Word());
    return out;
  }
  Json Words(bool repeated) {
    JsonArray out;
    for (char c = 'a'; c < 'e'; ++c) {
      if (Maybe()) out.push_back(std::string(1, c));
      if (repeated && Below(4) == 0) out.push_back(std::string(1, c));
    }
    return out;
  }
  Json Steps() {
    JsonArray out;
    for (char c = 'a'; c < 'd'; ++c) {
      if (Maybe()) continue;
      Json step = Json::Of({{"name", std::string(1, c)}});
      if (Maybe()) step.Set("args", Words(true));
      if (Maybe()) step.Set("limits", Map());
      out.push_back(std::move(step));
    }
    return out;
  }
  Json FreeForm(int depth) {
    if (depth == 0 || Below(3) == 0) return Below(5);
    JsonObject out;
    for (int i = Below(3); i >= 0; --i) out.Set(Word(), FreeForm(depth - 1));
    return out;
  }

  std::mt19937 random_;
};

Json WithSpec(Json spec) {
  Json object = Gadget("{}");
  object.Set("spec", std::move(spec));
  return object;
}

FieldSet AllOwned(const Json& object) {
  FieldSet owned;
  const Json* list = object.FindPath({"metadata", "managedFields"});
  if (list == nullptr) return owned;
  const Result<ManagerEntries> entries = DecodeManagedFields(*list);
  for (const ManagerEntry& entry : *entries) owned.Add(entry.fields);
  return owned;
}

// A few writes by a few managers, some forced applies, some updates.
Json SomeHistory(Maker* maker) {
  Json object = WithSpec(maker->Spec());
  TrackUpdate(GadgetScope(), ManagerAt("m0"), nullptr, &object);
  for (int i = 1; i < 5; ++i) {
    const FieldManager writer = ManagerAt("m" + maker->Word(), i);
    if (maker->Maybe()) {
      Json next = object;
      next.Set("spec", maker->Spec());
      TrackUpdate(GadgetScope(), writer, &object, &next);
      object = std::move(next);
    } else {
      object = Apply({GadgetScope(), writer, true}, &object, WithSpec(maker->Spec())).object;
    }
  }
  return object;
}

TEST(FieldManagerProperty, SetsComeBackFromFieldsV1) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker maker(seed);
    const Json object = WithSpec(maker.Spec());
    const FieldSet applied = AppliedFields(GadgetScope(), object);
    EXPECT_EQ(*FieldSet::Decode(applied.Encode()), applied) << seed;
    const Json other = WithSpec(maker.Spec());
    const Comparison found = Compare(GadgetScope(), &object, other);
    for (const FieldSet* set : {&found.added, &found.modified, &found.removed})
      EXPECT_EQ(*FieldSet::Decode(set->Encode()), *set) << seed;
  }
}

TEST(FieldManagerProperty, WhatOneWayAddsTheOtherRemoves) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker maker(seed);
    const Json a = WithSpec(maker.Spec());
    const Json b = WithSpec(maker.Spec());
    const Comparison there = Compare(GadgetScope(), &a, b);
    const Comparison back = Compare(GadgetScope(), &b, a);
    EXPECT_EQ(there.added, back.removed) << seed;
    EXPECT_EQ(there.removed, back.added) << seed;
    EXPECT_EQ(there.modified, back.modified) << seed;
    EXPECT_TRUE(Compare(GadgetScope(), &a, a).empty()) << seed;
  }
}

TEST(FieldManagerProperty, WhatIsAppliedStandsAndStandsStill) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker maker(seed);
    const Json before = SomeHistory(&maker);
    const Json configuration = WithSpec(maker.Spec());
    const FieldManager writer = ManagerAt("m" + maker.Word(), 9);
    const Json once = Apply({GadgetScope(), writer, true}, &before, configuration).object;
    Json merged = once;
    MergeConfiguration(GadgetSchema(), configuration, &merged);
    EXPECT_TRUE(Compare(GadgetScope(), &once, merged).modified.empty()) << seed;
    const ApplyOutcome again = Apply({GadgetScope(), writer}, &once, configuration);
    EXPECT_TRUE(again.conflicts.empty()) << seed;
    EXPECT_EQ(Text(again.object), Text(once)) << seed;
  }
}

TEST(FieldManagerProperty, EveryScalarHasAnOwner) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker maker(seed);
    Json object = SomeHistory(&maker);
    // What nobody owns, but for maps and lists that are there for what is in them.
    FieldSet unowned = AppliedFields(GadgetScope(), object);
    unowned.Remove(AllOwned(object));
    for (const Path& path : unowned.Paths()) {
      const Json* value = &object;
      for (const PathElement& element : path)
        value = value == nullptr ? nullptr : value->Find(element.substr(2));
      EXPECT_TRUE(value == nullptr || value->is_object()) << seed << FormatPath(path);
    }
  }
}

TEST(FieldManagerProperty, AppliersThatApplyNothingLeaveNothing) {
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    Maker maker(seed);
    Json object;
    bool is_there = false;
    for (const char* manager : {"a", "b", "c"}) {
      const FieldManager writer = ManagerAt(manager);
      object =
          Apply({GadgetScope(), writer, true}, is_there ? &object : nullptr, WithSpec(maker.Spec()))
              .object;
      is_there = true;
    }
    const Json nothing = Value("{'metadata':{'name':'g'}}");
    for (const char* manager : {"b", "c", "a"}) {
      const FieldManager writer = ManagerAt(manager);
      const ApplyOutcome outcome = Apply({GadgetScope(), writer}, &object, nothing);
      EXPECT_TRUE(outcome.conflicts.empty()) << seed;
      object = outcome.object;
    }
    // Empty sets are nobody's: one that was applied stays.
    EXPECT_TRUE(AppliedFields(GadgetScope(), object).empty()) << seed << Text(object);
  }
}

}  // namespace
}  // namespace asyncops::fieldmanager
