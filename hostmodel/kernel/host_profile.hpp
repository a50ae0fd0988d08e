// SPDX-License-Identifier: GPL-2.0-only
// A host profile: the machine that Linux runs on. CPUs, what each step costs on one, and where the scheduler puts io-wq
// workers. Every cost carries where its value comes from; most are identifiable only as sums, which the origin says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace flushlab::kernel {

struct Parameter {
  std::uint64_t value = 0;
  std::string origin;
};

// Where an io-wq worker runs. The scheduler's choice is not modelled; it is an input.
enum class PlacementPolicy : std::uint8_t {
  kFrozenRandom,   // "frozen_random": a random CPU at creation, kept       (the default; fits the published runs)
  kPerWakeRandom,  // "per_wake_random": a new random CPU at every wake-up
  kRoundRobin,     // "round_robin": the next CPU at creation, kept
  kPinned,         // "pinned": `cpus` in order at creation, kept
};

struct Placement {
  PlacementPolicy policy = PlacementPolicy::kFrozenRandom;
  std::vector<std::uint16_t> cpus;  // CPUs to choose from; empty: all but the submitter's
  std::uint64_t seed = 1;           // which draw
};

// CPU time and latencies of the host's steps, ns.
struct HostCosts {
  Parameter submit_write_ns;       // fio, system call, block layer and driver up to the doorbell
  Parameter submit_write_tail_ns;  // from the doorbell to the return of the system call
  Parameter submit_fsync_ns;       // io_uring: enqueue on io-wq and wake a worker; libaio: queue the work item
  Parameter reap_one_ns;           // take one completion
  Parameter irq_ns;                // interrupt and completion work of one command, on the queue's CPU
  Parameter task_wake_ns;          // a sleeping user task, from wake-up to running
  Parameter worker_wake_ns;        // an idle io-wq worker, from wake-up to running
  Parameter worker_run_ns;         // a worker, until the file system call has done its block-layer work
  Parameter worker_post_ns;        // a worker, posting the completion
  Parameter worker_create_ns;      // a new worker, until it runs
  Parameter flush_requeue_ns;      // kblockd: from the requeue list to the driver
  Parameter flush_waiter_wake_ns;  // a worker that slept through a Flush, from wake-up to running
  Parameter buffered_write_ns;     // write(2) of one page into the page cache
  Parameter writeback_page_ns;     // write-back of one page: block layer and driver up to the doorbell
  Parameter fsync_call_ns;         // fsync(2) around its I/O
  Parameter md_thread_wake_ns;     // the md thread, from wake-up to running
  Parameter md_wait_wake_ns;       // a task that waited for md's metadata, from the last completion to running
  Parameter passthru_ns;           // an NVMe ioctl up to the doorbell
  Parameter process_ns;            // start and end of one nvme-cli process
};

struct HostProfile {
  std::string name;
  std::string description;
  std::uint16_t cpus = 16;
  std::uint16_t fio_cpu = 0;
  std::uint64_t page_cache_bytes = std::uint64_t{256} << 20;  // resident pages of raw devices
  std::uint64_t dirty_limit_bytes = std::uint64_t{32} << 20;  // a writer beyond it writes back before it goes on
  Placement placement;
  HostCosts costs;
};

}  // namespace flushlab::kernel
