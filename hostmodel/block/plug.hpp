// SPDX-License-Identifier: GPL-2.0-only
// A task's plug: requests that are held back for a moment, so that adjacent ones merge and the driver gets a batch
// (models struct blk_plug; block/blk-mq.c blk_add_rq_to_plug, blk_mq_flush_plug_list; drivers/nvme/host/pci.c
// nvme_queue_rqs).
//
// Rules:
//   P1  A bio that continues the newest request of its queue, in front or behind, joins it as long as the limits allow
//       and neither carries PREFLUSH or FUA.
//   P2  A plug drains before a request is added to a full one, and when the request that the kernel looks at
//       (plug_drain_check) has 128 KiB or more.
//   P3  At the end of the plug its owner issues the requests, in the order that the kernel profile names (plug_order).
//   P4  When the owner goes to sleep instead, kblockd issues them, in submission order in every version; so does
//       a plug that holds requests of several queues or of a queue with a scheduler.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hostmodel/block/bio.hpp"
#include "hostmodel/block/request.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"

namespace flushlab::block {

class Plug {
 public:
  static constexpr std::uint32_t kMaxRequests = 32;  // BLK_MAX_REQUEST_COUNT; twice that with several queues
  static constexpr std::uint32_t kDrainSectors = 256;

  explicit Plug(const kernel::KernelProfile& kernel) : kernel_(&kernel) {}
  Plug(const Plug&) = delete;
  Plug& operator=(const Plug&) = delete;

  // P1. True: the bio is now part of a request.
  bool merge(RequestQueue& queue, Bio& bio);
  // P2.
  void add(Request& request);
  // P3 and P4. The plug is empty afterwards and may be used again.
  void finish() {
    if (callbacks_ != nullptr) run_callbacks(false);
    drain(false);
  }
  void sleep() {
    if (callbacks_ != nullptr) run_callbacks(true);
    drain(true);
  }

  [[nodiscard]] std::uint32_t size() const { return count_; }

  // Something else that is held back until the plug drains: then `unplug` runs, before the requests go (models struct
  // blk_plug_cb). `from_schedule` as in P4: the owner is going to sleep and cannot wait for anything.
  struct Callback {
    void (*unplug)(Callback& callback, bool from_schedule) = nullptr;
    void* owner = nullptr;
    Callback* next_callback = nullptr;
  };
  void add_callback(Callback& callback) {
    callback.next_callback = callbacks_;
    callbacks_ = &callback;
  }
  [[nodiscard]] Callback* find_callback(void (*unplug)(Callback&, bool), void* owner) const {
    for (Callback* one = callbacks_; one != nullptr; one = one->next_callback) {
      if (one->unplug == unplug && one->owner == owner) return one;
    }
    return nullptr;
  }

 private:
  void drain(bool from_schedule);
  void run_callbacks(bool from_schedule);
  [[nodiscard]] std::uint32_t capacity() const { return several_queues_ ? 2 * kMaxRequests : kMaxRequests; }

  const kernel::KernelProfile* kernel_;
  std::uint32_t count_ = 0;
  bool several_queues_ = false;
  Callback* callbacks_ = nullptr;
  std::array<Request*, std::size_t{2} * kMaxRequests> requests_;
};

}  // namespace flushlab::block
