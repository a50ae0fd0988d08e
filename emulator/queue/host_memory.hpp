// SPDX-License-Identifier: GPL-2.0-only
// The host's memory as the drive's DMA sees it: bus addresses, pages of 4096 bytes.
//
// Two kinds of regions:
//   bytes      real contents: queues, PRP lists, Identify and log buffers.
//   write ids  user data. What matters about a user block is which write put it there, so a region of this kind holds
//              one 64-bit write id for each 512 bytes in place of the 512 bytes.
// A bus address is (region + 1) << 40 | offset: address 0 is never valid, and a lookup is an index.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace flushlab::queue {

inline constexpr std::uint64_t kPageBytes = 4096;
inline constexpr std::uint64_t kSectorBytes = 512;

using WriteId = std::uint64_t;  // 0: never written, or written as zeroes

class HostMemory {
 public:
  enum class Kind : std::uint8_t { kBytes, kWriteIds };

  // A region of `size_bytes`, rounded up to pages and zeroed. Returns its bus address (page-aligned).
  std::uint64_t allocate(std::uint64_t size_bytes, Kind kind) {
    const std::uint64_t pages = (size_bytes + kPageBytes - 1) / kPageBytes;
    Region region;
    region.kind = kind;
    region.size_bytes = pages * kPageBytes;
    if (kind == Kind::kBytes) {
      region.bytes.reset(new (std::align_val_t{64}) std::byte[region.size_bytes]());
    } else {
      region.write_ids = std::make_unique<WriteId[]>(region.size_bytes / kSectorBytes);
    }
    regions_.push_back(std::move(region));
    return static_cast<std::uint64_t>(regions_.size()) << kOffsetBits;
  }

  // The bytes at `address`, or nullptr when [address, address + size) is not inside one region of bytes.
  std::byte* bytes(std::uint64_t address, std::uint64_t size_bytes) {
    Region* region = find(address, size_bytes);
    return region != nullptr && region->kind == Kind::kBytes ? region->bytes.get() + offset_of(address) : nullptr;
  }

  // The write ids of the sectors from `address` (a multiple of 512), or nullptr as above.
  WriteId* write_ids(std::uint64_t address, std::uint64_t size_bytes) {
    Region* region = find(address, size_bytes);
    return region != nullptr && region->kind == Kind::kWriteIds
               ? region->write_ids.get() + offset_of(address) / kSectorBytes
               : nullptr;
  }

  // True when [address, address + size) is inside one region of either kind.
  [[nodiscard]] bool valid(std::uint64_t address, std::uint64_t size_bytes) {
    return find(address, size_bytes) != nullptr;
  }

 private:
  static constexpr unsigned kOffsetBits = 40;
  struct AlignedDelete {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  struct Region {
    Kind kind = Kind::kBytes;
    std::uint64_t size_bytes = 0;
    std::unique_ptr<std::byte[], AlignedDelete> bytes;
    std::unique_ptr<WriteId[]> write_ids;
  };

  static std::uint64_t offset_of(std::uint64_t address) { return address & ((std::uint64_t{1} << kOffsetBits) - 1); }
  Region* find(std::uint64_t address, std::uint64_t size_bytes) {
    const std::uint64_t index = address >> kOffsetBits;
    if (index == 0 || index > regions_.size()) return nullptr;
    Region& region = regions_[index - 1];
    const std::uint64_t offset = offset_of(address);
    return offset <= region.size_bytes && size_bytes <= region.size_bytes - offset ? &region : nullptr;
  }

  std::vector<Region> regions_;
};

}  // namespace flushlab::queue
