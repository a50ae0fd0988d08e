// SPDX-License-Identifier: GPL-2.0-only
// What every logical block holds: the newest write's id, and the id that is durable. Kept only where a profile asks for
// it (keep_image); sparse, in pages of 512 blocks. 0: never written, deallocated or zeroed.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>

#include "emulator/queue/host_memory.hpp"

namespace flushlab::media {

class DurableImage {
 public:
  struct Block {
    queue::WriteId newest = 0;
    queue::WriteId durable = 0;
  };

  [[nodiscard]] Block at(std::uint64_t lba) const {
    const auto page = pages_.find(lba / kPageBlocks);
    return page == pages_.end() ? Block{} : (*page->second)[lba % kPageBlocks];
  }
  // The block's newest contents; durable as well when `durable`.
  void write(std::uint64_t lba, queue::WriteId id, bool durable) {
    Block& block = page_of(lba)[lba % kPageBlocks];
    block.newest = id;
    if (durable) block.durable = id;
  }
  // Blocks are zero, on the media. Pages are independent of each other, so their order does not matter.
  void zero(std::uint64_t lba, std::uint64_t blocks) {
    const std::uint64_t end = lba + blocks;
    for (auto& [number, page] : pages_) {
      const std::uint64_t first = number * kPageBlocks;
      for (std::uint64_t i = 0; i < kPageBlocks; ++i) {
        if (first + i >= lba && first + i < end) (*page)[i] = Block{};
      }
    }
  }
  // What is newest is lost: the block holds what is durable.
  void forget(std::uint64_t lba) {
    const auto page = pages_.find(lba / kPageBlocks);
    if (page == pages_.end()) return;
    Block& block = (*page->second)[lba % kPageBlocks];
    block.newest = block.durable;
  }
  // What is newest has reached the media.
  void persist(std::uint64_t lba) {
    const auto page = pages_.find(lba / kPageBlocks);
    if (page == pages_.end()) return;
    Block& block = (*page->second)[lba % kPageBlocks];
    block.durable = block.newest;
  }

 private:
  static constexpr std::uint64_t kPageBlocks = 512;
  using Page = std::array<Block, kPageBlocks>;
  Page& page_of(std::uint64_t lba) {
    auto& page = pages_[lba / kPageBlocks];
    if (page == nullptr) page = std::make_unique<Page>();
    return *page;
  }
  boost::unordered_flat_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace flushlab::media
