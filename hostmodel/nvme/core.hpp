// SPDX-License-Identifier: GPL-2.0-only
// The NVMe core: a controller from probe to namespaces (models drivers/nvme/host/core.c, v6.12, with the behaviours
// that the kernel profile names).
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/sim/task.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"
#include "hostmodel/block/bio_wait.hpp"
#include "hostmodel/block/request_queue.hpp"
#include "hostmodel/nvme/limits.hpp"
#include "hostmodel/nvme/pci.hpp"

namespace flushlab::nvme {

// A namespace and its request queue, the block device that everything above sees as /dev/nvme0nX.
struct Namespace {
  std::uint32_t nsid = 0;
  spec::IdentifyNamespace identify;
  spec::IdentifyNamespaceIndependent independent;
  bool have_independent = false;
  spec::IdentifyNamespaceNvm nvm;
  std::array<std::byte, spec::kIdentifyDataSize> descriptors{};  // CNS 03h: who it is
  std::unique_ptr<block::RequestQueue> queue;
};

class Ctrl {
 public:
  Ctrl(kernel::Machine& machine, queue::Door& door, std::string name = "nvme0");
  Ctrl(const Ctrl&) = delete;
  Ctrl& operator=(const Ctrl&) = delete;

  enum class State : std::uint8_t { kNew, kLive, kResetting, kDeleting, kDead };

  // Probe: enable, identify, features, queues, scan. Ends with "" or what failed, in words for a person.
  sim::Task<std::string> probe();
  // The reset ioctl, or a write to reset_controller: 0 when the controller is back, else a negative errno. The scan
  // that follows is not waited for (models nvme_reset_ctrl_sync).
  sim::Task<int> reset();
  // Removal of the driver: namespaces go, queues are deleted, the drive is told to shut down (models nvme_remove).
  sim::Task<void> remove();
  // The number in a namespace's name, nvme0nX, is given out in the order in which a scan finds namespaces; a parallel
  // scan finds them in any. `instances[i]` is that of NSID i + 1; without it they are numbered as their NSIDs.
  void set_instances(std::vector<std::uint32_t> instances) { instances_ = std::move(instances); }
  [[nodiscard]] State state() const { return state_; }

  // Queues scan work; with `wait`, until the last queued instance has run (models nvme_queue_scan, flush_work).
  void queue_scan();
  struct ScanWait {
    Ctrl& ctrl;
    [[nodiscard]] bool await_ready() const noexcept { return !ctrl.scan_queued_ && !ctrl.scan_running_; }
    void await_suspend(std::coroutine_handle<> waiter) const { ctrl.scan_waiters_.push_back(waiter); }
    void await_resume() const noexcept {}
  };
  ScanWait flush_scan() { return ScanWait{*this}; }

  // Re-reads feature 06h into the write-cache state, where the kernel profile does that (the patch's query).
  sim::Task<void> query_vwc(block::TaskContext task);

  [[nodiscard]] Namespace* find_namespace(std::uint32_t nsid);
  [[nodiscard]] const std::vector<std::unique_ptr<Namespace>>& namespaces() const { return namespaces_; }
  [[nodiscard]] const spec::IdentifyController& identify() const { return identify_; }
  [[nodiscard]] const spec::EffectsLog& effects() const { return effects_; }
  [[nodiscard]] bool has_effects_log() const { return has_effects_; }
  [[nodiscard]] const VwcState& vwc() const { return vwc_; }
  // What a passthrough command with CSE in its effects does around itself (models nvme_passthru_start, _end).
  sim::Task<void> freeze_namespaces();
  void unfreeze_namespaces();
  // Identify Controller and the features again (models nvme_init_ctrl_finish after CCC, v6.1).
  sim::Task<void> reidentify();
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }  // what the kernel log would say
  Pci& pci() { return pci_; }
  kernel::Machine& machine() { return *machine_; }
  sim::FramePool& frames() { return machine_->frames(); }

 private:
  sim::Task<std::string> bring_up();
  sim::Task<void> start();
  sim::Task<void> reset_work();
  void queue_reset();
  void async_event(std::uint32_t dw0);
  sim::Task<void> partition_scan(Namespace& ns);
  void remove_namespace(std::size_t index);
  sim::Task<void> scan_one(std::uint32_t nsid, std::uint32_t& open);
  sim::Task<std::string> init_identify();
  sim::Task<std::string> init_features();
  sim::Task<std::string> setup_io_queues();
  sim::Task<void> scan_work();
  sim::Task<void> run_scans();
  sim::Task<void> scan_namespace(std::uint32_t nsid);
  sim::Task<void> update_namespace(Namespace& ns, bool fresh);
  sim::Task<AdminResult> identify_command(std::uint8_t cns, std::uint32_t nsid, std::span<std::byte> data);

  kernel::Machine* machine_;
  std::string name_;
  Pci pci_;
  std::uint64_t cap_ = 0;
  std::uint32_t vs_ = 0;
  spec::IdentifyController identify_{};
  spec::EffectsLog effects_{};
  bool has_effects_ = false;
  bool initialised_once_ = false;
  bool cns06_failed_ = false;
  std::uint32_t dmrsl_ = 0;
  VwcState vwc_;
  std::vector<std::uint32_t> instances_;
  std::vector<std::unique_ptr<Namespace>> namespaces_;  // by nsid
  std::vector<std::unique_ptr<Namespace>> removed_;     // gone; files may still be open on them
  std::vector<std::string> messages_;
  State state_ = State::kNew;
  bool ns_changed_ = false;  // an event said so, and no scan has read the log yet
  std::string reset_error_;
  std::vector<std::coroutine_handle<>> reset_waiters_;
  std::coroutine_handle<> scan_join_;
  std::uint64_t shadow_doorbells_ = 0;  // bus addresses, allocated when first needed
  std::uint64_t scan_buffer_ = 0;
  bool scan_queued_ = false;
  bool scan_running_ = false;
  std::vector<std::coroutine_handle<>> scan_waiters_;
};

}  // namespace flushlab::nvme
