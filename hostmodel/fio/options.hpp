// SPDX-License-Identifier: GPL-2.0-only
// The options of a fio job: one table of all of them, and the values of one job once parsed.
//
// Rules:
//  O1  No option is ever ignored silently. Each of the table is modelled, harmless (it cannot change which I/O is
//      issued nor when, and the table says why) or refused by name with the reason and what to do instead.
//  O2  A refused option that is given its default value asks for nothing, and is accepted.
//  O3  Values are read as fio reads them, oddities included (`kib` is 1000 while `k` is 1024).
//  O4  Units are at the ends of the names; what was not given is either resolved as fio resolves it (finish_options)
//      or a std::optional where "not given" means something of its own.
//
// The option names and their meanings are those of fio 3.33; newer fio differs only where FioVersion says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hostmodel/fio/generator.hpp"

namespace flushlab::fio {

// What is wrong with a job, where, and what to type instead.
struct JobError {
  std::string where;    // "file.fio:12" or "--bs=4q"
  std::string message;  // "unknown option 'iodpeth'"
  std::string remedy;   // "did you mean 'iodepth'?"; may be empty
};

// what() is "WHERE: MESSAGE; REMEDY".
class JobFileError : public std::runtime_error {
 public:
  explicit JobFileError(JobError error);
  [[nodiscard]] const JobError& error() const { return error_; }

 private:
  JobError error_;
};

enum class Direction : std::uint8_t { kRead, kWrite, kTrim };
inline constexpr std::size_t kDirectionCount = 3;

template <typename T>
struct PerDirection {
  std::array<T, kDirectionCount> value{};
  [[nodiscard]] T& operator[](Direction d) { return value[static_cast<std::size_t>(d)]; }
  [[nodiscard]] const T& operator[](Direction d) const { return value[static_cast<std::size_t>(d)]; }
  bool operator==(const PerDirection&) const = default;
};

enum class ReadWrite : std::uint8_t { kRead, kWrite, kRandRead, kRandWrite, kRw, kRandRw };
[[nodiscard]] constexpr bool does_read(ReadWrite rw) {
  return rw != ReadWrite::kWrite && rw != ReadWrite::kRandWrite;
}
[[nodiscard]] constexpr bool does_write(ReadWrite rw) {
  return rw != ReadWrite::kRead && rw != ReadWrite::kRandRead;
}
[[nodiscard]] constexpr bool is_mixed(ReadWrite rw) {
  return rw == ReadWrite::kRw || rw == ReadWrite::kRandRw;
}
[[nodiscard]] constexpr bool is_random(ReadWrite rw) {
  return rw == ReadWrite::kRandRead || rw == ReadWrite::kRandWrite || rw == ReadWrite::kRandRw;
}
[[nodiscard]] std::string_view name_of(ReadWrite rw);

enum class RwSequencer : std::uint8_t { kSequential, kIdentical };

enum class IoEngine : std::uint8_t { kPsync, kSync, kPvsync, kPvsync2, kLibaio, kIoUring };
[[nodiscard]] constexpr bool is_async(IoEngine engine) {
  return engine == IoEngine::kLibaio || engine == IoEngine::kIoUring;
}
[[nodiscard]] std::string_view name_of(IoEngine engine);

enum class SyncMode : std::uint8_t { kNone, kSync, kDsync };  // O_SYNC, O_DSYNC at open

enum class RandomGenerator : std::uint8_t { kTausworthe, kTausworthe64, kLfsr };

// A size in bytes, or a percentage of something known only when the file is.
struct SizeOrPercent {
  std::uint64_t value = 0;  // bytes, or 0..100 if is_percent
  bool is_percent = false;
  // Bytes of `whole`, rounded down.
  [[nodiscard]] std::uint64_t of(std::uint64_t whole_bytes) const;
  bool operator==(const SizeOrPercent&) const = default;
};

// One entry of bssplit: `percent` of the I/Os have `bytes`. Percentages left out have been shared out.
struct BsSplitEntry {
  std::uint64_t bytes = 0;
  std::uint32_t percent = 0;
  bool operator==(const BsSplitEntry&) const = default;
};

// sync_file_range=wait_before,write,wait_after:N
struct SyncFileRangeOption {
  bool wait_before = false;
  bool write = false;
  bool wait_after = false;
  std::uint32_t every_writes = 0;  // 0: off
  bool operator==(const SyncFileRangeOption&) const = default;
};

struct RandomDistribution {
  enum class Kind : std::uint8_t { kUniform, kZipf, kPareto, kNormal, kZoned };
  struct Zone {
    std::uint32_t access_percent = 0;
    std::uint32_t size_percent = 0;
    bool operator==(const Zone&) const = default;
  };
  Kind kind = Kind::kUniform;
  double parameter = 0;          // theta of zipf, h of pareto, deviation in percent of normal
  std::optional<double> center;  // 0..1: where the hottest block lies; not given: fio's own random place
  std::vector<Zone> zones;       // kZoned only; accesses and sizes each add up to 100
  bool operator==(const RandomDistribution&) const = default;
};

// An option as it was written, for reports ("job options" of fio's JSON) and messages.
struct GivenOption {
  std::string name;     // as written
  std::string value;    // as written, after ${VAR}; empty for a bare flag
  std::string where;    // "file.fio:12" or "--bs=4k"
  bool global = false;  // from a [global] section or before the first --name
  bool bare = false;    // written without '='
};

// One job section with all its values. After parse_job_file/parse_command_line it has been through finish_options, so
// every value is the one in force.
struct JobOptions {
  std::string name;
  std::string description;
  std::string filename;  // one file or device; may be empty (the caller then names the device)

