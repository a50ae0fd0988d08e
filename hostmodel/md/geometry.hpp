// SPDX-License-Identifier: GPL-2.0-only
// Where an array keeps a sector: level, layout and chunk to members and their sectors (models drivers/md/raid10.c
// setup_geo, calc_sectors and __raid10_find_phys, and raid1.c, v6.12). Pure arithmetic; sectors of 512 bytes, member
// sectors without the data offset.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flushlab::md {

enum class Level : std::uint8_t { kRaid1 = 1, kRaid4 = 4, kRaid5 = 5, kRaid6 = 6, kRaid10 = 10 };
[[nodiscard]] std::optional<Level> level_of(std::uint64_t number);

// How RAID10 spreads its copies: "n2" near, "f2" far, "o2" offset; near and far copies may be combined in the word.
struct Raid10Layout {
  std::uint32_t near = 2;
  std::uint32_t far = 1;
  bool offset = false;        // far copies are a chunk further, not half a drive
  std::uint32_t far_set = 0;  // bits 18:17 of the layout word: sets of all, disks / far, or near x far members

  [[nodiscard]] std::uint32_t copies() const { return near * far; }
  [[nodiscard]] std::uint32_t word() const { return near | far << 8 | (offset ? 1U << 16 : 0) | far_set << 17; }
  bool operator==(const Raid10Layout&) const = default;
};
// mdadm's notation: n, f or o and the number of copies. Nothing for anything else.
[[nodiscard]] std::optional<Raid10Layout> parse_raid10_layout(std::string_view text);

inline constexpr std::uint32_t kMaxCopies = 16;

struct Copy {
  std::uint32_t slot = 0;
  std::uint64_t sector = 0;
};
struct Copies {
  std::array<Copy, kMaxCopies> copy{};
  std::uint32_t count = 0;
};

struct Geometry {
  Level level = Level::kRaid10;
  std::uint32_t disks = 0;
  std::uint64_t chunk_sectors = 0;   // 0: RAID1
  std::uint64_t member_sectors = 0;  // of data, what each member gives
  Raid10Layout layout;

  // The array's size, and what the write-intent bitmap covers: the array for RAID10, one member for every other level.
  [[nodiscard]] std::uint64_t array_sectors() const;
  [[nodiscard]] std::uint64_t sync_sectors() const;
  // Whole chunks of a member only. Levels with chunks.
  [[nodiscard]] std::uint64_t member_chunks() const { return member_sectors / chunk_sectors; }
  // Between a copy and its far copy, sectors.
  [[nodiscard]] std::uint64_t stride() const;
  // All copies of an array sector, in the order in which the kernel writes them. RAID1 and RAID10.
  [[nodiscard]] Copies map(std::uint64_t sector) const;
  // Sectors from `sector` to where a request is split.
  [[nodiscard]] std::uint64_t room_at(std::uint64_t sector) const;
  // "" or why mdadm would not make this array, in its user's words.
  [[nodiscard]] std::string problem() const;
};

}  // namespace flushlab::md
