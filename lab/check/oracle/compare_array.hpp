// SPDX-License-Identifier: GPL-2.0-only
// A member of an md array, recorded and modelled.
//
// What is held of each member: its data (and what mdadm itself writes) command by command in order; and between two
// data commands the metadata that was written there, page by page (a command that merges two pages counts as both),
// with the Flushes that are not metadata's own. Reads are mdadm's and the kernel's looking around and are not held. A
// write that a timer made (the daemon's passes, going clean) may come earlier or later: a recording's timers run late
// by as much as its host was busy. The order of members is not held: it is not fixed.
#pragma once

#include <string>
#include <vector>

#include "lab/check/oracle/guest.hpp"
#include "lab/check/oracle/recording.hpp"

namespace flushlab::lab::oracle {

struct MemberComparison {
  std::string failure;  // empty: it holds
  std::vector<std::string> details;
  bool exact = true;  // no timer's write was elsewhere
};

// `ordered`: one I/O at a time; otherwise the data is held as a set, and the metadata by its kinds.
[[nodiscard]] MemberComparison compare_member(const std::vector<RecordedCommand>& recorded,
                                              const std::vector<ModelCommand>& model, const std::string& disk,
                                              bool ordered);

}  // namespace flushlab::lab::oracle
