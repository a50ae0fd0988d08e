// SPDX-License-Identifier: GPL-2.0-only
// The write cache: which units hold data that is not on the media yet (NVMe Base 2.1 sec. 5.1.25.1.4, 7.2).
//
// Rules:
//   C1  With WCE=0 a write is on the media when it completes; nothing is dirty.
//   C2  With WCE=1 a completed write is dirty until a Flush that was submitted after its completion is done, or it is
//       destaged. Data that overwrites it goes to the media with it; other newer writes do not.
//   C3  A FUA write is on the media when it completes, and makes nothing else durable.
//   C4  WCE 1 to 0 writes back everything before the Set Features completes.
//   C5  The dirty set never exceeds the capacity: the oldest dirty units are destaged to make room, and the write that
//       needs the room waits `destage_per_unit` for each.
//   C6  Zeroing and deallocating are writes of zeroes as long as the cache could hold them; a larger range is an update
//       of the drive's map and on the media when it completes.
//   C7  A dirty unit is destaged in the background once it is `destage_idle_delay` old, one each `destage_per_unit`.
//
// A unit is `unit_bytes` of the drive, or one logical block where blocks are larger.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "emulator/media/durable_image.hpp"
#include "emulator/media/profile.hpp"
#include "emulator/sim/event_queue.hpp"

namespace flushlab::media {

class WriteCache {
 public:
  // `image` may be nullptr. `lba_bytes`: of the namespace's format.
  WriteCache(sim::EventQueue& events, const DeviceProfile& profile, std::uint32_t lba_bytes, DurableImage* image);
  ~WriteCache();
  WriteCache(const WriteCache&) = delete;
  WriteCache& operator=(const WriteCache&) = delete;

  [[nodiscard]] bool wce() const { return wce_; }
  // Units written back by the switch (C4).
  std::uint64_t set_wce(bool wce);

  // A write of [lba, lba + blocks) has completed. `ids`: one a 512-byte sector, or nullptr for zeroes.
  void write_completed(std::uint64_t lba, std::uint32_t blocks, const queue::WriteId* ids, bool fua);
  // Blocks have been deallocated or zeroed (C6).
  void zeroed(std::uint64_t lba, std::uint64_t blocks, bool fua);

  // Room for a write that will be dirty when it completes: the earliest time at which it can complete (C5). The room is
  // kept until release().
  sim::TimeNs reserve(std::uint64_t units);
  void release(std::uint64_t units) { reserved_ -= units; }
  [[nodiscard]] std::uint64_t units_of(std::uint64_t lba, std::uint64_t blocks) const {
    return (lba + blocks - 1) / blocks_per_unit_ - lba / blocks_per_unit_ + 1;
  }

  // The place in completion order that a Flush submitted now covers; and its effect when it is done.
  [[nodiscard]] std::uint64_t snapshot() const { return sequence_; }
  [[nodiscard]] std::uint64_t dirty_units_up_to(std::uint64_t snapshot) const;
  std::uint64_t persist_up_to(std::uint64_t snapshot);
  // What is dirty is gone: a power cut, or data that nobody wants any more. Units dropped.
  std::uint64_t drop_all();
  // Everything, as a clean shutdown does. Units written back.
  std::uint64_t persist_all() { return persist_up_to(sequence_); }
  // The units of a range (a read with FUA).
  void persist_range(std::uint64_t lba, std::uint32_t blocks);

  [[nodiscard]] std::uint64_t dirty_units() const { return dirty_; }
  [[nodiscard]] std::uint64_t dirty_bytes() const { return dirty_ * unit_bytes_; }
  [[nodiscard]] std::uint64_t dirty_bytes_max() const { return dirty_max_ * unit_bytes_; }
  // What a power cut can take: the dirty data, unless the cache is protected.
  [[nodiscard]] std::uint64_t bytes_at_risk_max() const { return is_volatile_ ? dirty_bytes_max() : 0; }
  void reset_maximum() { dirty_max_ = dirty_; }

  // The dirty units in order of completion, oldest first: what a power cut may lose. f(unit, sequence).
  template <typename F>
  void for_each_dirty(F&& f) const {
    for (std::uint32_t i = head_; i != kNil; i = entries_[i].next) f(entries_[i].unit, entries_[i].sequence);
  }

 private:
  static constexpr std::uint32_t kNil = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t unit = 0;
    std::uint64_t sequence = 0;
    sim::TimeNs since_ns = 0;
    std::uint32_t next = kNil;
    std::uint32_t previous = kNil;
  };

  void make_dirty(std::uint64_t unit);
  void clean(std::uint32_t index);    // on the media, or superseded: no longer dirty
  void persist(std::uint32_t index);  // its newest data reaches the media
  void unlink(std::uint32_t index);
  void schedule_destage();
  static void destage_event(void* self, std::uint64_t);

  sim::EventQueue* events_;
  DurableImage* image_;
  std::uint64_t block_bytes_;
  std::uint64_t unit_bytes_;
  std::uint64_t blocks_per_unit_;
  std::uint64_t capacity_units_;
  sim::TimeNs destage_per_unit_ns_;
  sim::TimeNs destage_delay_ns_;
  bool background_destage_;
  bool is_volatile_;
  bool wce_;
  bool destage_scheduled_ = false;
  sim::EventQueue::Timer destage_timer_;
  std::uint64_t sequence_ = 0;  // completions so far
  std::uint64_t dirty_ = 0;
  std::uint64_t dirty_max_ = 0;
  std::uint64_t reserved_ = 0;
  sim::TimeNs evicting_until_ns_ = 0;
  std::vector<Entry> entries_;
  std::uint32_t free_ = kNil;
  std::uint32_t head_ = kNil;  // oldest
  std::uint32_t tail_ = kNil;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> index_;  // unit to entry; looked up, never iterated
};

}  // namespace flushlab::media
