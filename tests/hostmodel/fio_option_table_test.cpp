// SPDX-License-Identifier: GPL-2.0-only
// Every option of fio, one row each: a value other than its default, and whether it is modelled, harmless or refused
// and with which words.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {
namespace {

constexpr OptionHandling modelled = OptionHandling::kModelled;
constexpr OptionHandling harmless = OptionHandling::kHarmless;
constexpr OptionHandling refused = OptionHandling::kRefused;

struct Row {
  const char* name;
  const char* value;
  OptionHandling handling;
  const char* reason_and_remedy;
};
// clang-format off
const Row kRows[] = {
    {"name", "x", modelled, ""},
    {"description", "x", modelled, ""},
    {"wait_for", "b", refused, "jobs start together or after stonewall, and end by themselves; leave it out"},
    {"filename", "x", modelled, ""},
    {"lockfile", "exclusive", refused, "files are not locked; leave it out"},
    {"directory", "x", refused, "a file is named by filename alone; put the folder into filename"},
    {"filename_format", "x.$jobnum", refused, "files are not named by pattern; name the file with filename"},
    {"unique_filename", "0", harmless, ""},
    {"opendir", "x", refused, "a job works on one file or device; leave it out"},
    {"nrfiles", "7", refused, "a job works on one file or device; leave it out"},
    {"openfiles", "7", refused, "a job works on one file or device; leave it out"},
    {"file_service_type", "random", refused, "a job works on one file or device; leave it out"},
    {"filesize", "8k", refused, "a job works on one file or device; use size"},
    {"rw", "randrw", modelled, ""},
    {"rw_sequencer", "identical", modelled, ""},
    {"bs", "8k", modelled, ""},
    {"bsrange", "4k-8k", modelled, ""},
    {"bssplit", "4k/50:8k/50", modelled, ""},
    {"blockalign", "8k", modelled, ""},
    {"bs_unaligned", "1", refused, "block sizes are multiples of the smallest one; leave it out"},
    {"bs_is_seq_rand", "1", refused, "block sizes go by direction, not by sequential and random; use bs=READ,WRITE"},
    {"size", "8k", modelled, ""},
    {"io_size", "8k", modelled, ""},
    {"fill_device", "1", refused, "no simulated file grows until the device is full; use size=100%"},
    {"file_append", "1", refused, "files do not grow; use offset"},
    {"offset", "8k", modelled, ""},
    {"offset_increment", "8k", modelled, ""},
    {"offset_align", "8k", refused,
     "a percentage offset is rounded to the smallest block only; give offset in bytes"},
    {"number_ios", "7", modelled, ""},
    {"randrepeat", "0", modelled, ""},
    {"allrandrepeat", "1", modelled, ""},
    {"randseed", "7", modelled, ""},
    {"norandommap", "1", modelled, ""},
    {"softrandommap", "1", modelled, ""},
    {"random_generator", "lfsr", modelled, ""},
    {"random_distribution", "zipf:1.2", modelled, ""},
    {"percentage_random", "7", modelled, ""},
    {"rwmixread", "7", modelled, ""},
    {"rwmixwrite", "7", modelled, ""},
    {"sprandom", "1", refused, "the preconditioning pattern of newer fio is not modelled; leave it out"},
    {"ioengine", "io_uring", modelled, ""},
    {"iodepth", "7", modelled, ""},
    {"iodepth_batch", "7", modelled, ""},
    {"iodepth_batch_complete_min", "7", modelled, ""},
    {"iodepth_batch_complete_max", "4", modelled, ""},
    {"iodepth_low", "7", modelled, ""},
    {"serialize_overlap", "1", refused, "overlapping I/Os are not held back; leave it out"},
    {"io_submit_mode", "offload", refused, "submission by worker threads is not modelled; leave it out"},
    {"hipri", "1", refused, "polled completion queues are not modelled; leave it out"},
    {"hipri_percentage", "7", refused, "polled completion queues are not modelled; leave it out"},
    {"fixedbufs", "1", refused, "the host profile's io_uring costs are those of the default path; leave it out"},
    {"registerfiles", "1", refused, "the host profile's io_uring costs are those of the default path; leave it out"},
    {"nonvectored", "7", refused, "the host profile's io_uring costs are those of the default path; leave it out"},
    {"sqthread_poll", "1", refused, "the host profile's io_uring costs are those of the default path; leave it out"},
    {"sqthread_poll_cpu", "7", refused,
     "the host profile's io_uring costs are those of the default path; leave it out"},
    {"force_async", "7", refused, "the host profile's io_uring costs are those of the default path; leave it out"},
    {"nowait", "1", refused, "I/O that returns EAGAIN instead of waiting is not modelled; leave it out"},
    {"uncached", "7", refused, "RWF_UNCACHED is not modelled; use direct=1"},
    {"userspace_reap", "1", refused, "libaio completions are reaped by system call only; leave it out"},
    {"cmd_type", "nvme", refused,
     "io_uring_cmd is not modelled; use ioengine=io_uring, or flushlab's passthrough scenarios"},
    {"cmdprio_percentage", "7", refused, "I/O and CPU priorities are not modelled; leave it out"},
    {"cmdprio_class", "7", refused, "I/O and CPU priorities are not modelled; leave it out"},
    {"cmdprio", "7", refused, "I/O and CPU priorities are not modelled; leave it out"},
    {"cmdprio_bssplit", "7", refused, "I/O and CPU priorities are not modelled; leave it out"},
    {"fsync", "7", modelled, ""},
    {"fdatasync", "7", modelled, ""},
    {"sync_file_range", "write:8", modelled, ""},
    {"end_fsync", "1", modelled, ""},
    {"fsync_on_close", "1", modelled, ""},
    {"syncfs", "7", refused, "syncfs of newer fio is not modelled; use fsync"},
    {"end_syncfs", "1", refused, "syncfs of newer fio is not modelled; use end_fsync"},
    {"write_barrier", "7", refused, "no engine of flushlab has barrier writes; use fsync"},
    {"sync", "dsync", modelled, ""},
    {"direct", "1", modelled, ""},
    {"buffered", "0", modelled, ""},
    {"invalidate", "0", modelled, ""},
    {"atomic", "1", refused, "RWF_ATOMIC is not modelled; leave it out"},
    {"overwrite", "1", refused, "files are laid out in full before time starts, and stay; leave it out"},
    {"fallocate", "none", refused, "files are laid out in full before time starts, and stay; leave it out"},
    {"fadvise_hint", "random", refused, "the page cache reads ahead as fio's default hint asks; leave it out"},
    {"pre_read", "1", refused, "files are not read ahead of the job; put a reading job with stonewall in front"},
    {"write_hint", "short", refused, "write life-time hints are not modelled; leave it out"},
    {"create_serialize", "0", harmless, ""},
    {"create_fsync", "0", refused, "files are laid out in full before time starts, and stay; leave it out"},
    {"create_on_open", "1", refused, "files are laid out in full before time starts, and stay; leave it out"},
    {"create_only", "1", refused, "files are laid out in full before time starts, and stay; leave it out"},
    {"allow_file_create", "0", harmless, ""},
    {"allow_mounted_write", "1", harmless, ""},
    {"unlink", "1", refused, "files are laid out in full before time starts, and stay; leave it out"},
    {"unlink_each_loop", "1", refused, "files are laid out in full before time starts, and stay; leave it out"},
    {"loops", "7", modelled, ""},
    {"numjobs", "7", modelled, ""},
    {"thread", "1", modelled, ""},
    {"runtime", "10s", modelled, ""},
    {"time_based", "1", modelled, ""},
    {"ramp_time", "1s", modelled, ""},
    {"startdelay", "1s", modelled, ""},
    {"ramp_size", "8k", refused, "ramping by bytes (newer fio) is not modelled; use ramp_time"},
    {"stonewall", "1", modelled, ""},
    {"new_group", "1", refused, "jobs start together or after stonewall, and end by themselves; use stonewall"},
    {"exitall", "1", refused, "jobs start together or after stonewall, and end by themselves; leave it out"},
    {"exit_what", "all", harmless, ""},
    {"exitall_on_error", "1", refused, "jobs start together or after stonewall, and end by themselves; leave it out"},
    {"rate", "8k", modelled, ""},
    {"rate_iops", "7", modelled, ""},
    {"thinktime", "7us", modelled, ""},
    {"thinktime_spin", "0", modelled, ""},
    {"thinktime_blocks", "7", modelled, ""},
    {"thinktime_blocks_type", "issue", refused, "think time counts completed I/Os; leave it out"},
    {"thinktime_iotime", "7us", refused, "think time goes by blocks; use thinktime_blocks"},
    {"rate_min", "8k", refused, "a job does not fail for being slow; leave it out"},
    {"rate_iops_min", "7", refused, "a job does not fail for being slow; leave it out"},
    {"rate_cycle", "7", harmless, ""},
    {"rate_process", "poisson", refused, "Poisson arrivals are not modelled; leave it out"},
    {"rate_ignore_thinktime", "1", refused, "think time and rate add up; leave it out"},
    {"max_latency", "7us", refused, "a job does not end for its latency; use a scenario's expectations"},
    {"latency_target", "7us", refused, "the search for a queue depth is not modelled; use flushlab sweep"},
    {"latency_window", "7us", refused, "the search for a queue depth is not modelled; leave it out"},
    {"latency_percentile", "99", refused, "the search for a queue depth is not modelled; leave it out"},
    {"latency_run", "1", refused, "the search for a queue depth is not modelled; leave it out"},
    {"steadystate", "iops:0.3%", refused, "a job does not end for being steady; leave it out"},
    {"steadystate_duration", "7us", refused, "a job does not end for being steady; leave it out"},
    {"steadystate_ramp_time", "7us", refused, "a job does not end for being steady; leave it out"},
    {"flow_id", "7", refused, "flow control between jobs is not modelled; use rate or rate_iops"},
    {"flow", "7", refused, "flow control between jobs is not modelled; use rate or rate_iops"},
    {"flow_sleep", "7", refused, "flow control between jobs is not modelled; use rate or rate_iops"},
    {"cpus_allowed", "0-3", modelled, ""},
    {"cpumask", "3", refused, "CPUs are given as a list; use cpus_allowed"},
    {"cpus_allowed_policy", "split", refused, "the clones of a job share its CPUs; write one job for each CPU"},
    {"numa_cpu_nodes", "0", refused, "the host has no NUMA nodes; use cpus_allowed"},
    {"numa_mem_policy", "bind:0", refused, "the host has no NUMA nodes; leave it out"},
    {"nice", "7", refused, "I/O and CPU priorities are not modelled; leave it out"},
    {"prio", "7", refused, "I/O and CPU priorities are not modelled; leave it out"},
    {"prioclass", "7", refused, "I/O and CPU priorities are not modelled; leave it out"},
    {"ioscheduler", "bfq", refused, "the scheduler belongs to the kernel profile; choose it in the scenario"},
    {"cgroup", "x", refused, "control groups are not modelled; leave it out"},
    {"cgroup_nodelete", "1", refused, "control groups are not modelled; leave it out"},
    {"cgroup_weight", "7", refused, "control groups are not modelled; leave it out"},
    {"uid", "7", refused, "the host has no users; leave it out"},
    {"gid", "7", refused, "the host has no users; leave it out"},
    {"mem", "mmap", harmless, ""},
    {"iomem_align", "8k", refused, "buffers are page-aligned; leave it out"},
    {"lockmem", "8k", harmless, ""},
    {"hugepage-size", "8k", harmless, ""},
    {"zero_buffers", "1", harmless, ""},
    {"scramble_buffers", "0", harmless, ""},
    {"buffer_pattern", "0xdeadbeef", harmless, ""},
    {"buffer_compress_chunk", "8k", harmless, ""},
    {"dedupe_mode", "working_set", harmless, ""},
    {"dedupe_working_set_percentage", "7", harmless, ""},
    {"dedupe_global", "1", harmless, ""},
    {"refill_buffers", "1", refused,
     "filling buffers costs CPU time at each I/O, which is not modelled; leave it out"},
    {"buffer_compress_percentage", "7", refused,
     "filling buffers costs CPU time at each I/O, which is not modelled; leave it out"},
    {"dedupe_percentage", "7", refused,
     "filling buffers costs CPU time at each I/O, which is not modelled; leave it out"},
    {"verify", "crc32c", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"do_verify", "0", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_only", "1", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_interval", "8k", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_offset", "8k", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_pattern", "x", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_fatal", "1", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_dump", "1", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_async", "7", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_async_cpus", "7", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_backlog", "7", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_backlog_batch", "7", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"experimental_verify", "1", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_state_load", "1", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verify_state_save", "0", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verifysort", "0", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"verifysort_nr", "7", refused,
     "contents are not verified by the job; leave it out: the durability ledger checks every block"},
    {"trim_percentage", "7", refused, "trim is not modelled; leave it out"},
    {"trim_verify_zero", "0", refused, "trim is not modelled; leave it out"},
    {"trim_backlog", "7", refused, "trim is not modelled; leave it out"},
    {"trim_backlog_batch", "7", refused, "trim is not modelled; leave it out"},
    {"zonemode", "zbd", refused, "zoned devices are not modelled; leave it out"},
    {"zonesize", "8k", refused, "zoned devices are not modelled; leave it out"},
    {"zonecapacity", "8k", refused, "zoned devices are not modelled; leave it out"},
    {"zonerange", "8k", refused, "zoned devices are not modelled; leave it out"},
    {"zoneskip", "8k", refused, "zoned devices are not modelled; leave it out"},
    {"read_beyond_wp", "1", refused, "zoned devices are not modelled; leave it out"},
    {"max_open_zones", "7", refused, "zoned devices are not modelled; leave it out"},
    {"job_max_open_zones", "7", refused, "zoned devices are not modelled; leave it out"},
    {"ignore_zone_limits", "1", refused, "zoned devices are not modelled; leave it out"},
    {"zone_reset_threshold", "7", refused, "zoned devices are not modelled; leave it out"},
    {"zone_reset_frequency", "7", refused, "zoned devices are not modelled; leave it out"},
    {"write_iolog", "x", refused, "fio I/O logs are not written by a job; use flushlab trace export"},
    {"read_iolog", "x", refused, "a job does not replay logs; use flushlab trace replay"},
    {"read_iolog_chunked", "1", refused, "a job does not replay logs; use flushlab trace replay"},
    {"replay_no_stall", "1", refused, "a job does not replay logs; use flushlab trace replay"},
    {"replay_redirect", "x", refused, "a job does not replay logs; use flushlab trace replay"},
    {"replay_scale", "7", refused, "a job does not replay logs; use flushlab trace replay"},
    {"replay_align", "8k", refused, "a job does not replay logs; use flushlab trace replay"},
    {"replay_time_scale", "7", refused, "a job does not replay logs; use flushlab trace replay"},
    {"replay_skip", "7", refused, "a job does not replay logs; use flushlab trace replay"},
    {"merge_blktrace_file", "x", refused, "a job does not replay logs; use flushlab trace replay"},
    {"merge_blktrace_scalars", "7", refused, "a job does not replay logs; use flushlab trace replay"},
    {"merge_blktrace_iters", "7", refused, "a job does not replay logs; use flushlab trace replay"},
    {"exec_prerun", "x", refused, "no program runs inside the simulation; leave it out"},
    {"exec_postrun", "x", refused, "no program runs inside the simulation; leave it out"},
    {"profile", "x", refused, "fio's built-in profiles are not modelled; leave it out"},
    {"clocksource", "cpu", harmless, ""},
    {"gtod_cpu", "7", harmless, ""},
    {"gtod_reduce", "1", harmless, ""},
    {"disable_lat", "1", harmless, ""},
    {"disable_clat", "1", harmless, ""},
    {"disable_slat", "1", harmless, ""},
    {"disable_bw_measurement", "1", harmless, ""},
    {"continue_on_error", "all", refused, "a job ends at its first error; leave it out"},
    {"ignore_error", "EIO", refused, "a job ends at its first error; leave it out"},
    {"error_dump", "1", harmless, ""},
    {"group_reporting", "1", modelled, ""},
    {"clat_percentiles", "0", modelled, ""},
    {"percentile_list", "50:99.9", modelled, ""},
    {"lat_percentiles", "1", refused, "percentiles are those of completion latency; leave it out"},
    {"slat_percentiles", "1", refused, "percentiles are those of completion latency; leave it out"},
    {"unified_rw_reporting", "mixed", refused, "reads and writes are reported apart; leave it out"},
    {"stats", "0", refused, "every job is reported; leave it out"},
    {"disk_util", "0", harmless, ""},
    {"significant_figures", "7", refused, "numbers are printed with fio's default of 4 figures; leave it out"},
    {"block_error_percentiles", "1", refused, "trim is not modelled; leave it out"},
    {"kb_base", "1000", modelled, ""},
    {"unit_base", "8", refused, "rates are reported in bytes; leave it out"},
    {"bwavgtime", "7us", refused, "samples are taken every 500 ms; leave it out"},
    {"iopsavgtime", "7us", refused, "samples are taken every 500 ms; leave it out"},
    {"write_bw_log", "x", refused, "fio's sample logs are not written; use --trace FILE for every I/O"},
    {"write_lat_log", "x", refused, "fio's sample logs are not written; use --trace FILE for every I/O"},
    {"write_iops_log", "x", refused, "fio's sample logs are not written; use --trace FILE for every I/O"},
    {"write_hist_log", "x", refused, "fio's sample logs are not written; use --trace FILE for every I/O"},
    {"per_job_logs", "0", harmless, ""},
    {"log_entries", "7", harmless, ""},
    {"log_avg_msec", "7", harmless, ""},
    {"log_hist_msec", "7", harmless, ""},
    {"log_hist_coarseness", "7", harmless, ""},
    {"log_max_value", "1", harmless, ""},
    {"log_window_value", "1", harmless, ""},
    {"log_offset", "1", harmless, ""},
    {"log_prio", "1", harmless, ""},
    {"log_compression", "8k", harmless, ""},
    {"log_compression_cpus", "7", harmless, ""},
    {"log_store_compressed", "1", harmless, ""},
    {"log_unix_epoch", "1", harmless, ""},
    {"log_alternate_epoch", "1", harmless, ""},
    {"log_alternate_epoch_clock_id", "7", harmless, ""},
};
// clang-format on

std::string error_of(std::string_view name, std::string_view value) {
  try {
    OptionSet().apply(name, value, "here");
    return {};
  } catch (const JobFileError& error) {
    return error.what();
  }
}

TEST_CASE("fio options: each is modelled, harmless or refused by name", "[fio]") {
  std::set<std::string_view> tested;
  for (const Row& row : kRows) {
    INFO(row.name << "=" << row.value);
    const OptionInfo* option = find_option(row.name);
    REQUIRE(option != nullptr);
    CHECK(option->name == row.name);
    CHECK(option->handling == row.handling);
    CHECK(tested.insert(option->name).second);
    CHECK(error_of(row.name, row.value) ==
          (row.handling == refused ? fmt::format("here: option '{}' is refused: {}", row.name, row.reason_and_remedy)
                                   : ""));
  }
  for (const OptionInfo& option : option_table()) {
    INFO(option.name);
    CHECK(tested.count(option.name) == 1);
  }
}

TEST_CASE("fio options: each accepts its own default", "[fio]") {
  for (const OptionInfo& option : option_table()) {
    if (option.default_text.empty()) continue;
    INFO(option.name << "=" << option.default_text);
    CHECK(error_of(option.name, option.default_text) == "");
  }
}

TEST_CASE("fio options: names and aliases are unique, and all that is not modelled says why", "[fio]") {
  std::set<std::string> names;
  for (const OptionInfo& option : option_table()) {
    INFO(option.name);
    CHECK(names.insert(std::string(option.name)).second);
    CHECK(option.name == find_option(option.name)->name);
    if (!option.aliases.empty()) {
      CHECK(names.insert(std::string(option.aliases)).second);  // none has more than one
      CHECK(find_option(option.aliases) == &option);
    }
    CHECK((option.handling == modelled) == option.reason.empty());
    CHECK((option.handling == refused) == !option.remedy.empty());
    CHECK(nearest_option(option.name) == option.name);
  }
}

TEST_CASE("fio options: the nearest name", "[fio]") {
  struct Near {
    const char* written;
    const char* meant;
  };
  const Near rows[] = {{"iodpeth", "iodepth"},
                       {"iodept", "iodepth"},
                       {"blocksiz", "blocksize"},
                       {"fsnyc", "fsync"},
                       {"bd", "bs"},
                       {"norandomap", "norandommap"},
                       {"rwmix_read", "rwmixread"},
                       {"io_depth", "iodepth"},
                       {"zzzzzzzzzzzz", ""},
                       {"", ""}};
  for (const Near& row : rows) CHECK(nearest_option(row.written) == row.meant);
}

}  // namespace
}  // namespace flushlab::fio
