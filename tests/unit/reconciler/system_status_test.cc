#include "reconciler/system_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reconciler/system_use.h"

namespace asyncops::reconciler {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Time kNow = std::chrono::sys_days(std::chrono::year(2026) / std::chrono::January / 1);

ExternalSystem System() {
  ExternalSystem system;
  system.metadata.namespace_name = "team";
  system.metadata.name = "cloud";
  system.metadata.generation = 3;
  system.spec.endpoint = "https://cloud.example/v1";
  return system;
}

std::string Show(const ExternalSystemStatus& status, std::string_view type) {
  const Condition* condition = FindCondition(status.conditions, type);
  return condition == nullptr ? "" : condition->status + "/" + condition->reason;
}

GateState Open(GateReason reason) {
  return {.circuit = Circuit::kOpen,
          .reason = reason,
          .until = kNow + std::chrono::seconds(30),
          .in_flight = 0,
          .origin = "https://cloud.example",
          .opening = 1};
}

TEST(SystemStatusTest, OneThatIsWellSaysSo) {
  const ExternalSystemStatus status = ProjectSystemStatus(System(), {}, Status::Ok(), kNow);
  EXPECT_EQ(status.observed_generation, 3);
  EXPECT_EQ(status.circuit, "Closed");
  EXPECT_EQ(Show(status, "Ready"), "True/Configured");
  EXPECT_EQ(Show(status, "Throttled"), "");
  EXPECT_THAT(SystemEvents({}, status), IsEmpty());
}

TEST(SystemStatusTest, WhatIsMissingIsNamedAndToldOnce) {
  const Status missing(Reason::kNotFound, "secret \"team/acme\" is not there");
  ExternalSystem system = System();
  system.status = ProjectSystemStatus(system, {}, missing, kNow);
  EXPECT_EQ(Show(system.status, "Ready"), "False/CredentialsMissing");
  EXPECT_EQ(FindCondition(system.status.conditions, "Ready")->message, missing.message());
  ASSERT_EQ(SystemEvents({}, system.status).size(), 1U);
  EXPECT_EQ(SystemEvents({}, system.status)[0].reason, "CredentialsMissing");
  EXPECT_THAT(SystemEvents(system.status, system.status), IsEmpty());
  const Status bad(Reason::kInvalid, "tls.caBundle holds no certificate");
  EXPECT_EQ(Show(ProjectSystemStatus(system, {}, bad, kNow), "Ready"), "False/InvalidSystem");
  system.spec.endpoint = "nonsense";
  EXPECT_EQ(Show(ProjectSystemStatus(system, {}, Status::Ok(), kNow), "Ready"),
            "False/InvalidSystem");
}

TEST(SystemStatusTest, AnOpenCircuitIsShownWithItsTimeAndToldOnce) {
  ExternalSystem system = System();
  const ExternalSystemStatus before = ProjectSystemStatus(system, {}, Status::Ok(), kNow);
  system.status = ProjectSystemStatus(system, Open(GateReason::kCircuitOpen), Status::Ok(), kNow);
  EXPECT_EQ(system.status.circuit, "Open");
  EXPECT_EQ(Show(system.status, "Throttled"), "True/CircuitOpen");
  EXPECT_THAT(FindCondition(system.status.conditions, "Throttled")->message,
              HasSubstr("https://cloud.example failed several times in a row and is not called "
                        "before 2026-01-01T00:00:30Z"));
  ASSERT_EQ(SystemEvents(before, system.status).size(), 1U);
  EXPECT_EQ(SystemEvents(before, system.status)[0].reason, "CircuitOpen");
  EXPECT_TRUE(SystemEvents(before, system.status)[0].warning);
  GateState probing = Open(GateReason::kCircuitOpen);
  probing.circuit = Circuit::kHalfOpen;
  const ExternalSystemStatus half = ProjectSystemStatus(system, probing, Status::Ok(), kNow);
  EXPECT_EQ(half.circuit, "HalfOpen");
  EXPECT_EQ(Show(half, "Throttled"), "True/CircuitOpen");
  EXPECT_THAT(SystemEvents(system.status, half), IsEmpty());
  EXPECT_EQ(Show(ProjectSystemStatus(system, {}, Status::Ok(), kNow), "Throttled"), "");
}

TEST(SystemStatusTest, ARetryAfterIsThrottling) {
  const ExternalSystemStatus status =
      ProjectSystemStatus(System(), Open(GateReason::kRetryAfter), Status::Ok(), kNow);
  EXPECT_EQ(Show(status, "Throttled"), "True/RetryAfter");
  EXPECT_EQ(SystemEvents({}, status).back().reason, "Throttled");
}

TEST(SystemStatusTest, CallsUnderWayAreShownRoughly) {
  ExternalSystem system = System();
  const auto shown = [&system](std::int64_t now) {
    GateState gate;
    gate.in_flight = now;
    system.status = ProjectSystemStatus(system, gate, Status::Ok(), kNow);
    return system.status.in_flight;
  };
  EXPECT_EQ(shown(3), 0) << "a few come and go";
  EXPECT_EQ(shown(40), 40);
  EXPECT_EQ(shown(49), 40);
  EXPECT_EQ(shown(51), 51);
  EXPECT_EQ(shown(0), 0);
}

TEST(SystemUseTest, AChangeIsTakenOnceAndOnlyOfWhatOperationsLookFor) {
  SystemUse use;
  const ObjectName cloud{"team", "cloud"};
  EXPECT_FALSE(use.TakeChange(cloud, "u/1")) << "nobody looks for it";
  use.Expect(cloud);
  EXPECT_TRUE(use.IsUsed(cloud));
  EXPECT_TRUE(use.TakeChange(cloud, "u/1")) << "it came after somebody looked";
  EXPECT_FALSE(use.TakeChange(cloud, "u/1"));
  use.Note(cloud, "u/2");
  use.Expect(cloud);
  EXPECT_FALSE(use.TakeChange(cloud, "u/2")) << "they have seen it";
  EXPECT_TRUE(use.TakeChange(cloud, "u/3"));
  EXPECT_TRUE(use.TakeChange(cloud, "")) << "it went";
}

TEST(SystemUseTest, SystemsAreFoundByTheirSecrets) {
  SystemUse use;
  ExternalSystemSpec spec;
  spec.tls = TlsSpec{.ca_bundle = {}, .client_certificate_secret_ref = LocalObjectRef{"mtls"}};
  spec.auth = AuthSpec();
  spec.auth->bearer_token_secret_ref = SecretKeyRef{.name = "token", .key = "k"};
  EXPECT_EQ(SecretsOf(spec), (std::set<std::string>{"mtls", "token"}));
  use.NoteSecrets({"team", "cloud"}, SecretsOf(spec));
  use.NoteSecrets({"team", "other"}, {"token"});
  use.NoteSecrets({"else", "cloud"}, {"token"});
  EXPECT_EQ(use.SystemsWith({"team", "token"}).size(), 2U);
  use.NoteSecrets({"team", "other"}, {});
  EXPECT_EQ(use.SystemsWith({"team", "token"}), (std::vector<ObjectName>{{"team", "cloud"}}));
}

}  // namespace
}  // namespace asyncops::reconciler
