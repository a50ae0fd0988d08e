// SPDX-License-Identifier: GPL-2.0-only
// Laws that every run must keep, whatever the scenario: checked at the end of each, from counts that share nothing with
// what they check where that is possible.
//
//   conservation  commands fetched by the drive = completions posted = completions seen by the host
//   littles_law   the sum of all command latencies = the time integral of commands in flight, to the nanosecond
//   no_flush      with the write cache off from begin to end, the block layer sends no Flush and no FUA
//   one_flush     the block layer has at most one Flush in flight in each hardware queue
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hostmodel/nvme/command_log.hpp"

namespace flushlab::lab {

struct Law {
  std::string name;
  bool ok = true;
  std::string detail;  // the two figures that were compared
};

struct LawInputs {
  const nvme::CommandLog* log = nullptr;
  std::uint64_t fetched = 0;    // by the drive, since the measurement began
  std::uint64_t completed = 0;  // by the drive, likewise
  bool write_cache_always_off = false;
  std::uint64_t passthru_flushes = 0;        // not the block layer's
  std::uint64_t most_flushes_in_flight = 0;  // in any hardware queue
};

[[nodiscard]] std::vector<Law> check_laws(const LawInputs& inputs);

}  // namespace flushlab::lab
