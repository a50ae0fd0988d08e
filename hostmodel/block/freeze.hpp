// SPDX-License-Identifier: GPL-2.0-only
// Freezing a queue from a task (models blk_mq_freeze_queue, and what queue_attr_store does around a store, v6.12).
#pragma once

#include <coroutine>
#include <string>

#include "emulator/sim/task.hpp"
#include "hostmodel/block/request_queue.hpp"

namespace flushlab::block {

// co_await frozen(queue): the queue lets nothing in, and nothing is inside it any more. The caller unfreezes it.
struct Frozen {
  RequestQueue& queue;
  bool immediate = false;
  std::coroutine_handle<> waiter{};

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    queue.freeze(
        [](void* self) {
          auto& freeze = *static_cast<Frozen*>(self);
          if (freeze.waiter) {
            freeze.queue.simulator().resume_at(freeze.queue.simulator().now(), freeze.waiter);
          } else {
            freeze.immediate = true;
          }
        },
        this);
    if (immediate) return false;
    waiter = handle;
    return true;
  }
  void await_resume() const noexcept {}
};
inline Frozen frozen(RequestQueue& queue) {
  return Frozen{queue};
}

// A write to queue/write_cache, with the queue frozen around it where the kernel does that. 0 or a negative errno.
inline sim::Task<int> store_write_cache(RequestQueue& queue, std::string value) {
  if (!queue.kernel().sysfs_store_freezes) co_return queue.write_cache_store(value);
  co_await frozen(queue);
  const int result = queue.write_cache_store(value);
  queue.unfreeze();
  co_return result;
}

}  // namespace flushlab::block
