// SPDX-License-Identifier: GPL-2.0-only
// A trace of block I/O in the columns of biosnoop (bcc-tools): a line when a command completes, with its latency. Times
// count from the first command; sectors are 512 bytes. Commands without a block request (admin, passthrough) are left
// out, as they are there. Processes have no number here: PID is 0.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/sim/time.hpp"
#include "hostmodel/nvme/command_log.hpp"

namespace flushlab::lab {

class BiosnoopTrace {
 public:
  explicit BiosnoopTrace(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}
  BiosnoopTrace(const BiosnoopTrace&) = delete;
  BiosnoopTrace& operator=(const BiosnoopTrace&) = delete;

  void attach(nvme::CommandLog& log, std::string disk);  // "nvme0n1"
  // Starts the trace, with its heading.
  void begin();

 private:
  struct Open {
    std::uint64_t seq = 0;
    const char* task = "";
    char type = 'W';
    std::uint64_t sector = 0;
    std::uint64_t bytes = 0;
  };
  struct Source {
    BiosnoopTrace* trace = nullptr;
    std::string disk;
    std::vector<Open> open;
  };
  static void on_issued(void* source, const nvme::IssuedCommand& command);
  static void on_completed(void* source, const nvme::CompletedCommand& command);

  std::function<void(std::string_view)> sink_;
  std::deque<Source> sources_;
  bool begun_ = false;
  bool any_ = false;
  sim::TimeNs first_ns_ = 0;
};

}  // namespace flushlab::lab
