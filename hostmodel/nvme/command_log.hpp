// SPDX-License-Identifier: GPL-2.0-only
// What the driver did, as seen at nvme_setup_cmd and nvme_complete_rq: counts, driver latencies, and observers that see
// every command (traces, checks).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/sim/histogram.hpp"
#include "emulator/sim/time.hpp"
#include "emulator/spec/command.hpp"
#include "hostmodel/block/request.hpp"

namespace flushlab::nvme {

struct IssuedCommand {
  sim::TimeNs at_ns = 0;
  std::uint64_t seq = 0;  // place in issue order
  std::uint16_t qid = 0;  // 0: admin
  std::uint16_t cpu = 0;
  const char* task = "";
  const block::Request* request = nullptr;  // nullptr: the driver's own admin command
  spec::SubmissionEntry sqe;
};

struct CompletedCommand {
  sim::TimeNs at_ns = 0;
  sim::TimeNs issued_ns = 0;
  std::uint64_t seq = 0;  // of the IssuedCommand
  std::uint16_t qid = 0;
  std::uint8_t opc = 0;
  spec::Status status;
  std::uint32_t result = 0;  // DW0
};

struct CommandObserver {
  void* object = nullptr;
  void (*issued)(void* object, const IssuedCommand& command) = nullptr;
  void (*completed)(void* object, const CompletedCommand& command) = nullptr;
};

// Kinds of I/O command that are counted apart.
enum class CommandKind : std::uint8_t { kWrite, kRead, kFlush, kWriteZeroes, kDsm, kOther };
inline constexpr std::size_t kCommandKinds = 6;
[[nodiscard]] constexpr CommandKind kind_of(spec::IoOpcode opcode) {
  switch (opcode) {
    case spec::IoOpcode::kWrite:
      return CommandKind::kWrite;
    case spec::IoOpcode::kRead:
      return CommandKind::kRead;
    case spec::IoOpcode::kFlush:
      return CommandKind::kFlush;
    case spec::IoOpcode::kWriteZeroes:
      return CommandKind::kWriteZeroes;
    case spec::IoOpcode::kDatasetManagement:
      return CommandKind::kDsm;
    default:
      return CommandKind::kOther;
  }
}

class CommandLog {
 public:
  struct Counts {
    std::uint64_t commands = 0;
    std::uint64_t fua = 0;
    std::uint64_t errors = 0;
    std::uint64_t bytes = 0;
  };

  void add_observer(const CommandObserver& observer) { observers_.push_back(observer); }

  // One I/O command encoded / completed. Inline: this is on every command's path.
  void io_issued(sim::TimeNs now_ns, spec::IoOpcode opcode, bool fua, std::uint64_t bytes) {
    Counts& counts = counts_[static_cast<std::size_t>(kind_of(opcode))];
    ++counts.commands;
    counts.fua += fua ? 1 : 0;
    counts.bytes += bytes;
    advance(now_ns);
    ++in_flight_;
  }
  void io_completed(sim::TimeNs now_ns, sim::TimeNs issued_ns, spec::IoOpcode opcode, spec::Status status) {
    const auto kind = static_cast<std::size_t>(kind_of(opcode));
    if (!status.ok()) ++counts_[kind].errors;
    latency_[kind].record(now_ns - issued_ns);
    latency_sum_ns_ += now_ns - issued_ns;
    ++completed_;
    advance(now_ns);
    --in_flight_;
  }

  [[nodiscard]] bool observed() const { return !observers_.empty(); }
  void issued(const IssuedCommand& command) {
    for (const CommandObserver& o : observers_) {
      if (o.issued != nullptr) o.issued(o.object, command);
    }
  }
  void completed(const CompletedCommand& command) {
    for (const CommandObserver& o : observers_) {
      if (o.completed != nullptr) o.completed(o.object, command);
    }
  }
  std::uint64_t next_seq() { return seq_++; }

  [[nodiscard]] const Counts& counts(CommandKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const sim::Histogram& latency(CommandKind kind) const {
    return latency_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  [[nodiscard]] std::uint64_t completed_commands() const { return completed_; }
  // Little's law, exactly: with nothing in flight, the sum of all latencies is the time integral of commands in flight.
  [[nodiscard]] std::uint64_t latency_sum_ns() const { return latency_sum_ns_; }
  [[nodiscard]] std::uint64_t in_flight_integral_ns() const { return integral_ns_; }

  // Forgets counts and latencies (the start of a measurement). Nothing may be in flight.
  void reset(sim::TimeNs now_ns) {
    counts_ = {};
    for (auto& histogram : latency_) histogram = sim::Histogram();
    latency_sum_ns_ = integral_ns_ = completed_ = 0;
    last_ns_ = now_ns;
    seq_ = 0;
  }

 private:
  void advance(sim::TimeNs now_ns) {
    integral_ns_ += in_flight_ * (now_ns - last_ns_);
    last_ns_ = now_ns;
  }

  std::array<Counts, kCommandKinds> counts_{};
  std::array<sim::Histogram, kCommandKinds> latency_{};
  std::vector<CommandObserver> observers_;
  std::uint64_t seq_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t latency_sum_ns_ = 0;
  std::uint64_t integral_ns_ = 0;
  sim::TimeNs last_ns_ = 0;
};

}  // namespace flushlab::nvme
