// SPDX-License-Identifier: GPL-2.0-only
// A member of an md array, recorded and modelled.
//
// What is held of each member: its data (and what mdadm itself writes) command by command in order; and between two
// data commands the metadata that was written there, page by page (a command that merges two pages counts as both),
// with the Flushes that are not metadata's own. Reads are mdadm's and the kernel's looking around and are not held. A
// write that a timer made (the daemon's passes, going clean) may come earlier or later: a recording's timers run late
// by as much as its host was busy. The order of members is not held: it is not fixed.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/check/oracle/guest.hpp"
#include "lab/check/oracle/recording.hpp"

namespace flushlab::lab::oracle {

struct MemberComparison {
  std::string failure;  // empty: it holds
  std::vector<std::string> details;
  bool exact = true;  // no timer's write was elsewhere
};

// One I/O at a time. `metadata`: what the array may write there, "16+8" in blocks.
[[nodiscard]] MemberComparison compare_member(const std::vector<RecordedCommand>& recorded,
                                              const std::vector<ModelCommand>& model, const std::string& disk,
                                              const MemberMetadata& metadata);

using Sectors = std::pair<std::uint64_t, std::uint64_t>;  // begin, end; blocks of the member
// Several at a time: the recorded data is what the array had to copy here of the recorded bios; metadata by its kinds.
[[nodiscard]] MemberComparison compare_member_set(const std::vector<RecordedCommand>& recorded,
                                                  std::vector<Sectors> copies, const std::string& disk,
                                                  const MemberMetadata& metadata);

}  // namespace flushlab::lab::oracle
