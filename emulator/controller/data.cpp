// SPDX-License-Identifier: GPL-2.0-only
// Data pointers: PRPs into host memory (NVMe Base 2.1 sec. 4.3.1; SGLs are in sgl.cpp). The page size is 4096
// (CC.MPS = 0).
#include <algorithm>
#include <cstring>

#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;

namespace {
constexpr std::uint64_t kPage = queue::kPageBytes;
}

template <typename F>
spec::Status Controller::for_each_prp(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes, F&& f) {
  if (size_bytes == 0) return st::kSuccess;
  const std::uint64_t prp1 = sqe.prp1;
  if (prp1 % 4 != 0) return st::kPrpOffsetInvalid;
  const std::uint64_t first = std::min(size_bytes, kPage - prp1 % kPage);
  if (!f(prp1, first)) return st::kDataTransferError;
  std::uint64_t left = size_bytes - first;
  if (left == 0) return st::kSuccess;
  const std::uint64_t prp2 = sqe.prp2;
  if (left <= kPage) {
    if (prp2 % kPage != 0) return st::kPrpOffsetInvalid;
    return f(prp2, left) ? st::kSuccess : st::kDataTransferError;
  }
  if (prp2 % 8 != 0) return st::kPrpOffsetInvalid;
  std::uint64_t list = prp2;
  while (left != 0) {
    const std::byte* entry = door_->memory().bytes(list, 8);
    if (entry == nullptr) return st::kDataTransferError;
    spec::Le64 value;
    std::memcpy(&value, entry, 8);
    if (value.value() % kPage != 0) return st::kPrpOffsetInvalid;
    const bool last_of_page = list % kPage == kPage - 8;
    if (last_of_page && left > kPage) {  // it points to the next list page
      list = value;
      continue;
    }
    const std::uint64_t piece = std::min(left, kPage);
    if (!f(value.value(), piece)) return st::kDataTransferError;
    left -= piece;
    list += 8;
  }
  return st::kSuccess;
}

spec::Status Controller::to_host(const spec::SubmissionEntry& sqe, const void* data, std::uint64_t size_bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  return for_each_piece(sqe, size_bytes, [&](std::uint64_t address, std::uint64_t bytes) {
    std::byte* to = door_->memory().bytes(address, bytes);
    if (to == nullptr) return false;
    std::memcpy(to, from, bytes);
    from += bytes;
    return true;
  });
}

spec::Status Controller::from_host(const spec::SubmissionEntry& sqe, void* data, std::uint64_t size_bytes) {
  auto* to = static_cast<std::byte*>(data);
  return for_each_piece(sqe, size_bytes, [&](std::uint64_t address, std::uint64_t bytes) {
    const std::byte* from = door_->memory().bytes(address, bytes);
    if (from == nullptr) return false;
    std::memcpy(to, from, bytes);
    to += bytes;
    return true;
  });
}

spec::Status Controller::check_prps(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes) {
  const std::uint64_t prp1 = sqe.prp1;
  if (sqe.flags == 0 && prp1 % kPage == 0 && size_bytes - 1 < kPage) [[likely]]  // one page, by PRP
    return door_->memory().valid(prp1, size_bytes) ? st::kSuccess : st::kDataTransferError;
  return for_each_piece(sqe, size_bytes, [&](std::uint64_t address, std::uint64_t bytes) {
    return door_->memory().valid(address, bytes);
  });
}

void Controller::copy_ids_from_host(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes) {
  id_buffer_.assign(size_bytes / queue::kSectorBytes, 0);
  std::uint64_t sector = 0;
  (void)for_each_piece(sqe, size_bytes, [&](std::uint64_t address, std::uint64_t bytes) {
    if (const queue::WriteId* ids = door_->memory().write_ids(address, bytes); ids != nullptr) {
      std::copy_n(ids, bytes / queue::kSectorBytes, id_buffer_.begin() + static_cast<std::ptrdiff_t>(sector));
    }
    sector += bytes / queue::kSectorBytes;
    return true;
  });
}

void Controller::copy_ids_to_host(const NamespaceState& ns, const spec::SubmissionEntry& sqe,
                                  std::uint64_t size_bytes) {
  const std::uint64_t lba = sqe.slba();
  const std::uint64_t sectors_per_block = (std::uint64_t{1} << ns.lba_shift) / queue::kSectorBytes;
  std::uint64_t sector = 0;
  (void)for_each_piece(sqe, size_bytes, [&](std::uint64_t address, std::uint64_t bytes) {
    if (queue::WriteId* ids = door_->memory().write_ids(address, bytes); ids != nullptr) {
      for (std::uint64_t i = 0; i < bytes / queue::kSectorBytes; ++i)
        ids[i] = ns.image->at(lba + (sector + i) / sectors_per_block).newest;
    }
    sector += bytes / queue::kSectorBytes;
    return true;
  });
}

}  // namespace flushlab::controller
