// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/md/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace flushlab::md {

namespace {

constexpr std::uint64_t kMiB = 2048;         // sectors
constexpr std::uint64_t kGiB = 1024 * kMiB;  // sectors
constexpr std::uint32_t kBadBlockSectors = 8;
constexpr std::uint32_t kReserved0_90 = 128;  // sectors at the end that 0.90 keeps for superblock and bitmap

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Sectors that mdadm keeps for a bitmap (super1.c choose_bm_space).
std::uint64_t bitmap_space(std::uint64_t device_sectors) {
  if (device_sectors < 128) return 0;
  if (device_sectors - 128 >= 200 * kGiB) return 256;
  if (device_sectors - 8 > 8 * kGiB) return 128;
  return 8;
}

// Room in front of the data for a later reshape, bitmap and superblock (super1.c validate_geometry1).
std::uint64_t default_data_offset(std::uint64_t device_sectors, std::uint64_t chunk_sectors) {
  std::uint64_t headroom = 128 * kMiB;
  while (headroom * 1024 > device_sectors && (chunk_sectors == 0 || headroom > chunk_sectors)) headroom /= 2;
  return round_up(24 + bitmap_space(device_sectors) + headroom, kMiB);
}

std::uint64_t superblock_start(Metadata metadata, std::uint64_t device_sectors) {
  switch (metadata) {
    case Metadata::k0_90:
      return (device_sectors & ~std::uint64_t{kReserved0_90 - 1}) - kReserved0_90;
    case Metadata::k1_0:
      return (device_sectors - 16) & ~std::uint64_t{7};
    case Metadata::k1_1:
      return 0;
    case Metadata::k1_2:
      return 8;
  }
  return 8;
}

struct Failure {
  std::string error, remedy;
};

// Sectors for data on a device, before rounding to chunks.
std::uint64_t room_for_data(Metadata metadata, std::uint64_t device_sectors, std::uint64_t data_offset,
                            std::uint64_t sb_start) {
  switch (metadata) {
    case Metadata::k0_90:
      return sb_start;
    case Metadata::k1_0: {
      const std::uint64_t kept = bitmap_space(device_sectors) + kBadBlockSectors;
      return sb_start > kept + data_offset ? sb_start - kept - data_offset : 0;
    }
    default:
      return device_sectors > data_offset ? device_sectors - data_offset : 0;
  }
}

// Sectors that the bitmap may take on a member.
std::uint64_t room_for_bitmap(Metadata metadata, const MemberLayout& member, std::uint64_t device_sectors) {
  switch (metadata) {
    case Metadata::k0_90:
      return kReserved0_90 - 8;
    case Metadata::k1_0: {
      const std::uint64_t end_of_data = member.data_offset + member.data_sectors;
      const std::uint64_t end = member.sb_start - kBadBlockSectors;
      return end > end_of_data ? end - end_of_data : 0;
    }
    default: {
      const std::uint64_t begin = member.sb_start + 8;
      const std::uint64_t end = std::min(member.data_offset, device_sectors);
      return end > begin + kBadBlockSectors ? end - begin - kBadBlockSectors : 0;
    }
  }
}

std::uint64_t bits_for(std::uint64_t sync_sectors, std::uint64_t chunk_sectors) {
  return (sync_sectors + chunk_sectors - 1) / chunk_sectors;
}

std::uint64_t sectors_for(std::uint64_t sync_sectors, std::uint64_t chunk_sectors, std::uint32_t nodes) {
  const BitmapShape shape{bits_for(sync_sectors, chunk_sectors), chunk_sectors};
  return std::uint64_t{shape.pages()} * kBitmapPageSectors * nodes;
}

std::optional<Failure> place_bitmap(const CreateOptions& options, ArrayLayout& array,
                                    const std::vector<MemberDevice>& devices) {
  if (array.bitmap == BitmapKind::kNone) return std::nullopt;
  if (array.bitmap == BitmapKind::kClustered && array.metadata != Metadata::k1_2)
    return Failure{"a clustered bitmap needs metadata 1.2", "--metadata 1.2"};
  array.nodes = array.bitmap == BitmapKind::kClustered ? options.nodes : 1;
  const std::uint64_t sync = array.geometry.sync_sectors();
  std::uint64_t chunk = options.bitmap_chunk_sectors;
  if (chunk != 0 && (chunk < 8 || !std::has_single_bit(chunk) || chunk > kGiB)) {
    return Failure{fmt::format("a bitmap chunk of {} bytes", chunk * 512),
                   "it is a power of two from 4 KiB to 1 GiB, such as 64M"};
  }
  std::uint64_t room = ~std::uint64_t{0};
  if (array.bitmap != BitmapKind::kExternal) {
    for (std::size_t i = 0; i < array.members.size(); ++i)
      room = std::min(room, room_for_bitmap(array.metadata, array.members[i], devices[i].sectors));
  }
  if (room < kBitmapPageSectors)
    return Failure{fmt::format("no room for a bitmap: {} sectors", room),
                   "a larger --data-offset, or a smaller --size"};
  if (chunk == 0) {  // 64 MiB, or the smallest above it whose bitmap fits what mdadm uses by itself
    const std::uint64_t most = std::min<std::uint64_t>(room, 256);
    chunk = 64 * kMiB;
    while (sectors_for(sync, chunk, array.nodes) > most && chunk < kGiB * 1024) chunk *= 2;
  }
  array.shape = {bits_for(sync, chunk), chunk};
  const std::uint64_t sectors = sectors_for(sync, chunk, array.nodes);
  if (array.bitmap == BitmapKind::kExternal) return std::nullopt;
  if (sectors > room) {
    std::uint64_t fits = chunk;
    while (sectors_for(sync, fits, array.nodes) > room && fits < kGiB * 1024) fits *= 2;
    return Failure{fmt::format("a bitmap chunk of {} KiB is too small: {} bits need {} sectors, there is room for {}",
                               chunk / 2, array.shape.bits, sectors, room),
                   fmt::format("--bitmap-chunk {}K or more, or a larger --data-offset", fits / 2)};
  }
  for (MemberLayout& member : array.members) {
    member.bitmap_sectors = static_cast<std::uint32_t>(sectors);
    member.bitmap_offset = 8;
    if (array.metadata == Metadata::k1_0) member.bitmap_offset = -static_cast<std::int64_t>(sectors + kBadBlockSectors);
    if (options.bitmap_offset) member.bitmap_offset = *options.bitmap_offset;
    if (array.metadata == Metadata::k1_1 || array.metadata == Metadata::k1_2)
      member.bad_block_log_offset = member.bitmap_offset + static_cast<std::int64_t>(sectors);
    if (array.metadata == Metadata::k1_0) member.bad_block_log_offset = -static_cast<std::int64_t>(kBadBlockSectors);
  }
  return std::nullopt;
}

std::optional<Failure> place(const CreateOptions& options, const std::vector<MemberDevice>& devices,
                             ArrayLayout& array) {
  if (options.raid_devices == 0) return Failure{"no number of devices", "--raid-devices N"};
  if (devices.size() != options.raid_devices) {
    return Failure{fmt::format("--raid-devices {}, but {} devices", options.raid_devices, devices.size()),
                   "name as many devices as the array has"};
  }
  array.metadata = options.metadata;
  array.bitmap = options.bitmap;
  Geometry& geometry = array.geometry;
  geometry.level = options.level;
  geometry.layout = options.layout;
  geometry.disks = options.raid_devices;
  geometry.chunk_sectors = options.level == Level::kRaid1 ? 0
                           : options.chunk_sectors == 0   ? 1024
                                                          : options.chunk_sectors;
  std::uint64_t size = options.size_sectors == 0 ? ~std::uint64_t{0} : options.size_sectors;
  for (const MemberDevice& device : devices) {
    if (device.sectors < 2 * kReserved0_90)
      return Failure{fmt::format("a device of {} sectors is too small", device.sectors), "use a larger device"};
    MemberLayout member;
    member.logical_block_size = device.logical_block_size;
    member.io_opt = device.io_opt;
    member.sb_start = superblock_start(options.metadata, device.sectors);
    const bool in_front = options.metadata == Metadata::k1_1 || options.metadata == Metadata::k1_2;
    if (in_front)
      member.data_offset = options.data_offset.value_or(default_data_offset(device.sectors, geometry.chunk_sectors));
    if (!in_front && options.data_offset.value_or(0) != 0) {
      return Failure{
          fmt::format("--data-offset with metadata {}, which keeps its data at sector 0", name_of(options.metadata)),
          "--metadata 1.2, or no --data-offset"};
    }
    member.superblock_bytes =
        options.metadata == Metadata::k0_90 ? 4096 : std::max<std::uint32_t>(512, device.logical_block_size);
    const std::uint64_t room = room_for_data(options.metadata, device.sectors, member.data_offset, member.sb_start);
    if (room == 0) {
      return Failure{fmt::format("a device of {} sectors has no room for data behind a data offset of {}",
                                 device.sectors, member.data_offset),
                     "a smaller --data-offset, or a larger device"};
    }
    if (options.size_sectors != 0 && room < options.size_sectors) {
      return Failure{fmt::format("a device of {} sectors is too small: {} are left for data, --size asks for {}",
                                 device.sectors, room, options.size_sectors),
                     fmt::format("--size {} or less, or a larger device", room)};
    }
    size = std::min(size, room);
    array.members.push_back(member);
  }
  if (geometry.chunk_sectors != 0) size -= size % geometry.chunk_sectors;
  geometry.member_sectors = size;
  for (MemberLayout& member : array.members) member.data_sectors = size;
  if (const std::string problem = geometry.problem(); !problem.empty()) return Failure{problem, "see mdadm(8)"};
  return place_bitmap(options, array, devices);
}

}  // namespace

