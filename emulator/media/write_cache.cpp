// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/media/write_cache.hpp"

#include <algorithm>

namespace flushlab::media {

WriteCache::WriteCache(sim::EventQueue& events, const DeviceProfile& profile, std::uint32_t lba_bytes,
                       DurableImage* image)
    : events_(&events),
      image_(image),
      block_bytes_(lba_bytes),
      unit_bytes_(std::max<std::uint64_t>(profile.timing.unit_bytes.value, lba_bytes)),
      blocks_per_unit_(unit_bytes_ / block_bytes_),
      capacity_units_(std::max<std::uint64_t>(1, profile.cache.capacity_bytes / unit_bytes_)),
      destage_per_unit_ns_(profile.timing.destage_per_unit_ns.value),
      destage_delay_ns_(profile.timing.destage_idle_delay_ns.value),
      background_destage_(destage_per_unit_ns_ != 0),
      is_volatile_(profile.cache.is_volatile),
      wce_(profile.cache.wce_default) {}

WriteCache::~WriteCache() {
  if (destage_scheduled_) events_->cancel(destage_timer_);
}

std::uint64_t WriteCache::drop_all() {
  const std::uint64_t dropped = dirty_;
  while (head_ != kNil) {
    if (image_ != nullptr) {
      const std::uint64_t first = entries_[head_].unit * blocks_per_unit_;
      for (std::uint64_t i = 0; i < blocks_per_unit_; ++i) image_->forget(first + i);
    }
    clean(head_);
  }
  return dropped;
}

std::uint64_t WriteCache::set_wce(bool wce) {
  const std::uint64_t written = wce_ && !wce ? persist_all() : 0;  // C4
  wce_ = wce;
  return written;
}

void WriteCache::write_completed(std::uint64_t lba, std::uint32_t blocks, const queue::WriteId* ids, bool fua) {
  ++sequence_;
  const bool durable = !wce_ || fua;  // C1, C3
  if (image_ != nullptr) {
    const std::uint64_t sectors = block_bytes_ / queue::kSectorBytes;
    for (std::uint64_t i = 0; i < blocks; ++i) image_->write(lba + i, ids == nullptr ? 0 : ids[i * sectors], durable);
  }
  if (durable && dirty_ == 0) return;
  const std::uint64_t first = lba / blocks_per_unit_;
  const std::uint64_t last = (lba + blocks - 1) / blocks_per_unit_;
  for (std::uint64_t unit = first; unit <= last; ++unit) {
    if (!durable) {
      make_dirty(unit);
      continue;
    }
    // Durable data over a dirty unit: clean only if the whole unit was replaced.
    const bool whole = unit * blocks_per_unit_ >= lba && (unit + 1) * blocks_per_unit_ <= lba + blocks;
    if (const auto found = index_.find(unit); whole && found != index_.end()) clean(found->second);
  }
}

void WriteCache::zeroed(std::uint64_t lba, std::uint64_t blocks, bool fua) {
  if (blocks == 0) return;
  if (units_of(lba, blocks) <= capacity_units_ / 2) {
    write_completed(lba, static_cast<std::uint32_t>(blocks), nullptr, fua);
    return;
  }
  ++sequence_;  // C6
  if (image_ != nullptr) image_->zero(lba, blocks);
  for (std::uint32_t i = head_; i != kNil;) {
    const std::uint32_t next = entries_[i].next;
    const std::uint64_t first = entries_[i].unit * blocks_per_unit_;
    if (first >= lba && first + blocks_per_unit_ <= lba + blocks) clean(i);
    i = next;
  }
}

sim::TimeNs WriteCache::reserve(std::uint64_t units) {
  reserved_ += units;
  const std::uint64_t wanted = dirty_ + reserved_;
  if (wanted <= capacity_units_ || destage_per_unit_ns_ == 0) return events_->now();
  const std::uint64_t evicted = std::min(units, wanted - capacity_units_);
  evicting_until_ns_ = std::max(evicting_until_ns_, events_->now()) + evicted * destage_per_unit_ns_;
  return evicting_until_ns_;
}

void WriteCache::make_dirty(std::uint64_t unit) {
  // An overwritten unit keeps its place: a Flush that covers the first of the writes has to make that one, or a newer
  // one, durable.
  if (index_.contains(unit)) return;
  if (dirty_ >= capacity_units_) {  // C5
    persist(head_);
  }
  std::uint32_t index = free_;
  if (index != kNil) {
    free_ = entries_[index].next;
  } else {
    index = static_cast<std::uint32_t>(entries_.size());
    entries_.emplace_back();
  }
  index_.emplace(unit, index);
  ++dirty_;
  dirty_max_ = std::max(dirty_max_, dirty_);
  Entry& entry = entries_[index];
  entry.unit = unit;
  entry.sequence = sequence_;
  entry.since_ns = events_->now();
  entry.next = kNil;
  entry.previous = tail_;
  (tail_ == kNil ? head_ : entries_[tail_].next) = index;
  tail_ = index;
  if (background_destage_ && !destage_scheduled_) schedule_destage();
}

void WriteCache::unlink(std::uint32_t index) {
  const Entry& entry = entries_[index];
  (entry.previous == kNil ? head_ : entries_[entry.previous].next) = entry.next;
  (entry.next == kNil ? tail_ : entries_[entry.next].previous) = entry.previous;
}

void WriteCache::clean(std::uint32_t index) {
  unlink(index);
  index_.erase(entries_[index].unit);
  entries_[index].next = free_;
  free_ = index;
  --dirty_;
}

void WriteCache::persist(std::uint32_t index) {
  if (image_ != nullptr) {
    const std::uint64_t first = entries_[index].unit * blocks_per_unit_;
    for (std::uint64_t i = 0; i < blocks_per_unit_; ++i) image_->persist(first + i);
  }
  clean(index);
}

std::uint64_t WriteCache::dirty_units_up_to(std::uint64_t snapshot) const {
  // Nearly always all of them: a Flush is submitted after the writes that it is meant for.
  std::uint64_t newer = 0;
  for (std::uint32_t i = tail_; i != kNil && entries_[i].sequence > snapshot; i = entries_[i].previous) ++newer;
  return dirty_ - newer;
}

std::uint64_t WriteCache::persist_up_to(std::uint64_t snapshot) {
  std::uint64_t units = 0;
  while (head_ != kNil && entries_[head_].sequence <= snapshot) {  // C2
    persist(head_);
    ++units;
  }
  return units;
}

void WriteCache::persist_range(std::uint64_t lba, std::uint32_t blocks) {
  if (dirty_ == 0) return;
  for (std::uint64_t unit = lba / blocks_per_unit_; unit <= (lba + blocks - 1) / blocks_per_unit_; ++unit) {
    if (const auto found = index_.find(unit); found != index_.end()) persist(found->second);
  }
}

void WriteCache::schedule_destage() {
  destage_scheduled_ = true;
  const sim::TimeNs due = entries_[head_].since_ns + destage_delay_ns_;
  destage_timer_ = events_->schedule_at(std::max(due, events_->now() + destage_per_unit_ns_), &destage_event, this);
}

void WriteCache::destage_event(void* object, std::uint64_t) {  // C7
  auto& cache = *static_cast<WriteCache*>(object);
  cache.destage_scheduled_ = false;
  if (cache.head_ == kNil) return;
  if (cache.entries_[cache.head_].since_ns + cache.destage_delay_ns_ <= cache.events_->now())
    cache.persist(cache.head_);
  if (cache.head_ != kNil) cache.schedule_destage();
}

}  // namespace flushlab::media
