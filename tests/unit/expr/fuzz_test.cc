// Mutations of valid sources, from a fixed seed: whatever they are, compiling and evaluating them
// ends.
#include <random>
#include <vector>

#include "api/expr/body_template.h"
#include "tests/unit/expr/expression_cases.h"

namespace asyncops::expr {
namespace {

constexpr std::array<std::string_view, 22> kSeeds = {
    "response.body.status in ['SUCCEEDED', 'READY'] && response.status == 200",
    "!has(response.body.done) || !response.body.done",
    "response.body.items.filter(i, i.size > 10).map(i, i.id)",
    "size(response.body.items) > 0 ? response.body.items[0].id : 'none'",
    "response.headers['location'].split('/')[3] + \"-\" + string(operation.attempt)",
    "timestamp(operation.startTime) + duration('90s') < timestamp('2026-11-29T16:47:53Z')",
    "{'a': [1, 2.5e3, -7, null, true], \"b\": {'c': r'\\d+'}}",
    "response.body.name.matches('^ops/[a-z0-9-]+$')",
    "[1, 2, 3].exists_one(x, [x].all(y, y % 2 == 0))",
    "0x7f - 9223372036854775807 * -1 / 3 % 2",
    "'''tripled \" text''' != \"\\u00e9\\x41\\101\\n\"",
    "response.body.text.replace('a', 'b', 2).lowerAscii().contains('c')",
    "/items/0/a~1b/~0c",
    "error.code == 'Quota' || error.httpStatus >= 500 && error.message.startsWith('x')",
    "outputs.a.b.c.d[outputs.e]['f']",
    "duration('1h').getMinutes() + timestamp(0).getDayOfYear()",
    "int('12') + int(3.5) == int(double('7')) || bool('t')",
    "['a', 'b'].join(', ').upperAscii().endsWith('B')",
    "// a comment\n  1 <= 2 // another\n",
    "((((1)))) == - - 1 ? !true : !!false",
    "response.body.map(k, has(response.body.a) && k != '', response.body[k])",
    "submit.response.body.x.exists(e, e.f.g[0] == submit.response.status)",
};

constexpr std::string_view kAlphabet =
    "()[]{}.,:?!&|=<>+-*/%'\"\\$~_ "
    "\n\t`#@0123456789abcdefghijklmnopqrstuvwxyzABCXUR\x01\x7f\xc3\xa9\xff";

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string Next() {
    std::string text(Pick(kSeeds));
    const std::size_t mutations = 1 + Below(6);
    for (std::size_t i = 0; i < mutations; ++i) Mutate(&text);
    return text;
  }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }
  std::string_view Pick(std::span<const std::string_view> from) { return from[Below(from.size())]; }

  void Mutate(std::string* text) {
    const std::size_t at = Below(text->size() + 1);
    switch (Below(6)) {
      case 0: text->insert(at, 1, kAlphabet[Below(kAlphabet.size())]); return;
      case 1: text->erase(at, 1 + Below(4)); return;
      case 2: text->resize(at); return;
      case 3: text->insert(at, Slice(std::string(Pick(kSeeds)))); return;
      case 4: text->insert(at, Slice(*text)); return;
      default:
        if (at < text->size()) (*text)[at] = kAlphabet[Below(kAlphabet.size())];
    }
  }

  std::string Slice(const std::string& text) {
    if (text.empty()) return "";
    const std::size_t from = Below(text.size());
    return text.substr(from, 1 + Below(20));
  }

  std::mt19937 random_;  // seeded, so that a failure repeats
};

class FuzzTest : public ::testing::Test {
 protected:
  FuzzTest() {
    bindings_.Set("response", &response_).Set("operation", &operation_).Set("outputs", &outputs_);
    bindings_.Set("submit", &submit_);
  }

  Json response_ = ParseJson(R"({"status": 200, "headers": {"location": "https://a/b/c/d"},
      "body": {"name": "ops/1", "status": "READY", "a": 1, "text": "abcabc", "items": [
        {"id": "a", "size": 20, "a/b": {"~c": 1}}, {"id": "b"}, null, 3]}})")
                       .value();
  Json operation_ = ParseJson(R"({"attempt": 2, "startTime": "2026-11-29T16:00:00Z"})").value();
  Json outputs_ = ParseJson(R"({"a": {"b": {"c": {"d": {"x": {"f": 1}}}}}, "e": "x"})").value();
  Json submit_ = Json::Of({{"response", response_}});
  Bindings bindings_;
};

constexpr unsigned kSeed = 20261129;
constexpr int kRounds = 20000;

TEST_F(FuzzTest, TheSeedsThemselvesCompile) {
  for (const std::string_view source : kSeeds) {
    const auto expression = Expression::Compile(source, ResponseEnvironment());
    EXPECT_TRUE(expression.ok()) << source << ": " << expression.status().ToString();
  }
}

TEST_F(FuzzTest, MutatedSourcesNeverCrash) {
  Mutator mutator(kSeed);
  int compiled = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::string source = mutator.Next();
    const auto expression = Expression::Compile(source, ResponseEnvironment());
    if (!expression.ok()) {
      EXPECT_FALSE(expression.status().message().empty()) << source;
      continue;
    }
    ++compiled;
    const Outcome outcome = expression->Evaluate(bindings_);
    EXPECT_EQ(outcome.has_value(), outcome.message.empty()) << source;
    const bool matches = outcome.has_value() && outcome.value == Json(true);
    EXPECT_EQ(expression->Matches(bindings_), matches) << source;
  }
  EXPECT_GT(compiled, kRounds / 50) << "the mutations are too wild to reach the evaluator";
}

TEST_F(FuzzTest, MutatedTemplatesNeverCrash) {
  Mutator mutator(kSeed + 1);
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = "a${" + mutator.Next() + "}${" + mutator.Next() + "}";
    const auto body = BodyTemplate::Compile(Json(JsonArray{Json(text)}), ResponseEnvironment());
    if (!body.ok()) continue;
    const Result<Json> rendered = body->Render(bindings_);
    EXPECT_TRUE(rendered.ok() || !rendered.status().message().empty()) << text;
  }
}

}  // namespace
}  // namespace asyncops::expr
