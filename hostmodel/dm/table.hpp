// SPDX-License-Identifier: GPL-2.0-only
// A device-mapper table as `dmsetup create` reads it: one target a line, sectors of 512 bytes.
//
//   0 131072 linear /dev/nvme0n1 2048
//   0 262144 striped 2 128 /dev/nvme0n1 0 /dev/nvme1n1 0
//   0 262144 crypt aes-xts-plain64 KEY 0 /dev/nvme0n1 0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace flushlab::dm {

enum class TargetType : std::uint8_t { kLinear, kStriped, kCrypt };

struct TargetMember {
  std::string device;  // as the table names it
  std::uint64_t start = 0;
};

struct TargetSpec {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  TargetType type = TargetType::kLinear;
  std::uint32_t chunk_sectors = 0;  // striped
  std::vector<TargetMember> members;
};

// Names the line, the word and what was expected.
class TableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A target type that this model does not know; what() names it.
class UnknownTarget : public TableError {
 public:
  using TableError::TableError;
};

// Throws TableError. The targets cover the device from sector 0 without a gap.
[[nodiscard]] std::vector<TargetSpec> parse_table(std::string_view text);

}  // namespace flushlab::dm
