// SPDX-License-Identifier: GPL-2.0-only
// The write-intent bitmap in memory: one counter a chunk, three flags a page, and the bits as they go to disk (models
// drivers/md/md-bitmap.c, v6.1 to v6.12; the algorithm is the same in all of them). It sends nothing itself: it says
// which pages are to be written when.
//
// Rules:
//   B1  A counter at rest is 0 (bit clear), 1 (bit set, clearable at the next pass) or 2 (bit set, a write has ended
//       since the last pass); 2 + k with k writes in flight. Only the step from 0 makes a page dirty.
//   B2  Before data goes out, an unplug writes every page that is dirty, and every page that waits to be written for
//       another reason, and waits for them.
//   B3  A pass of the daemon takes each idle counter one step down. The step to 0 clears the bit in memory; the page is
//       written by the pass after it, or earlier by an unplug that writes the page anyway.
//   B4  The first write that ends well after the array became dirty moves events_cleared: page 0 is then written by the
//       next pass.
#pragma once

#include <cstdint>
#include <vector>

#include "hostmodel/md/layout.hpp"

namespace flushlab::md {

class Bitmap {
 public:
  // `all_set`: as mdadm writes it on a new array.
  Bitmap(const BitmapShape& shape, bool all_set);

  [[nodiscard]] const BitmapShape& shape() const { return shape_; }
  [[nodiscard]] std::uint32_t pages() const { return static_cast<std::uint32_t>(flags_.size()); }

  // Around a write of these sectors (of the array or, for RAID1, of a member). A chunk's counter holds 16383 writes.
  void start_write(std::uint64_t sector, std::uint64_t sectors);
  // `degraded`: a member is missing: the bits stay set until it is back.
  void end_write(std::uint64_t sector, std::uint64_t sectors, bool degraded, bool newer_events);

  // B2: takes the next page from `from` on that an unplug has to write; false: none.
  bool take_for_unplug(std::uint32_t from, std::uint32_t& page);
  // The page is on its way: what the daemon had kept for it goes along.
  void unplugged(std::uint32_t page) { flags_[page] &= static_cast<std::uint8_t>(~kPending); }
  // Anything an unplug would write.
  [[nodiscard]] bool unplug_needed() const { return dirty_or_needwrite_ != 0; }

  // B3: one pass over the counters. `events_cleared` moves to what the caller says if B4 is due: returns whether it is.
  bool daemon_pass();
  // The next page from `from` on that the pass has to write; it stops at a dirty one.
  bool take_for_daemon(std::uint32_t from, std::uint32_t& page);
  // Nothing is left for the daemon to do until a write ends.
  [[nodiscard]] bool allclean() const { return allclean_; }

  // A member was added: every page goes out again.
  void write_all();

  [[nodiscard]] std::uint16_t counter(std::uint64_t chunk) const { return counters_[chunk] & kCountMask; }
  [[nodiscard]] bool bit(std::uint64_t chunk) const;
  [[nodiscard]] std::uint64_t bits_set() const;
  [[nodiscard]] std::uint64_t misses() const { return misses_; }  // writes that made a page dirty
  [[nodiscard]] bool needed(std::uint64_t chunk) const { return (counters_[chunk] & kNeeded) != 0; }

 private:
  static constexpr std::uint16_t kNeeded = 0x8000, kCountMask = 0x3FFF;
  static constexpr std::uint32_t kCountersAPage = 2048;
  static constexpr std::uint8_t kDirty = 1, kPending = 2, kNeedWrite = 4;  // of a page

  void set_flag(std::uint32_t page, std::uint8_t flag);
  std::uint8_t take_flags(std::uint32_t page, std::uint8_t flags);
  void set_bit(std::uint64_t chunk, bool on);
  void mark_pending(std::uint64_t chunk) { pending_[chunk / kCountersAPage] = true; }

  BitmapShape shape_;
  std::vector<std::uint16_t> counters_;
  std::vector<bool> pending_;  // by page of counters: something may be taken down
  std::vector<std::uint8_t> flags_;
  std::vector<std::uint8_t> image_;       // as in the pages; superblock bytes stay 0
  std::uint32_t dirty_or_needwrite_ = 0;  // pages
  std::uint64_t misses_ = 0;
  bool allclean_ = true;
  bool need_sync_ = false;
};

}  // namespace flushlab::md
