// SPDX-License-Identifier: GPL-2.0-only
// A scenario put together: drive, door, machine, driver. One Stack is one simulation.
#pragma once

#include <string>

#include "emulator/controller/controller.hpp"
#include "emulator/queue/door.hpp"
#include "emulator/sim/simulator.hpp"
#include "hostmodel/kernel/machine.hpp"
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
  // `scenario` must outlive the stack.
  explicit Stack(const Scenario& scenario);
  ~Stack() { simulator_.end_tasks(); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Probes the drive and carries out the scenario's setup. Throws RunError.
  void bring_up();
  // Runs a task to its end; background work that never ends (parked events) does not keep it.
  void run_to_end(sim::Task<void> task);

  sim::Simulator& simulator() { return simulator_; }
  controller::Controller& drive() { return drive_; }
  queue::Door& door() { return door_; }
  kernel::Machine& machine() { return machine_; }
  nvme::Ctrl& host() { return host_; }
  // Namespace 1, the device that workloads use. Throws RunError without one.
  nvme::Namespace& ns();

 private:
  sim::Task<void> bring_up_task(std::string& error);

  const Scenario* scenario_;
  sim::Simulator simulator_;
  queue::Door door_;
  controller::Controller drive_;
  kernel::Machine machine_;
  nvme::Ctrl host_;
};

}  // namespace flushlab::lab