  ReadWrite rw = ReadWrite::kRead;
  std::uint32_t random_every_ios = 1;      // rw=randX:N
  std::int64_t sequential_skip_bytes = 0;  // rw=X:SIZE; negative goes backwards
  RwSequencer rw_sequencer = RwSequencer::kSequential;

  PerDirection<std::uint64_t> bs_min_bytes{{4096, 4096, 4096}};
  PerDirection<std::uint64_t> bs_max_bytes{{4096, 4096, 4096}};
  PerDirection<std::vector<BsSplitEntry>> bssplit{};  // empty: no split in that direction
  PerDirection<std::uint64_t> blockalign_bytes{};     // resolved: bs_min_bytes where not given

  IoEngine ioengine = IoEngine::kPsync;
  std::uint32_t iodepth = 1;                     // capped to 1 for synchronous engines, with a note
  std::uint32_t iodepth_batch = 1;               // I/Os per submit call, 1..iodepth
  std::uint32_t iodepth_batch_complete_min = 1;  // 0: do not sleep for completions
  std::uint32_t iodepth_batch_complete_max = 1;  // >= min; both 0: poll after each submission
  std::uint32_t iodepth_low = 1;                 // refill once no more than this are in use

  std::uint32_t numjobs = 1;
  bool thread = false;
  bool stonewall = false;
  bool group_reporting = false;
  std::vector<std::uint32_t> cpus_allowed;  // ascending, unique; empty: any CPU

  std::optional<SizeOrPercent> size;     // not given: the whole of the file from `offset`
  std::optional<SizeOrPercent> io_size;  // not given: `size`
  SizeOrPercent offset;
  SizeOrPercent offset_increment;  // times the clone's number within numjobs
  std::uint64_t number_ios = 0;    // 0: no limit
  std::uint64_t loops = 1;
  std::optional<std::uint64_t> runtime_ns;  // not given: no time limit
  bool time_based = false;                  // only with runtime_ns
  std::uint64_t ramp_time_ns = 0;
  std::uint64_t startdelay_ns = 0;

  bool direct = false;  // buffered=1 is direct=0
  SyncMode sync = SyncMode::kNone;
  bool invalidate = true;
  std::uint32_t fsync_every_writes = 0;  // fsync=N; 0: off
  std::uint32_t fdatasync_every_writes = 0;
  SyncFileRangeOption sync_file_range;
  bool end_fsync = false;
  bool fsync_on_close = false;

  PerDirection<std::uint64_t> rate_bytes_per_s{};  // 0: no limit
  PerDirection<std::uint32_t> rate_iops{};         // 0: no limit
  std::uint64_t thinktime_ns = 0;
  std::uint64_t thinktime_spin_ns = 0;  // the part of thinktime spent on the CPU
  std::uint32_t thinktime_blocks = 1;   // completed data I/Os between two think times

  bool randrepeat = true;
  bool allrandrepeat = false;  // fio 3.33 only; newer fio: sets randrepeat
  std::optional<std::uint64_t> randseed;
  bool norandommap = false;
  bool softrandommap = false;
  RandomGenerator random_generator = RandomGenerator::kTausworthe;
  RandomDistribution random_distribution;
  PerDirection<std::uint32_t> percentage_random{{100, 100, 100}};
  std::uint32_t rwmixread_percent = 50;

