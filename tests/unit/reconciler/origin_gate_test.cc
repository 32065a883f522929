#include "reconciler/origin_gate.h"

#include <gtest/gtest.h>
#include <set>

#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

namespace asyncops::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Kind = CallResult::Kind;

class OriginGateTest : public testing::Test {
 protected:
  OriginGateTest() {
    subject_.system = "team/cloud";
    subject_.origin = "https://cloud.example";
    subject_.requests_per_second = 10;
    subject_.burst = 5;
  }

  // One call that ends so after this long; false where it was refused.
  bool Call(Kind kind, std::optional<Duration> retry_after = {}, Duration took = {}) {
    GateTicket ticket;
    Admission admission = gate_.Admit(subject_, &ticket);
    if (!admission.permit.held()) return false;
    clock_.Advance(took);
    admission.permit.Finish({kind, retry_after});
    return true;
  }
  // Fails until the circuit is open.
  void Break() {
    while (Call(Kind::kFailed)) clock_.Advance(seconds(1));
  }
  GateReason WhyNot() {
    GateTicket ticket;
    return gate_.Admit(subject_, &ticket).reason;
  }
  Duration Left(Time until) const { return until - clock_.Now(); }

  FakeClock clock_;
  OriginGate gate_{clock_, 8};
  GateSubject subject_;
};

TEST_F(OriginGateTest, ABurstPassesAndThenTheRateHolds) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Call(Kind::kWell)) << i;
  GateTicket ticket;
  const Admission refused = gate_.Admit(subject_, &ticket);
  EXPECT_FALSE(refused.permit.held());
  EXPECT_EQ(refused.reason, GateReason::kRateLimited);
  EXPECT_EQ(Left(refused.until), milliseconds(100));
  clock_.Advance(milliseconds(100));
  EXPECT_TRUE(gate_.Admit(subject_, &ticket).permit.held());
}

TEST_F(OriginGateTest, ThousandWhoWaitComeOneByOneAndEachOnce) {
  std::vector<GateTicket> tickets(1000);
  std::multimap<Time, std::size_t> due;
  for (std::size_t i = 0; i < tickets.size(); ++i) due.emplace(clock_.Now(), i);
  int asked = 0;
  std::map<Time, int> sent;
  while (!due.empty()) {
    const auto [at, who] = *due.begin();
    due.erase(due.begin());
    if (at > clock_.Now()) clock_.Advance(at - clock_.Now());
    ++asked;
    Admission admission = gate_.Admit(subject_, &tickets[who]);
    if (!admission.permit.held()) {
      due.emplace(admission.until, who);
    } else {
      admission.permit.Finish({Kind::kWell, {}});
      ++sent[std::chrono::floor<seconds>(clock_.Now())];
    }
  }
  EXPECT_EQ(asked, 1000 + 995) << "nobody is woken in vain";
  for (const auto& [second, count] : sent) EXPECT_LE(count, 15);
}

TEST_F(OriginGateTest, APlaceIsKeptForItsOwnerAlone) {
  for (int i = 0; i < 5; ++i) Call(Kind::kWell);
  GateTicket first;
  const Time turn = gate_.Admit(subject_, &first).until;
  clock_.Advance(milliseconds(50));
  EXPECT_EQ(gate_.Admit(subject_, &first).until, turn) << "asking early changes nothing";
  clock_.Advance(milliseconds(50));
  EXPECT_FALSE(Call(Kind::kWell)) << "a newcomer does not take the place of one who waited";
  EXPECT_TRUE(gate_.Admit(subject_, &first).permit.held());
}

TEST_F(OriginGateTest, TheRowHasAnEndAndWhoComesAfterItTriesLater) {
  subject_.requests_per_second = 1;
  subject_.burst = 1;
  EXPECT_TRUE(Call(Kind::kWell));
  Time latest{};
  std::set<Time> beyond;
  for (int i = 0; i < 1000; ++i) {
    GateTicket ticket;
    const Admission admission = gate_.Admit(subject_, &ticket);
    latest = std::max(latest, admission.until);
    if (Left(admission.until) > minutes(5)) beyond.insert(admission.until);
  }
  EXPECT_LE(Left(latest), minutes(10));
  EXPECT_GT(beyond.size(), 600U) << "and not all at one time";
}