std::optional<Metadata> parse_metadata(std::string_view text) {
  if (text == "0.90" || text == "0") return Metadata::k0_90;
  if (text == "1.0") return Metadata::k1_0;
  if (text == "1.1") return Metadata::k1_1;
  if (text == "1.2" || text == "1" || text == "default") return Metadata::k1_2;
  return std::nullopt;
}

const char* name_of(Metadata metadata) {
  constexpr const char* kNames[] = {"0.90", "1.0", "1.1", "1.2"};
  return kNames[static_cast<std::size_t>(metadata)];
}

std::optional<BitmapKind> parse_bitmap_kind(std::string_view text) {
  if (text == "none") return BitmapKind::kNone;
  if (text == "internal") return BitmapKind::kInternal;
  if (text == "external") return BitmapKind::kExternal;
  if (text == "clustered") return BitmapKind::kClustered;
  return std::nullopt;
}

LayoutResult create_layout(const CreateOptions& options, const std::vector<MemberDevice>& devices) {
  LayoutResult result;
  ArrayLayout array;
  if (const auto failure = place(options, devices, array)) {
    result.error = failure->error;
    result.remedy = failure->remedy;
  } else {
    result.layout = std::move(array);
  }
  return result;
}

// ---- one page's write ----

namespace {

// A page's write that has to end at or before `room` sectors, both counted from the page's own place.
PageWrite choose(std::uint64_t sector, std::uint32_t base, std::uint32_t big, std::int64_t room) {
  PageWrite write;
  write.sector = sector;
  write.bytes = base;
  if (big != base && static_cast<std::int64_t>(big / 512) <= room) {
    write.bytes = big;
    write.why = "rounded up to optimal_io_size";
  } else if (static_cast<std::int64_t>(base / 512) > room) {
    write.refused = true;
    write.why = "does not fit in front of what follows";
  } else {
    write.why = big != base ? "rounded up to logical_block_size: optimal_io_size does not fit"
                            : "rounded up to logical_block_size";
  }
  return write;
}

}  // namespace

