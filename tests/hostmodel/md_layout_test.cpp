// SPDX-License-Identifier: GPL-2.0-only
// The arithmetic of arrays: where a sector lies, where the bitmap's bits lie, what mdadm writes down, and how long the
// write of a bitmap page is in every variant of the kernel.
#include <catch2/catch.hpp>

#include <map>
#include <optional>

#include "hostmodel/md/layout.hpp"

using namespace flushlab;
using kernel::BitmapIoSize;
using md::Level;

namespace {

constexpr std::uint64_t kDrive = 3750748848;  // sectors of a 1.92 TB drive

md::Geometry raid10(const char* layout, std::uint32_t disks) {
  md::Geometry geometry;
  geometry.level = Level::kRaid10;
  geometry.disks = disks;
  geometry.chunk_sectors = 1024;
  geometry.member_sectors = 3750483968;
  geometry.layout = *md::parse_raid10_layout(layout);
  return geometry;
}

std::string copies(const md::Geometry& geometry, std::uint64_t sector, std::uint64_t data_offset) {
  const md::Copies found = geometry.map(sector);
  std::string out;
  for (std::uint32_t i = 0; i < found.count; ++i) {
    out += (i == 0 ? "" : " ") + std::to_string(found.copy[i].slot) + "@" +
           std::to_string(found.copy[i].sector + data_offset);
  }
  return out;
}

// The array of the published measurements.
md::ArrayLayout mail_array(std::uint32_t lbs = 512, std::uint32_t io_opt = 0) {
  md::CreateOptions options;
  options.raid_devices = 4;
  options.chunk_sectors = 1024;
  options.bitmap_chunk_sectors = 131072;
  const auto made = md::create_layout(options, std::vector<md::MemberDevice>(4, {kDrive, lbs, io_opt}));
  REQUIRE(made.error.empty());
  return *made.layout;
}

kernel::KernelProfile kernel_with(BitmapIoSize size) {
  kernel::KernelProfile kernel;
  kernel.bitmap_io_size = size;
  return kernel;
}

}  // namespace

