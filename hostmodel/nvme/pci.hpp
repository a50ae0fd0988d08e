// SPDX-License-Identifier: GPL-2.0-only
// The PCIe transport: queues in host memory, doorbells, interrupts (models drivers/nvme/host/pci.c, v6.12).
//
// One I/O queue pair feeds one hardware queue of the block layer: hctx i is queue i + 1. Its interrupt is handled on
// the first CPU that maps to it, and a request is complete when that CPU has done the interrupt's work.
#pragma once

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

  // Enables the controller with an admin queue (nvme_pci_configure_admin_queue, nvme_enable_ctrl). "" or what failed.
  sim::Task<std::string> enable();
  // Creates I/O queue pairs 1..count, `depth` entries each (nvme_create_io_queues). "" or what failed.
  sim::Task<std::string> create_io_queues(std::uint16_t count, std::uint16_t depth);
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
    bool irq_pending = false;
    std::uint32_t flushes_in_flight = 0;  // with one namespace: of its flush machine
    Pci* pci = nullptr;
    std::vector<std::uint64_t> list_pages;  // PRP list pages by tag, allocated when first needed
  };
  struct AdminSlot {
    std::uint8_t generation = 0;
    bool busy = false;
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
};

}  // namespace flushlab::nvme
