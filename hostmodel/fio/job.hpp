// SPDX-License-Identifier: GPL-2.0-only
// A fio job that runs: the loop of one job process over one file and one engine.
//
// Rules (fio's, which matter as much as the kernel's):
//   F1  Syncs take a slot of iodepth like any I/O; data I/Os alone count as IOPS.
//   F2  While a slot is free the job issues; only when none is free it reaps, and then exactly as many completions as
//       iodepth_batch_complete asks for (one by default), oldest first.
//   F3  A sync's latency runs from the return of the submitting call (the call itself for a synchronous engine) to the
//       moment it is reaped. The write before it is not in it.
//   F4  A time-based job stops issuing when its runtime is over and then drains; its runtime includes the drain.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/sim/histogram.hpp"
#include "emulator/sim/task.hpp"
#include "hostmodel/fio/clat_histogram.hpp"
#include "hostmodel/fio/next_io.hpp"
#include "hostmodel/fio/options.hpp"
#include "hostmodel/io/worker_pool.hpp"
#include "hostmodel/kernel/machine.hpp"
#include "hostmodel/vfs/block_file.hpp"

namespace flushlab::fio {

// What one direction of one job did.
struct DirectionStats {
  std::uint64_t total_ios = 0;
  std::uint64_t io_bytes = 0;
  ClatHistogram slat;  // ns; prepared to submitted, asynchronous engines only
  ClatHistogram clat;  // ns
  ClatHistogram lat;   // ns; prepared to reaped
};

struct JobResult {
  JobOptions options;
  std::uint32_t job_number = 1;  // 1-based over all jobs of the run, clones counted
  std::uint32_t groupid = 0;
  DirectionStats read;
  DirectionStats write;
  ClatHistogram sync_lat;  // ns
  std::uint64_t syncs = 0;
  sim::TimeNs start_ns = 0;  // after startdelay and ramp_time
  sim::TimeNs runtime_ns = 0;
  int error = 0;                           // the first errno, negative, 0 for none
  std::vector<std::uint16_t> worker_cpus;  // where the engine's workers ran, in order of creation
};

// Everything around a job that it needs.
struct JobEnvironment {
  kernel::Machine& machine;
  block::BlockDevice& device;
  queue::HostMemory& memory;
  vfs::PageCache& page_cache;  // the device's
  FioVersion version = FioVersion::kNew;
};

class Job {
 public:
  // `subjob`: the number of this clone within numjobs, from 0.
  Job(JobEnvironment environment, const JobOptions& options, std::uint32_t job_number, std::uint32_t subjob);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  sim::Task<void> run();
  // The last close of the device: dirty pages are written back, nothing is flushed.
  sim::Task<void> close_last();
  [[nodiscard]] const JobResult& result() const { return result_; }
  [[nodiscard]] JobResult& result() { return result_; }
  [[nodiscard]] std::uint32_t subjob() const { return subjob_; }  // within numjobs, from 0
  sim::FramePool& frames() { return machine_->frames(); }

 private:
  sim::Task<void> pass();
  void prepare(io::Unit& unit, const IoRequest& request);
  [[nodiscard]] bool submits_asynchronously(const io::Unit& unit) const;
  void submit(io::Unit& unit);
  sim::Task<void> commit();
  [[nodiscard]] sim::TimeNs submit_cost_ns(const io::Unit& unit) const;
  void reap(std::uint32_t most);
  sim::Task<void> think();
  sim::Task<void> drain();
  sim::Task<void> sleep_for_completions(std::uint32_t wanted);
  sim::Task<void> rate_wait(Direction direction, std::uint64_t bytes);
  void account(io::Unit& unit, sim::TimeNs now_ns);
  void stamp_write_ids(io::Unit& unit);
  [[nodiscard]] bool time_is_over() const;
  void end_ramp();

  kernel::Machine* machine_;
  queue::HostMemory* memory_;
  JobOptions options_;
  FioVersion version_;
  std::uint32_t subjob_;
  vfs::BlockFile file_;
  NextIo next_io_;
  std::uint16_t cpu_index_;
  sim::Cpu* cpu_;
  block::TaskContext task_;
  block::SubmitWait submit_wait_;
  vfs::Caller caller_;
  io::CompletionQueue completions_;
  std::unique_ptr<io::WorkerPool> workers_;
  std::vector<io::Unit> units_;
  std::vector<io::Unit*> free_units_;  // a stack
  std::vector<io::Unit*> queued_;      // prepared, not yet handed to the kernel
  std::uint32_t busy_units_ = 0;
  std::uint64_t next_write_id_;
  sim::TimeNs epoch_ns_ = 0;
  sim::TimeNs deadline_ns_ = sim::kNever;
  sim::TimeNs ramp_end_ns_ = 0;
  bool ramping_ = false;
  std::uint64_t rate_bytes_[kDirectionCount] = {};
  std::uint64_t thinktime_ios_ = 0;
  unsigned sync_flags_ = 0;
  JobResult result_;
};

// All jobs of a run: clones, start delays, stonewalls.
class JobSet {
 public:
  struct Environment {
    kernel::Machine& machine;
    block::BlockDevice& device;
    queue::HostMemory& memory;
    FioVersion version = FioVersion::kNew;
    vfs::PageCache* page_cache = nullptr;  // the device's, where it outlives the jobs
  };
  JobSet(Environment environment, const std::vector<JobOptions>& jobs);
  sim::Task<void> run();
  // In order of job number.
  [[nodiscard]] std::vector<JobResult> results() const;
  sim::FramePool& frames() { return machine_->frames(); }

 private:
  sim::Task<void> run_one(Job& job);

  kernel::Machine* machine_;
  std::unique_ptr<vfs::PageCache> own_page_cache_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::size_t open_ = 0;  // jobs that have not closed the device yet
  std::size_t running_ = 0;
  std::coroutine_handle<> waiter_;
};

}  // namespace flushlab::fio
