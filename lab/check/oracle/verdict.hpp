// SPDX-License-Identifier: GPL-2.0-only
// The model held against a recording of a real kernel: one verdict a scenario.
//
// What is held:
//   O1  The queue limits before and after, attribute by attribute, as far as the model has them.
//   O2  The admin commands of each controller, in order, with their arguments, statuses and results. Where a scan that
//       nobody waits for runs beside a program, each task's own commands are in order, scans are whole, and their
//       number lies between one and the number of events that ask for one.
//   O3  The I/O commands of each namespace: the same in the same order where one job with one I/O in flight makes the
//       order certain. Pieces of a large direct write may be cut elsewhere (that depends on which pages of the guest
//       were adjacent): then the same blocks in pieces that the limits allow.
//   O4  Otherwise: each job's writes in the order in which fio makes them, the same blocks in total where no fsync and
//   no
//       clock decides how many there are, and as many writes and flush requests together as the model has.
//   O5  The recording's bios fed through the flush machine give its Flushes (flush_replay.hpp).
//   O6  What `cat` printed of queue/write_cache and queue/fua, where no scan was under way.
//   O7  Each fsync queued a flush bio exactly while the write cache was in use, by the limits updates of the recording.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/check/oracle/recording.hpp"
#include "lab/scenario/config.hpp"

namespace flushlab::lab::oracle {

enum class Outcome : std::uint8_t { kPass, kFail, kSkip };

struct Verdict {
  std::string group;
  std::string scenario;
  Outcome outcome = Outcome::kPass;
  bool unreadable = false;           // a fail of the recording itself: it is not in the format
  std::string reason;                // of a fail or skip, one line
  std::vector<std::string> details;  // of a fail: recorded and model side by side around the first difference
  std::string how;                   // of a pass: "same commands in the same order", or what was held instead
};

[[nodiscard]] const char* word_of(Outcome outcome);  // "pass", "fail", "skip"

// One scenario. What is not modelled is a skip; a recording that cannot be read throws RecordingError.
[[nodiscard]] Verdict judge(const ConfigRoot& root, const std::filesystem::path& header);

// All scenarios below a folder, in order of group and name, on up to `threads` threads. A recording that cannot be read
// is a fail of its own (`unreadable`) and keeps nobody from judging the others.
[[nodiscard]] std::vector<Verdict> judge_all(const ConfigRoot& root, const std::filesystem::path& directory,
                                             unsigned threads);

}  // namespace flushlab::lab::oracle