  bool clat_percentiles = true;
  std::vector<double> percentile_list;  // percents, ascending; empty: fio's default list

  std::vector<GivenOption> given;  // in the order in which they applied, globals first
  std::vector<std::string> notes;  // what fio would print as a note, for stderr
};

// ---- the table -----------------------------------------------------------------------------------------------------

enum class OptionKind : std::uint8_t { kSize, kInteger, kTime, kBool, kFlag, kEnum, kList, kText };
enum class OptionHandling : std::uint8_t {
  kModelled,
  kHarmless,  // accepted after its value was checked; `reason` says why it cannot change the I/O
  kRefused,   // unless it is given its default value; `reason` and `remedy` are the message
};

struct OptionInfo {
  std::string_view name;
  std::string_view aliases;  // space-separated; empty: none
  OptionKind kind;
  std::string_view default_text;  // as it would be typed; empty: fio has none
  std::uint64_t min;              // range of integers (kSize bytes, kTime in the option's default unit)
  std::uint64_t max;
  OptionHandling handling;
  std::string_view reason;  // harmless or refused
  std::string_view remedy;  // refused: what to do
};

// All options, in the order of fio's documentation.
[[nodiscard]] std::span<const OptionInfo> option_table();
// By name or alias; nullptr if fio has no such option.
[[nodiscard]] const OptionInfo* find_option(std::string_view name);
// The option name or alias with the smallest edit distance; empty if none is near enough to be meant.
[[nodiscard]] std::string_view nearest_option(std::string_view name);

struct ParseSettings {
  FioVersion version = FioVersion::kNew;
  std::uint32_t online_cpus = 1;         // $ncpus
  std::uint64_t page_size_bytes = 4096;  // $pagesize
  std::uint64_t memory_mib = 0;          // $mb_memory; 0: refused by name
};

// Gathers the options of one job before they are resolved: remembers what was given, since fio's resolution depends
// on it. Copyable: a job starts as a copy of the globals.
class OptionSet {
 public:
  explicit OptionSet(ParseSettings settings = {}) : settings_(settings) {}
  // Applies one option as written; `value` is std::nullopt for a bare word. Throws JobFileError (where = `where`).
  void apply(std::string_view name, std::optional<std::string_view> value, std::string_view where, bool global = false);
  // The values in force, after fio's rules across options. Throws JobFileError (where = `where` or that of the option).
  [[nodiscard]] JobOptions finish(std::string_view where) const;
  [[nodiscard]] const ParseSettings& settings() const { return settings_; }
  void set_name(std::string_view name) { raw_.name = name; }

 private:
  friend struct OptionSetters;
  ParseSettings settings_;
  JobOptions raw_;
  std::uint64_t kb_base_ = 1024;
  // What fio resolves only once all is known; std::nullopt: not given.
  PerDirection<std::uint64_t> bs_bytes_{{4096, 4096, 4096}};
  PerDirection<std::optional<std::uint64_t>> range_min_bytes_{}, range_max_bytes_{}, blockalign_bytes_{};
  std::optional<std::uint32_t> iodepth_batch_, complete_min_, complete_max_, iodepth_low_;
};

// ---- values, as fio reads them --------------------------------------------------------------------------------------

// Thrown by the value parsers; OptionSet adds the place.
struct ValueError {
  std::string message;
  std::string remedy;
};

// 4096, 4k, 4kb, 0x1000, 1M...: powers of kb_base (1024 or 1000) for k m g t p, of the other base for kib mib ...
// (`ki` alone is 1024). Throws ValueError on anything else and on more than 2^64 - 1.
[[nodiscard]] std::uint64_t parse_size(std::string_view text, std::uint64_t kb_base = 1024);
// As parse_size, or a whole percentage `50%` of at most 100.
[[nodiscard]] SizeOrPercent parse_size_or_percent(std::string_view text, std::uint64_t kb_base = 1024);
// A duration with suffix us, usec, ms, msec, s, sec, m, h, d; without one in `default_unit_ns`. Result in ns.
[[nodiscard]] std::uint64_t parse_time_ns(std::string_view text, std::uint64_t default_unit_ns);
// `0` or `1`.
[[nodiscard]] bool parse_bool(std::string_view text);
// "0-3,8" -> 0 1 2 3 8.
[[nodiscard]] std::vector<std::uint32_t> parse_cpu_list(std::string_view text);

}  // namespace flushlab::fio
