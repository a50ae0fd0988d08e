// SPDX-License-Identifier: GPL-2.0-only
// Which part of its file a job works on, in blocks and bytes, as fio derives it from size, offset and the block sizes.
#pragma once

#include <cstdint>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {

struct FileGeometry {
  std::uint64_t real_bytes = 0;     // the device, or the file after it was laid out
  std::uint64_t offset_bytes = 0;   // where the job's part begins
  std::uint64_t io_size_bytes = 0;  // how long the part is; may reach beyond the end, where a job then stops
  std::uint64_t limit_bytes = 0;    // bytes of one loop: io_size if given, else size
  std::uint64_t min_bs_bytes = 0;   // the smallest of all directions, trim included
  std::uint64_t blocks = 0;         // of the random map: min(real, io_size) / min_bs
  std::uint64_t ranges = 0;         // of the distributions: the same, rounded up, of reads and writes only
};

// `subjob`: the clone's number within numjobs, from 0. `file_bytes`: the size of the device or existing file.
[[nodiscard]] FileGeometry file_geometry(const JobOptions& job, std::uint32_t subjob, std::uint64_t file_bytes);

// The blocks that a direction's random offsets are drawn from, 0 if none fits.
[[nodiscard]] std::uint64_t random_blocks(const FileGeometry& geometry, std::uint64_t min_bs_bytes,
                                          std::uint64_t align_bytes);

}  // namespace flushlab::fio
