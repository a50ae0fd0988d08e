// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/nvme/setup_cmd.hpp"

#include <cassert>
#include <cstring>

namespace flushlab::nvme {

using block::BioOp;
using block::Request;

void map_data(spec::SubmissionEntry& sqe, std::uint64_t buffer, std::uint64_t size_bytes, std::uint64_t list_address,
              std::byte* list) {
  if (size_bytes == 0) return;
  constexpr std::uint64_t kPage = queue::kPageBytes;
  sqe.prp1 = buffer;
  const std::uint64_t first = kPage - buffer % kPage;
  if (size_bytes <= first) return;
  std::uint64_t page = buffer + first;
  const std::uint64_t pages = (size_bytes - first + kPage - 1) / kPage;
  if (pages == 1) {
    sqe.prp2 = page;
    return;
  }
  assert(pages <= kPage / 8 && "one list page is enough for every transfer that the limits allow");
  for (std::uint64_t i = 0; i < pages; ++i, page += kPage) {
    const spec::Le64 entry = page;
    std::memcpy(list + i * 8, &entry, 8);
  }
  sqe.prp2 = list_address;
}

void map_merged(spec::SubmissionEntry& sqe, const Request& request, std::uint64_t list_address, std::byte* list) {
  constexpr std::uint64_t kPage = queue::kPageBytes;
  std::uint64_t count = 0;
  spec::Le64 second;
  for (const block::Bio* bio = request.bio; bio != nullptr; bio = bio->next_merged) {
    for (std::uint64_t at = 0; at < std::uint64_t{bio->sectors} * 512; at += kPage) {
      const spec::Le64 entry = bio->buffer + at;
      if (count == 0) {
        sqe.prp1 = entry;
      } else {
        if (count == 1) second = entry;
        std::memcpy(list + (count - 1) * 8, &entry, 8);
      }
      ++count;
    }
  }
  assert(count - 1 <= kPage / 8);
  if (count == 2) sqe.prp2 = second;
  if (count > 2) sqe.prp2 = list_address;
}

spec::SubmissionEntry setup_cmd(const Request& request, const NamespaceFormat& format) {
  if (request.kind == Request::Kind::kFlush) return spec::make_flush(format.nsid);
  const std::uint64_t slba = request.sector >> (format.lba_shift - 9);
  const std::uint32_t blocks = request.sectors >> (format.lba_shift - 9);
  switch (request.op) {
    case BioOp::kWrite: {
      auto sqe = spec::make_write(format.nsid, slba, blocks, (request.flags & block::REQ_FUA) != 0);
      return sqe;
    }
    case BioOp::kRead: {
      auto sqe = spec::make_read(format.nsid, slba, blocks);
      if ((request.flags & block::REQ_RAHEAD) != 0) {
        sqe.cdw12 = spec::io_cdw12::kLR.set(sqe.cdw12, 1U);
        sqe.cdw13 = 7;  // prefetch
      }
      return sqe;
    }
    case BioOp::kWriteZeroes:
      return spec::make_write_zeroes(format.nsid, slba, blocks,
                                     format.deac && (request.flags & block::REQ_NOUNMAP) == 0);
    case BioOp::kDiscard:
      return spec::make_dsm(format.nsid, 1, spec::dsm::kAD.put());
  }
  return spec::make_flush(format.nsid);
}

}  // namespace flushlab::nvme
