// SPDX-License-Identifier: GPL-2.0-only
// A set of logical blocks, kept as ranges: what is deallocated, what is marked uncorrectable.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace flushlab::media {

class BlockRanges {
 public:
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  void clear() { ranges_.clear(); }

  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin() && std::prev(it)->second >= begin) {
      --it;
      begin = it->first;
    }
    while (it != ranges_.end() && it->first <= end) {
      end = it->second > end ? it->second : end;
      it = ranges_.erase(it);
    }
    ranges_.emplace(begin, end);
  }

  void remove(std::uint64_t begin, std::uint64_t end) {
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin()) --it;
    while (it != ranges_.end() && it->first < end) {
      const auto [from, to] = *it;
      if (to <= begin) {
        ++it;
        continue;
      }
      it = ranges_.erase(it);
      if (from < begin) ranges_.emplace(from, begin);
      if (to > end) ranges_.emplace(end, to);
    }
  }

  // The first block of [begin, end) that is in the set.
  [[nodiscard]] std::optional<std::uint64_t> first_in(std::uint64_t begin, std::uint64_t end) const {
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin() && std::prev(it)->second > begin) return begin;
    if (it != ranges_.end() && it->first < end) return it->first;
    return std::nullopt;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // begin to end, neither adjacent nor overlapping
};

}  // namespace flushlab::media
