// SPDX-License-Identifier: GPL-2.0-only
// Memory for coroutine frames: size classes with free lists, so that starting a task costs no allocation once the
// working set exists. One pool a simulation; not thread-safe, because a simulation is not.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace flushlab::sim {

class FramePool {
 public:
  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  void* allocate(std::size_t bytes) {
    const std::size_t size_class = class_of(bytes);
    if (size_class >= kClasses) return ::operator new(bytes);
    Free*& head = free_[size_class];
    if (head == nullptr) refill(size_class);
    Free* block = head;
    head = block->next;
    return block;
  }

  void deallocate(void* block, std::size_t bytes) noexcept {
    const std::size_t size_class = class_of(bytes);
    if (size_class >= kClasses) {
      ::operator delete(block);
      return;
    }
    auto* node = static_cast<Free*>(block);
    node->next = free_[size_class];
    free_[size_class] = node;
  }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kGranule = 64;
  static constexpr std::size_t kClasses = 64;  // up to 4 KiB; larger frames go to the heap
  static constexpr std::size_t kSlabBytes = 16 * 1024;

  static constexpr std::size_t class_of(std::size_t bytes) { return bytes == 0 ? 0 : (bytes - 1) / kGranule; }

  void refill(std::size_t size_class) {
    const std::size_t block_bytes = (size_class + 1) * kGranule;
    const std::size_t blocks = kSlabBytes / block_bytes;
    slabs_.emplace_back(new std::byte[kSlabBytes]);
    std::byte* base = slabs_.back().get();
    for (std::size_t i = blocks; i-- > 0;) {
      auto* node = reinterpret_cast<Free*>(base + i * block_bytes);
      node->next = free_[size_class];
      free_[size_class] = node;
    }
  }

  std::array<Free*, kClasses> free_{};
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
};

}  // namespace flushlab::sim
