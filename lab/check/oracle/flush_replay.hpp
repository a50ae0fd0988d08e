// SPDX-License-Identifier: GPL-2.0-only
// Feeds a recording's bios and completions, at their recorded places, to the block layer's flush machine, and holds the
// Flush commands that it asks for against those that the real kernel sent.
//
// What has to hold:
//   X1  Every Flush of the recording was asked for by the machine before it was sent, on the same hardware queue, and
//       every Flush that the machine asked for was sent.
//   X2  With several requests at once, one Flush more per queue is legitimate: a request may reach the flush queue
//       later than its bio event says, and then waits for the next Flush.
//       A task may also move to another CPU between its bio event and the allocation of the request, most of all when a
//       frozen queue makes it wait there: then the Flush that one queue's machine asked for is sent on another queue.
//       That is accepted at most twice a disk.
//   X3  Every data command of the block layer lies within bios that were queued before it, and went to the hardware
//       queue of the CPU that queued the bio, or of the CPU that sent it when the task moved in between.
//   X4  A flush or FUA bio is only ever queued to a device whose write cache is in use.
#pragma once

#include <string>

#include "lab/check/oracle/recording.hpp"

namespace flushlab::lab::oracle {

struct ReplayResult {
  std::string failure;        // empty: it holds; else the first place where it does not
  std::uint64_t flushes = 0;  // of the recording, on this disk
  std::uint64_t extra = 0;    // X2
  std::uint64_t sharing = 0;  // Flush requests that shared one
};

// `cut_off`: the recording stopped while programs were running.
[[nodiscard]] ReplayResult replay_flushes(const Recording& recording, const std::string& disk, bool cut_off);

}  // namespace flushlab::lab::oracle
