// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/io/worker_pool.hpp"

#include <utility>

namespace flushlab::io {

sim::Task<int> perform(vfs::BlockFile& file, Unit& unit, vfs::Caller caller) {
  switch (unit.kind) {
    case UnitKind::kRead:
      co_return co_await file.pread(unit.offset_bytes, static_cast<std::uint32_t>(unit.size_bytes), unit.buffer,
                                    caller);
    case UnitKind::kWrite:
      co_return co_await file.pwrite(unit.offset_bytes, static_cast<std::uint32_t>(unit.size_bytes), unit.buffer,
                                     caller);
    case UnitKind::kFsync:
    case UnitKind::kFdatasync:
      co_return co_await file.fsync(0, file.size_bytes() - 1, caller);
    case UnitKind::kSyncFileRange:
      if (unit.size_bytes == 0) co_return 0;
      co_return co_await file.sync_file_range(unit.offset_bytes, unit.offset_bytes + unit.size_bytes - 1,
                                              unit.sync_flags, caller);
  }
  co_return 0;
}

WorkerPool::WorkerPool(kernel::Machine& machine, vfs::BlockFile& file, CompletionQueue& completions, Settings settings)
    : machine_(&machine),
      file_(&file),
      completions_(&completions),
      settings_(std::move(settings)),
      cpus_(settings_.placement.cpus),
      random_(settings_.placement.seed, "host/worker_placement") {
  if (cpus_.empty()) {
    for (std::uint16_t cpu = 0; cpu < machine.cpus(); ++cpu) {
      if (cpu != settings_.submitter_cpu || machine.cpus() == 1) cpus_.push_back(cpu);
    }
  }
}

std::uint16_t WorkerPool::place(std::uint32_t index) {
  switch (settings_.placement.policy) {
    case kernel::PlacementPolicy::kFrozenRandom:
    case kernel::PlacementPolicy::kPerWakeRandom:
      return cpus_[random_.below(cpus_.size())];
    case kernel::PlacementPolicy::kRoundRobin:
    case kernel::PlacementPolicy::kPinned:
      return cpus_[index % cpus_.size()];
  }
  return cpus_.front();
}

void WorkerPool::queue_work(Unit& unit) {
  auto& simulator = machine_->simulator();
  if (!idle_.empty()) {  // W1
    Worker& worker = *idle_.back();
    idle_.pop_back();
    worker.work = &unit;
    if (settings_.placement.policy == kernel::PlacementPolicy::kPerWakeRandom) worker.cpu = place(worker.index);
    simulator.resume_at(simulator.now() + machine_->costs().worker_wake_ns.value,
                        std::exchange(worker.parked, nullptr));
    return;
  }
  if (workers_.size() < settings_.limit) {
    auto& worker = *workers_.emplace_back(std::make_unique<Worker>());
    worker.index = static_cast<std::uint32_t>(workers_.size() - 1);
    worker.cpu = place(worker.index);
    worker.work = &unit;
    simulator.record(sim::EventKind::kWorkerPlaced, worker.index, worker.cpu);
    simulator.spawn(run(worker));
    return;
  }
  unit.next = nullptr;
  (waiting_head_ == nullptr ? waiting_head_ : waiting_tail_->next) = &unit;
  waiting_tail_ = &unit;
}

sim::Task<void> WorkerPool::run(Worker& worker) {
  struct Park {
    Worker& worker;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const noexcept { worker.parked = handle; }
    void await_resume() const noexcept {}
  };
  const auto& costs = machine_->costs();
  co_await machine_->simulator().sleep(costs.worker_create_ns.value);
  for (;;) {
    co_await machine_->cpu(worker.cpu).run(costs.worker_run_ns.value);
    Unit& unit = *worker.work;
    const vfs::Caller caller{
        {settings_.task_name, worker.cpu}, costs.task_wake_ns.value, costs.flush_waiter_wake_ns.value};
    unit.error = co_await perform(*file_, unit, caller);
    co_await machine_->cpu(worker.cpu).run(costs.worker_post_ns.value);
    completions_->push(unit);
    if (waiting_head_ != nullptr) {  // W2
      worker.work = waiting_head_;
      waiting_head_ = waiting_head_->next;
      continue;
    }
    worker.work = nullptr;
    idle_.push_back(&worker);
    co_await Park{worker};
  }
}

std::vector<std::uint16_t> WorkerPool::worker_cpus() const {
  std::vector<std::uint16_t> cpus;
  for (const auto& worker : workers_) cpus.push_back(worker->cpu);
  return cpus;
}

}  // namespace flushlab::io