PageWrite bitmap_page_write(const kernel::KernelProfile& kernel, const ArrayLayout& array, const MemberLayout& member,
                            std::uint32_t page, std::uint32_t node) {
  using kernel::BitmapIoSize;
  const std::uint32_t pages = array.shape.pages();
  const std::uint64_t page_sectors = std::uint64_t{node} * pages * kBitmapPageSectors + page * kBitmapPageSectors;
  const bool last = page + 1 == pages;
  const std::uint32_t bytes = last ? array.shape.last_page_bytes() : kBitmapPageBytes;
  const std::uint32_t lbs = member.logical_block_size;
  const auto base = static_cast<std::uint32_t>(round_up(bytes, lbs));
  const bool optimal = kernel.bitmap_io_size != BitmapIoSize::kPage && last && member.io_opt > lbs;
  const auto big = optimal ? static_cast<std::uint32_t>(round_up(bytes, member.io_opt)) : base;
  const std::int64_t offset = member.bitmap_offset;
  const std::uint64_t start = member.sb_start + static_cast<std::uint64_t>(offset);
  const std::uint64_t at = start + page_sectors;

  PageWrite write;
  if (offset < 0 && !kernel.bitmap_offset_unsigned) {  // data, bitmap, metadata
    write = choose(at, base, big, -(offset + static_cast<std::int64_t>(page_sectors)));
    if (member.data_offset + member.data_sectors > start) {
      write.refused = true;
      write.why = "the data reaches into the bitmap";
    }
  } else if (member.sb_start < member.data_offset) {  // metadata, bitmap, data
    write = choose(at, base, big, static_cast<std::int64_t>(member.data_offset) - static_cast<std::int64_t>(at));
  } else {  // data, metadata, bitmap: nothing is looked at
    write.sector = at;
    write.bytes = base;
    write.why = "rounded up to logical_block_size";
  }
  if (write.refused || kernel.bitmap_io_size != BitmapIoSize::kOptimalClamped) return write;
  // Not beyond the bitmap's own pages; counted from the array's first page until the clustered fix.
  const std::int64_t index = kernel.bitmap_limit_by_node ? page : std::int64_t{node} * pages + page;
  const std::int64_t limit = std::max<std::int64_t>(0, (std::int64_t{pages} - index) * kBitmapPageBytes);
  if (std::int64_t{write.bytes} > limit) {
    write.bytes = static_cast<std::uint32_t>(limit);
    write.why = limit == 0 ? "nothing: counted beyond the bitmap's pages" : "cut to the bitmap's pages";
  }
  return write;
}

std::array<std::uint8_t, kBitmapSuperBytes> encode(const BitmapSuper& super) {
  std::array<std::uint8_t, kBitmapSuperBytes> out{};
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) out[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  put(0, 0x6d746962, 4);
  put(4, super.version, 4);
  std::copy(super.uuid.begin(), super.uuid.end(), out.begin() + 8);
  put(24, super.events, 8);
  put(32, super.events_cleared, 8);
  put(40, super.sync_sectors, 8);
  put(48, super.state, 4);
  put(52, super.chunk_bytes, 4);
  put(56, super.daemon_sleep_s, 4);
  put(60, super.write_behind, 4);
  put(64, super.sectors_reserved, 4);
  put(68, super.nodes, 4);
  return out;
}

}  // namespace flushlab::md
