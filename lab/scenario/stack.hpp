// SPDX-License-Identifier: GPL-2.0-only
// A scenario put together: drives, doors, machine, drivers, and the array over them. One Stack is one simulation.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "emulator/controller/controller.hpp"
#include "emulator/queue/door.hpp"
#include "emulator/sim/simulator.hpp"
#include "hostmodel/kernel/machine.hpp"
#include "hostmodel/md/array.hpp"
#include "hostmodel/nvme/core.hpp"
#include "lab/scenario/scenario.hpp"

namespace flushlab::lab {

// What went wrong while a scenario ran, in words for a person: the probe failed, a command was refused, ...
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Stack {
 public:
  // One drive and the driver that was loaded for it.
  struct Drive {
    Drive(sim::Simulator& simulator, queue::HostMemory& memory, kernel::Machine& machine, media::DeviceProfile device,
          const std::string& name)
        : profile(std::move(device)), door(memory), controller(simulator, door, profile), host(machine, door, name) {}
    media::DeviceProfile profile;  // the scenario's, with a serial number of its own
    queue::Door door;
    controller::Controller controller;
    nvme::Ctrl host;
  };

  // `scenario` must outlive the stack.
  explicit Stack(const Scenario& scenario);
  ~Stack() { simulator_.end_tasks(); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Probes the drives, carries out the scenario's setup on each, and assembles the array. Throws RunError.
  void bring_up();
  // Runs a task to its end; background work that never ends (parked events) does not keep it.
  void run_to_end(sim::Task<void> task);

  sim::Simulator& simulator() { return simulator_; }
  sim::FramePool& frames() { return simulator_.frames(); }
  kernel::Machine& machine() { return machine_; }
  queue::HostMemory& memory() { return memory_; }
  std::deque<Drive>& drives() { return drives_; }
  // The first drive's.
  controller::Controller& drive() { return drives_.front().controller; }
  queue::Door& door() { return drives_.front().door; }
  nvme::Ctrl& host() { return drives_.front().host; }
  // Its namespace 1. Throws RunError without one.
  nvme::Namespace& ns() { return ns_of(drives_.front()); }
  md::Array* array() { return array_.get(); }  // null: none
  // What workloads use: the array, or the first drive's namespace 1.
  block::BlockDevice& device();

 private:
  nvme::Namespace& ns_of(Drive& drive);
  sim::Task<void> bring_up_task(std::string& error);
  sim::Task<void> set_up(Drive& drive, std::string& error);
  sim::Task<void> assemble(std::string& error);

  const Scenario* scenario_;
  sim::Simulator simulator_;
  queue::HostMemory memory_;
  kernel::Machine machine_;
  std::deque<Drive> drives_;
  std::unique_ptr<md::Array> array_;
};

}  // namespace flushlab::lab
