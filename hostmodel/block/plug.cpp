// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/block/plug.hpp"

#include <algorithm>
#include <utility>

#include "hostmodel/block/request_queue.hpp"

namespace flushlab::block {

// models block/blk-core.c blk_attempt_plug_merge: only the newest request of the queue is looked at.
bool Plug::merge(RequestQueue& queue, Bio& bio) {
  for (std::uint32_t i = count_; i-- > 0;) {
    if (requests_[i]->queue == &queue) return queue.merge(*requests_[i], bio);
    if (!several_queues_) break;
  }
  return false;
}

// models block/blk-mq.c blk_add_rq_to_plug
void Plug::add(Request& request) {
  if (count_ != 0) {
    const Request& looked_at =
        kernel_->plug_drain_check == kernel::PlugDrainCheck::kNewest ? *requests_[count_ - 1] : *requests_[0];
    if (count_ >= capacity() || looked_at.sectors >= kDrainSectors) drain(false);
  }
  if (count_ != 0 && requests_[0]->queue != request.queue) several_queues_ = true;
  requests_[count_++] = &request;
}

// models block/blk-core.c flush_plug_callbacks
void Plug::run_callbacks(bool from_schedule) {
  while (Callback* callback = callbacks_) {
    callbacks_ = callback->next_callback;
    callback->unplug(*callback, from_schedule);
  }
}

// models block/blk-mq.c blk_mq_flush_plug_list
void Plug::drain(bool from_schedule) {
  const std::span<Request*> all(requests_.data(), std::exchange(count_, 0));
  const bool several = std::exchange(several_queues_, false);
  if (all.empty()) return;
  if (!several) {
    RequestQueue& queue = *all.front()->queue;
    if (!from_schedule && queue.scheduler() == Scheduler::kNone &&
        kernel_->plug_order == kernel::PlugOrder::kLastInFirstOut) {
      std::reverse(all.begin(), all.end());
    }
    queue.issue_plugged(all, from_schedule);
    return;
  }
  // models blk_mq_dispatch_plug_list: queue by queue, in the order of their first requests.
  std::span<Request*> rest = all;
  while (!rest.empty()) {
    RequestQueue* const queue = rest.front()->queue;
    const auto end =
        std::stable_partition(rest.begin(), rest.end(), [queue](const Request* r) { return r->queue == queue; });
    const auto count = static_cast<std::size_t>(end - rest.begin());
    queue->issue_plugged(rest.first(count), from_schedule);
    rest = rest.subspan(count);
  }
}

}  // namespace flushlab::block
