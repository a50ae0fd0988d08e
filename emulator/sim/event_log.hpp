// SPDX-License-Identifier: GPL-2.0-only
// The event log: every event that a reader of a run could care about, folded into one rolling 64-bit hash. Two runs
// with equal hashes did the same things at the same times in the same order; every run prints its hash.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/sim/time.hpp"

namespace flushlab::sim {

// What happened. The numbers enter the hash: append, never renumber.
enum class EventKind : std::uint8_t {
  kBioSubmit = 1,      // a: device number, b: sector, c: op and flags
  kBioEnd = 2,         // a: device number, b: sector, c: status
  kCommandIssue = 3,   // a: queue and command identifier, b: slba, c: opcode, nlb, flags
  kCommandDone = 4,    // a: queue and command identifier, b: result, c: status
  kFlushKick = 5,      // a: hardware queue, b: requests in the batch
  kSyncEnter = 6,      // a: file and context
  kSyncReturn = 7,     // a: file and context, b: error
  kPersist = 8,        // a: first unit, b: units, c: why
  kWorkerPlaced = 9,   // a: worker, b: cpu
  kLimitsCommit = 10,  // a: namespace, b: write cache, c: fua
  kRegister = 11,      // a: register offset, b: value
  kJob = 12,           // a: job, b: what
};

class EventLog {
 public:
  void record(TimeNs at_ns, EventKind kind, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0) {
    std::uint64_t hash = hash_;
    hash = fold(hash, at_ns);
    hash = fold(hash, (a << 8) | static_cast<std::uint64_t>(kind));
    hash = fold(hash, b);
    hash = fold(hash, c);
    hash_ = hash;
    ++count_;
  }

  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  static constexpr std::uint64_t fold(std::uint64_t hash, std::uint64_t word) {
    return std::rotl(hash ^ word, 29) * 0xD1342543DE82EF95ULL + 0x632BE59BD9B4E019ULL;
  }
  std::uint64_t hash_ = 0x6A09E667F3BCC908ULL;
  std::uint64_t count_ = 0;
};

}  // namespace flushlab::sim
