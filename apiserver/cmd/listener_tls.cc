#include "apiserver/cmd/listener_tls.h"

#include "base/log.h"

namespace asyncops {

void ListenerTls::Attach(http::Server* server) {
  const MutexLock lock(mutex_);
  server_ = server;
  // It may have begun with what was there before.
  if (server_ != nullptr && !certificate_.certificate_pem.empty())
    (void)server_->SetCertificate(certificate_);
  TellAuthorities();
}

Status ListenerTls::Present(const http::ServingCertificate& certificate) {
  const MutexLock lock(mutex_);
  if (server_ != nullptr) ASYNCOPS_RETURN_IF_ERROR(server_->SetCertificate(certificate));
  certificate_ = certificate;
  return Status::Ok();
}

void ListenerTls::AskAlways(const std::string& pem) {
  const MutexLock lock(mutex_);
  always_ = pem;
  TellAuthorities();
}

void ListenerTls::Ask(const std::string& pem) {
  const MutexLock lock(mutex_);
  asked_ = pem;
  TellAuthorities();
}

std::string ListenerTls::authorities() const {
  const MutexLock lock(mutex_);
  return asked_ + always_;
}

void ListenerTls::TellAuthorities() {
  if (server_ == nullptr) return;
  const Status set = server_->SetClientAuthorities(asked_ + always_);
  if (set.ok()) return;
  Log(LogLevel::kError, "the listener goes on asking for certificates of the CAs before",
      {{"error", set.ToString()}});
}

}  // namespace asyncops