TEST_CASE("md geometry: RAID10 vectors, copy by copy") {
  struct Row {
    const char* name;
    const char* layout;
    std::uint32_t disks;
    std::uint64_t sector;
    const char* copies;
  };
  const std::vector<Row> rows = {
      {"vector 1", "n2", 4, 0, "0@264192 1@264192"},
      {"vector 3", "n2", 4, 1024, "2@264192 3@264192"},
      {"vector 4", "n2", 4, 230164560, "0@115346512 1@115346512"},
      {"vector 5", "n2", 4, 4037516648, "2@2019022184 3@2019022184"},
      {"vector 9 a", "n2", 4, 4026531832, "2@2013530104 3@2013530104"},
      {"vector 9 b", "n2", 4, 4026531840, "0@2013530112 1@2013530112"},
      {"vector 11", "n2", 4, 7500967928, "2@3750748152 3@3750748152"},
      {"vector 13", "n2", 4, 131072, "0@329728 1@329728"},
      {"vector 26 far", "f2", 4, 1024, "1@264192 2@1875506176"},
      {"vector 26 offset", "o2", 4, 1024, "1@264192 2@265216"},
      {"vector 26 offset, next stripe", "o2", 4, 4096, "0@266240 1@267264"},
      {"vector 27", "n2", 3, 1024, "2@264192 0@265216"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(copies(raid10(row.layout, row.disks), row.sector, 264192) == row.copies);
  }
  CHECK(raid10("n2", 4).array_sectors() == 7500967936);
  CHECK(raid10("f2", 4).array_sectors() == 7500967936);
  CHECK(raid10("f2", 4).stride() == 1875241984);
  CHECK(raid10("o2", 4).stride() == 1024);
}

TEST_CASE("md geometry: every sector of a small array has its copies on different members, and no two share a place") {
  for (const char* layout : {"n1", "n2", "n3", "f2", "f3", "o2", "o3"}) {
    for (std::uint32_t disks = 3; disks <= 7; ++disks) {
      md::Geometry geometry = raid10(layout, disks);
      geometry.chunk_sectors = 8;
      geometry.member_sectors = 8 * 24;
      CAPTURE(layout, disks);
      REQUIRE(geometry.problem().empty());
      std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> taken;
      for (std::uint64_t sector = 0; sector < geometry.array_sectors(); sector += 8) {
        const md::Copies found = geometry.map(sector);
        REQUIRE(found.count == geometry.layout.copies());
        std::uint32_t members = 0;
        for (std::uint32_t i = 0; i < found.count; ++i) {
          const std::uint32_t bit = 1U << found.copy[i].slot;
          CHECK((members & bit) == 0);
          members |= bit;
          CHECK(found.copy[i].sector + 8 <= geometry.member_sectors);
          CHECK(taken.emplace(std::pair(found.copy[i].slot, found.copy[i].sector), sector).second);
        }
      }
    }
  }
}

TEST_CASE("md geometry: layouts as mdadm writes them") {
  CHECK(md::parse_raid10_layout("n2")->word() == 0x102);
  CHECK(md::parse_raid10_layout("f2")->word() == 0x201);
  CHECK(md::parse_raid10_layout("o2")->word() == 0x10201);
  for (const char* wrong : {"", "n", "n0", "x2", "n2x", "n99", "2"}) CHECK_FALSE(md::parse_raid10_layout(wrong));
  for (const std::uint64_t wrong : {0U, 2U, 3U, 7U, 11U}) CHECK_FALSE(md::level_of(wrong));
}

TEST_CASE("md bitmap: bytes and pages of a number of bits") {
  struct Row {
    std::uint64_t bits, bytes;
    std::uint32_t pages, last;
  };
  for (const Row& row : {Row{1, 257, 1, 257}, Row{1600, 456, 1, 456}, Row{30720, 4096, 1, 4096}, Row{30721, 4097, 2, 1},
                         Row{57228, 7410, 2, 3314}, Row{63488, 8192, 2, 4096}, Row{63489, 8193, 3, 1}}) {
    const md::BitmapShape shape{row.bits, 131072};
    CAPTURE(row.bits);
    CHECK(shape.bytes() == row.bytes);
    CHECK(shape.pages() == row.pages);
    CHECK(shape.last_page_bytes() == row.last);
  }
  CHECK(md::BitmapShape::place(0) == md::BitPlace{0, 256, 1});
  CHECK(md::BitmapShape::place(30719) == md::BitPlace{0, 4095, 0x80});
  CHECK(md::BitmapShape::place(30720) == md::BitPlace{1, 0, 1});
  CHECK(md::BitmapShape::place(57227) == md::BitPlace{1, 3313, 8});
}

TEST_CASE("md layout: the published array from the drive's size alone") {
  const md::ArrayLayout array = mail_array();
  CHECK(array.geometry.member_sectors == 3750483968);
  CHECK(array.geometry.array_sectors() == 7500967936);
  CHECK(array.shape.bits == 57228);
  const md::MemberLayout& member = array.members[0];
  CHECK(member.sb_start == 8);
  CHECK(member.data_offset == 264192);
  CHECK(member.bitmap_offset == 8);
  CHECK(member.bad_block_log_offset == 24);
  CHECK(member.superblock_bytes == 512);
  // The traced data LBAs fall on the traced pages.
  for (const auto& [lba, bit, page] :
       {std::tuple{115346512ULL, 1756ULL, 0U}, std::tuple{2019022184ULL, 30803ULL, 1U},
        std::tuple{1196223704ULL, 18248ULL, 0U}, std::tuple{2234636712ULL, 34093ULL, 1U}}) {
    const std::uint64_t member_sector = lba - member.data_offset;
    const std::uint64_t chunk_pair = member_sector / 1024 * 2;  // a member's chunk is one of two array chunks
    CHECK(chunk_pair * 1024 / 131072 == bit);
    CHECK(md::BitmapShape::place(bit).page == page);
  }
}

TEST_CASE("md layout: what mdadm wrote for the recorded arrays") {
  struct Row {
    const char* name;
    md::CreateOptions options;
    std::uint64_t device;
    std::uint64_t sb_start, data_offset, size, bits;
    std::int64_t bitmap_offset, bad_blocks;
  };
  const auto options = [](Level level, std::uint32_t disks, std::uint64_t size, std::uint64_t bitmap_chunk,
                          md::Metadata metadata) {
    md::CreateOptions o;
    o.level = level;
    o.raid_devices = disks;
    o.size_sectors = size;
    o.bitmap_chunk_sectors = bitmap_chunk;
    o.metadata = metadata;
    return o;
  };
  constexpr std::uint64_t k16G = 33554432, k12G = 25165824;
  const std::vector<Row> rows = {
      {"raid10 of 12G, bitmap chunk 512K", options(Level::kRaid10, 4, k12G, 1024, md::Metadata::k1_2), k16G, 8, 34816,
       k12G, 49152, 8, 24},
      {"raid1 of 12G, bitmap chunk 256K", options(Level::kRaid1, 2, k12G, 512, md::Metadata::k1_2), k16G, 8, 34816,
       k12G, 49152, 8, 24},
      {"raid1, metadata 1.0", options(Level::kRaid1, 2, k12G, 512, md::Metadata::k1_0), k16G, 33554416, 0, k12G, 49152,
       -24, -8},
      {"raid1, metadata 0.90", options(Level::kRaid1, 2, k12G, 512, md::Metadata::k0_90), k16G, 33554304, 0, k12G,
       49152, 8, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const auto made =
        md::create_layout(row.options, std::vector<md::MemberDevice>(row.options.raid_devices, {row.device}));
    CAPTURE(made.error);
    REQUIRE(made.layout);
    const md::MemberLayout& member = made.layout->members[0];
    CHECK(member.sb_start == row.sb_start);
    CHECK(member.data_offset == row.data_offset);
    CHECK(member.data_sectors == row.size);
    CHECK(made.layout->shape.bits == row.bits);
    CHECK(member.bitmap_offset == row.bitmap_offset);
    CHECK(member.bad_block_log_offset == row.bad_blocks);
  }
}

TEST_CASE("md layout: the defaults that mdadm chooses") {
  md::CreateOptions options;
  options.level = Level::kRaid1;
  options.raid_devices = 2;
  const auto bitmap_chunk = [&](std::uint64_t device) {
    const auto made = md::create_layout(options, std::vector<md::MemberDevice>(2, {device}));
    REQUIRE(made.layout);
    return made.layout->shape.chunk_sectors;
  };
  CHECK(bitmap_chunk(33554432) == 131072);                // 64 MiB
  CHECK(bitmap_chunk(std::uint64_t{1} << 36) == 131072);  // 32 TiB: 2^19 bits in 64 KiB
  CHECK(bitmap_chunk(std::uint64_t{1} << 40) > 131072);   // 512 TiB: more than 128 KiB of bits
  options.bitmap = md::BitmapKind::kNone;
  CHECK(md::create_layout(options, std::vector<md::MemberDevice>(2, {33554432})).layout->shape.bits == 0);
}

TEST_CASE("md layout: what mdadm would not make is said in its user's words") {
  struct Row {
    const char* name;
    std::function<void(md::CreateOptions&, std::vector<md::MemberDevice>&)> change;
    std::vector<const char*> says;
  };
  const std::vector<Row> rows = {
      {"a missing member", [](auto&, auto& devices) { devices.pop_back(); }, {"--raid-devices 4", "3 devices"}},
      {"no devices",
       [](auto& o, auto& devices) {
         o.raid_devices = 0;
         devices.clear();
       },
       {"no number of devices"}},
      {"a device too small", [](auto&, auto& devices) { devices[2].sectors = 100; }, {"100 sectors", "too small"}},
      {"less than the data offset", [](auto&, auto& devices) { devices[2].sectors = 1000; }, {"no room for data"}},
      {"a size that does not fit", [](auto& o, auto&) { o.size_sectors = kDrive; }, {"too small", "--size"}},
      {"a bitmap that does not fit before the data",
       [](auto& o, auto&) {
         o.bitmap_chunk_sectors = 8;
         o.data_offset = 2048;
       },
       {"bitmap chunk of 4 KiB", "room for"}},
      {"a data offset in the superblock", [](auto& o, auto&) { o.data_offset = 8; }, {"no room for a bitmap"}},
      {"a bitmap chunk that is none", [](auto& o, auto&) { o.bitmap_chunk_sectors = 100; }, {"bitmap chunk of 51200"}},
      {"a chunk that is none", [](auto& o, auto&) { o.chunk_sectors = 1000; }, {"chunk of 500 KiB", "power of two"}},
      {"a size below one chunk", [](auto& o, auto&) { o.size_sectors = 512; }, {"less than one chunk"}},
      {"more copies than devices", [](auto& o, auto&) { o.layout.near = 5; }, {"takes 5 to"}},
      {"a data offset with metadata 1.0",
       [](auto& o, auto&) {
         o.metadata = md::Metadata::k1_0;
         o.data_offset = 2048;
       },
       {"metadata 1.0", "sector 0"}},
      {"a clustered bitmap with metadata 1.0",
       [](auto& o, auto&) {
         o.metadata = md::Metadata::k1_0;
         o.bitmap = md::BitmapKind::kClustered;
       },
       {"metadata 1.2"}},
  };
  for (const Row& row : rows) {
    md::CreateOptions options;
    options.raid_devices = 4;
    std::vector<md::MemberDevice> devices(4, {kDrive});
    row.change(options, devices);
    const auto made = md::create_layout(options, devices);
    CAPTURE(row.name, made.error);
    CHECK_FALSE(made.layout);
    CHECK_FALSE(made.remedy.empty());
    for (const char* words : row.says) CHECK(made.error.find(words) != std::string::npos);
  }
}

TEST_CASE("md bitmap write: the published array's last page, in every variant") {
  struct Row {
    std::uint32_t lbs, io_opt;
    std::uint32_t page, v2, clamped;  // bytes
  };
  for (const Row& row :
       {Row{512, 0, 3584, 3584, 3584}, Row{512, 512, 3584, 3584, 3584}, Row{512, 1024, 3584, 4096, 4096},
        Row{512, 2048, 3584, 4096, 4096}, Row{512, 4096, 3584, 4096, 4096}, Row{512, 8192, 3584, 8192, 4096},
        Row{512, 16384, 3584, 16384, 4096}, Row{512, 268435456, 3584, 3584, 3584}, Row{4096, 4096, 4096, 4096, 4096},
        Row{4096, 8192, 4096, 8192, 4096}}) {
    const md::ArrayLayout array = mail_array(row.lbs, row.io_opt);
    CAPTURE(row.lbs, row.io_opt);
    for (const auto& [size, bytes] :
         {std::pair{BitmapIoSize::kPage, row.page}, std::pair{BitmapIoSize::kOptimalV2, row.v2},
          std::pair{BitmapIoSize::kOptimal6_4, row.v2}, std::pair{BitmapIoSize::kOptimalClamped, row.clamped}}) {
      const md::PageWrite first = md::bitmap_page_write(kernel_with(size), array, array.members[0], 0);
      const md::PageWrite last = md::bitmap_page_write(kernel_with(size), array, array.members[0], 1);
      CHECK(first.sector == 16);
      CHECK(first.bytes == 4096);
      CHECK(last.sector == 24);
      CHECK(last.bytes == bytes);
      CHECK_FALSE(last.refused);
    }
  }
}

TEST_CASE("md bitmap write: metadata 1.0, the boundary is the unclamped length's (vector 22)") {
  md::ArrayLayout array = mail_array();
  md::MemberLayout member = array.members[0];
  member.sb_start = 3750748832;
  member.data_offset = 0;
  member.bitmap_offset = -24;
  const auto bytes = [&](BitmapIoSize size, std::uint32_t io_opt, bool slip = false) {
    member.io_opt = io_opt;
    kernel::KernelProfile kernel = kernel_with(size);
    kernel.bitmap_offset_unsigned = slip;
    const md::PageWrite write = md::bitmap_page_write(kernel, array, member, 1);
    CHECK(write.sector == member.sb_start - 16);
    return write.bytes;
  };
  CHECK(bytes(BitmapIoSize::kOptimal6_4, 4096) == 4096);
  CHECK(bytes(BitmapIoSize::kOptimal6_4, 8192) == 8192);
  CHECK(bytes(BitmapIoSize::kOptimal6_4, 16384) == 3584);
  CHECK(bytes(BitmapIoSize::kOptimalClamped, 8192) == 4096);
  CHECK(bytes(BitmapIoSize::kOptimalClamped, 16384) == 3584);
  CHECK(bytes(BitmapIoSize::kPage, 4096) == 3584);
  CHECK(bytes(BitmapIoSize::kOptimal6_4, 4096, true) == 3584);  // the unsigned offset: no optimal size, right place
}

TEST_CASE("md bitmap write: a clustered bitmap's later nodes") {
  md::ArrayLayout array = mail_array(512, 4096);
  array.nodes = 2;
  kernel::KernelProfile kernel = kernel_with(BitmapIoSize::kOptimalClamped);
  kernel.bitmap_limit_by_node = false;
  CHECK(md::bitmap_page_write(kernel, array, array.members[0], 1, 1).bytes == 0);
  kernel.bitmap_limit_by_node = true;
  const md::PageWrite write = md::bitmap_page_write(kernel, array, array.members[0], 1, 1);
  CHECK(write.bytes == 4096);
  CHECK(write.sector == 16 + 8 * 3);
}

namespace {

// The rule of the sheet once more, by hand and in sectors: what a page's write may reach up to.
std::optional<std::uint32_t> by_hand(BitmapIoSize size, md::Metadata metadata, const md::MemberLayout& m,
                                     std::uint32_t page, std::uint32_t pages, std::uint32_t last_bytes) {
  const std::uint32_t base = page + 1 < pages ? 4096 : (last_bytes + 511) / 512 * 512;
  std::uint32_t big = base;
  if (size != BitmapIoSize::kPage && page + 1 == pages && m.io_opt > 512)
    big = (last_bytes + m.io_opt - 1) / m.io_opt * m.io_opt;
  std::int64_t free_sectors = 0;
  switch (metadata) {
    case md::Metadata::k1_0:  // up to the superblock
      free_sectors = -m.bitmap_offset - 8 * std::int64_t{page};
      break;
    case md::Metadata::k0_90:  // nothing is looked at, and no optimal size
      return base;
    default:  // up to the data
      free_sectors = static_cast<std::int64_t>(m.data_offset) - static_cast<std::int64_t>(m.sb_start) -
                     m.bitmap_offset - 8 * std::int64_t{page};
  }
  std::uint32_t bytes = static_cast<std::int64_t>(big / 512) <= free_sectors ? big : base;
  if (static_cast<std::int64_t>(bytes / 512) > free_sectors) return std::nullopt;
  if (size == BitmapIoSize::kOptimalClamped) bytes = std::min(bytes, (pages - page) * 4096);
  return bytes;
}

}  // namespace

TEST_CASE("md bitmap write: io_opt x data offset x metadata x variant, against arithmetic by hand") {
  std::size_t cases = 0;
  for (const std::uint32_t io_opt : {0U, 512U, 4096U, 8192U, 131072U, 33554432U}) {
    for (const std::uint64_t data_offset : {40ULL, 2048ULL, 34816ULL, 264192ULL}) {
      for (const md::Metadata metadata :
           {md::Metadata::k0_90, md::Metadata::k1_0, md::Metadata::k1_1, md::Metadata::k1_2}) {
        for (const BitmapIoSize size : {BitmapIoSize::kPage, BitmapIoSize::kOptimalV2, BitmapIoSize::kOptimal6_4,
                                        BitmapIoSize::kOptimalClamped}) {
          md::CreateOptions options;
          options.level = Level::kRaid1;
          options.raid_devices = 2;
          options.size_sectors = 25165824;
          options.bitmap_chunk_sectors = 512;
          options.metadata = metadata;
          const bool in_front = metadata == md::Metadata::k1_1 || metadata == md::Metadata::k1_2;
          if (in_front) options.data_offset = data_offset;
          const auto made = md::create_layout(options, std::vector<md::MemberDevice>(2, {33554432, 512, io_opt}));
          CAPTURE(io_opt, data_offset, static_cast<int>(metadata), static_cast<int>(size), made.error);
          REQUIRE(made.layout);
          for (std::uint32_t page = 0; page < 2; ++page) {
            const md::MemberLayout& member = made.layout->members[0];
            const md::PageWrite write = md::bitmap_page_write(kernel_with(size), *made.layout, member, page);
            const auto want = by_hand(size, metadata, member, page, 2, 6400 - 4096);
            CHECK(write.refused == !want.has_value());
            if (want) CHECK(write.bytes == *want);
            ++cases;
          }
        }
      }
    }
  }
  CHECK(cases == 6U * 4 * 4 * 4 * 2);
}

TEST_CASE("md bitmap write: a page that does not fit is refused") {
  md::ArrayLayout array = mail_array();
  md::MemberLayout member = array.members[0];
  member.data_offset = 30;  // page 1 would be 24 to 30
  CHECK(md::bitmap_page_write(kernel_with(BitmapIoSize::kPage), array, member, 1).refused);
  member.data_offset = 31;
  CHECK_FALSE(md::bitmap_page_write(kernel_with(BitmapIoSize::kPage), array, member, 1).refused);
  member = array.members[0];
  member.sb_start = 3750748832;
  member.data_offset = 0;
  member.bitmap_offset = -24;
  member.data_sectors = member.sb_start - 20;  // the data reaches into the bitmap
  CHECK(md::bitmap_page_write(kernel_with(BitmapIoSize::kPage), array, member, 0).refused);
}

TEST_CASE("md bitmap superblock: bytes") {
  md::BitmapSuper super;
  super.uuid = {1, 0, 0, 0, 2};
  super.events = 0x1122334455667788;
  super.events_cleared = 2;
  super.sync_sectors = 7500967936;
  super.state = 2;
  super.chunk_bytes = 64U << 20;
  super.sectors_reserved = 16;
  const auto bytes = md::encode(super);
  const std::vector<std::pair<std::size_t, int>> want = {
      {0, 0x62},  {1, 0x69},  {2, 0x74}, {3, 0x6d}, {4, 4},  {8, 1},  {12, 2},  {24, 0x88}, {31, 0x11}, {32, 2},
      {40, 0x00}, {43, 0xbf}, {44, 1},   {48, 2},   {55, 4}, {56, 5}, {64, 16}, {68, 0},    {255, 0}};
  for (const auto& [at, value] : want) {
    CAPTURE(at);
    CHECK(int{bytes[at]} == value);
  }
}
