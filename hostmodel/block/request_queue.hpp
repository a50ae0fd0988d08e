// SPDX-License-Identifier: GPL-2.0-only
// The request queue of one namespace: from bio to request to hardware queue (models block/blk-mq.c and the submission
// part of block/blk-core.c, v6.12).
//
// Rules:
//   R1  With the write cache off, PREFLUSH and FUA are stripped at submission; an empty bio is then done at once and no
//       request is made of it (submit_bio_noacct).
//   R2  A request belongs to the hardware queue of the CPU that submitted it.
//   R3  A frozen queue lets nothing in; what is inside, whole flush sequences included, drains first.
//   R4  Flushes, and data that follows a Flush, reach the driver from kblockd (the requeue worker), a Flush before
//       data. So does a request that is tried again.
//   R5  A bio that exceeds the limits becomes several requests, from the front. A plugged bio that continues a request
//       joins it (plug.hpp).
//   R6  The scheduler is mq-deadline with one hardware queue and none with several, until somebody writes to
//       queue/scheduler. Requests that reach mq-deadline together leave it sorted: reads first, then by sector.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/sim/simulator.hpp"
#include "hostmodel/block/block_device.hpp"
#include "hostmodel/block/flush_machine.hpp"
#include "hostmodel/block/plug.hpp"
#include "hostmodel/block/queue_limits.hpp"
#include "hostmodel/block/request.hpp"
#include "hostmodel/kernel/machine.hpp"

namespace flushlab::block {

enum class Scheduler : std::uint8_t { kNone, kMqDeadline };

// What a driver provides (models struct blk_mq_ops).
struct MqOps {
  void* object = nullptr;
  void (*queue_rq)(void* object, Request& request) = nullptr;
};

class RequestQueue : public BlockDevice {
 public:
  RequestQueue(std::string name, kernel::Machine& machine, TagSet& tags, std::vector<std::uint16_t> hctx_of_cpu,
               MqOps ops, std::uint32_t device_number);

  [[nodiscard]] const kernel::KernelProfile& kernel() const { return machine_->kernel(); }
  sim::Simulator& simulator() { return machine_->simulator(); }
  TagSet& tags() { return *tags_; }
  [[nodiscard]] std::uint16_t hctx_of(std::uint16_t cpu) const { return hctx_of_cpu_[cpu]; }
  [[nodiscard]] std::uint64_t flushes() const;
  [[nodiscard]] std::uint32_t in_flight() const { return usage_; }

  // Stops new bios and calls `drained` when none is inside any more; unfreeze() lets the parked ones in.
  void freeze(void (*drained)(void* object), void* object);
  void unfreeze();
  // The device is gone: every bio that is not inside yet, and every later one, fails.
  void kill();
  // Replaces the limits (models queue_limits_commit_update). Frozen by the caller where the kernel freezes. The flag
  // that queue/write_cache sets is kept or lost as the kernel profile says. Returns "" or why they are rejected.
  [[nodiscard]] std::string commit_limits(QueueLimits next);

  // queue/write_cache as sysfs shows it, and a write to it: 0 or a negative errno (models queue_wc_store).
  [[nodiscard]] const char* write_cache_show() const { return limits_.write_cache() ? "write back" : "write through"; }
  int write_cache_store(std::string_view value);

  // queue/scheduler: the one in use, and a write to it: 0 or a negative errno (models elv_iosched_store).
  [[nodiscard]] Scheduler scheduler() const { return scheduler_; }
  int scheduler_store(std::string_view value);
  // queue/max_sectors_kb: 0 or a negative errno (models queue_max_sectors_store).
  int max_sectors_store(std::uint32_t kilobytes);

  // For the driver: a request that it was handed is done, or is to be handed to it again `delay_ns` later.
  void complete(Request& request, BlockStatus status);
  void retry(Request& request, sim::TimeNs delay_ns);
  // Stops and starts the way to the driver; requests wait in between (models blk_mq_quiesce_queue).
  void quiesce() { ++quiesced_; }
  void unquiesce();

  // For the plug: whether the bio could join the request, done if so; and the plug's requests on their way.
  bool merge(Request& request, Bio& bio);
  void issue_plugged(std::span<Request*> requests, bool from_schedule);

  // For the flush machine.
  void finish(Request& request, BlockStatus status);
  void requeue_data(Request& request);
  void requeue_flush(Request& request);

 private:
  static void submit(BlockDevice& device, Bio& bio);
  void enter(Bio& bio);                                     // past the freeze
  void queue_pieces(Bio& bio, std::uint32_t done_sectors);  // splits and allocates tags
  void insert(Request& request, Plug* plug);
  void insert_scheduled(std::span<Request*> requests, const char* issuer);
  void dispatch(Request& request, const char* issuer);
  void end_bio(Bio& bio);
  void leave(std::uint32_t bios);
  [[nodiscard]] std::uint32_t piece_sectors(const Bio& bio) const;
  void schedule_requeue_work();
  static void requeue_work(void* self, std::uint64_t);
  static void kblockd_work(void* self, std::uint64_t);
  static void retry_due(void* self, std::uint64_t request);

  kernel::Machine* machine_;
  TagSet* tags_;
  std::vector<std::uint16_t> hctx_of_cpu_;
  MqOps ops_;
  std::uint32_t device_number_;
  Scheduler scheduler_;
  std::uint32_t quiesced_ = 0;
  RequestList waiting_;                                  // for unquiesce()
  std::vector<std::unique_ptr<FlushMachine>> machines_;  // one a hardware queue

  std::uint32_t usage_ = 0;  // bios inside (q_usage_counter)
  std::uint32_t frozen_ = 0;
  bool dead_ = false;
  Bio* parked_head_ = nullptr;
  Bio* parked_tail_ = nullptr;
  struct Drained {
    void (*call)(void* object);
    void* object;
  };
  std::vector<Drained> drained_;  // freezers that wait for the queue to drain

  RequestList requeued_data_;
  RequestList requeued_flushes_;
  RequestList from_kblockd_;  // to be issued by kblockd in the owner's place (P4)
  bool requeue_scheduled_ = false;
  bool kblockd_scheduled_ = false;
};

}  // namespace flushlab::block
