// SPDX-License-Identifier: GPL-2.0-only
// Device-mapper tables as text: what is read, and what is refused with line and word.
#include <catch2/catch.hpp>

#include "hostmodel/dm/table.hpp"

using namespace flushlab;

TEST_CASE("dm table: what is read") {
  const auto table = dm::parse_table(
      "0 131072 linear /dev/nvme0n1 2048\n\n131072 262144 striped 2 128 /dev/nvme0n1 0 /dev/nvme1n1 4096\n"
      "393216 8 crypt aes-xts-plain64 00ff 0 /dev/nvme0n1 7 1 allow_discards\n");
  REQUIRE(table.size() == 3);
  CHECK(table[0].type == dm::TargetType::kLinear);
  CHECK(table[0].members[0].start == 2048);
  CHECK(table[1].type == dm::TargetType::kStriped);
  CHECK(table[1].chunk_sectors == 128);
  REQUIRE(table[1].members.size() == 2);
  CHECK(table[1].members[1].device == "/dev/nvme1n1");
  CHECK(table[1].members[1].start == 4096);
  CHECK(table[2].type == dm::TargetType::kCrypt);
  CHECK(table[2].members[0].start == 7);
}

TEST_CASE("dm table: what is refused, with its place") {
  struct Row {
    const char* text;
    std::vector<const char*> says;
  };
  const std::vector<Row> rows = {
      {"", {"no target"}},
      {"\n \n", {"no target"}},
      {"0", {"line 1", "the length"}},
      {"x 8 linear d 0", {"line 1", "'x'", "the first sector"}},
      {"0 -8 linear d 0", {"line 1", "'-8'"}},
      {"0 0 linear d 0", {"line 1", "no length"}},
      {"0 8", {"target type"}},
      {"0 8 linear", {"the device"}},
      {"0 8 linear d", {"offset"}},
      {"0 8 linear d 0 9", {"'9'", "one word too many"}},
      {"8 8 linear d 0", {"line 1", "starts at sector 8", "0"}},
      {"0 8 linear d 0\n16 8 linear d 8", {"line 2", "starts at sector 16", "8"}},
      {"0 8 linear d 0\n8 18446744073709551615 linear d 8", {"line 2", "beyond"}},
      {"0 99999999999999999999 linear d 0", {"line 1", "'99999999999999999999'"}},
      {"0 9 striped 2 8 a 0 b 0", {"line 1", "stripes divide"}},
      {"0 8 striped 0 8", {"1 to 1024"}},
      {"0 8 striped 2 0 a 0 b 0", {"chunk"}},
      {"0 8 striped 2 4294967297 a 0 b 0", {"chunk"}},
      {"0 8 striped 2 8 a 0 b", {"a stripe's offset"}},
      {"0 8 striped 2 8 a 0", {"a stripe's device"}},
      {"0 8 crypt aes", {"the key"}},
      {"0 8 raid1 3 0 region_size 1024", {"raid1", "linear, striped, crypt"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    try {
      (void)dm::parse_table(row.text);
      FAIL("accepted");
    } catch (const dm::TableError& error) {
      CAPTURE(error.what());
      for (const char* words : row.says) CHECK(std::string(error.what()).find(words) != std::string::npos);
    }
  }
}
