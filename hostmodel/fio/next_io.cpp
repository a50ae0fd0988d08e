// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/next_io.hpp"

#include <algorithm>
#include <stdexcept>

namespace flushlab::fio {
namespace {

constexpr std::uint64_t kNoWrite = ~std::uint64_t{0};
// fio draws lengths until one fits; where that would take for ever (a 512-byte tail, lengths up to gigabytes) the
// smallest one, which fits, is taken.
constexpr int kMostLengthDraws = 1 << 16;

std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

// The entry that a draw selects. fio compares whole quotients, so each share is off by up to its rounding.
std::uint64_t split_length(const std::vector<BsSplitEntry>& entries, std::uint64_t draw, std::uint64_t max_draw,
                           std::uint64_t room_bytes) {
  std::uint64_t cumulative = 0;
  std::uint64_t bytes = entries.front().bytes;
  for (const BsSplitEntry& entry : entries) {
    bytes = entry.bytes;
    cumulative += entry.percent;
    if (cumulative != 0 && draw / cumulative <= max_draw / 100 && bytes <= room_bytes) break;
  }
  return bytes;
}

}  // namespace

NextIo::NextIo(const JobOptions& job, FioVersion version, std::uint32_t job_number, std::uint32_t subjob,
               std::uint64_t file_bytes, std::uint64_t system_seed)
    : job_(job),
      version_(version),
      geometry_(file_geometry(job, subjob, file_bytes)),
      writes_(does_write(job.rw)),
      reads_(does_read(job.rw)),
      random_(is_random(job.rw)),
      async_(is_async(job.ioengine)) {
  SeedOptions seed_options;
  seed_options.randrepeat = job.randrepeat;
  seed_options.allrandrepeat = job.allrandrepeat;
  seed_options.randseed_given = job.randseed.has_value();
  seed_options.randseed = job.randseed.value_or(kDefaultRandSeed);
  seed_options.random = random_;
  seed_options.clone_index = subjob;
  seed_options.system_seed = system_seed;
  seeds_ = job_seeds(version, seed_options, job_number);

  bool aligned = true;
  for (const Direction d : {Direction::kRead, Direction::kWrite}) {
    Lane& l = lane(d);
    l.min_bytes = job.bs_min_bytes[d];
    l.max_bytes = job.bs_max_bytes[d];
    l.align_bytes = job.blockalign_bytes[d] != 0 ? job.blockalign_bytes[d] : l.min_bytes;
    l.blocks = random_blocks(geometry_, l.min_bytes, l.align_bytes);
    l.percentage_random = job.percentage_random[d];
    aligned = aligned && l.align_bytes == l.min_bytes;
  }
  const bool uniform = job.random_distribution.kind == RandomDistribution::Kind::kUniform;
  const bool zoned = job.random_distribution.kind == RandomDistribution::Kind::kZoned;
  use_lfsr_ = random_ && uniform && job.random_generator == RandomGenerator::kLfsr;
  use_map_ = random_ && uniform && !use_lfsr_ && !job.norandommap && aligned;
  // fio >= 3.42 takes the wide generator where 32 bits do not reach every block.
  const bool wide = job.random_generator == RandomGenerator::kTausworthe64 ||
                    (version == FioVersion::kNew && random_ && uniform && !use_lfsr_ && geometry_.blocks > T32::kMax);
  offsets_ = Generator(wide);
  for (Lane& l : lanes_) l.lengths = Generator(wide);
  if (use_map_) map_ = RandomMap(geometry_.blocks);
  if (use_lfsr_ && geometry_.blocks != 0) {
    try {
      lfsr_ = Lfsr(geometry_.blocks, seeds_[SeedUse::kOffset]);
    } catch (const std::invalid_argument&) {
      throw JobFileError(
          {job.name, "random_generator=lfsr cannot number that many blocks", "use tausworthe64 or a larger bs"});
    }
  }
  if (random_ && !uniform && !zoned && geometry_.ranges != 0) {
    const std::uint32_t name_hash = file_name_hash(job.filename);
    std::uint64_t seed = std::uint64_t{name_hash} * job_number;
    if (version == FioVersion::kNew) {
      seed *= seeds_[SeedUse::kOffset];
    } else if (!seeds_.randrepeat) {
      seed = seeds_[SeedUse::kOffset];
    }
    distribution_ = BlockDistribution(job.random_distribution, geometry_.ranges, static_cast<std::uint32_t>(seed));
  }

  const std::uint64_t io_size = job.io_size ? geometry_.limit_bytes : 0;
  const bool counts_io_size = writes_ && (random_ ? job.norandommap : version == FioVersion::kNew);
  pass_limit_bytes_ = counts_io_size ? std::max(geometry_.io_size_bytes, io_size) : geometry_.io_size_bytes;
  if (!reads_) mix_direction_ = Direction::kWrite;
  seed_generators();
}

void NextIo::seed_generators() {
  offsets_.seed(seeds_[SeedUse::kOffset]);
  lane(Direction::kRead).lengths.seed(seeds_[SeedUse::kBsRead]);
  lane(Direction::kWrite).lengths.seed(seeds_[SeedUse::kBsWrite]);
  for (Lane& l : lanes_) l.sequential_or_random.seed(static_cast<std::uint32_t>(seeds_[SeedUse::kSequentialOrRandom]));
  rwmix_.seed(static_cast<std::uint32_t>(seeds_[SeedUse::kRwMix]));
  zones_.seed(static_cast<std::uint32_t>(seeds_[SeedUse::kZone]));
}

void NextIo::reset_file() {
  for (Lane& l : lanes_) l.position = {geometry_.offset_bytes, kNoWrite};
  if (use_map_) map_.clear();
  if (use_lfsr_) lfsr_.reset();
}

void NextIo::start_pass() {
  reset_file();
  if (passes_ != 0 && seeds_.reseed_each_pass) seed_generators();
  file_done_ = false;
  pass_issued_bytes_ = 0;
  pass_completed_ios_ = 0;
  mix_quota_ = 0;
  last_completed_sync_ = false;
  ++passes_;
}

bool NextIo::number_ios_reached() const {
  return job_.number_ios != 0 && completed_ios_ + in_flight_ >= saturating_multiply(job_.number_ios, job_.loops);
}

bool NextIo::pass_is_over() const {
  if (file_done_) return true;
  if (job_.time_based) return false;
  if (async_ && pass_issued_bytes_ >= pass_limit_bytes_) return true;
  return issued_bytes_ >= saturating_multiply(geometry_.limit_bytes, job_.loops) || number_ios_reached();
}

std::optional<IoRequest> NextIo::sync_due() {
  const std::uint64_t writes = issues_[static_cast<std::size_t>(Direction::kWrite)];
  if (!writes_ || writes == 0) return std::nullopt;
  if (version_ == FioVersion::k3_33 ? last_completed_sync_ : !last_issued_write_) return std::nullopt;
  const auto due = [writes](std::uint32_t every) { return every != 0 && writes % every == 0; };
  if (due(job_.fsync_every_writes)) return IoRequest{IoRequest::Kind::kFsync, 0, 0};
  if (due(job_.fdatasync_every_writes)) return IoRequest{IoRequest::Kind::kFdatasync, 0, 0};
  if (due(job_.sync_file_range.every_writes)) {
    if (first_unsynced_bytes_ == kNoWrite) return IoRequest{IoRequest::Kind::kSyncFileRange, 0, 0};
    return IoRequest{IoRequest::Kind::kSyncFileRange, first_unsynced_bytes_,
                     last_unsynced_bytes_ - first_unsynced_bytes_};
  }
  return std::nullopt;
}

Direction NextIo::next_direction() {
  if (!is_mixed(job_.rw)) return mix_direction_;
  const std::uint64_t issued = issues_[static_cast<std::size_t>(mix_direction_)];
  if (issued >= mix_quota_) {
    const Direction drawn = between(rwmix_, 1, 100) <= job_.rwmixread_percent ? Direction::kRead : Direction::kWrite;
    if (drawn != mix_direction_) {
      const std::uint32_t other_share =
          mix_direction_ == Direction::kRead ? 100 - job_.rwmixread_percent : job_.rwmixread_percent;
      mix_quota_ = issued * other_share / 100;
    }
    mix_direction_ = drawn;
  }
  return mix_direction_;
}

std::uint64_t NextIo::zoned_block(Direction d) {
  const std::uint64_t last = lane(d).blocks;
  const std::uint32_t draw = between(zones_, 1, 100);
  std::uint32_t access = 0;
  std::uint64_t size_before = 0;
  for (const auto& zone : job_.random_distribution.zones) {
    access += zone.access_percent;
    if (draw <= access) {
      const std::uint64_t start = last / 100 * size_before + last % 100 * size_before / 100;
      const std::uint64_t range = last / 100 * zone.size_percent + last % 100 * zone.size_percent / 100;
      return start + offsets_.scaled(range);
    }
    size_before += zone.size_percent;
  }
  return 0;
}

bool NextIo::random_block(Direction d, std::uint64_t& block) {
  if (use_map_) {
    const std::uint64_t blocks = lane(d).blocks;
    if (blocks == 0) return false;
    block = offsets_.scaled(blocks);
    if (block >= map_.blocks() || !map_.is_marked(block)) return true;
    const std::optional<std::uint64_t> free = map_.next_free(block);
    if (!free) return false;
    block = *free;
    return true;
  }
  if (use_lfsr_) return geometry_.blocks != 0 && lfsr_.next(block);
  if (lane(d).blocks == 0) return false;
  switch (job_.random_distribution.kind) {
    case RandomDistribution::Kind::kUniform:
      block = offsets_.scaled(lane(d).blocks);
      return true;
    case RandomDistribution::Kind::kZoned:
      block = zoned_block(d);
      return true;
    default:
      block = distribution_.next();
      return true;
  }
}

bool NextIo::random_offset(Direction d, std::uint64_t& offset) {
  std::uint64_t block = 0;
  if (!random_block(d, block)) {
    if (!job_.time_based || geometry_.blocks == 0) return false;
    reset_file();  // in place: the generators go on
    if (!random_block(d, block)) return false;
  }
  offset = saturating_multiply(block, lane(d).align_bytes);
  return true;
}

bool NextIo::sequential_offset(Direction d, std::uint64_t& offset) {
  Position& position = lane(d).position;
  const std::uint64_t end = geometry_.offset_bytes + geometry_.io_size_bytes;
  const bool wraps = job_.time_based || (version_ == FioVersion::kNew && writes_ && !random_ && job_.io_size &&
                                         geometry_.limit_bytes > geometry_.io_size_bytes);
  if (wraps && position.end_bytes >= end) position.end_bytes = geometry_.offset_bytes;
  if (position.end_bytes >= geometry_.real_bytes) return false;
  std::uint64_t relative = position.end_bytes - geometry_.offset_bytes;
  if (relative != 0 && job_.sequential_skip_bytes != 0) {
    relative += static_cast<std::uint64_t>(job_.sequential_skip_bytes);
    if (relative >= geometry_.real_bytes) relative = geometry_.offset_bytes;
  }
  offset = relative;
  return true;
}

bool NextIo::next_offset(Direction d, std::uint64_t& offset, bool& random) {
  random = false;
  if (!random_) return sequential_offset(d, offset);
  if (--until_random_ != 0) {
    if (job_.rw_sequencer == RwSequencer::kSequential) return sequential_offset(d, offset) || random_offset(d, offset);
    const std::uint64_t start = lane(d).position.start_bytes;
    offset = start == kNoWrite ? 0 : start - geometry_.offset_bytes;
    return true;
  }
  until_random_ = job_.random_every_ios;
  Lane& l = lane(d);
  random = l.percentage_random == 100 || between(l.sequential_or_random, 1, 100) <= l.percentage_random;
  if (random) return random_offset(d, offset);
  return sequential_offset(d, offset) || random_offset(d, offset);
}

std::uint64_t NextIo::next_length(Direction d, std::uint64_t offset) {
  Lane& l = lane(d);
  const std::uint64_t room = geometry_.io_size_bytes - offset;  // offset < io_size
  if (l.min_bytes > room) return 0;
  if (l.min_bytes == l.max_bytes) return l.min_bytes;
  const auto& split = job_.bssplit[d];
  for (int i = 0; i < kMostLengthDraws; ++i) {
    std::uint64_t length = 0;
    if (split.empty()) {
      length = l.min_bytes + l.lengths.scaled(l.max_bytes);
    } else {
      length = split_length(split, l.lengths.next(), l.lengths.max(), room);
    }
    length -= length % l.min_bytes;
    length = std::min(length, l.max_bytes);
    if (length <= room) return length;
  }
  return l.min_bytes;
}

std::optional<IoRequest> NextIo::next() {
  if (pass_is_over()) return std::nullopt;
  if (std::optional<IoRequest> sync = sync_due()) return sync;
  const Direction d = next_direction();
  std::uint64_t offset = 0;
  bool random = false;
  if (!next_offset(d, offset, random) || offset >= geometry_.io_size_bytes ||
      geometry_.offset_bytes >= geometry_.real_bytes || offset >= geometry_.real_bytes - geometry_.offset_bytes) {
    file_done_ = true;
    return std::nullopt;
  }
  std::uint64_t length = next_length(d, offset);
  if (length != 0 && random && use_map_) {
    const std::uint64_t unit = lane(d).min_bytes;
    const std::uint64_t wanted = (length + unit - 1) / unit;
    const std::uint64_t marked = map_.mark(offset / unit, wanted);
    if (marked < wanted) length = marked * unit;
  }
  if (length == 0) {
    file_done_ = true;
    return std::nullopt;
  }
  IoRequest request{d == Direction::kRead ? IoRequest::Kind::kRead : IoRequest::Kind::kWrite,
                    geometry_.offset_bytes + offset, length};
  lane(d).position = {request.offset_bytes + length, request.offset_bytes};
  return request;
}

void NextIo::on_issued(const IoRequest& request) {
  ++in_flight_;
  last_issued_write_ = request.kind == IoRequest::Kind::kWrite;
  if (request.is_sync()) return;
  ++issues_[last_issued_write_ ? 1 : 0];
  issued_bytes_ += request.length_bytes;
  pass_issued_bytes_ += request.length_bytes;
}

void NextIo::on_completed(const IoRequest& request) {
  --in_flight_;
  last_completed_sync_ = request.is_sync();
  if (last_completed_sync_) {
    first_unsynced_bytes_ = kNoWrite;
    last_unsynced_bytes_ = 0;
    return;
  }
  ++completed_ios_;
  ++pass_completed_ios_;
  completed_bytes_ += request.length_bytes;
  if (request.kind == IoRequest::Kind::kWrite) {
    first_unsynced_bytes_ = std::min(first_unsynced_bytes_, request.offset_bytes);
    last_unsynced_bytes_ = std::max(last_unsynced_bytes_, request.offset_bytes + request.length_bytes);
  }
}

void NextIo::on_ramp_end() {
  issues_[0] = issues_[1] = 0;
  issued_bytes_ = pass_issued_bytes_ = 0;
  completed_ios_ = completed_bytes_ = 0;
  mix_quota_ = 0;
}

bool NextIo::end_fsync_due() const {
  return writes_ && (job_.end_fsync || job_.fsync_on_close) && (version_ == FioVersion::kNew || !last_completed_sync_);
}

bool NextIo::another_pass() const {
  if (pass_completed_ios_ == 0) return false;
  if (job_.time_based || passes_ < job_.loops) return true;
  if (number_ios_reached() || completed_bytes_ >= saturating_multiply(geometry_.limit_bytes, job_.loops)) return false;
  if (completed_bytes_ >= geometry_.limit_bytes) return false;
  std::uint64_t max_bytes = 0;
  for (const std::uint64_t bytes : job_.bs_max_bytes.value) max_bytes = std::max(max_bytes, bytes);
  return geometry_.limit_bytes - completed_bytes_ >= max_bytes && (!file_done_ || job_.io_size.has_value());
}

}  // namespace flushlab::fio