TEST_F(OriginGateTest, CallsUnderWayAreCounted) {
  subject_.max_in_flight = 2;
  GateTicket ticket;
  Admission first = gate_.Admit(subject_, &ticket);
  const Admission second = gate_.Admit(subject_, &ticket);
  EXPECT_EQ(WhyNot(), GateReason::kTooManyInFlight);
  EXPECT_EQ(gate_.StateOf("team/cloud").in_flight, 2);
  first.permit.Finish({Kind::kWell, {}});
  EXPECT_EQ(WhyNot(), GateReason::kNone);
}

TEST_F(OriginGateTest, WhoWaitsForCallsThatHangAsksSeldom) {
  subject_.max_in_flight = 1;
  GateTicket ticket;
  const Admission hanging = gate_.Admit(subject_, &ticket);
  GateTicket waiting;
  EXPECT_EQ(Left(gate_.Admit(subject_, &waiting).until), milliseconds(100));
  clock_.Advance(seconds(20));
  EXPECT_EQ(Left(gate_.Admit(subject_, &waiting).until), seconds(5));
}

TEST_F(OriginGateTest, OneSystemLeavesAsManyWorkersFreeAsItHolds) {
  std::vector<Permit> held;
  const auto fill = [this, &held](std::string name) {
    int count = 0;
    subject_.system = std::move(name);
    subject_.burst = 100;
    for (;; ++count) {
      GateTicket ticket;
      Admission admission = gate_.Admit(subject_, &ticket);
      if (!admission.permit.held()) {
        EXPECT_EQ(admission.reason, GateReason::kWorkersBusy);
        return count;
      }
      held.push_back(std::move(admission.permit));
    }
  };
  EXPECT_EQ(fill("team/hangs"), 4) << "half of eight";
  EXPECT_EQ(fill("team/hangs-too"), 2) << "half of what is left";
  EXPECT_EQ(fill("team/well"), 1);
}

TEST_F(OriginGateTest, ACircuitOpensAfterFiveFailuresInARow) {
  for (int i = 0; i < 4; ++i) Call(Kind::kFailed);
  Call(Kind::kWell);
  clock_.Advance(seconds(1));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Call(Kind::kFailed)) << "one that went well in between";
  clock_.Advance(seconds(1));
  EXPECT_EQ(gate_.StateOf("team/cloud").circuit, Circuit::kClosed);
  Call(Kind::kFailed);
  const GateState state = gate_.StateOf("team/cloud");
  EXPECT_EQ(state.circuit, Circuit::kOpen);
  EXPECT_EQ(state.reason, GateReason::kCircuitOpen);
  EXPECT_GE(Left(state.until), seconds(4));
  EXPECT_LE(Left(state.until), seconds(6));
  EXPECT_EQ(WhyNot(), GateReason::kCircuitOpen);
}

TEST_F(OriginGateTest, AHalfOpenCircuitLetsOneProbeThrough) {
  Break();
  clock_.Advance(seconds(6));
  GateTicket ticket;
  Admission probe = gate_.Admit(subject_, &ticket);
  ASSERT_TRUE(probe.permit.held());
  EXPECT_EQ(gate_.StateOf("team/cloud").circuit, Circuit::kHalfOpen);
  EXPECT_EQ(WhyNot(), GateReason::kCircuitOpen) << "while it is under way nobody else goes";
  probe.permit.Finish({Kind::kWell, {}});
  EXPECT_EQ(gate_.StateOf("team/cloud").circuit, Circuit::kClosed);
}

TEST_F(OriginGateTest, AProbeThatSaysNothingLetsAnotherTry) {
  Break();
  clock_.Advance(seconds(6));
  EXPECT_TRUE(Call(Kind::kSaysNothing));
  EXPECT_EQ(gate_.StateOf("team/cloud").circuit, Circuit::kHalfOpen);
  clock_.Advance(seconds(2));
  EXPECT_TRUE(Call(Kind::kWell));
}

