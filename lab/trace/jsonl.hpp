// SPDX-License-Identifier: GPL-2.0-only
// A command trace as JSON Lines: one NVMe command a line, in issue order, with the field names of recordings made on a
// real kernel (nvme_setup_cmd, nvme_complete_rq): seq, t_us, disk, qid, cid, op, args, slba, nlb, fua, bytes, ctl, ev,
// nsid, task, cpu, done_before, rwbs, cseq, cev, c_us, status, res. Times are microseconds with three decimals.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "emulator/sim/time.hpp"
#include "hostmodel/nvme/command_log.hpp"

namespace flushlab::lab {

class JsonlTrace {
 public:
  // `sink` takes whole lines, a buffer at a time.
  explicit JsonlTrace(std::function<void(std::string_view)> sink);
  ~JsonlTrace();
  JsonlTrace(const JsonlTrace&) = delete;
  JsonlTrace& operator=(const JsonlTrace&) = delete;

  // Follows one drive's driver; `disk` names the controller ("nvme0"). As many as there are, before begin().
  void attach(nvme::CommandLog& log, std::string disk);
  // The time that the trace counts from; commands before it are not part of the trace.
  void begin(sim::TimeNs begin_ns);
  // Writes what is left, commands without a completion included.
  void finish();
  [[nodiscard]] std::uint64_t commands() const { return next_seq_; }

 private:
  struct Source {
    JsonlTrace* trace = nullptr;
    std::string disk;     // "nvme0"
    std::string io_disk;  // "nvme0n": the NSID follows
  };
  struct Record {
    const Source* source = nullptr;
    nvme::IssuedCommand issued;
    std::uint64_t ev = 0;
    std::uint64_t done_before = 0;
    std::uint64_t log_seq = 0;
    std::uint64_t bytes = 0;
    std::uint64_t block_slba = 0;  // dsm from the block layer
    std::uint32_t block_nlb = 0;
    char rwbs[8] = {};
    bool done = false;
    std::uint64_t cseq = 0;
    std::uint64_t cev = 0;
    sim::TimeNs completed_ns = 0;
    std::uint16_t status = 0;
    std::uint32_t result = 0;
  };

  static void on_issued(void* self, const nvme::IssuedCommand& command);
  static void on_completed(void* self, const nvme::CompletedCommand& command);
  void write(const Record& record, std::uint64_t seq);
  void drain();
  void flush_buffer();

  std::function<void(std::string_view)> sink_;
  std::deque<Source> sources_;
  sim::TimeNs begin_ns_ = 0;
  bool begun_ = false;
  std::deque<Record> open_;       // issue order; the front is written as soon as it is done
  std::uint64_t first_open_ = 0;  // seq of the front
  std::uint64_t next_seq_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t ev_ = 0;
  fmt::memory_buffer buffer_;
};

}  // namespace flushlab::lab
