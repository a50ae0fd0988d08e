// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/dm/mapped_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flushlab::dm {

using block::Bio;
using block::BioOp;
using block::BlockStatus;

MappedDevice::MappedDevice(std::string name, kernel::Machine& machine, std::vector<TargetSpec> table,
                           std::vector<std::vector<block::BlockDevice*>> members)
    : BlockDevice(std::move(name), &MappedDevice::submit),
      machine_(&machine),
      table_(std::move(table)),
      members_(std::move(members)) {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const TargetSpec& target = table_[i];
    const std::uint64_t each = target.length / target.members.size();
    for (std::size_t m = 0; m < target.members.size(); ++m) {
      block::BlockDevice* device = members_[i][m];
      if (target.members[m].start + each > device->sectors()) {
        throw TableError(fmt::format("{}: {} sectors from {} do not fit on {}, which has {}", this->name(), each,
                                     target.members[m].start, target.members[m].device, device->sectors()));
      }
      if (std::find(distinct_.begin(), distinct_.end(), device) == distinct_.end()) distinct_.push_back(device);
    }
  }
  set_sectors(table_.back().begin + table_.back().length);
  stack_limits();
}

// models drivers/md/dm-table.c dm_calculate_queue_limits and dm_table_set_restrictions
void MappedDevice::stack_limits() {
  limits_ = distinct_.front()->limits();
  limits_.write_cache_disabled = false;
  limits_.feature_write_cache = limits_.feature_fua = false;
  limits_.alignment_offset = 0;
  const bool effective = machine_->kernel().stacked_write_cache == kernel::StackedWriteCache::kEffective;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const TargetSpec& target = table_[i];
    for (std::size_t m = 0; m < target.members.size(); ++m) {
      const block::QueueLimits& member = members_[i][m]->limits();
      block::stack_limits(limits_, member, target.members[m].start);
      if (effective ? member.write_cache() : member.feature_write_cache) limits_.feature_write_cache = true;
      if (member.feature_fua) limits_.feature_fua = true;
    }
    if (target.type == TargetType::kStriped) {  // models dm-stripe.c stripe_io_hints
      limits_.io_min = std::max(limits_.io_min, target.chunk_sectors * 512);
      limits_.io_opt = std::max<std::uint32_t>(
          limits_.io_opt, target.chunk_sectors * 512 * static_cast<std::uint32_t>(target.members.size()));
    }
  }
  if (!limits_.feature_write_cache) limits_.feature_fua = false;
}

void MappedDevice::submit(block::BlockDevice& device, Bio& bio) {
  auto& self = static_cast<MappedDevice&>(device);
  bio.status = BlockStatus::kOk;
  if (bio.is_flush_or_fua() && !self.limits_.write_cache()) {  // D5
    bio.flags = static_cast<std::uint16_t>(bio.flags & ~(block::REQ_PREFLUSH | block::REQ_FUA));
    if (bio.sectors == 0) {
      bio.end_io(bio);
      return;
    }
  }
  if ((bio.flags & block::REQ_PREFLUSH) != 0) {
    self.send_flush(bio, bio.sectors != 0);
  } else {
    self.send_data(bio);
  }
}

MappedDevice::Clone& MappedDevice::take_clone(Bio& parent) {
  Clone* clone = nullptr;
  if (free_.empty()) {
    clone = &clones_.emplace_back();
  } else {
    clone = free_.back();
    free_.pop_back();
  }
  clone->device = this;
  clone->parent = &parent;
  clone->of_preflush = false;
  Bio& bio = clone->bio;
  bio.op = parent.op;
  bio.flags = parent.flags;
  bio.cpu = parent.cpu;
  bio.task = parent.task;
  bio.plug = parent.plug;
  bio.owner = clone;
  bio.end_io = &clone_ended;
  return *clone;
}

// models drivers/md/dm.c __send_empty_flush
void MappedDevice::send_flush(Bio& parent, bool data_follows) {
  parent.parts = static_cast<std::uint32_t>(distinct_.size());
  const bool reverse = machine_->kernel().dm_flush_order == kernel::MemberOrder::kReverse;
  const std::vector<block::BlockDevice*>& devices = distinct_;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Clone& clone = take_clone(parent);
    clone.of_preflush = data_follows;
    clone.bio.op = BioOp::kWrite;
    clone.bio.flags = block::REQ_PREFLUSH | block::REQ_SYNC;
    clone.bio.sector = 0;
    clone.bio.sectors = 0;
    clone.bio.buffer = 0;
    devices[reverse ? devices.size() - 1 - i : i]->submit_bio(clone.bio);
  }
}