TEST_F(OriginGateTest, ADeadSystemIsAskedEverMoreSeldomUpToAMinute) {
  Break();
  Duration last{};
  for (int i = 0; i < 8; ++i) {
    const Duration wait = Left(gate_.StateOf("team/cloud").until);
    if (i < 3) {
      EXPECT_GT(wait, last) << i;
    }
    EXPECT_LE(wait, seconds(72)) << i;
    last = wait;
    clock_.Advance(wait);
    EXPECT_TRUE(Call(Kind::kFailed)) << "the probe";
    EXPECT_FALSE(Call(Kind::kFailed)) << "it failed: all wait again";
  }
  EXPECT_GE(last, seconds(48));
  EXPECT_EQ(gate_.StateOf("team/cloud").opening, 1U) << "one outage, however many probes";
  clock_.Advance(minutes(2));
  EXPECT_TRUE(Call(Kind::kWell));
  Break();
  EXPECT_LE(Left(gate_.StateOf("team/cloud").until), seconds(6)) << "a success begins anew";
}

TEST_F(OriginGateTest, AfterAnOutageCallersComeOneByOne) {
  Break();
  std::vector<GateTicket> tickets(50);
  std::set<Time> turns;
  for (GateTicket& ticket : tickets) turns.insert(gate_.Admit(subject_, &ticket).until);
  EXPECT_EQ(turns.size(), 50U);
  EXPECT_NEAR(static_cast<double>((*turns.rbegin() - *turns.begin()).count()), 4.9e6, 1e3);
}

TEST_F(OriginGateTest, RetryAfterHoldsEverybodyOfThatOriginAlone) {
  EXPECT_TRUE(Call(Kind::kRetryAfter, seconds(30)));
  GateTicket ticket;
  const Admission refused = gate_.Admit(subject_, &ticket);
  EXPECT_EQ(refused.reason, GateReason::kRetryAfter);
  EXPECT_EQ(Left(refused.until), seconds(30));
  subject_.origin = "https://other.example";
  EXPECT_TRUE(Call(Kind::kWell));
  subject_.origin = "https://cloud.example";
  clock_.Advance(seconds(30));
  EXPECT_TRUE(gate_.Admit(subject_, &ticket).permit.held());
}

TEST_F(OriginGateTest, WhoWaitedForARateIsToldOfAnOutage) {
  for (int i = 0; i < 4; ++i) Call(Kind::kWell);
  GateTicket last;
  Admission slow = gate_.Admit(subject_, &last);
  GateTicket ticket;
  EXPECT_EQ(gate_.Admit(subject_, &ticket).reason, GateReason::kRateLimited);
  slow.permit.Finish({Kind::kRetryAfter, seconds(30)});
  EXPECT_EQ(gate_.Admit(subject_, &ticket).reason, GateReason::kRetryAfter);
}

TEST_F(OriginGateTest, AStragglerNeitherEndsNorProlongsAnOutage) {
  OriginGate gate(clock_);
  subject_.burst = 20;
  std::vector<Permit> calls;
  for (int i = 0; i < 12; ++i) {
    GateTicket ticket;
    calls.push_back(gate.Admit(subject_, &ticket).permit);
  }
  calls[0].Finish({Kind::kRetryAfter, seconds(30)});
  const Time until = gate.StateOf("team/cloud").until;
  calls[1].Finish({Kind::kWell, {}});
  for (std::size_t i = 2; i < calls.size(); ++i) calls[i].Finish({Kind::kFailed, {}});
  EXPECT_EQ(gate.StateOf("team/cloud").until, until);
  EXPECT_EQ(gate.StateOf("team/cloud").reason, GateReason::kRetryAfter);
}

TEST_F(OriginGateTest, AChangedSystemIsTriedAtOnce) {
  Break();
  subject_.generation = 2;
  EXPECT_TRUE(Call(Kind::kWell));
  subject_.generation = 1;
  EXPECT_TRUE(Call(Kind::kWell)) << "who has not seen the change does not undo it";
}

