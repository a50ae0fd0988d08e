// SPDX-License-Identifier: GPL-2.0-only
// Kernel threads that do blocking work for an asynchronous engine (models io_uring/io-wq.c, v6.12).
//
// Rules:
//   W1  Work goes to the idle worker that became idle last; without one a worker is made, up to the limit; else it
//   waits. W2  A worker that ends its work takes waiting work first, and becomes idle only without any. W3  Which CPU a
//   worker runs on is an input (kernel::Placement), decided when it is made, or at every wake-up with
//       per_wake_random. From the CPU follows the hardware queue, and with it who shares a Flush.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/sim/random.hpp"
#include "hostmodel/io/completion_queue.hpp"
#include "hostmodel/kernel/machine.hpp"
#include "hostmodel/vfs/block_file.hpp"

namespace flushlab::io {

class WorkerPool {
 public:
  struct Settings {
    const char* task_name = "iou-wrk";
    std::uint32_t limit = 1;
    kernel::Placement placement;
    std::uint16_t submitter_cpu = 0;
  };

  WorkerPool(kernel::Machine& machine, vfs::BlockFile& file, CompletionQueue& completions, Settings settings);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void queue_work(Unit& unit);

  [[nodiscard]] std::size_t workers() const { return workers_.size(); }
  // CPUs of the workers, in order of creation.
  [[nodiscard]] std::vector<std::uint16_t> worker_cpus() const;

 private:
  struct Worker {
    std::uint32_t index = 0;
    std::uint16_t cpu = 0;
    Unit* work = nullptr;
    std::coroutine_handle<> parked;
  };

  sim::Task<void> run(Worker& worker);
  std::uint16_t place(std::uint32_t index);

  kernel::Machine* machine_;
  vfs::BlockFile* file_;
  CompletionQueue* completions_;
  Settings settings_;
  std::vector<std::uint16_t> cpus_;  // to choose from
  sim::RandomStream random_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;  // last in, first out
  Unit* waiting_head_ = nullptr;
  Unit* waiting_tail_ = nullptr;
};

// What a worker, or a synchronous engine, does with a unit. 0 or a negative errno.
sim::Task<int> perform(vfs::BlockFile& file, Unit& unit, vfs::Caller caller);

}  // namespace flushlab::io
