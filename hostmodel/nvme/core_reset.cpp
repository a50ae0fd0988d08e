// SPDX-License-Identifier: GPL-2.0-only
// Reset, removal and asynchronous events (models drivers/nvme/host/core.c nvme_reset_ctrl_sync,
// nvme_complete_async_event, and pci.c nvme_reset_work, nvme_remove, v6.12).
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "hostmodel/nvme/core.hpp"

namespace flushlab::nvme {

void Ctrl::queue_reset() {
  if (state_ == State::kNew || state_ == State::kResetting) pci_.give_up();  // the probe, or the reset, fails on it
  if (state_ != State::kLive) return;
  state_ = State::kResetting;
  machine_->simulator().spawn(reset_work());
}

sim::Task<int> Ctrl::reset() {
  if (state_ != State::kLive) co_return -EBUSY;
  queue_reset();
  struct Wait {
    Ctrl& ctrl;
    bool await_ready() const noexcept { return ctrl.state_ != State::kResetting; }
    void await_suspend(std::coroutine_handle<> handle) const { ctrl.reset_waiters_.push_back(handle); }
    void await_resume() const noexcept {}
  };
  co_await Wait{*this};
  co_return state_ == State::kLive ? 0 : -ENETRESET;
}

// I/O waits from the start of the reset until the queues exist again; the namespaces are looked at only after that, so
// a state of the drive that the reset changed takes effect with the scan.
sim::Task<void> Ctrl::reset_work() {
  for (const auto& ns : namespaces_) ns->queue->quiesce();
  co_await pci_.disable(false);
  reset_error_ = co_await bring_up();
  const bool ok = reset_error_.empty();
  state_ = ok ? State::kLive : State::kDead;
  if (!ok) {
    messages_.push_back(fmt::format("{}: reset failed: {}; the controller is gone", name_, reset_error_));
    for (const auto& ns : namespaces_) ns->queue->kill();
  }
  for (const auto& ns : namespaces_) ns->queue->unquiesce();
  if (ok) co_await start();
  for (const auto waiter : std::exchange(reset_waiters_, {})) {
    machine_->simulator().resume_at(machine_->simulator().now(), waiter);
  }
}

sim::Task<void> Ctrl::remove() {
  state_ = State::kDeleting;
  while (scan_running_) co_await flush_scan();
  while (!namespaces_.empty()) remove_namespace(namespaces_.size() - 1);
  co_await pci_.disable(true);
}

sim::Task<void> Ctrl::reidentify() {
  const std::string error = co_await init_identify();
  if (error.empty()) {
    (void)co_await init_features();
  } else {
    messages_.push_back(fmt::format("{}: {}", name_, error));
  }
}

void Ctrl::async_event(std::uint32_t dw0) {
  const auto type = static_cast<spec::AsyncEventType>(spec::aer_dw0::kAET.get(dw0));
  const std::uint32_t information = spec::aer_dw0::kAEI.get(dw0);
  if (type == spec::AsyncEventType::kError && information == spec::aer_error::kPersistentInternalError) {
    queue_reset();
    return;
  }
  if (type == spec::AsyncEventType::kNotice && information == spec::aer_notice::kNamespaceAttributeChanged) {
    ns_changed_ = true;
    queue_scan();
  }
  if (state_ == State::kLive) pci_.submit_async_event();
}

}  // namespace flushlab::nvme