TEST_F(OriginGateTest, ASystemThatIsMadeAnewInheritsNothing) {
  subject_.uid = "first";
  subject_.generation = 7;
  Break();
  subject_.uid = "second";
  subject_.generation = 1;
  subject_.requests_per_second = 1000;
  subject_.burst = 50;
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(Call(Kind::kWell)) << i << ": by its own limits";
}

TEST_F(OriginGateTest, APlaceBeforeOneOriginIsNoneBeforeAnother) {
  for (int i = 0; i < 5; ++i) Call(Kind::kWell);
  GateTicket ticket;
  EXPECT_EQ(Left(gate_.Admit(subject_, &ticket).until), milliseconds(100));
  subject_.origin = "https://other.example";
  subject_.requests_per_second = 0.1;
  subject_.burst = 1;
  EXPECT_TRUE(Call(Kind::kWell));
  clock_.Advance(milliseconds(100));
  EXPECT_FALSE(gate_.Admit(subject_, &ticket).permit.held()) << "it was paid to the first";
}

TEST_F(OriginGateTest, AProbeCanBeAskedFor) {
  Break();
  EXPECT_FALSE(Call(Kind::kWell));
  gate_.Probe("team/cloud");
  EXPECT_TRUE(Call(Kind::kWell));
  EXPECT_EQ(gate_.StateOf("team/cloud").circuit, Circuit::kClosed);
}

TEST_F(OriginGateTest, AnUnusedPermitCostsNothing) {
  for (int i = 0; i < 20; ++i) {
    GateTicket ticket;
    EXPECT_TRUE(gate_.Admit(subject_, &ticket).permit.held()) << i;
  }
  EXPECT_EQ(gate_.StateOf("team/cloud").in_flight, 0);
}

TEST_F(OriginGateTest, WhatCannotWaitIsCountedAndStoppedByAnOpenCircuitAlone) {
  for (int i = 0; i < 10; ++i) {
    Admission admission = gate_.AdmitAtOnce(subject_);
    ASSERT_TRUE(admission.permit.held()) << "the rate does not stop it";
    admission.permit.Finish({Kind::kWell, {}});
  }
  GateTicket ticket;
  EXPECT_EQ(Left(gate_.Admit(subject_, &ticket).until), milliseconds(600)) << "but others wait";
  Call(Kind::kRetryAfter, seconds(9));
  clock_.Advance(seconds(1));
  Call(Kind::kRetryAfter, seconds(9));
  EXPECT_FALSE(gate_.AdmitAtOnce(subject_).permit.held());
}

TEST_F(OriginGateTest, PressureFollowsLatencyFailuresAndTheRow) {
  const auto pressure = [this] { return gate_.Pressure("team/cloud", "https://cloud.example"); };
  EXPECT_EQ(pressure(), 1) << "nothing is known";
  Call(Kind::kWell, {}, seconds(2));
  EXPECT_NEAR(pressure(), 2, 0.001) << "2^(0.5 * 2 s)";
  clock_.Advance(minutes(10));
  EXPECT_NEAR(pressure(), 1, 0.001) << "long ago";
  Call(Kind::kFailed);
  EXPECT_NEAR(pressure(), 1.23, 0.01) << "2^(0.3 * 100 %)";
  clock_.Advance(minutes(10));
  for (int i = 0; i < 5; ++i) Call(Kind::kWell);
  for (int i = 0; i < 2000; ++i) WhyNot();
  EXPECT_NEAR(pressure(), 1.32, 0.03) << "2^(0.2 * 2000/1000)";
  clock_.Advance(minutes(20));
  Call(Kind::kWell, {}, minutes(5));
  EXPECT_EQ(pressure(), 10) << "never more than ten times";
}

TEST_F(OriginGateTest, ChangesAreToldOnceAndUseEveryTenSeconds) {
  EXPECT_TRUE(gate_.TakeChanged().empty());
  Call(Kind::kWell);
  EXPECT_EQ(gate_.TakeChanged(), std::vector<std::string>{"team/cloud"}) << "its first call";
  for (int i = 0; i < 9; ++i) {
    clock_.Advance(seconds(1));
    Call(Kind::kWell);
    EXPECT_TRUE(gate_.TakeChanged().empty()) << i;
  }
  clock_.Advance(seconds(1));
  Call(Kind::kWell);
  EXPECT_EQ(gate_.TakeChanged().size(), 1U);
  Call(Kind::kRetryAfter, seconds(5));
  EXPECT_EQ(gate_.TakeChanged().size(), 1U) << "a circuit that opens is told at once";
}

