// SPDX-License-Identifier: GPL-2.0-only
// The one table of fio's options: what each is, and what flushlab does with it (rules O1 and O2 of options.hpp).
#include <algorithm>
#include <numeric>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {
namespace {

using K = OptionKind;
constexpr std::uint64_t kU32 = 0xFFFF'FFFF;
constexpr std::uint64_t kU64 = ~std::uint64_t{0};
constexpr std::uint64_t kMaxDepth = 65536;  // the kernel's default fs.aio-max-nr, and more than io_uring's ring
constexpr std::uint64_t kMaxJobs = 4096;    // fio's own limit

constexpr std::string_view kLeaveOut = "leave it out";
constexpr std::string_view kOrder = "jobs start together or after stonewall, and end by themselves";
constexpr std::string_view kOneFile = "a job works on one file or device";
constexpr std::string_view kUringCost = "the host profile's io_uring costs are those of the default path";
constexpr std::string_view kPriority = "I/O and CPU priorities are not modelled";
constexpr std::string_view kLayout = "files are laid out in full before time starts, and stay";
constexpr std::string_view kRateMin = "a job does not fail for being slow";
constexpr std::string_view kTarget = "the search for a queue depth is not modelled";
constexpr std::string_view kSteady = "a job does not end for being steady";
constexpr std::string_view kCgroup = "control groups are not modelled";
constexpr std::string_view kMemory = "host memory costs nothing and never runs out";
constexpr std::string_view kContents = "blocks carry a write id, not bytes, so contents change nothing";
constexpr std::string_view kRefill = "filling buffers costs CPU time at each I/O, which is not modelled";
constexpr std::string_view kVerify = "contents are not verified by the job";
constexpr std::string_view kUseLedger = "leave it out: the durability ledger checks every block";
constexpr std::string_view kTrim = "trim is not modelled";
constexpr std::string_view kZones = "zoned devices are not modelled";
constexpr std::string_view kReplay = "a job does not replay logs";
constexpr std::string_view kUseReplay = "use flushlab trace replay";
constexpr std::string_view kFreeClock = "reading the clock costs nothing, so everything is measured and reported";
constexpr std::string_view kLogs = "fio's sample logs are not written";
constexpr std::string_view kUseTrace = "use --trace FILE for every I/O";
constexpr std::string_view kNoLogs = "it only shapes fio's logs, of which none is written";

constexpr OptionInfo modelled(std::string_view name, std::string_view aliases, K kind, std::string_view default_text,
                              std::uint64_t min, std::uint64_t max) {
  return {name, aliases, kind, default_text, min, max, OptionHandling::kModelled, {}, {}};
}
constexpr OptionInfo harmless(std::string_view name, std::string_view aliases, K kind, std::string_view default_text,
                              std::string_view reason) {
  return {name, aliases, kind, default_text, 0, kU64, OptionHandling::kHarmless, reason, {}};
}
constexpr OptionInfo refused(std::string_view name, std::string_view aliases, K kind, std::string_view default_text,
                             std::string_view reason, std::string_view remedy = kLeaveOut) {
  return {name, aliases, kind, default_text, 0, kU64, OptionHandling::kRefused, reason, remedy};
}

// clang-format off
constexpr OptionInfo kOptions[] = {
    // the job and its files
    modelled("name", "", K::kText, "", 0, kU32),
    modelled("description", "", K::kText, "", 0, kU32),
    refused("wait_for", "", K::kText, "", kOrder),
    modelled("filename", "", K::kText, "", 0, kU32),
    refused("lockfile", "", K::kEnum, "none", "files are not locked"),
    refused("directory", "", K::kText, "", "a file is named by filename alone", "put the folder into filename"),
    refused("filename_format", "", K::kText, "", "files are not named by pattern", "name the file with filename"),
    harmless("unique_filename", "", K::kBool, "1", "only for network clients"),
    refused("opendir", "", K::kText, "", kOneFile),
    refused("nrfiles", "nr_files", K::kInteger, "1", kOneFile),
    refused("openfiles", "", K::kInteger, "1", kOneFile),
    refused("file_service_type", "", K::kEnum, "roundrobin", kOneFile),
    refused("filesize", "", K::kSize, "", kOneFile, "use size"),
    // what is read and written, and where
    modelled("rw", "readwrite", K::kEnum, "read", 0, kU32),
    modelled("rw_sequencer", "", K::kEnum, "sequential", 0, kU32),
    modelled("bs", "blocksize", K::kSize, "4096", 1, kU32),
    modelled("bsrange", "blocksize_range", K::kList, "", 1, kU32),
    modelled("bssplit", "", K::kList, "", 1, kU32),
    modelled("blockalign", "ba", K::kSize, "", 1, kU32),
    refused("bs_unaligned", "blocksize_unaligned", K::kFlag, "0", "block sizes are multiples of the smallest one"),
    refused("bs_is_seq_rand", "", K::kBool, "0", "block sizes go by direction, not by sequential and random", "use bs=READ,WRITE"),
    modelled("size", "", K::kSize, "", 0, kU64),
    modelled("io_size", "io_limit", K::kSize, "", 0, kU64),
    refused("fill_device", "fill_fs", K::kBool, "0", "no simulated file grows until the device is full", "use size=100%"),
    refused("file_append", "", K::kBool, "0", "files do not grow", "use offset"),
    modelled("offset", "fileoffset", K::kSize, "0", 0, kU64),
    modelled("offset_increment", "", K::kSize, "0", 0, kU64),
    refused("offset_align", "", K::kSize, "0", "a percentage offset is rounded to the smallest block only", "give offset in bytes"),
    modelled("number_ios", "", K::kInteger, "0", 0, kU64),
    modelled("randrepeat", "", K::kBool, "1", 0, kU32),
    modelled("allrandrepeat", "", K::kBool, "0", 0, kU32),
    modelled("randseed", "", K::kInteger, "0x89", 0, kU64),
    modelled("norandommap", "", K::kFlag, "0", 0, kU32),
    modelled("softrandommap", "", K::kBool, "0", 0, kU32),
    modelled("random_generator", "", K::kEnum, "tausworthe", 0, kU32),
    modelled("random_distribution", "", K::kEnum, "random", 0, kU32),
    modelled("percentage_random", "", K::kInteger, "100", 0, 100),
    modelled("rwmixread", "", K::kInteger, "50", 0, 100),
    modelled("rwmixwrite", "", K::kInteger, "50", 0, 100),
    refused("sprandom", "", K::kBool, "0", "the preconditioning pattern of newer fio is not modelled"),
    // engine and depth
    modelled("ioengine", "", K::kEnum, "psync", 0, kU32),
    modelled("iodepth", "", K::kInteger, "1", 1, kMaxDepth),
    modelled("iodepth_batch", "iodepth_batch_submit", K::kInteger, "1", 0, kU32),
    modelled("iodepth_batch_complete_min", "iodepth_batch_complete", K::kInteger, "1", 0, kU32),
    modelled("iodepth_batch_complete_max", "", K::kInteger, "1", 0, kU32),
    modelled("iodepth_low", "", K::kInteger, "", 0, kU32),
    refused("serialize_overlap", "", K::kBool, "0", "overlapping I/Os are not held back"),
    refused("io_submit_mode", "", K::kEnum, "inline", "submission by worker threads is not modelled"),
    refused("hipri", "", K::kFlag, "0", "polled completion queues are not modelled"),
    refused("hipri_percentage", "", K::kInteger, "100", "polled completion queues are not modelled"),
    refused("fixedbufs", "", K::kFlag, "0", kUringCost),
    refused("registerfiles", "", K::kFlag, "0", kUringCost),
    refused("nonvectored", "", K::kInteger, "-1", kUringCost),
    refused("sqthread_poll", "", K::kFlag, "0", kUringCost),
    refused("sqthread_poll_cpu", "", K::kInteger, "", kUringCost),
    refused("force_async", "", K::kInteger, "0", kUringCost),
    refused("nowait", "", K::kBool, "0", "I/O that returns EAGAIN instead of waiting is not modelled"),
    refused("uncached", "", K::kInteger, "0", "RWF_UNCACHED is not modelled", "use direct=1"),
    refused("userspace_reap", "", K::kFlag, "0", "libaio completions are reaped by system call only"),
    refused("cmd_type", "", K::kEnum, "", "io_uring_cmd is not modelled", "use ioengine=io_uring, or flushlab's passthrough scenarios"),
    refused("cmdprio_percentage", "", K::kInteger, "0", kPriority),
    refused("cmdprio_class", "", K::kInteger, "0", kPriority),
    refused("cmdprio", "", K::kInteger, "0", kPriority),
    refused("cmdprio_bssplit", "", K::kList, "", kPriority),
    // syncs and caches
    modelled("fsync", "", K::kInteger, "0", 0, kU32),
    modelled("fdatasync", "", K::kInteger, "0", 0, kU32),
    modelled("sync_file_range", "", K::kList, "", 0, kU32),
    modelled("end_fsync", "", K::kBool, "0", 0, kU32),
    modelled("fsync_on_close", "", K::kBool, "0", 0, kU32),
    refused("syncfs", "", K::kInteger, "0", "syncfs of newer fio is not modelled", "use fsync"),
    refused("end_syncfs", "", K::kBool, "0", "syncfs of newer fio is not modelled", "use end_fsync"),
    refused("write_barrier", "", K::kInteger, "0", "no engine of flushlab has barrier writes", "use fsync"),
    modelled("sync", "", K::kEnum, "none", 0, kU32),
    modelled("direct", "", K::kBool, "0", 0, kU32),
    modelled("buffered", "", K::kBool, "1", 0, kU32),
    modelled("invalidate", "", K::kBool, "1", 0, kU32),
    refused("atomic", "", K::kBool, "0", "RWF_ATOMIC is not modelled"),
    refused("overwrite", "", K::kBool, "0", kLayout),
    refused("fallocate", "", K::kEnum, "native", kLayout),
    refused("fadvise_hint", "", K::kEnum, "1", "the page cache reads ahead as fio's default hint asks"),
    refused("pre_read", "", K::kBool, "0", "files are not read ahead of the job", "put a reading job with stonewall in front"),
    refused("write_hint", "", K::kEnum, "none", "write life-time hints are not modelled"),
    harmless("create_serialize", "", K::kBool, "1", "files are there before time starts"),
    refused("create_fsync", "", K::kBool, "1", kLayout),
    refused("create_on_open", "", K::kBool, "0", kLayout),
    refused("create_only", "", K::kBool, "0", kLayout),
    harmless("allow_file_create", "", K::kBool, "1", "simulated files always exist"),
    harmless("allow_mounted_write", "", K::kBool, "0", "no real device is touched"),
    refused("unlink", "", K::kBool, "0", kLayout),
    refused("unlink_each_loop", "", K::kBool, "0", kLayout),
    // how long, how many, in which order
    modelled("loops", "", K::kInteger, "1", 1, kU32),
    modelled("numjobs", "", K::kInteger, "1", 1, kMaxJobs),
    modelled("thread", "", K::kFlag, "0", 0, kU32),
    modelled("runtime", "timeout", K::kTime, "0", 0, kU64),
    modelled("time_based", "", K::kFlag, "0", 0, kU32),
    modelled("ramp_time", "", K::kTime, "0", 0, kU64),
    modelled("startdelay", "", K::kTime, "0", 0, kU64),
    refused("ramp_size", "", K::kSize, "0", "ramping by bytes (newer fio) is not modelled", "use ramp_time"),
    modelled("stonewall", "wait_for_previous", K::kFlag, "0", 0, kU32),
    refused("new_group", "", K::kFlag, "0", kOrder, "use stonewall"),
    refused("exitall", "", K::kFlag, "0", kOrder),
    harmless("exit_what", "", K::kEnum, "group", "it only qualifies exitall, which is refused"),
    refused("exitall_on_error", "", K::kFlag, "0", kOrder),
    // rates, think time, latency targets
    modelled("rate", "", K::kSize, "", 0, kU32),
    modelled("rate_iops", "", K::kInteger, "", 0, kU32),
    modelled("thinktime", "", K::kTime, "0", 0, kU32),
    modelled("thinktime_spin", "", K::kTime, "0", 0, kU32),
    modelled("thinktime_blocks", "", K::kInteger, "1", 1, kU32),
    refused("thinktime_blocks_type", "", K::kEnum, "complete", "think time counts completed I/Os"),
    refused("thinktime_iotime", "", K::kTime, "0", "think time goes by blocks", "use thinktime_blocks"),
    refused("rate_min", "ratemin", K::kSize, "0", kRateMin),
    refused("rate_iops_min", "", K::kInteger, "0", kRateMin),
    harmless("rate_cycle", "ratecycle", K::kInteger, "1000", "it only qualifies rate_min, which is refused"),
    refused("rate_process", "", K::kEnum, "linear", "Poisson arrivals are not modelled"),
    refused("rate_ignore_thinktime", "", K::kBool, "0", "think time and rate add up"),
    refused("max_latency", "", K::kTime, "0", "a job does not end for its latency", "use a scenario's expectations"),
    refused("latency_target", "", K::kTime, "0", kTarget, "use flushlab sweep"),
    refused("latency_window", "", K::kTime, "0", kTarget),
    refused("latency_percentile", "", K::kList, "100", kTarget),
    refused("latency_run", "", K::kBool, "0", kTarget),
    refused("steadystate", "ss", K::kList, "", kSteady),
    refused("steadystate_duration", "ss_dur", K::kTime, "0", kSteady),
    refused("steadystate_ramp_time", "ss_ramp", K::kTime, "0", kSteady),
    refused("flow_id", "", K::kInteger, "0", "flow control between jobs is not modelled", "use rate or rate_iops"),
    refused("flow", "", K::kInteger, "0", "flow control between jobs is not modelled", "use rate or rate_iops"),
    refused("flow_sleep", "", K::kInteger, "0", "flow control between jobs is not modelled", "use rate or rate_iops"),
    // placement and priority
    modelled("cpus_allowed", "", K::kList, "", 0, kU32),
    refused("cpumask", "", K::kInteger, "0", "CPUs are given as a list", "use cpus_allowed"),
    refused("cpus_allowed_policy", "", K::kEnum, "shared", "the clones of a job share its CPUs", "write one job for each CPU"),
    refused("numa_cpu_nodes", "", K::kList, "", "the host has no NUMA nodes", "use cpus_allowed"),
    refused("numa_mem_policy", "", K::kList, "", "the host has no NUMA nodes"),
    refused("nice", "", K::kInteger, "0", kPriority),
    refused("prio", "", K::kInteger, "0", kPriority),
    refused("prioclass", "", K::kInteger, "0", kPriority),
    refused("ioscheduler", "", K::kEnum, "none", "the scheduler belongs to the kernel profile", "choose it in the scenario"),
    refused("cgroup", "", K::kText, "", kCgroup),
    refused("cgroup_nodelete", "", K::kBool, "0", kCgroup),
    refused("cgroup_weight", "", K::kInteger, "", kCgroup),
    refused("uid", "", K::kInteger, "", "the host has no users"),
    refused("gid", "", K::kInteger, "", "the host has no users"),
    // memory and contents: blocks carry a write id, not bytes
    harmless("mem", "iomem", K::kEnum, "malloc", kMemory),
    refused("iomem_align", "mem_align", K::kSize, "0", "buffers are page-aligned"),
    harmless("lockmem", "", K::kSize, "0", kMemory),
    harmless("hugepage-size", "", K::kSize, "2m", kMemory),
    harmless("zero_buffers", "", K::kFlag, "0", kContents),
    harmless("scramble_buffers", "", K::kBool, "1", kContents),
    harmless("buffer_pattern", "", K::kText, "", kContents),
    harmless("buffer_compress_chunk", "", K::kSize, "512", kContents),
    harmless("dedupe_mode", "", K::kEnum, "repeat", kContents),
    harmless("dedupe_working_set_percentage", "", K::kInteger, "5", kContents),
    harmless("dedupe_global", "", K::kBool, "0", kContents),
    refused("refill_buffers", "", K::kFlag, "0", kRefill),
    refused("buffer_compress_percentage", "", K::kInteger, "0", kRefill),
    refused("dedupe_percentage", "", K::kInteger, "0", kRefill),
    // verification and trim
    refused("verify", "", K::kEnum, "0", kVerify, kUseLedger),
    refused("do_verify", "", K::kBool, "1", kVerify, kUseLedger),
    refused("verify_only", "", K::kFlag, "0", kVerify, kUseLedger),
    refused("verify_interval", "", K::kSize, "", kVerify, kUseLedger),
    refused("verify_offset", "", K::kSize, "", kVerify, kUseLedger),
    refused("verify_pattern", "", K::kText, "", kVerify, kUseLedger),
    refused("verify_fatal", "", K::kBool, "0", kVerify, kUseLedger),
    refused("verify_dump", "", K::kBool, "0", kVerify, kUseLedger),
    refused("verify_async", "", K::kInteger, "0", kVerify, kUseLedger),
    refused("verify_async_cpus", "", K::kList, "", kVerify, kUseLedger),
    refused("verify_backlog", "", K::kInteger, "0", kVerify, kUseLedger),
    refused("verify_backlog_batch", "", K::kInteger, "0", kVerify, kUseLedger),
    refused("experimental_verify", "", K::kBool, "0", kVerify, kUseLedger),
    refused("verify_state_load", "", K::kBool, "0", kVerify, kUseLedger),
    refused("verify_state_save", "", K::kBool, "1", kVerify, kUseLedger),
    refused("verifysort", "", K::kBool, "1", kVerify, kUseLedger),
    refused("verifysort_nr", "", K::kInteger, "1024", kVerify, kUseLedger),
    refused("trim_percentage", "", K::kInteger, "0", kTrim),
    refused("trim_verify_zero", "", K::kBool, "1", kTrim),
    refused("trim_backlog", "", K::kInteger, "0", kTrim),
    refused("trim_backlog_batch", "", K::kInteger, "0", kTrim),
    // zones
    refused("zonemode", "", K::kEnum, "none", kZones),
    refused("zonesize", "", K::kSize, "0", kZones),
    refused("zonecapacity", "", K::kSize, "0", kZones),
    refused("zonerange", "", K::kSize, "0", kZones),
    refused("zoneskip", "", K::kSize, "0", kZones),
    refused("read_beyond_wp", "", K::kBool, "0", kZones),
    refused("max_open_zones", "", K::kInteger, "0", kZones),
    refused("job_max_open_zones", "", K::kInteger, "0", kZones),
    refused("ignore_zone_limits", "", K::kBool, "0", kZones),
    refused("zone_reset_threshold", "", K::kList, "", kZones),
    refused("zone_reset_frequency", "", K::kList, "", kZones),
    // I/O logs and replay
    refused("write_iolog", "", K::kText, "", "fio I/O logs are not written by a job", "use flushlab trace export"),
    refused("read_iolog", "", K::kText, "", kReplay, kUseReplay),
    refused("read_iolog_chunked", "", K::kBool, "0", kReplay, kUseReplay),
    refused("replay_no_stall", "", K::kBool, "0", kReplay, kUseReplay),
    refused("replay_redirect", "", K::kText, "", kReplay, kUseReplay),
    refused("replay_scale", "", K::kInteger, "1", kReplay, kUseReplay),
    refused("replay_align", "", K::kSize, "0", kReplay, kUseReplay),
    refused("replay_time_scale", "", K::kInteger, "100", kReplay, kUseReplay),
    refused("replay_skip", "", K::kList, "", kReplay, kUseReplay),
    refused("merge_blktrace_file", "", K::kText, "", kReplay, kUseReplay),
    refused("merge_blktrace_scalars", "", K::kList, "", kReplay, kUseReplay),
    refused("merge_blktrace_iters", "", K::kList, "", kReplay, kUseReplay),
    // the program around the job
    refused("exec_prerun", "", K::kText, "", "no program runs inside the simulation"),
    refused("exec_postrun", "", K::kText, "", "no program runs inside the simulation"),
    refused("profile", "", K::kText, "", "fio's built-in profiles are not modelled"),
    harmless("clocksource", "", K::kEnum, "", kFreeClock),
    harmless("gtod_cpu", "", K::kInteger, "", kFreeClock),
    harmless("gtod_reduce", "", K::kBool, "0", kFreeClock),
    harmless("disable_lat", "", K::kBool, "0", kFreeClock),
    harmless("disable_clat", "", K::kBool, "0", kFreeClock),
    harmless("disable_slat", "", K::kBool, "0", kFreeClock),
    harmless("disable_bw_measurement", "disable_bw", K::kBool, "0", kFreeClock),
    refused("continue_on_error", "", K::kEnum, "none", "a job ends at its first error"),
    refused("ignore_error", "", K::kList, "", "a job ends at its first error"),
    harmless("error_dump", "", K::kBool, "0", "errors are always reported"),
    // reports
    modelled("group_reporting", "", K::kFlag, "0", 0, kU32),
    modelled("clat_percentiles", "", K::kBool, "1", 0, kU32),
    modelled("percentile_list", "", K::kList, "", 0, kU32),
    refused("lat_percentiles", "", K::kBool, "0", "percentiles are those of completion latency"),
    refused("slat_percentiles", "", K::kBool, "0", "percentiles are those of completion latency"),
    refused("unified_rw_reporting", "", K::kEnum, "none", "reads and writes are reported apart"),
    refused("stats", "", K::kBool, "1", "every job is reported"),
    harmless("disk_util", "", K::kBool, "1", "it only switches off a part of the report"),
    refused("significant_figures", "", K::kInteger, "4", "numbers are printed with fio's default of 4 figures"),
    refused("block_error_percentiles", "", K::kBool, "0", "trim is not modelled"),
    modelled("kb_base", "", K::kEnum, "1024", 0, kU32),
    refused("unit_base", "", K::kEnum, "0", "rates are reported in bytes"),
    refused("bwavgtime", "", K::kTime, "500", "samples are taken every 500 ms"),
    refused("iopsavgtime", "", K::kTime, "500", "samples are taken every 500 ms"),
    refused("write_bw_log", "", K::kText, "", kLogs, kUseTrace),
    refused("write_lat_log", "", K::kText, "", kLogs, kUseTrace),
    refused("write_iops_log", "", K::kText, "", kLogs, kUseTrace),
    refused("write_hist_log", "", K::kText, "", kLogs, kUseTrace),
    harmless("per_job_logs", "", K::kBool, "1", kNoLogs),
    harmless("log_entries", "", K::kInteger, "1024", kNoLogs),
    harmless("log_avg_msec", "", K::kInteger, "0", kNoLogs),
    harmless("log_hist_msec", "", K::kInteger, "0", kNoLogs),
    harmless("log_hist_coarseness", "", K::kInteger, "0", kNoLogs),
    harmless("log_max_value", "", K::kBool, "0", kNoLogs),
    harmless("log_window_value", "", K::kBool, "0", kNoLogs),
    harmless("log_offset", "", K::kBool, "0", kNoLogs),
    harmless("log_prio", "", K::kBool, "0", kNoLogs),
    harmless("log_compression", "", K::kSize, "", kNoLogs),
    harmless("log_compression_cpus", "", K::kList, "", kNoLogs),
    harmless("log_store_compressed", "", K::kBool, "0", kNoLogs),
    harmless("log_unix_epoch", "", K::kBool, "0", kNoLogs),
    harmless("log_alternate_epoch", "", K::kBool, "0", kNoLogs),
    harmless("log_alternate_epoch_clock_id", "", K::kInteger, "0", kNoLogs),
};
// clang-format on

template <typename Function>
void for_each_alias(std::string_view aliases, Function function) {
  while (!aliases.empty()) {
    const std::size_t blank = aliases.find(' ');
    function(aliases.substr(0, blank));
    aliases = blank == std::string_view::npos ? std::string_view{} : aliases.substr(blank + 1);
  }
}

// Insertions, deletions, replacements and exchanges of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const OptionInfo> option_table() {
  return kOptions;
}

const OptionInfo* find_option(std::string_view name) {
  for (const OptionInfo& option : kOptions) {
    bool found = option.name == name;
    for_each_alias(option.aliases, [&](std::string_view alias) { found = found || alias == name; });
    if (found) return &option;
  }
  return nullptr;
}

std::string_view nearest_option(std::string_view name) {
  static constexpr std::size_t kLongestName = 64;
  if (name.empty() || name.size() > kLongestName) return {};
  // More than a third of the letters wrong is another word.
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string_view best;
  const auto consider = [&](std::string_view candidate) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  };
  for (const OptionInfo& option : kOptions) {
    consider(option.name);
    for_each_alias(option.aliases, consider);
  }
  return best;
}

}  // namespace flushlab::fio
