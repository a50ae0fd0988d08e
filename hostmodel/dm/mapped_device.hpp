// SPDX-License-Identifier: GPL-2.0-only
// A device-mapper device: a table of targets over other block devices (models drivers/md/dm.c, dm-table.c, dm-linear.c,
// dm-stripe.c, dm-crypt.c, v6.12).
//
// Rules:
//   D1  A bio is cut at the ends of targets and chunks, from the front; each piece goes down with the bio's flags, FUA
//       included.
//       A discard of a striped target goes to each stripe once, as the range that it has of it; zeroing as well,
//       unless the kernel cuts it at chunks (dm_zeroes_by_chunk).
//   D2  A flush goes to every device of the table at once, in the order that the kernel profile names
//       (dm_flush_order), and is done when all are.
//   D3  A PREFLUSH write first does D2 and then sends its data without PREFLUSH.
//   D4  dm-crypt hands writes to a write thread, which sends what it has sorted by sector; a read goes straight down.
//   D5  The device strips PREFLUSH and FUA itself when it has no write cache, as every block device does; its members
//       do so again for themselves.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "hostmodel/block/block_device.hpp"
#include "hostmodel/dm/table.hpp"
#include "hostmodel/kernel/machine.hpp"

namespace flushlab::dm {

class MappedDevice : public block::BlockDevice {
 public:
  // `members[i]` are the devices of `table[i].members`, in order; they outlive the device. Throws TableError where a
  // target does not fit its members.
  MappedDevice(std::string name, kernel::Machine& machine, std::vector<TargetSpec> table,
               std::vector<std::vector<block::BlockDevice*>> members);

  [[nodiscard]] const std::vector<TargetSpec>& table() const { return table_; }

 private:
  struct Clone {
    block::Bio bio;
    MappedDevice* device = nullptr;
    block::Bio* parent = nullptr;
    bool of_preflush = false;  // D3: the data follows
    block::BlockDevice* target = nullptr;
  };

  static void submit(block::BlockDevice& device, block::Bio& bio);
  static void clone_ended(block::Bio& bio);
  void send_flush(block::Bio& parent, bool data_follows);
  void send_data(block::Bio& parent);
  void send_striped_range(block::Bio& parent, std::size_t target, std::uint32_t done, std::uint32_t sectors);
  void map(std::uint64_t sector, std::size_t& target, std::size_t& member, std::uint64_t& to,
           std::uint64_t& room) const;
  Clone& take_clone(block::Bio& parent);
  void write_thread();
  static void write_thread_runs(void* self, std::uint64_t);
  void stack_limits();

  kernel::Machine* machine_;
  std::vector<TargetSpec> table_;
  std::vector<std::vector<block::BlockDevice*>> members_;
  std::vector<block::BlockDevice*> distinct_;  // every device once, in the table's order
  std::deque<Clone> clones_;
  std::vector<Clone*> free_;
  std::vector<Clone*> to_write_;  // D4
  bool write_thread_woken_ = false;
};

}  // namespace flushlab::dm