TEST_F(OriginGateTest, WhatIsRememberedIsBounded) {
  for (int i = 0; i < 5000; ++i) {
    subject_.origin = "https://" + std::to_string(i) + ".example";
    Call(Kind::kWell);
    clock_.Advance(milliseconds(1));
  }
  EXPECT_EQ(gate_.Origins(10000).size(), 4096U);
  EXPECT_EQ(gate_.Origins(100).size(), 100U);
}

TEST_F(OriginGateTest, AWallClockThatJumpsStopsNobody) {
  for (int i = 0; i < 5; ++i) Call(Kind::kWell);
  GateTicket ticket;
  EXPECT_FALSE(gate_.Admit(subject_, &ticket).permit.held());
  clock_.SetNow(clock_.Now() - std::chrono::hours(1));
  clock_.Advance(milliseconds(100));
  EXPECT_TRUE(gate_.Admit(subject_, &ticket).permit.held());
}

TEST(JudgeCallTest, AnOutageIsToldFromARefusal) {
  struct Row {
    kube::Exchange exchange;
    std::optional<Duration> retry_after;
    Kind kind;
    const char* reason;
  };
  kube::Exchange refused = NotSent();
  refused.code = "AddressRefused";
  kube::Exchange cut = Ambiguous();
  cut.code = "Canceled";
  const std::vector<Row> rows = {
      {Answered(200), {}, Kind::kWell, "an answer"},
      {Answered(404), {}, Kind::kWell, "an answer, too"},
      {Answered(501), {}, Kind::kWell, "it will never do that, and is alive"},
      {Answered(500), {}, Kind::kFailed, "an error of the server's"},
      {Answered(503), {}, Kind::kFailed, "overloaded"},
      {Answered(503), seconds(3), Kind::kRetryAfter, "overloaded, and says until when"},
      {Answered(429), seconds(3), Kind::kRetryAfter, "too many requests"},
      {Answered(429), {}, Kind::kRetryAfter, "too many requests, without a time"},
      {Answered(202), seconds(3), Kind::kWell, "a hint for polls"},
      {NotSent(), {}, Kind::kFailed, "not reached"},
      {Ambiguous(), {}, Kind::kFailed, "cut or timed out"},
      {refused, {}, Kind::kSaysNothing, "we do not call this address"},
      {cut, {}, Kind::kSaysNothing, "we cut it ourselves"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(JudgeCall(row.exchange, row.retry_after).kind, row.kind) << row.reason;
}

TEST(SubjectOfTest, LimitsAreTheSystemsOrTheDefaults) {
  ExternalSystem system;
  system.metadata.namespace_name = "team";
  system.metadata.name = "cloud";
  const Uri uri = *ParseUri("https://cloud.example:8443/v1");
  GateSubject subject = SubjectOf(system, uri);
  EXPECT_EQ(subject.system, "team/cloud");
  EXPECT_EQ(subject.origin, "https://cloud.example:8443");
  EXPECT_EQ(subject.requests_per_second, 20);
  EXPECT_EQ(subject.burst, 40);
  EXPECT_EQ(subject.max_in_flight, 1000);
  system.spec.limits = LimitsSpec();
  system.spec.limits->requests_per_second = 5;
  EXPECT_EQ(SubjectOf(system, uri).burst, 10) << "a burst of its own goes with a rate";
  system.spec.limits->burst = 1;
  system.spec.limits->max_in_flight = 3;
  subject = SubjectOf(system, uri);
  EXPECT_EQ(subject.burst, 1);
  EXPECT_EQ(subject.max_in_flight, 3);
  system.spec.limits->requests_per_second = 0;
  EXPECT_GT(SubjectOf(system, uri).requests_per_second, 0) << "past the validators";
}

}  // namespace
}  // namespace asyncops::reconciler
