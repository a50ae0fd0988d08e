// SPDX-License-Identifier: GPL-2.0-only
// The page cache of one raw block device: which 4 KiB pages are there, which are dirty, and what they hold.
//
// Dirty pages hold the write ids of their eight sectors until they have been written back. Clean pages only need to be
// known as present (a partial write to an absent page reads it first); they are dropped in the order in which they came
// when the cache is full.
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>

#include "emulator/queue/host_memory.hpp"

namespace flushlab::vfs {

inline constexpr std::uint64_t kPageBytes = queue::kPageBytes;
inline constexpr std::uint32_t kSectorsPerPage = 8;

class PageCache {
 public:
  using PageIds = std::array<queue::WriteId, kSectorsPerPage>;

  explicit PageCache(std::uint64_t capacity_bytes) : capacity_pages_(capacity_bytes / kPageBytes), dirty_(&pool_) {}

  [[nodiscard]] bool present(std::uint64_t page) const { return present_.contains(page); }
  [[nodiscard]] std::uint64_t dirty_pages() const { return dirty_.size(); }
  [[nodiscard]] bool any_dirty(std::uint64_t first, std::uint64_t last) const {
    const auto it = dirty_.lower_bound(first);
    return it != dirty_.end() && it->first <= last;
  }

  // The page's contents for writing: present and dirty from now on.
  PageIds& dirty(std::uint64_t page) {
    insert(page);
    return dirty_[page];
  }
  // The page has been read from the device.
  void insert(std::uint64_t page) {
    if (!present_.insert(page).second) return;
    order_.push_back(page);
    while (order_.size() > capacity_pages_ && !order_.empty()) {
      const std::uint64_t oldest = order_.front();
      order_.pop_front();
      if (dirty_.contains(oldest)) {
        order_.push_back(oldest);
        if (dirty_.size() >= capacity_pages_) break;  // everything is dirty: nothing to drop
      } else {
        present_.erase(oldest);
      }
    }
  }
  // The first dirty page in [from, last], taken for write-back: clean from now on. False if there is none.
  bool take_dirty(std::uint64_t from, std::uint64_t last, std::uint64_t& page, PageIds& contents) {
    const auto it = dirty_.lower_bound(from);
    if (it == dirty_.end() || it->first > last) return false;
    page = it->first;
    contents = it->second;
    dirty_.erase(it);
    return true;
  }
  [[nodiscard]] bool is_dirty(std::uint64_t page) const { return dirty_.contains(page); }
  // Drops the pages of a range, dirty ones included (models truncate_bdev_range).
  void drop(std::uint64_t first, std::uint64_t last) {
    dirty_.erase(dirty_.lower_bound(first), dirty_.upper_bound(last));
    if (last - first < present_.size()) {
      for (std::uint64_t page = first; page <= last; ++page) present_.erase(page);
    } else {
      boost::unordered::erase_if(present_, [=](std::uint64_t page) { return page >= first && page <= last; });
    }
  }
  // Drops the clean pages of a range (a direct write replaces what they held).
  void invalidate(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t page = first; page <= last && !present_.empty(); ++page) {
      if (!dirty_.contains(page)) present_.erase(page);  // its place in order_ is dropped when it comes up
    }
  }

 private:
  std::uint64_t capacity_pages_;
  boost::unordered_flat_set<std::uint64_t> present_;  // looked up, never iterated
  std::deque<std::uint64_t> order_;
  std::pmr::unsynchronized_pool_resource pool_;
  std::pmr::map<std::uint64_t, PageIds> dirty_;
};

}  // namespace flushlab::vfs
