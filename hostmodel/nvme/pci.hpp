// SPDX-License-Identifier: GPL-2.0-only
// The PCIe transport: queues in host memory, doorbells, interrupts (models drivers/nvme/host/pci.c, v6.12).
//
// One I/O queue pair feeds one hardware queue of the block layer: hctx i is queue i + 1. Its interrupt is handled on
// the first CPU that maps to it, and a request is complete when that CPU has done the interrupt's work.
//
// Rules for what goes wrong:
//   E1  A command that fails is tried again unless its status says DNR, it is a passthrough command, or
//   nvme_max_retries
//       attempts have failed. The status's CRD says after which of the drive's delays (CRDT1..3).
//   E2  A command that does not complete within the timeout is looked for in the completion queue once. An I/O command
//       that is not there is aborted, and gets its time again; the second time, or for an admin command, the controller
//       is reset.
//   E3  A reset cancels what the drive still has. Cancelled I/O is tried again when the controller is back (E1 counts).
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/queue/door.hpp"
#include "emulator/queue/ring.hpp"
#include "emulator/sim/task.hpp"
#include "emulator/spec/registers.hpp"
#include "hostmodel/block/request_queue.hpp"
#include "hostmodel/nvme/command_log.hpp"
#include "hostmodel/nvme/setup_cmd.hpp"

namespace flushlab::nvme {

// A passthrough I/O command: the driver_data of a bio with REQ_DRV.
struct PassthruCommand {
  spec::SubmissionEntry sqe;
  spec::Status status;
  std::uint32_t result = 0;  // DW0
};

struct AdminResult {
  spec::Status status;
  std::uint32_t result = 0;  // DW0
};

class Pci {
 public:
  Pci(kernel::Machine& machine, queue::Door& door);
  Pci(const Pci&) = delete;
  Pci& operator=(const Pci&) = delete;

  // What the controller above is told.
  struct Upcalls {
    void* object = nullptr;
    void (*async_event)(void* object, std::uint32_t dw0) = nullptr;
    void (*needs_reset)(void* object) = nullptr;
  };
  void attach(const Upcalls& upcalls) { upcalls_ = upcalls; }
  // From Identify Controller: retry delays in 100 ms (CRDT1..3), and how many Aborts may be under way (ACL + 1).
  void set_retry_limits(std::array<std::uint16_t, 3> crdt, std::uint32_t abort_limit) {
    crdt_ = crdt;
    abort_limit_ = abort_limit;
  }

  // Enables the controller with an admin queue (nvme_pci_configure_admin_queue, nvme_enable_ctrl). "" or what failed.
  sim::Task<std::string> enable();
  // Creates I/O queue pairs 1..count, `depth` entries each (nvme_create_io_queues). "" or what failed.
  sim::Task<std::string> create_io_queues(std::uint16_t count, std::uint16_t depth);
  // Takes the I/O queues down and disables the controller, or tells it to shut down (models nvme_dev_disable). Commands
  // that the drive still has are cancelled (E3).
  sim::Task<void> disable(bool shutdown);
  // A command timed out while the controller was coming up: ends every command that the drive has, and every later one
  // until the next enable() (models nvme_timeout's nvme_dev_disable).
  void give_up();
  // Sends an admin command and waits (models __nvme_submit_sync_cmd on the admin queue). `data` is copied to the
  // command before it and filled from it after it, as the direction of the opcode says.
  sim::Task<AdminResult> admin(spec::SubmissionEntry sqe, std::span<std::byte> data, block::TaskContext task);

  // Parks one Asynchronous Event Request with the drive (models nvme_pci_submit_async_event). Nothing waits for it.
  void submit_async_event();

  // blk-mq's way in (models nvme_queue_rq).
  static void queue_rq(void* self, block::Request& request);

  // hctx for each CPU, for `count` queues (models the default map of blk_mq_pci_map_queues on one node).
  [[nodiscard]] std::vector<std::uint16_t> map_queues(std::uint16_t count) const;

