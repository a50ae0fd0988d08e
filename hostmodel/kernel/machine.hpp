// SPDX-License-Identifier: GPL-2.0-only
// The machine that a run takes place on: the simulation, the kernel's behaviours, the host's costs, and the CPUs.
#pragma once

#include <vector>

#include "emulator/sim/cpu.hpp"
#include "emulator/sim/simulator.hpp"
#include "hostmodel/kernel/host_profile.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"

namespace flushlab::kernel {

class Machine {
 public:
  Machine(sim::Simulator& simulator, const KernelProfile& kernel, const HostProfile& host)
      : simulator_(&simulator), kernel_(&kernel), host_(&host) {
    for (std::uint16_t i = 0; i < host.cpus; ++i) cpus_.emplace_back(simulator);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  sim::Simulator& simulator() { return *simulator_; }
  sim::FramePool& frames() { return simulator_->frames(); }
  [[nodiscard]] const KernelProfile& kernel() const { return *kernel_; }
  [[nodiscard]] const HostProfile& host() const { return *host_; }
  [[nodiscard]] const HostCosts& costs() const { return host_->costs; }
  sim::Cpu& cpu(std::uint16_t index) { return cpus_[index]; }
  [[nodiscard]] std::uint16_t cpus() const { return static_cast<std::uint16_t>(cpus_.size()); }

 private:
  sim::Simulator* simulator_;
  const KernelProfile* kernel_;
  const HostProfile* host_;
  std::vector<sim::Cpu> cpus_;
};

}  // namespace flushlab::kernel
