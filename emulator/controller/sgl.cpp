// SPDX-License-Identifier: GPL-2.0-only
// Scatter Gather Lists (NVMe Base 2.1 sec. 4.3.2), for I/O commands of a controller whose SGLS offers them.
#include <cstring>

#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;

spec::Status Controller::walk_sgl(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes,
                                  std::vector<std::pair<std::uint64_t, std::uint64_t>>& pieces) {
  constexpr std::uint8_t kAddress = 0;
  constexpr std::size_t kMostDescriptors = 4096;  // a chain may not go on for ever
  const std::uint32_t sgls = profile_->identify.sgls;
  const bool dword_aligned = spec::sgls::kSupport.get(sgls) == 2;
  std::uint64_t left = size_bytes;

  // One descriptor that holds or drops data; whether it was of such a kind is in `status`.
  const auto take_data = [&](const spec::SglDescriptor& d) -> spec::Status {
    const bool bucket = (d.id & 0xF0U) == spec::sgl::kBitBucket;
    if (bucket) {
      if (!spec::sgls::kBitBucket.in(sgls)) return st::kSglDescriptorTypeInvalid;
      if (spec::data_direction(sqe.opc) == spec::DataDirection::kHostToController) return st::kSuccess;  // ignored
    } else if (dword_aligned && (d.address.value() % 4 != 0 || d.length.value() % 4 != 0)) {
      return st::kDataSglLengthInvalid;
    }
    const std::uint64_t bytes = d.length;
    if (bytes > left) {
      if (!spec::sgls::kOversizeAllowed.in(sgls)) return st::kDataSglLengthInvalid;
      if (left != 0) pieces.emplace_back(bucket ? 0 : d.address.value(), left);
      left = 0;
      return st::kSuccess;
    }
    if (bytes != 0) pieces.emplace_back(bucket ? 0 : d.address.value(), bytes);
    left -= bytes;
    return st::kSuccess;
  };
  const auto kind = [](const spec::SglDescriptor& d) { return static_cast<std::uint8_t>(d.id & 0xF0U); };
  const auto subtype = [](const spec::SglDescriptor& d) { return spec::sgl::kSubtype.get(d.id); };

  spec::SglDescriptor next = sqe.sgl1();
  if (subtype(next) != kAddress) return st::kSglDescriptorTypeInvalid;
  std::size_t seen = 0;
  if (kind(next) == spec::sgl::kDataBlock || kind(next) == spec::sgl::kBitBucket) {
    if (const spec::Status status = take_data(next); !status.ok()) return status;
  } else {
    for (bool last = false; !last;) {
      if (kind(next) != spec::sgl::kSegment && kind(next) != spec::sgl::kLastSegment)
        return st::kSglDescriptorTypeInvalid;
      last = kind(next) == spec::sgl::kLastSegment;
      const std::uint64_t bytes = next.length;
      const std::uint64_t count = bytes / sizeof(spec::SglDescriptor);
      if (bytes == 0 || bytes % sizeof(spec::SglDescriptor) != 0) return st::kInvalidSglSegmentDescriptor;
      seen += count;
      if (seen > kMostDescriptors) return st::kInvalidNumberOfSglDescriptors;
      const std::byte* list = door_->memory().bytes(next.address, bytes);
      if (list == nullptr) return st::kDataTransferError;
      bool chained = false;
      for (std::uint64_t i = 0; i < count; ++i) {
        spec::SglDescriptor d;
        std::memcpy(&d, list + i * sizeof d, sizeof d);
        if (subtype(d) != kAddress) return st::kSglDescriptorTypeInvalid;
        if (kind(d) == spec::sgl::kSegment || kind(d) == spec::sgl::kLastSegment) {
          if (last || i + 1 != count) return st::kInvalidSglSegmentDescriptor;  // only the last may lead on
          next = d;
          chained = true;
          continue;
        }
        if (kind(d) != spec::sgl::kDataBlock && kind(d) != spec::sgl::kBitBucket) return st::kSglDescriptorTypeInvalid;
        if (const spec::Status status = take_data(d); !status.ok()) return status;
      }
      if (!last && !chained) return st::kInvalidSglSegmentDescriptor;
    }
  }
  return left == 0 ? st::kSuccess : st::kDataSglLengthInvalid;
}

}  // namespace flushlab::controller
