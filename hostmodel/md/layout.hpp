// SPDX-License-Identifier: GPL-2.0-only
// What mdadm --create writes down: where superblock, bitmap, bad block log and data lie on each member
// (mdadm super1.c validate_geometry1, add_internal_bitmap1; super0.c), and how long the kernel's write of a bitmap page
// is (models drivers/md/md-bitmap.c write_sb_page and its successors). Sectors of 512 bytes.
//
//   1.0   data ... [bitmap][bad block log][superblock]      the bitmap's offset is negative
//   1.1   [superblock][bitmap][bad block log] ... data      superblock at sector 0
//   1.2   the same, superblock at sector 8
//   0.90  data ... [superblock][bitmap]                     in the last 64 to 128 KiB of the device
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hostmodel/kernel/kernel_profile.hpp"
#include "hostmodel/md/geometry.hpp"

namespace flushlab::md {

enum class Metadata : std::uint8_t { k0_90, k1_0, k1_1, k1_2 };
[[nodiscard]] std::optional<Metadata> parse_metadata(std::string_view text);  // "0.90", "1.0", "1.1", "1.2", "1"
[[nodiscard]] const char* name_of(Metadata metadata);

enum class BitmapKind : std::uint8_t {
  kNone,
  kInternal,
  kExternal,   // a file on another file system: no member sees its pages
  kClustered,  // one bitmap a node, one behind the other
};
[[nodiscard]] std::optional<BitmapKind> parse_bitmap_kind(std::string_view text);

// One member, as far as the arithmetic asks.
struct MemberDevice {
  std::uint64_t sectors = 0;
  std::uint32_t logical_block_size = 512;
  std::uint32_t io_opt = 0;  // the member's queue/optimal_io_size
};

// What is asked for, in mdadm's terms. 0 and nullopt: as mdadm chooses.
struct CreateOptions {
  Level level = Level::kRaid10;
  Raid10Layout layout;
  std::uint32_t raid_devices = 0;
  std::uint64_t chunk_sectors = 0;
  std::uint64_t size_sectors = 0;  // of each member that is used
  Metadata metadata = Metadata::k1_2;
  BitmapKind bitmap = BitmapKind::kInternal;
  std::uint64_t bitmap_chunk_sectors = 0;
  std::uint32_t nodes = 4;  // clustered
  std::optional<std::uint64_t> data_offset;
  std::optional<std::int64_t> bitmap_offset;  // from the superblock
};

// Where things are on one member.
struct MemberLayout {
  std::uint64_t sb_start = 0;
  std::uint64_t data_offset = 0;
  std::uint64_t data_sectors = 0;  // what the array uses of it
  std::int64_t bitmap_offset = 0;  // from sb_start
  std::uint32_t bitmap_sectors = 0;
  std::int64_t bad_block_log_offset = 0;  // from sb_start; 0: none
  std::uint32_t superblock_bytes = 512;   // of the kernel's write
  std::uint32_t logical_block_size = 512;
  std::uint32_t io_opt = 0;
};

// ---- the bitmap's bits and pages ----

inline constexpr std::uint32_t kBitmapSuperBytes = 256;
inline constexpr std::uint32_t kBitmapPageBytes = 4096;
inline constexpr std::uint32_t kBitmapPageSectors = 8;

struct BitPlace {
  std::uint32_t page = 0;
  std::uint32_t byte = 0;
  std::uint8_t mask = 0;
  bool operator==(const BitPlace&) const = default;
};

struct BitmapShape {
  std::uint64_t bits = 0;
  std::uint64_t chunk_sectors = 0;

  [[nodiscard]] std::uint64_t bytes() const { return (bits + 7) / 8 + kBitmapSuperBytes; }
  [[nodiscard]] std::uint32_t pages() const {
    return static_cast<std::uint32_t>((bytes() + kBitmapPageBytes - 1) / kBitmapPageBytes);
  }
  // Of the last page; the pages before it are full.
  [[nodiscard]] std::uint32_t last_page_bytes() const {
    const auto rest = static_cast<std::uint32_t>(bytes() % kBitmapPageBytes);
    return rest == 0 ? kBitmapPageBytes : rest;
  }
  [[nodiscard]] static BitPlace place(std::uint64_t bit) {
    const std::uint64_t at = bit + std::uint64_t{kBitmapSuperBytes} * 8;
    constexpr std::uint64_t kBitsAPage = std::uint64_t{kBitmapPageBytes} * 8;
    return {static_cast<std::uint32_t>(at / kBitsAPage), static_cast<std::uint32_t>(at % kBitsAPage / 8),
            static_cast<std::uint8_t>(1U << (at % 8))};
  }
};

// ---- a created array ----

struct ArrayLayout {
  Geometry geometry;
  Metadata metadata = Metadata::k1_2;
  BitmapKind bitmap = BitmapKind::kInternal;
  std::uint32_t nodes = 1;
  BitmapShape shape;  // bits 0: no bitmap
  std::vector<MemberLayout> members;
};

struct LayoutResult {
  std::optional<ArrayLayout> layout;
  std::string error;  // as mdadm's user would understand it; empty with a layout
  std::string remedy;
};
[[nodiscard]] LayoutResult create_layout(const CreateOptions& options, const std::vector<MemberDevice>& devices);

// ---- the write of one page (linux-md-bitmap: before 6.4, the mail's v2, 6.4, 6.11) ----

struct PageWrite {
  bool refused = false;  // md sends nothing to this member and marks the bitmap stale
  std::uint64_t sector = 0;
  std::uint32_t bytes = 0;
  const char* why = "";  // of the length or the refusal
};
// `page` of node `node`'s bitmap on one member.
[[nodiscard]] PageWrite bitmap_page_write(const kernel::KernelProfile& kernel, const ArrayLayout& array,
                                          const MemberLayout& member, std::uint32_t page, std::uint32_t node = 0);

// The bitmap's superblock, bytes 0 to 255 of page 0.
struct BitmapSuper {
  std::array<std::uint8_t, 16> uuid{};
  std::uint64_t events = 0;
  std::uint64_t events_cleared = 0;
  std::uint64_t sync_sectors = 0;
  std::uint32_t state = 0;  // bit 1 stale, bit 2 write error
  std::uint32_t chunk_bytes = 0;
  std::uint32_t daemon_sleep_s = 5;
  std::uint32_t write_behind = 0;
  std::uint32_t sectors_reserved = 0;
  std::uint32_t nodes = 0;
  std::uint32_t version = 4;
};
[[nodiscard]] std::array<std::uint8_t, kBitmapSuperBytes> encode(const BitmapSuper& super);

}  // namespace flushlab::md
