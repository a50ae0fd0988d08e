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
  std::uint16_t io_queue_depth = 1024;
  std::uint64_t pending_flush_timeout_ns = 5'000'000'000;  // (C3) of the flush machine
};

}  // namespace flushlab::kernel
