// SPDX-License-Identifier: GPL-2.0-only
// What a fio job issues next: kind, offset and length, in fio's order. Knows no time, device or engine.
//
// Rules (of fio 3.33 and, where they differ, of fio >= 3.38):
//  N1  A sync is decided before anything else of a unit: due when the job writes, the number of writes issued so far is
//  a
//      multiple of fsync=N (else fdatasync=N, else sync_file_range's N), and - 3.33: the last I/O that completed was no
//      sync; newer: the last I/O that was issued was a write.
//  N2  Then direction (rwmix), then offset, then length, each from a generator of its own.
//  N3  Positions and the map move when a unit is prepared; counts move when it is issued and when it completes.
//  N4  A pass ends when the issued bytes or the completed and in-flight I/Os (syncs in flight count) reach their limit,
//      when the file is done or, for an asynchronous engine, when this pass has issued `size`. Time is the caller's.
//  N5  A further pass starts from the first position and an empty map, and from the same seeds if randrepeat holds.
//  N6  A uniform block is floor(double(blocks) * (double(r) / 2^32)), in that order: IEEE basics only, the same
//      everywhere. Distributions also need pow (see next_io_distribution.hpp).
//
// The caller's loop: start_pass(); while ((request = next())) { issue; on_issued(); ... on_completed(); } drain;
// end_fsync if end_fsync_due(); again while another_pass().
#pragma once

#include <cstdint>
#include <optional>

#include "hostmodel/fio/generator.hpp"
#include "hostmodel/fio/geometry.hpp"
#include "hostmodel/fio/next_io_distribution.hpp"
#include "hostmodel/fio/options.hpp"
#include "hostmodel/fio/random_map.hpp"

namespace flushlab::fio {

struct IoRequest {
  enum class Kind : std::uint8_t { kRead, kWrite, kFsync, kFdatasync, kSyncFileRange };
  Kind kind = Kind::kRead;
  std::uint64_t offset_bytes = 0;  // from the start of the file or device; of a sync only for kSyncFileRange
  std::uint64_t length_bytes = 0;  // kSyncFileRange: 0 means that there is nothing to sync, and fio makes no call
  [[nodiscard]] bool is_sync() const { return kind != Kind::kRead && kind != Kind::kWrite; }
  bool operator==(const IoRequest&) const = default;
};

class NextIo {
 public:
  // `job_number`: 1-based over all jobs of the run, clones counted. `subjob`: the clone within numjobs, from 0.
  // `file_bytes`: the size of the device or laid-out file. `system_seed`: stands in for the operating system's random
  // numbers where the job asks for them (randrepeat=0 without randseed).
  // Throws JobFileError if the options do not fit the file (lfsr over 2^32 - 2 blocks or more).
  NextIo(const JobOptions& job, FioVersion version, std::uint32_t job_number, std::uint32_t subjob,
         std::uint64_t file_bytes, std::uint64_t system_seed = 0);

  // To be called before every pass, the first one included.
  void start_pass();
  // Prepares the next unit; std::nullopt: the pass is over (N4).
  [[nodiscard]] std::optional<IoRequest> next();
  void on_issued(const IoRequest& request);
  void on_completed(const IoRequest& request);
  void on_completed(IoRequest::Kind kind, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
    on_completed(IoRequest{kind, offset_bytes, length_bytes});
  }
  // ramp_time is over: all counts start again, positions and generators go on. What is in flight counts afterwards.
  void on_ramp_end();

  // After a pass has drained: whether end_fsync/fsync_on_close syncs now (3.33: not after a sync). It does even
  // after a pass that issued nothing.
  [[nodiscard]] bool end_fsync_due() const;
  // After a pass has drained: whether fio starts a further one. Time being over is the caller's to know.
  [[nodiscard]] bool another_pass() const;

  [[nodiscard]] const FileGeometry& geometry() const { return geometry_; }
  [[nodiscard]] std::uint64_t passes() const { return passes_; }

 private:
  struct Position {
    std::uint64_t end_bytes = 0;
    std::uint64_t start_bytes = 0;
  };
  // All that one direction draws its blocks from.
  struct Lane {
    std::uint64_t min_bytes = 0, max_bytes = 0, align_bytes = 0;
    std::uint64_t blocks = 0;  // uniform blocks in units of align_bytes
    std::uint32_t percentage_random = 100;
    Generator lengths;
    T32 sequential_or_random;
    Position position;
  };

  [[nodiscard]] Lane& lane(Direction d) { return lanes_[static_cast<std::size_t>(d)]; }
  void seed_generators();
  void reset_file();
  [[nodiscard]] bool pass_is_over() const;
  [[nodiscard]] bool number_ios_reached() const;
  [[nodiscard]] std::optional<IoRequest> sync_due();
  [[nodiscard]] Direction next_direction();
  // Relative to the job's part; false: the file is done.
  [[nodiscard]] bool next_offset(Direction d, std::uint64_t& offset, bool& random);
  [[nodiscard]] bool random_offset(Direction d, std::uint64_t& offset);
  [[nodiscard]] bool random_block(Direction d, std::uint64_t& block);
  [[nodiscard]] bool sequential_offset(Direction d, std::uint64_t& offset);
  [[nodiscard]] std::uint64_t zoned_block(Direction d);
  // 0: not even the smallest block fits.
  [[nodiscard]] std::uint64_t next_length(Direction d, std::uint64_t offset);

  JobOptions job_;
  FioVersion version_;
  FileGeometry geometry_;
  Seeds seeds_;
  bool writes_, reads_, random_, async_;
  bool use_map_ = false;
  bool use_lfsr_ = false;
  std::uint64_t pass_limit_bytes_ = 0;

  Lane lanes_[2];  // read, write
  Generator offsets_;
  T32 rwmix_;
  T32 zones_;
  RandomMap map_;
  Lfsr lfsr_;
  BlockDistribution distribution_;

  bool file_done_ = false;
  std::uint32_t until_random_ = 1;  // rw=randX:N
  Direction mix_direction_ = Direction::kRead;
  std::uint64_t mix_quota_ = 0;
  bool last_completed_sync_ = false;
  bool last_issued_write_ = false;
  std::uint64_t first_unsynced_bytes_ = ~std::uint64_t{0};  // of completed writes
  std::uint64_t last_unsynced_bytes_ = 0;

  std::uint64_t passes_ = 0;
  std::uint64_t issues_[2] = {0, 0};  // read, write
  std::uint64_t issued_bytes_ = 0;
  std::uint64_t pass_issued_bytes_ = 0;
  std::uint64_t pass_completed_ios_ = 0;
  std::uint64_t completed_ios_ = 0;
  std::uint64_t completed_bytes_ = 0;
  std::uint64_t in_flight_ = 0;  // syncs included
};

}  // namespace flushlab::fio
