// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/job.hpp"

#include <algorithm>
#include <utility>

#include "hostmodel/block/plug.hpp"

namespace flushlab::fio {

using io::Unit;
using io::UnitKind;

namespace {

UnitKind unit_kind(IoRequest::Kind kind) {
  switch (kind) {
    case IoRequest::Kind::kRead:
      return UnitKind::kRead;
    case IoRequest::Kind::kWrite:
      return UnitKind::kWrite;
    case IoRequest::Kind::kFsync:
      return UnitKind::kFsync;
    case IoRequest::Kind::kFdatasync:
      return UnitKind::kFdatasync;
    case IoRequest::Kind::kSyncFileRange:
      return UnitKind::kSyncFileRange;
  }
  return UnitKind::kWrite;
}

IoRequest::Kind request_kind(UnitKind kind) {
  switch (kind) {
    case UnitKind::kRead:
      return IoRequest::Kind::kRead;
    case UnitKind::kWrite:
      return IoRequest::Kind::kWrite;
    case UnitKind::kFsync:
      return IoRequest::Kind::kFsync;
    case UnitKind::kFdatasync:
      return IoRequest::Kind::kFdatasync;
    case UnitKind::kSyncFileRange:
      return IoRequest::Kind::kSyncFileRange;
  }
  return IoRequest::Kind::kWrite;
}

std::uint16_t job_cpu(const kernel::HostProfile& host, const JobOptions& options, std::uint32_t job_number) {
  const std::size_t n = options.cpus_allowed.size();
  if (n != 0) return static_cast<std::uint16_t>(options.cpus_allowed[(job_number - 1) % n]);
  return static_cast<std::uint16_t>((host.fio_cpu + job_number - 1) % host.cpus);
}

// A system call that submits more units than this runs inside a plug (models io_uring/io_uring.c io_submit_sqes and
// fs/aio.c AIO_PLUG_THRESHOLD).
constexpr std::size_t kPlugAbove = 2;

std::uint32_t depth_of(const JobOptions& options) {
  return is_async(options.ioengine) ? options.iodepth : 1;
}

vfs::OpenFlags open_flags(const JobOptions& options) {
  return {options.direct, options.sync != SyncMode::kNone};
}

// A job that cpus_allowed pins keeps its workers on the same CPUs: they inherit the mask.
kernel::Placement placement_of(const kernel::HostProfile& host, const JobOptions& options) {
  kernel::Placement placement = host.placement;
  if (!options.cpus_allowed.empty()) {
    placement.cpus.clear();
    for (const std::uint32_t cpu : options.cpus_allowed) placement.cpus.push_back(static_cast<std::uint16_t>(cpu));
  }
  return placement;
}

}  // namespace

Job::Job(JobEnvironment environment, const JobOptions& options, std::uint32_t job_number, std::uint32_t subjob)
    : machine_(&environment.machine),
      memory_(&environment.memory),
      options_(options),
      version_(environment.version),
      subjob_(subjob),
      file_(environment.machine, environment.device, environment.memory, environment.page_cache, open_flags(options)),
      next_io_(options_, environment.version, job_number, subjob, file_.size_bytes(),
               environment.machine.simulator().seed()),
      cpu_index_(job_cpu(environment.machine.host(), options, job_number)),
      cpu_(&environment.machine.cpu(cpu_index_)),
      task_{"fio", cpu_index_},
      caller_{task_, environment.machine.costs().task_wake_ns.value, environment.machine.costs().task_wake_ns.value},
      completions_(environment.machine.simulator(), environment.machine.costs().task_wake_ns.value),
      next_write_id_(std::uint64_t{job_number} << 48) {
  result_.options = options;
  result_.job_number = job_number;
  queued_.reserve(depth_of(options_));
  sync_flags_ = (options_.sync_file_range.wait_before ? vfs::kSyncFileRangeWaitBefore : 0) |
                (options_.sync_file_range.write ? vfs::kSyncFileRangeWrite : 0) |
                (options_.sync_file_range.wait_after ? vfs::kSyncFileRangeWaitAfter : 0);
  const std::uint64_t unit_bytes =
      *std::max_element(options_.bs_max_bytes.value.begin(), options_.bs_max_bytes.value.end());
  const std::uint32_t depth = depth_of(options_);
  units_.resize(depth);
  for (std::uint32_t i = depth; i-- > 0;) {
    units_[i].index = i;
    units_[i].buffer = memory_->allocate(unit_bytes, queue::HostMemory::Kind::kWriteIds);
    free_units_.push_back(&units_[i]);
  }
  if (is_async(options_.ioengine)) {
    task_.submit_wait = &submit_wait_;
    io::WorkerPool::Settings settings;
    settings.submitter_cpu = cpu_index_;
    if (options_.ioengine == IoEngine::kIoUring) {
      settings.limit = std::min<std::uint32_t>(depth, 4U * machine_->cpus());
      settings.placement = placement_of(machine_->host(), options_);
    } else {  // libaio: work items of the submitting CPU's system workqueue
      settings.task_name = "kworker";
      settings.limit = 256;
      settings.placement.policy = kernel::PlacementPolicy::kPinned;
      settings.placement.cpus = {cpu_index_};
    }
    workers_ = std::make_unique<io::WorkerPool>(*machine_, file_, completions_, std::move(settings));
  }
}

bool Job::time_is_over() const {
  return machine_->simulator().now() >= deadline_ns_;
}

void Job::end_ramp() {
  ramping_ = false;
  const sim::TimeNs now = machine_->simulator().now();
  const auto workers = std::move(result_.worker_cpus);
  JobResult fresh;
  fresh.options = result_.options;
  fresh.job_number = result_.job_number;
  fresh.groupid = result_.groupid;
  fresh.start_ns = now;
  result_ = std::move(fresh);
  epoch_ns_ = now;
  std::fill(std::begin(rate_bytes_), std::end(rate_bytes_), 0);
  if (options_.runtime_ns) deadline_ns_ = now + *options_.runtime_ns;
  next_io_.on_ramp_end();
}

sim::Task<void> Job::run() {
  auto& simulator = machine_->simulator();
  if (options_.startdelay_ns != 0) co_await simulator.sleep(options_.startdelay_ns);
  epoch_ns_ = simulator.now();
  result_.start_ns = epoch_ns_;
  if (options_.runtime_ns) deadline_ns_ = epoch_ns_ + *options_.runtime_ns;
  if (options_.ramp_time_ns != 0) {
    ramping_ = true;
    ramp_end_ns_ = epoch_ns_ + options_.ramp_time_ns;
    deadline_ns_ = options_.runtime_ns ? ramp_end_ns_ + *options_.runtime_ns : sim::kNever;
  }
  simulator.record(sim::EventKind::kJob, result_.job_number, 1);
  do {
    if (options_.invalidate) co_await file_.flush_buffers(caller_);  // at every open, and each pass opens anew
    next_io_.start_pass();
    co_await pass();
    if (next_io_.end_fsync_due()) {
      Unit unit;
      unit.kind = UnitKind::kFsync;
      const int error = co_await io::perform(file_, unit, caller_);
      if (error != 0 && result_.error == 0) result_.error = error;
    }
  } while (result_.error == 0 && !time_is_over() && next_io_.another_pass());
  result_.runtime_ns = simulator.now() - epoch_ns_;
  if (workers_ != nullptr) result_.worker_cpus = workers_->worker_cpus();
  simulator.record(sim::EventKind::kJob, result_.job_number, 2);
}

sim::Task<void> Job::close_last() {
  const int error = co_await file_.flush_buffers(caller_);
  if (error != 0 && result_.error == 0) result_.error = error;
}

// One pass (fio's inner loop), then the drain.
sim::Task<void> Job::pass() {
  const std::uint32_t complete_min = options_.iodepth_batch_complete_min;
  const bool polls = is_async(options_.ioengine) && complete_min == 0 && options_.iodepth_batch_complete_max == 0;
  while (!time_is_over() && result_.error == 0) {
    if (ramping_ && machine_->simulator().now() >= ramp_end_ns_) end_ramp();
    const std::optional<IoRequest> request = next_io_.next();
    if (!request) break;
    if (!request->is_sync()) {
      const Direction direction = request->kind == IoRequest::Kind::kRead ? Direction::kRead : Direction::kWrite;
      if (options_.rate_bytes_per_s[direction] != 0 || options_.rate_iops[direction] != 0) {
        co_await rate_wait(direction, request->length_bytes);
      }
    }
    Unit& unit = *free_units_.back();
    free_units_.pop_back();
    ++busy_units_;
    prepare(unit, *request);
    if (submits_asynchronously(unit)) {
      next_io_.on_issued(*request);
      queued_.push_back(&unit);
      if (queued_.size() >= options_.iodepth_batch && queued_.size() > kPlugAbove) {
        co_await commit();
      } else if (queued_.size() >= options_.iodepth_batch) {
        for (Unit* next : queued_) {  // commit(), without a frame a unit
          co_await cpu_->run(submit_cost_ns(*next));
          submit(*next);
          if (submit_wait_.pending != 0) co_await submit_wait_;
        }
        queued_.clear();
      }
    } else {
      next_io_.on_issued(*request);
      unit.issued_ns = unit.started_ns;  // the call is the I/O
      unit.error = co_await io::perform(file_, unit, caller_);
      completions_.push(unit);
    }
    if (free_units_.empty()) {
      do {
        const std::uint32_t least = std::min(std::max(complete_min, 1U), busy_units_);
        if (!queued_.empty()) co_await commit();
        if (completions_.size() < least) co_await sleep_for_completions(least);
        reap(std::max(least, std::min(options_.iodepth_batch_complete_max, busy_units_)));
      } while (busy_units_ > options_.iodepth_low);
    } else if (polls) {
      reap(busy_units_);
    }
    if (options_.thinktime_ns != 0 && thinktime_ios_ >= options_.thinktime_blocks) co_await think();
  }
  co_await drain();
}

void Job::prepare(Unit& unit, const IoRequest& request) {
  unit.kind = unit_kind(request.kind);
  unit.offset_bytes = request.offset_bytes;
  unit.size_bytes = request.length_bytes;
  unit.error = 0;
  unit.sync_flags = sync_flags_;
  if (unit.kind == UnitKind::kWrite) stamp_write_ids(unit);
  unit.started_ns = cpu_->free_at_ns();
  if (io::is_sync(unit.kind)) machine_->simulator().record(sim::EventKind::kSyncEnter, result_.job_number, unit.index);
}

// False where the submitting call does the whole I/O: the synchronous engines, buffered libaio, and the fsync of fio
// 3.33's libaio, which is an fsync(2) inside the submission.
bool Job::submits_asynchronously(const Unit& unit) const {
  if (!is_async(options_.ioengine)) return false;
  if (options_.ioengine == IoEngine::kIoUring) return true;
  return io::is_sync(unit.kind) ? version_ == FioVersion::kNew : options_.direct;
}

// Hands what is queued to the kernel: one system call for iodepth_batch units, in order.
sim::Task<void> Job::commit() {
  block::Plug plug(machine_->kernel());
  if (queued_.size() > kPlugAbove) task_.plug = &plug;
  for (Unit* unit : queued_) {
    co_await cpu_->run(submit_cost_ns(*unit));
    submit(*unit);
    if (submit_wait_.pending != 0) co_await submit_wait_;
  }
  task_.plug = nullptr;
  plug.finish();
  if (submit_wait_.pending != 0) co_await submit_wait_;
  queued_.clear();
}

sim::TimeNs Job::submit_cost_ns(const Unit& unit) const {
  const auto& costs = machine_->costs();
  return !io::is_sync(unit.kind) && options_.direct ? costs.submit_write_ns.value : costs.submit_fsync_ns.value;
}

// io_uring_enter or io_submit has done its work up to the doorbell, or up to queueing the unit for a worker.
void Job::submit(Unit& unit) {
  const auto bytes = static_cast<std::uint32_t>(unit.size_bytes);
  if (io::is_sync(unit.kind) || !options_.direct || file_.direct_needs_writeback(unit.offset_bytes, bytes)) {
    unit.issued_ns = machine_->simulator().now();
    workers_->queue_work(unit);
    return;
  }
  unit.bio.owner = &unit;
  unit.bio.driver_data = this;
  unit.bio.end_io = [](block::Bio& bio) {
    auto& done = *static_cast<Unit*>(bio.owner);
    done.error = block::errno_of(bio.status);
    static_cast<Job*>(bio.driver_data)->completions_.push(done);
  };
  unit.issued_ns = cpu_->charge(machine_->costs().submit_write_tail_ns.value);
  file_.submit_direct(unit.bio, unit.kind == UnitKind::kRead ? block::BioOp::kRead : block::BioOp::kWrite,
                      unit.offset_bytes, bytes, unit.buffer, task_);
}

// Takes at most `most` completions that are there, oldest first.
void Job::reap(std::uint32_t most) {
  for (std::uint32_t i = 0; i < most && !completions_.empty(); ++i) {
    Unit& unit = completions_.pop();
    const sim::TimeNs now = cpu_->free_at_ns();
    if (is_async(options_.ioengine)) cpu_->charge(machine_->costs().reap_one_ns.value);
    account(unit, now);
    free_units_.push_back(&unit);
    --busy_units_;
  }
}

// The job sleeps only when it has done what it was asked for and still finds too little; then waking up costs.
sim::Task<void> Job::sleep_for_completions(std::uint32_t wanted) {
  co_await cpu_->run(0);
  co_await completions_.wait(wanted);
}

sim::Task<void> Job::drain() {
  if (!queued_.empty()) co_await commit();
  while (busy_units_ != 0) {
    if (completions_.empty()) co_await sleep_for_completions(1);
    reap(1);
  }
}

// models fio's thinktime: reap everything, spin, sleep.
sim::Task<void> Job::think() {
  thinktime_ios_ = 0;
  co_await drain();
  const sim::TimeNs spin_ns = std::min(options_.thinktime_spin_ns, options_.thinktime_ns);
  if (spin_ns != 0) co_await cpu_->run(spin_ns);
  if (options_.thinktime_ns > spin_ns) co_await machine_->simulator().sleep(options_.thinktime_ns - spin_ns);
}

void Job::account(Unit& unit, sim::TimeNs now_ns) {
  const IoRequest::Kind kind = request_kind(unit.kind);
  next_io_.on_completed(kind, unit.offset_bytes, unit.size_bytes);
  if (unit.error != 0 && result_.error == 0) result_.error = unit.error;
  const sim::TimeNs latency_ns = now_ns > unit.issued_ns ? now_ns - unit.issued_ns : 0;
  if (io::is_sync(unit.kind)) {
    ++result_.syncs;
    result_.sync_lat.record(latency_ns);
    machine_->simulator().record(sim::EventKind::kSyncReturn, result_.job_number, unit.index,
                                 static_cast<std::uint64_t>(-unit.error));
    return;
  }
  DirectionStats& stats = unit.kind == UnitKind::kRead ? result_.read : result_.write;
  ++stats.total_ios;
  stats.io_bytes += unit.size_bytes;
  stats.clat.record(latency_ns);
  stats.lat.record(now_ns - unit.started_ns);
  if (is_async(options_.ioengine)) stats.slat.record(unit.issued_ns - unit.started_ns);
  ++thinktime_ios_;
}

// Every sector of a write carries the write's own id.
void Job::stamp_write_ids(Unit& unit) {
  queue::WriteId* ids = memory_->write_ids(unit.buffer, unit.size_bytes);
  const std::uint64_t id = ++next_write_id_;
  std::fill_n(ids, unit.size_bytes / 512, id);
}

// models fio's rate: the next I/O of a direction is due when the bytes issued so far should have taken that long.
// Lateness is caught up without limit.
sim::Task<void> Job::rate_wait(Direction direction, std::uint64_t bytes) {
  std::uint64_t bytes_per_s = options_.rate_bytes_per_s[direction];
  if (bytes_per_s == 0) bytes_per_s = std::uint64_t{options_.rate_iops[direction]} * options_.bs_min_bytes[direction];
  std::uint64_t& issued = rate_bytes_[static_cast<std::size_t>(direction)];
  const sim::TimeNs due =
      epoch_ns_ + issued / bytes_per_s * sim::kSecond + issued % bytes_per_s * sim::kSecond / bytes_per_s;
  issued += bytes;
  if (due > machine_->simulator().now()) {
    co_await drain();
    if (due > machine_->simulator().now()) co_await machine_->simulator().sleep_until(due);
  }
}

JobSet::JobSet(Environment environment, const std::vector<JobOptions>& jobs) : machine_(&environment.machine) {
  if (environment.page_cache == nullptr) {
    own_page_cache_ = std::make_unique<vfs::PageCache>(environment.machine.host().page_cache_bytes);
  }
  vfs::PageCache& page_cache = environment.page_cache == nullptr ? *own_page_cache_ : *environment.page_cache;
  std::uint32_t number = 0;
  for (const JobOptions& options : jobs) {
    for (std::uint32_t clone = 0; clone < options.numjobs; ++clone) {
      const JobEnvironment one{environment.machine, environment.device, environment.memory, page_cache,
                               environment.version};
      jobs_.push_back(std::make_unique<Job>(one, options, ++number, clone));
    }
  }
}

sim::Task<void> JobSet::run_one(Job& job) {
  co_await job.run();
  if (--open_ == 0) co_await job.close_last();
  if (--running_ == 0 && waiter_)
    machine_->simulator().resume_at(machine_->simulator().now(), std::exchange(waiter_, nullptr));
}

sim::Task<void> JobSet::run() {
  struct Wait {
    JobSet& set;
    bool await_ready() const noexcept { return set.running_ == 0; }
    void await_suspend(std::coroutine_handle<> handle) const noexcept { set.waiter_ = handle; }
    void await_resume() const noexcept {}
  };
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (i != 0 && jobs_[i]->subjob() == 0 && jobs_[i]->result().options.stonewall) {
      co_await Wait{*this};
      ++group;
    }
    jobs_[i]->result().groupid = group;
    ++running_;
    ++open_;
    machine_->simulator().spawn(run_one(*jobs_[i]));
  }
  co_await Wait{*this};
}

std::vector<JobResult> JobSet::results() const {
  std::vector<JobResult> all;
  for (const auto& job : jobs_) all.push_back(job->result());
  return all;
}

}  // namespace flushlab::fio
