// SPDX-License-Identifier: GPL-2.0-only
// A kernel is data: a named set of behaviours. Code asks for a behaviour by name and never for a version.
#pragma once

#include <cstdint>
#include <string>

namespace flushlab::kernel {

// vwc_policy: from what a namespace's write cache and FUA features are derived.
enum class VwcPolicy : std::uint8_t {
  kVwc,     // "vwc": Identify Controller VWC bit 0 alone      models nvme_update_ns_info_block, v6.12 to v7.1
  kVwcWce,  // "vwc+wce": VWC bit 0 and feature 06h's WCE      models the patch "honor the volatile write cache enable
            // state"
};

// write_cache_override: what a write to queue/write_cache sets, and whether it outlives a rescan.
enum class WriteCacheOverride : std::uint8_t {
  kQueueFlag,     // "queue_flag": the queue's own bits; lost at the next revalidation   models queue_wc_store, v6.1
  kDisabledFlag,  // "disabled_flag": a separate flag, kept                              models queue_wc_store, v6.12
};

// atomic_write_unit: what limits physical_block_size.
enum class AtomicWriteUnit : std::uint8_t {
  kNawupfOrAwupf,  // "nawupf_or_awupf"   models nvme_update_disk_info, v6.1 to v6.13
  kNawupf,         // "nawupf"            models nvme_configure_atomic_write, v7.1
};

// io_opt_without_nows: io_opt when the drive reports preferred sizes but NOWS is 0.
enum class IoOptWithoutNows : std::uint8_t { kBlockSize, kZero };

// plug_order: in which order a plug that ends hands its requests to a single device without a scheduler.
enum class PlugOrder : std::uint8_t {
  kLastInFirstOut,   // "last_in_first_out"    models blk_add_rq_to_plug and nvme_queue_rqs, v6.1 and v6.8
  kSubmissionOrder,  // "submission_order"     v6.12 and later
};

// plug_drain_check: whose size of 128 KiB or more makes a plug drain when the next request arrives.
enum class PlugDrainCheck : std::uint8_t {
  kNewest,  // "newest"   models blk_add_rq_to_plug, v6.1 and v6.8
  kOldest,  // "oldest"   v6.12 and later
};

// controller_capabilities_changed: what a passthrough command does whose effects say CCC.
enum class CccAction : std::uint8_t {
  kReinitialise,  // "reinitialise"   models nvme_passthru_end, v6.1: Identify Controller and the features again
  kMessage,       // "message"        v6.8 and later: one line in the kernel log
};

// flush_order: in which order a flush bio of a dm device goes to the devices of its table.
enum class MemberOrder : std::uint8_t {
  kTable,    // "table"      seen in recordings of 6.1
  kReverse,  // "reverse"    seen in recordings of 6.12
};

// stacked_write_cache: from what a dm device's write cache follows.
enum class StackedWriteCache : std::uint8_t {
  kEffective,  // "effective"   whether any member uses its cache when the table is loaded  models
               // dm_table_supports_flush, v6.1
  kFeature,    // "feature"     the members' features, whatever queue/write_cache says       models blk_stack_limits,
               // v6.12
};

// max_sectors_follows: whether a preferred size beyond the default raises max_sectors.
enum class MaxSectorsFollows : std::uint8_t {
  kNothing,       // "nothing"       models blk_queue_max_hw_sectors, v6.1 and v6.8
  kIoOptOrIoMin,  // "io_opt_or_io_min"   models blk_validate_limits, v6.12 and later
};

// bitmap_io_size: how long md's write of the last page of a write-intent bitmap is.
enum class BitmapIoSize : std::uint8_t {
  kPage,            // "page": its bytes, rounded up to logical_block_size       models write_sb_page, v6.1
  kOptimalV2,       // "optimal_v2": up to optimal_io_size where that fits        models the patch of February 2023
  kOptimal6_4,      // "optimal_6.4": the same, as merged                         models __write_sb_page, v6.4 to v6.10
  kOptimalClamped,  // "optimal_clamped": never beyond the bitmap's pages         models __write_sb_page, v6.12
};

// md_list_flushed_by: who writes the bitmap and sends the data of a list that no plug of the submitter holds.
enum class MdListFlushedBy : std::uint8_t {
  kThread,     // "md_thread": the md thread for a synchronous write, the submitter for others   v6.1
  kSubmitter,  // "submitter": always the submitter; a worker writes the pages                   v6.5 and later
};

// md_flush: what a PREFLUSH to an array does.
enum class MdFlush : std::uint8_t {
  kShared,   // "shared": flushes every member, one flush of the array at a time, then goes on   models submit_flushes,
             // v6.1
  kChained,  // "chained": flushes every member and goes on at once                     models md_flush_request, v6.12
};

struct KernelProfile {
  std::string name;
  std::string description;
  VwcPolicy vwc_policy = VwcPolicy::kVwc;
  bool honours_vwcnp = true;          // CNS 08h NSFEAT bit 5 turns the write cache of a namespace off
  bool cs_indep_needs_vs_2_0 = true;  // CNS 08h is asked for from VS 2.0 on, not only when CAP.CRMS says so
  WriteCacheOverride write_cache_override = WriteCacheOverride::kDisabledFlag;
  AtomicWriteUnit atomic_write_unit = AtomicWriteUnit::kNawupf;
  IoOptWithoutNows io_opt_without_nows = IoOptWithoutNows::kZero;
  bool rejects_odd_physical_block_size = true;  // a physical block size that is no power of two fails the update
  std::uint32_t transport_max_sectors = 16384;  // PCIe transport cap, 512-byte sectors
  std::uint32_t default_max_sectors = 8192;     // BLK_DEF_MAX_SECTORS_CAP
  std::uint16_t max_segments = 256;
  MaxSectorsFollows max_sectors_follows = MaxSectorsFollows::kIoOptOrIoMin;
  bool io_opt_rounded_down = true;  // to a multiple of physical_block_size
  bool discard_granularity_covers_physical = true;
  bool discard_granularity_from_npdg = true;  // NPDG(L) and NPDA(L); otherwise the logical block size
  bool optperf_two_bits = true;               // NSFEAT.OPTPERF has two bits from VS 2.1 on; otherwise only its low one
  bool sgl_lifts_virt_boundary = true;        // no virtual boundary on a controller that takes SGLs
  std::uint32_t max_lba_bytes = 65536;        // larger formats: 512 bytes and no capacity
  std::uint16_t io_queue_depth = 1024;
  // Block layer.
  PlugOrder plug_order = PlugOrder::kSubmissionOrder;
  PlugDrainCheck plug_drain_check = PlugDrainCheck::kOldest;
  bool fua_bypasses_plug = false;   // a FUA write that needs no Flush passes plug and scheduler
  bool write_call_plugs = false;    // a synchronous write(2) on a raw device runs inside a plug
  bool sysfs_store_freezes = true;  // a write to queue/write_cache takes effect with the queue frozen
  MemberOrder dm_flush_order = MemberOrder::kReverse;
  bool dm_zeroes_by_chunk = true;  // Write Zeroes on a striped device is cut at chunks, not gathered by stripe
  StackedWriteCache stacked_write_cache = StackedWriteCache::kFeature;
  // md.
  BitmapIoSize bitmap_io_size = BitmapIoSize::kOptimalClamped;
  bool bitmap_offset_unsigned =
      false;  // a bitmap in front of its superblock is taken for one behind it (6.4 merge window)
  bool bitmap_limit_by_node = true;  // the limit of optimal_clamped counts from the node's own first page
  MdListFlushedBy md_list_flushed_by = MdListFlushedBy::kSubmitter;
  MdFlush md_flush = MdFlush::kChained;
  bool md_clone_keeps_flags = true;  // copies carry all flags of the bio; otherwise SYNC and FUA only
  bool md_degraded_by_request =
      false;                         // a bit stays when its write missed a member; otherwise when the array is degraded
  std::uint32_t md_plug_limit = 32;  // requests in a plug's list before it is flushed; 0: no limit
  std::uint16_t hz = 250;            // CONFIG_HZ
  // NVMe driver.
  bool write_zeroes_deac = true;   // Write Zeroes that may unmap carry DEAC where the drive reads zeroes then
  bool parallel_scan = true;       // namespaces of one scan are identified at the same time
  bool ns_nvm_from_vs_1_2 = true;  // CNS 05h from VS 1.2 on; otherwise only with CTRATT.ELBAS
  CccAction ccc_action = CccAction::kMessage;
  bool cse_relaxations = true;  // effects bits 15:14 set: no freeze although CSE asks for one
  std::uint64_t io_timeout_ns = 30'000'000'000;
  std::uint64_t admin_timeout_ns = 60'000'000'000;
  bool size_limit_not_supported = false;  // status 1/83h (Command Size Limit Exceeded) reads as "not supported"
  std::uint8_t max_retries = 5;           // nvme_max_retries
  std::uint64_t pending_flush_timeout_ns = 5'000'000'000;  // (C3) of the flush machine
};

}  // namespace flushlab::kernel
