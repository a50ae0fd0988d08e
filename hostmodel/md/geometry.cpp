// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/md/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace flushlab::md {

namespace {

constexpr std::uint64_t kRaid1BarrierUnit = std::uint64_t{1} << 17;  // sectors, 64 MiB

}  // namespace

std::optional<Level> level_of(std::uint64_t number) {
  for (const Level level : {Level::kRaid1, Level::kRaid4, Level::kRaid5, Level::kRaid6, Level::kRaid10}) {
    if (static_cast<std::uint64_t>(level) == number) return level;
  }
  return std::nullopt;
}

std::optional<Raid10Layout> parse_raid10_layout(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  std::uint32_t copies = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), copies);
  if (error != std::errc() || end != text.data() + text.size() || copies == 0 || copies > kMaxCopies)
    return std::nullopt;
  Raid10Layout layout;
  switch (text[0]) {
    case 'n':
      layout.near = copies;
      return layout;
    case 'f':
    case 'o':
      layout.near = 1;
      layout.far = copies;
      layout.offset = text[0] == 'o';
      return layout;
    default:
      return std::nullopt;
  }
}

std::uint64_t Geometry::array_sectors() const {
  switch (level) {
    case Level::kRaid1:
      return member_sectors;
    case Level::kRaid4:
    case Level::kRaid5:
      return member_chunks() * chunk_sectors * (disks - 1);
    case Level::kRaid6:
      return member_chunks() * chunk_sectors * (disks - 2);
    case Level::kRaid10:
      return member_chunks() / layout.far * disks / layout.near * chunk_sectors;
  }
  return 0;
}

std::uint64_t Geometry::sync_sectors() const {
  return level == Level::kRaid10  ? array_sectors()
         : level == Level::kRaid1 ? member_sectors
                                  : member_chunks() * chunk_sectors;
}

std::uint64_t Geometry::stride() const {
  if (layout.offset) return chunk_sectors;
  const std::uint64_t array_chunks = array_sectors() / chunk_sectors;
  const std::uint64_t used = (array_chunks * layout.copies() + disks - 1) / disks;
  return used / layout.far * chunk_sectors;
}

Copies Geometry::map(std::uint64_t sector) const {
  Copies out;
  if (level != Level::kRaid10) {
    for (std::uint32_t slot = 0; slot < disks && slot < kMaxCopies; ++slot) out.copy[out.count++] = {slot, sector};
    return out;
  }
  const std::uint64_t in_chunk = sector % chunk_sectors;
  const std::uint64_t chunk = sector / chunk_sectors * layout.near;
  std::uint64_t stripe = chunk / disks;
  auto slot = static_cast<std::uint32_t>(chunk % disks);
  if (layout.offset) stripe *= layout.far;
  std::uint64_t address = in_chunk + stripe * chunk_sectors;
  const std::uint64_t far_step = stride();
  // A far copy moves on by `near` members inside its set; the last set takes what members are left over.
  const std::uint32_t set_size = layout.far_set == 1   ? disks / layout.far
                                 : layout.far_set == 2 ? layout.near * layout.far
                                                       : disks;
  const std::uint32_t last_set_start = (disks / set_size - 1) * set_size;
  for (std::uint32_t n = 0; n < layout.near; ++n) {
    std::uint32_t far_slot = slot;
    std::uint64_t far_address = address;
    out.copy[out.count++] = {slot, address};
    for (std::uint32_t f = 1; f < layout.far; ++f) {
      const std::uint32_t set = std::min(far_slot / set_size * set_size, last_set_start);
      const std::uint32_t members = set == last_set_start ? disks - last_set_start : set_size;
      far_slot = set + (far_slot - set + layout.near) % members;
      far_address += far_step;
      out.copy[out.count++] = {far_slot, far_address};
    }
    if (++slot == disks) {
      slot = 0;
      address += chunk_sectors;
    }
  }
  return out;
}

std::uint64_t Geometry::room_at(std::uint64_t sector) const {
  switch (level) {
    case Level::kRaid1:
      return kRaid1BarrierUnit - sector % kRaid1BarrierUnit;
    case Level::kRaid10:
      return layout.near < disks || layout.far > 1 ? chunk_sectors - sector % chunk_sectors
                                                   : std::numeric_limits<std::uint64_t>::max();
    default:
      return chunk_sectors - sector % chunk_sectors;
  }
}

std::string Geometry::problem() const {
  const std::uint32_t least = level == Level::kRaid1    ? 1
                              : level == Level::kRaid6  ? 4
                              : level == Level::kRaid10 ? layout.copies()
                                                        : 2;
  if (disks < least || disks > 384)
    return fmt::format("level {} takes {} to 384 devices, not {}", static_cast<unsigned>(level), least, disks);
  if (level == Level::kRaid1) {
    if (disks > kMaxCopies) return fmt::format("RAID1 of more than {} devices is not modelled", kMaxCopies);
    return member_sectors == 0 ? "no size" : "";
  }
  if (chunk_sectors < 8 || !std::has_single_bit(chunk_sectors))
    return fmt::format("a chunk of {} KiB; it is a power of two of at least 4 KiB", chunk_sectors / 2);
  if (level == Level::kRaid10 && layout.copies() > kMaxCopies)
    return fmt::format("{} copies; at most {} are modelled", layout.copies(), kMaxCopies);
  if (member_chunks() == 0 || array_sectors() == 0)
    return fmt::format("{} KiB a device are less than one chunk of {} KiB", member_sectors / 2, chunk_sectors / 2);
  return "";
}

}  // namespace flushlab::md
