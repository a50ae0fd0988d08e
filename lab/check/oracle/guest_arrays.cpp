// SPDX-License-Identifier: GPL-2.0-only
// The guest's arrays: made again as an earlier scenario made them, and what belongs on their members.
#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "lab/check/oracle/programs.hpp"

namespace flushlab::lab::oracle {

// The array that an earlier scenario of the same boot made: by the `mdadm --create` line of the scenario whose name is
// most like this one's. By the time that it is used again everything that its creation set off is over.
void Guest::restore_array(const GroupSetup& group) {
  const ArrayLine* best = nullptr;
  std::size_t most = 0;
  for (const ArrayLine& line : group.arrays) {
    if (line.scenario == recording_->name && !line.in_setup) {
      own_disks_ = line.disks;
      continue;
    }
    const auto common = static_cast<std::size_t>(
        std::mismatch(line.scenario.begin(), line.scenario.end(), recording_->name.begin(), recording_->name.end())
            .first -
        line.scenario.begin());
    if (best == nullptr || common > most) {
      best = &line;
      most = common;
    }
  }
  const bool running = recording_->queue_limits.contains("md0");
  const bool uses = std::any_of(recording_->lines.begin(), recording_->lines.end(),
                                [](const GuestLine& line) { return line.text.starts_with("mdadm --assemble"); });
  if (best == nullptr || (!running && !uses)) return;
  const std::vector<SimpleCommand> commands = parse_shell(best->text, {{"OUT", "/out"}, {"SC", recording_->name}});
  std::optional<std::vector<std::string>> output;
  const std::vector<std::string> own = std::exchange(own_disks_, best->disks);
  run_task(programs_->run(commands.front(), output), "the setup");
  own_disks_ = own;
  constexpr sim::TimeNs kLongEnough = 60 * sim::kSecond;
  settle(kLongEnough);
  if (running) return;
  struct Stop {
    static sim::Task<void> run(md::Array& array) { co_await array.stop(); }
  };
  run_task(Stop::run(*arrays_.back()), "the setup");
  settle(sim::kSecond);
  retire_array(last_array_->array);
}

md::Array* Guest::find_array(const std::string& path) {
  for (const auto& array : arrays_) {
    if ("/dev/" + array->name() == path) return array.get();
  }
  return nullptr;
}

void Guest::retire_array(const std::string& path) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if ("/dev/" + arrays_[i]->name() != path) continue;
    stopped_.push_back(std::move(arrays_[i]));
    arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

MemberMetadata Guest::metadata_of(const std::string& disk) const {
  MemberMetadata found;
  std::set<std::string>& all = found.units;
  for (const auto* arrays : {&arrays_, &stopped_}) {
    for (const auto& array : *arrays) {
      const md::ArrayLayout& layout = array->layout();
      for (std::size_t slot = 0; slot < layout.members.size(); ++slot) {
        if (array->member(slot).name() != disk) continue;
        const md::MemberLayout& member = layout.members[slot];
        const std::uint64_t block = member.logical_block_size / 512;
        found.superblock =
            fmt::format("{}+{}", member.sb_start / block, member.superblock_bytes / member.logical_block_size);
        all.insert(found.superblock);
        for (std::uint32_t page = 0; layout.shape.bits != 0 && page < layout.shape.pages(); ++page) {
          const md::PageWrite write = md::bitmap_page_write(scenario_.kernel, layout, member, page);
          std::uint64_t at = write.sector / block;
          std::uint64_t left = write.bytes / member.logical_block_size;
          for (; left > 8 && left <= 16; left -= 8, at += 8) all.insert(fmt::format("{}+8", at));
          all.insert(fmt::format("{}+{}", at, left));
        }
      }
    }
  }
  return found;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> Guest::copies_of(const std::vector<RecordedBio>& bios,
                                                                      const std::string& disk) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  for (const auto& array : arrays_) {
    const md::ArrayLayout& layout = array->layout();
    for (const RecordedBio& bio : bios) {
      if (bio.device != array->name() || bio.op() != 'W') continue;
      for (std::uint64_t at = bio.sector; at < bio.sector + bio.sectors;) {
        const std::uint64_t here = std::min<std::uint64_t>(bio.sector + bio.sectors - at, layout.geometry.room_at(at));
        const md::Copies copies = layout.geometry.map(at);
        for (std::uint32_t i = 0; i < copies.count; ++i) {
          const std::uint32_t slot = copies.copy[i].slot;
          if (array->member(slot).name() != disk) continue;
          const std::uint64_t block = layout.members[slot].logical_block_size / 512;
          const std::uint64_t begin = (copies.copy[i].sector + layout.members[slot].data_offset) / block;
          all.emplace_back(begin, begin + here / block);
        }
        at += here;
      }
    }
  }
  return all;
}

md::LayoutResult Guest::layout_of(const ArrayCommand& command) {
  std::vector<md::MemberDevice> members;
  for (const std::string& path : command.members) {
    block::BlockDevice* member = path.starts_with("/dev/") ? find_device(path.substr(5)) : nullptr;
    if (member == nullptr) throw NotModelled(fmt::format("mdadm: no device {}", path));
    members.push_back({member->sectors(), member->limits().logical_block_size, member->limits().io_opt});
  }
  return md::create_layout(command.options, members);
}

// "$(( $(blockdev --getsize64 /dev/md0) / 4096 - 1 ))": the one arithmetic that recordings use.
std::string Guest::with_sizes(std::string line) {
  constexpr std::string_view kBegin = "$(( $(blockdev --getsize64 /dev/";
  const std::size_t begin = line.find(kBegin);
  if (begin == std::string::npos) return line;
  const std::size_t name = begin + kBegin.size();
  const std::size_t close = line.find(')', name);
  const std::size_t end = line.find("))", close + 1);
  if (close == std::string::npos || end == std::string::npos) return line;
  const block::BlockDevice* device = find_device(line.substr(name, close - name));
  std::uint64_t divisor = 0;
  std::uint64_t less = 0;
  if (device == nullptr ||
      std::sscanf(line.c_str() + close + 1, " / %" SCNu64 " - %" SCNu64 " ", &divisor, &less) != 2 || divisor == 0)
    return line;
  const std::uint64_t value = device->sectors() * 512 / divisor - less;
  return line.substr(0, begin) + std::to_string(value) + line.substr(end + 2);
}

}  // namespace flushlab::lab::oracle