// Where a sector of the device lies, and how many sectors from there lie together (models linear_map, stripe_map).
void MappedDevice::map(std::uint64_t sector, std::size_t& target, std::size_t& member, std::uint64_t& to,
                       std::uint64_t& room) const {
  target = 0;
  while (target + 1 < table_.size() && sector >= table_[target + 1].begin) ++target;
  const TargetSpec& t = table_[target];
  const std::uint64_t offset = sector - t.begin;
  room = t.length - offset;
  member = 0;
  to = t.members[0].start + offset;
  if (t.type != TargetType::kStriped) return;
  const std::uint64_t chunk = offset / t.chunk_sectors;
  const std::uint64_t within = offset % t.chunk_sectors;
  member = static_cast<std::size_t>(chunk % t.members.size());
  to = t.members[member].start + chunk / t.members.size() * t.chunk_sectors + within;
  room = std::min(room, t.chunk_sectors - within);
}

void MappedDevice::send_data(Bio& parent) {
  std::uint32_t done = 0;
  parent.parts = 1;  // held until every piece is out
  while (done < parent.sectors) {
    std::size_t target = 0;
    std::size_t member = 0;
    std::uint64_t to = 0;
    std::uint64_t room = 0;
    map(parent.sector + done, target, member, to, room);
    const bool by_stripe =
        parent.op == BioOp::kDiscard || (parent.op == BioOp::kWriteZeroes && !machine_->kernel().dm_zeroes_by_chunk);
    if (table_[target].type == TargetType::kStriped && by_stripe) {
      const std::uint64_t left = table_[target].begin + table_[target].length - parent.sector - done;
      const auto sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, parent.sectors - done));
      send_striped_range(parent, target, done, sectors);
      done += sectors;
      continue;
    }
    Clone& clone = take_clone(parent);
    clone.bio.sector = to;
    clone.bio.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, parent.sectors - done));
    clone.bio.buffer = parent.buffer == 0 ? 0 : parent.buffer + std::uint64_t{done} * 512;
    clone.target = members_[target][member];
    done += clone.bio.sectors;
    ++parent.parts;
    if (table_[target].type == TargetType::kCrypt && parent.op == BioOp::kWrite) {
      clone.bio.plug = nullptr;
      clone.bio.task = "dmcrypt_write";
      to_write_.push_back(&clone);
      write_thread();
    } else {
      clone.target->submit_bio(clone.bio);
    }
  }
  if (--parent.parts == 0) parent.end_io(parent);
}

// models drivers/md/dm-stripe.c stripe_map_range
void MappedDevice::send_striped_range(Bio& parent, std::size_t target, std::uint32_t done, std::uint32_t sectors) {
  const TargetSpec& t = table_[target];
  const std::uint64_t stripes = t.members.size();
  // Where the stripe's part of [0, offset) ends.
  const auto end_on = [&](std::uint64_t offset, std::uint64_t stripe) {
    const std::uint64_t chunk = offset / t.chunk_sectors;
    const std::uint64_t row = chunk / stripes * t.chunk_sectors;
    const std::uint64_t at = chunk % stripes;
    return at == stripe ? row + offset % t.chunk_sectors : stripe < at ? row + t.chunk_sectors : row;
  };
  const std::uint64_t offset = parent.sector + done - t.begin;
  for (std::uint64_t stripe = 0; stripe < stripes; ++stripe) {
    const std::uint64_t begin = end_on(offset, stripe);
    const std::uint64_t end = end_on(offset + sectors, stripe);
    if (begin == end) continue;
    Clone& clone = take_clone(parent);
    clone.bio.sector = t.members[stripe].start + begin;
    clone.bio.sectors = static_cast<std::uint32_t>(end - begin);
    clone.bio.buffer = 0;
    clone.target = members_[target][stripe];
    ++parent.parts;
    clone.target->submit_bio(clone.bio);
  }
}

// models drivers/md/dm-crypt.c kcryptd_crypt_write_io_submit, dmcrypt_write
void MappedDevice::write_thread() {
  if (std::exchange(write_thread_woken_, true)) return;
  machine_->simulator().events().schedule_after(machine_->costs().flush_requeue_ns.value, &write_thread_runs, this);
}

void MappedDevice::write_thread_runs(void* object, std::uint64_t) {
  auto& self = *static_cast<MappedDevice*>(object);
  self.write_thread_woken_ = false;
  std::vector<Clone*> writes = std::exchange(self.to_write_, {});
  std::stable_sort(writes.begin(), writes.end(),
                   [](const Clone* a, const Clone* b) { return a->bio.sector < b->bio.sector; });
  for (Clone* clone : writes) clone->target->submit_bio(clone->bio);
}

void MappedDevice::clone_ended(Bio& bio) {
  auto& clone = *static_cast<Clone*>(bio.owner);
  MappedDevice& self = *clone.device;
  Bio& parent = *clone.parent;
  const bool data_follows = clone.of_preflush;
  if (bio.status != BlockStatus::kOk && parent.status == BlockStatus::kOk) parent.status = bio.status;
  self.free_.push_back(&clone);
  if (--parent.parts != 0) return;
  if (data_follows && parent.status == BlockStatus::kOk) {  // D3
    parent.flags = static_cast<std::uint16_t>(parent.flags & ~block::REQ_PREFLUSH);
    parent.plug = nullptr;
    self.send_data(parent);
    return;
  }
  parent.end_io(parent);
}

}  // namespace flushlab::dm
