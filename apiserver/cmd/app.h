// The composition root: makes every part, in the order in which they need each other, and ends them
// the other way round. No logic of its own.
#ifndef ASYNCOPS_APISERVER_CMD_APP_H_
#define ASYNCOPS_APISERVER_CMD_APP_H_

#include <memory>
#include <string>

#include "apiserver/cmd/options.h"
#include "base/status.h"

namespace asyncops::reconciler {
class FaultPoints;
}  // namespace asyncops::reconciler

namespace asyncops {

// A running server.
class App {
 public:
  virtual ~App() = default;
  // Where it serves: "https://127.0.0.1:6443".
  virtual const std::string& url() const = 0;
  // What people are told at the start, in whole lines; may be empty.
  virtual std::string greeting() const = 0;
  // Whether it gave up; then it has asked the process to stop.
  virtual bool failed() const = 0;
  // Readiness off; all else goes on.
  virtual void LeaveService() = 0;
  // The audit log's file was moved away; nothing where none is kept.
  virtual void ReopenAuditLog() = 0;
  // Readiness off, reconciler ended, requests drained, database checkpointed; within 10 s.
  virtual void Stop() = 0;
};

// Serving when it returns; ready too where it is standalone, and behind a kube-apiserver once that
// has said what is declared. BadRequest for what the operator gave wrongly (exit code 2),
// anything else for what the machine refuses (1). `faults` is for crash tests; it outlives the App.
Result<std::unique_ptr<App>> StartApp(const ServeOptions& options,
                                      reconciler::FaultPoints* faults = nullptr);

}  // namespace asyncops

#endif  // ASYNCOPS_APISERVER_CMD_APP_H_
