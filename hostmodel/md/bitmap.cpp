// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/md/bitmap.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace flushlab::md {

Bitmap::Bitmap(const BitmapShape& shape, bool all_set)
    : shape_(shape),
      counters_(shape.bits, all_set ? std::uint16_t{2} : std::uint16_t{0}),
      pending_((shape.bits + kCountersAPage - 1) / kCountersAPage, all_set),
      flags_(shape.pages(), 0),
      image_(std::size_t{shape.pages()} * kBitmapPageBytes, 0) {
  if (!all_set) return;
  std::fill(image_.begin() + kBitmapSuperBytes, image_.end(), std::uint8_t{0xFF});
  allclean_ = false;
}

void Bitmap::set_flag(std::uint32_t page, std::uint8_t flag) {
  if ((flags_[page] & (kDirty | kNeedWrite)) == 0 && (flag & (kDirty | kNeedWrite)) != 0) ++dirty_or_needwrite_;
  flags_[page] |= flag;
}

std::uint8_t Bitmap::take_flags(std::uint32_t page, std::uint8_t flags) {
  const auto taken = static_cast<std::uint8_t>(flags_[page] & flags);
  const bool before = (flags_[page] & (kDirty | kNeedWrite)) != 0;
  flags_[page] &= static_cast<std::uint8_t>(~flags);
  if (before && (flags_[page] & (kDirty | kNeedWrite)) == 0) --dirty_or_needwrite_;
  return taken;
}

void Bitmap::set_bit(std::uint64_t chunk, bool on) {
  const BitPlace place = BitmapShape::place(chunk);
  std::uint8_t& byte = image_[std::size_t{place.page} * kBitmapPageBytes + place.byte];
  byte = static_cast<std::uint8_t>(on ? byte | place.mask : byte & ~place.mask);
}

bool Bitmap::bit(std::uint64_t chunk) const {
  const BitPlace place = BitmapShape::place(chunk);
  return (image_[std::size_t{place.page} * kBitmapPageBytes + place.byte] & place.mask) != 0;
}

std::uint64_t Bitmap::bits_set() const {
  std::uint64_t set = 0;
  for (std::uint64_t chunk = 0; chunk < shape_.bits; ++chunk) set += bit(chunk) ? 1 : 0;
  return set;
}

// models md_bitmap_startwrite
void Bitmap::start_write(std::uint64_t sector, std::uint64_t sectors) {
  const std::uint64_t last = (sector + sectors - 1) / shape_.chunk_sectors;
  for (std::uint64_t chunk = sector / shape_.chunk_sectors; chunk <= last; ++chunk) {
    std::uint16_t& word = counters_[chunk];
    assert((word & kCountMask) != kCountMask && "more writes of one chunk than its counter holds");
    if (word == 0) {
      set_bit(chunk, true);
      set_flag(BitmapShape::place(chunk).page, kDirty);
      word = 2;
      ++misses_;
    } else if (word == 1) {
      word = 2;
    }
    ++word;
  }
}

// models md_bitmap_endwrite
void Bitmap::end_write(std::uint64_t sector, std::uint64_t sectors, bool degraded, bool newer_events) {
  const std::uint64_t last = (sector + sectors - 1) / shape_.chunk_sectors;
  for (std::uint64_t chunk = sector / shape_.chunk_sectors; chunk <= last; ++chunk) {
    std::uint16_t& word = counters_[chunk];
    if (degraded) {
      word |= kNeeded;
    } else if (newer_events) {
      need_sync_ = true;
    }
    --word;
    if ((word & kCountMask) <= 2) {
      mark_pending(chunk);
      allclean_ = false;
    }
  }
}

bool Bitmap::take_for_unplug(std::uint32_t from, std::uint32_t& page) {
  if (dirty_or_needwrite_ == 0) return false;
  for (page = from; page < pages(); ++page) {
    if (take_flags(page, kDirty | kNeedWrite) != 0) return true;
  }
  return false;
}

// models md_bitmap_daemon_work: its steps A to C
bool Bitmap::daemon_pass() {
  allclean_ = true;
  for (std::uint32_t page = 0; page < pages(); ++page) {
    if (take_flags(page, kPending) != 0) set_flag(page, kNeedWrite);
  }
  const bool moved = need_sync_;
  if (moved) set_flag(0, kNeedWrite);
  need_sync_ = false;
  for (std::size_t group = 0; group < pending_.size(); ++group) {
    if (!pending_[group]) continue;
    pending_[group] = false;
    const std::uint64_t end = std::min<std::uint64_t>(shape_.bits, (group + 1) * kCountersAPage);
    for (std::uint64_t chunk = group * kCountersAPage; chunk < end; ++chunk) {
      std::uint16_t& word = counters_[chunk];
      if (word == 2) {
        word = 1;
        pending_[group] = true;
        allclean_ = false;
      } else if (word == 1) {
        word = 0;
        set_bit(chunk, false);
        const std::uint32_t page = BitmapShape::place(chunk).page;
        if ((flags_[page] & kNeedWrite) == 0) {
          set_flag(page, kPending);
          allclean_ = false;
        }
      }
    }
  }
  return moved;
}

bool Bitmap::take_for_daemon(std::uint32_t from, std::uint32_t& page) {
  for (page = from; page < pages(); ++page) {
    if ((flags_[page] & kDirty) != 0) return false;
    if (take_flags(page, kNeedWrite) != 0) return true;
  }
  return false;
}

void Bitmap::write_all() {
  for (std::uint32_t page = 0; page < pages(); ++page) set_flag(page, kNeedWrite);
  allclean_ = false;
}

}  // namespace flushlab::md
