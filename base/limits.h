// Every bound of the project, with its reason. A value that comes from outside is checked against
// one of these.
#ifndef ASYNCOPS_BASE_LIMITS_H_
#define ASYNCOPS_BASE_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace asyncops {

// --- JSON and objects ---
// Kubernetes objects of ours nest about 15 deep; 64 leaves room for free-form parameters and bounds
// recursion.
inline constexpr int kMaxJsonDepth = 64;
// A body with more duplicates than this names the first ones only.
inline constexpr std::size_t kMaxDuplicatesReported = 32;
// apiserver's MaxRequestBodyBytes (3 MiB).
inline constexpr std::size_t kMaxRequestBodyBytes = 3u * 1024 * 1024;
// Object and oldObject of an AdmissionReview, each at most 3 MiB, and the envelope around them.
inline constexpr std::size_t kMaxReviewBodyBytes = 7u * 1024 * 1024;
// Our own cap for one stored object: lists, Tables and watches carry it whole.
inline constexpr std::size_t kMaxObjectBytes = 1024u * 1024;
// apimachinery: total size of annotations.
inline constexpr std::size_t kMaxAnnotationsBytes = 256u * 1024;
// apiserver: operations in one JSON patch.
inline constexpr std::size_t kMaxJsonPatchOperations = 10000;
// Mistakes of one object that an answer names: more than anybody mends at once, and an answer is no
// larger for being asked worse.
inline constexpr std::size_t kMaxReportedMistakes = 100;
// apimachinery: a name in managedFields.
inline constexpr std::size_t kMaxFieldManagerBytes = 128;
// apimachinery's DefaultMaxUpdateManagers: what the oldest beyond it owned is put together.
inline constexpr std::size_t kMaxUpdateManagers = 10;
// Entries of managedFields beyond which nobody may apply any more: far more than anybody has, and
// each is compared with all others.
inline constexpr std::size_t kMaxManagers = 1000;

// --- HTTP front ---
// apiserver's header bound is 1 MiB (Go's default); nothing of ours needs more than 64 KiB.
inline constexpr std::size_t kMaxHeaderBytes = 64u * 1024;
inline constexpr std::chrono::seconds kRequestTimeout{60};
inline constexpr std::chrono::seconds kMutatingRequestTimeout{34};
// A client that sends its header slower than this is dropped (slowloris).
inline constexpr std::chrono::seconds kHeaderTimeout{15};
// kube-apiserver's proxy keeps idle connections 90 s; ours must outlive it.
inline constexpr std::chrono::seconds kIdleTimeout{120};
inline constexpr int kMaxReadOnlyInFlight = 400;
inline constexpr int kMaxMutatingInFlight = 200;
// Open connections; 10,000 watches and room for probes.
inline constexpr int kMaxConnections = 12000;
// An Audit-Id that a client chose.
inline constexpr std::size_t kMaxAuditIdBytes = 64;
// Audit lines that wait for the disk: some ten thousand, seconds of one that stands still.
inline constexpr std::size_t kMaxAuditWaitingBytes = 4u * 1024 * 1024;
// Warning headers of an answer: clients take a hundred headers and no more (Python's http.client).
inline constexpr std::size_t kMaxWarnings = 50;
// Objects that a deletion of a collection shows; beyond it the answer would be held in memory for
// clients that hardly ever read it.
inline constexpr std::size_t kMaxListedDeletions = 500;
// Bytes of a streamed body that are made ahead of the socket.
inline constexpr std::size_t kStreamChunkBytes = 64u * 1024;

// --- watch and history ---
// etcd's compaction interval in Kubernetes: older watches and continue tokens get 410.
inline constexpr std::chrono::minutes kChangeLogRetention{5};
// timeoutSeconds of a watch; what is longer overflows clocks and serves nobody.
inline constexpr std::chrono::seconds kMaxWatchTimeout{365LL * 24 * 3600};
// Recent changes held in memory for all watchers together; a slower watcher reads the rest from
// disk.
inline constexpr std::size_t kWatchRingChanges = 1024;
// Rows that one read statement may return before it ends: bounds how long a reader pins the WAL.
inline constexpr int kMaxRowsPerRead = 500;

// --- storage ---
// Writes waiting for the writer; beyond it the store refuses (a second or so of its speed).
inline constexpr std::size_t kMaxQueuedWrites = 4096;
// Writes in one commit: beyond 100 rows a larger transaction gains nothing and costs latency.
inline constexpr int kMaxGroupWrites = 100;
// Connections for reads: two per core of a small machine; a read holds one for less than a
// millisecond.
inline constexpr int kStoreReaders = 4;
// A store file up to this size is checked whole when it is opened (about 0.1 s); a larger one in
// its schema only.
inline constexpr std::int64_t kCheckWholeFileBytes = 64LL * 1024 * 1024;
// Days of a time range that are looked up one by one, each with a cursor; a longer range is found
// by reading what is there.
inline constexpr std::size_t kMaxRangeDays = 62;
// Log rows that one step of compaction looks at, so that no write waits for it longer than a few
// milliseconds.
inline constexpr int kCompactionStepRows = 256;

// --- controllers ---
// Entries of each queue of the garbage collector: some megabytes. What comes beyond it is found by
// looking at everything again.
inline constexpr std::size_t kMaxCollectorQueue = 16384;

// --- operations ---
// Failures kept in status; the rest is in the history.
inline constexpr std::size_t kMaxFailureDetails = 10;
// A message in a condition, failure or event.
inline constexpr std::size_t kMaxMessageBytes = 1024;
// A response body of an external system that we read.
inline constexpr std::size_t kMaxExternalBodyBytes = 1024u * 1024;
// A rendered request body.
inline constexpr std::size_t kMaxRenderedBodyBytes = 1024u * 1024;
// Attempts returned by one read of the history.
inline constexpr int kMaxHistoryRows = 500;

// --- expressions (the CEL subset) ---
inline constexpr std::size_t kMaxExpressionBytes = 4096;
inline constexpr int kMaxExpressionDepth = 64;
inline constexpr int kMaxExpressionSteps = 100000;
inline constexpr std::size_t kMaxExpressionOutputBytes = 64u * 1024;
// A pattern of matches(), and what RE2 may hold for it (its program and its DFA cache).
inline constexpr std::size_t kMaxRegexBytes = 1024;
inline constexpr std::int64_t kMaxRegexMemoryBytes = std::int64_t{1024} * 1024;

}  // namespace asyncops

#endif  // ASYNCOPS_BASE_LIMITS_H_