  // The namespace that a request queue belongs to: how its requests are encoded.
  void set_format(const block::RequestQueue& queue, const NamespaceFormat& format);

  block::TagSet* io_tags() { return io_tags_.get(); }
  CommandLog& log() { return log_; }
  // The most Flush commands of the block layer that any hardware queue of one namespace had in flight at once.
  [[nodiscard]] std::uint64_t most_flushes_in_flight() const { return most_flushes_in_flight_; }
  kernel::Machine& machine() { return *machine_; }
  queue::Door& door() { return *door_; }

 private:
  struct Queue {
    queue::SqProducer sq;
    queue::CqConsumer cq;
    std::uint16_t qid = 0;
    std::uint16_t cpu = 0;
    std::uint16_t depth = 0;  // entries; the rings' memory is kept over resets
    std::uint64_t sq_address = 0;
    std::uint64_t cq_address = 0;
    bool irq_pending = false;
    std::uint32_t flushes_in_flight = 0;  // with one namespace: of its flush machine
    Pci* pci = nullptr;
    std::vector<std::uint64_t> list_pages;  // PRP list pages by tag, allocated when first needed
  };
  struct AdminSlot {
    std::uint8_t generation = 0;
    bool busy = false;
    bool sent = false;  // the drive has it
    sim::TimeNs issued_ns = 0;
    std::uint64_t seq = 0;
    std::uint8_t opc = 0;
    std::uint64_t buffer = 0;  // two pages for data, allocated when first needed
    AdminResult result;
    std::coroutine_handle<> waiter;
  };

  static void interrupt(void* self, std::uint16_t vector);
  static void handle_irq(void* queue, std::uint64_t);
  void process_cq(Queue& queue);
  void complete_admin(const spec::CompletionEntry& cqe);
  void complete_io(Queue& queue, const spec::CompletionEntry& cqe);
  void end_request(block::Request& request, spec::Status status, std::uint32_t result);
  sim::Task<void> delete_queues(spec::AdminOpcode opcode);
  sim::Task<void> delete_queue(spec::AdminOpcode opcode, std::uint16_t qid, std::uint32_t& open);
  void cancel();  // models nvme_cancel_tagset, nvme_cancel_admin_tagset
  void arm_timer(sim::TimeNs deadline_ns);
  static void timer_fired(void* self, std::uint64_t);
  void timed_out(Queue& queue, block::Request& request);
  sim::Task<void> send_abort(std::uint16_t sqid, std::uint16_t cid);
  void issue(block::Request& request);
  void observe_issue(const block::Request& request, const Queue& queue, const spec::SubmissionEntry& sqe);
  std::uint64_t list_page(Queue& queue, std::uint16_t tag);
  void init_queue(Queue& queue, std::uint16_t qid, std::uint16_t depth, std::uint64_t& sq_address,
                  std::uint64_t& cq_address);

  static constexpr std::uint16_t kAdminDepth = 32;
  static constexpr std::uint16_t kAdminTags = 30;
  static constexpr std::uint16_t kAsyncEventCid = 0x1F;

  kernel::Machine* machine_;
  queue::Door* door_;
  CommandLog log_;
  Queue admin_;
  std::vector<std::unique_ptr<Queue>> io_;
  std::vector<AdminSlot> admin_slots_;
  std::unique_ptr<block::TagSet> io_tags_;
  struct Format {
    const block::RequestQueue* queue;
    NamespaceFormat format;
  };
  std::vector<Format> formats_;
  std::uint64_t most_flushes_in_flight_ = 0;
  Upcalls upcalls_;
  std::array<std::uint16_t, 3> crdt_{};
  std::uint32_t abort_limit_ = 1;
  std::uint32_t aborts_ = 0;
  bool enabled_ = false;
  sim::TimeNs timer_at_ns_ = sim::kNever;  // the next time that deadlines are looked at
  std::coroutine_handle<> delete_waiter_;
};

}  // namespace flushlab::nvme
