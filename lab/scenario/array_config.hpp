// SPDX-License-Identifier: GPL-2.0-only
// The array of a scenario: "array": {"level": 10, "layout": "n2", "raid_devices": 4, ...}, in mdadm's terms. Its
// members are as many drives of the scenario's device profile.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/media/profile.hpp"
#include "hostmodel/md/layout.hpp"

namespace flushlab::lab {

struct ArrayConfig {
  std::uint64_t level = 10;
  std::string layout = "n2";  // RAID10
  std::uint64_t raid_devices = 4;
  std::uint64_t chunk_bytes = 512 * 1024;
  std::uint64_t size_bytes = 0;  // of each member that is used; 0: all that there is
  std::string metadata = "1.2";
  std::string bitmap = "internal";
  std::uint64_t bitmap_chunk_bytes = 0;   // 0: as mdadm chooses
  std::uint64_t data_offset_sectors = 0;  // 0: as mdadm chooses
  std::uint64_t daemon_sleep_ns = 5'000'000'000;
  bool fresh = false;  // just created with --assume-clean: every bit is set; otherwise in use for long, and clean

  // In the arithmetic's terms; `error` is "" or what is wrong, in words for a person.
  [[nodiscard]] md::CreateOptions options(std::string& error) const;
};

// The members as the profile describes them, before a driver has seen them.
[[nodiscard]] std::vector<md::MemberDevice> members_of(const ArrayConfig& array, const media::DeviceProfile& device);

}  // namespace flushlab::lab
