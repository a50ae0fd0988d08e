// SPDX-License-Identifier: GPL-2.0-only
#include "lab/trace/biosnoop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace flushlab::lab {

void BiosnoopTrace::attach(nvme::CommandLog& log, std::string disk) {
  Source& source = sources_.emplace_back();
  source.trace = this;
  source.disk = std::move(disk);
  log.add_observer({&source, &on_issued, &on_completed});
}

void BiosnoopTrace::begin() {
  begun_ = true;
  sink_(fmt::format("{:<11} {:<14} {:<7} {:<9} {} {:<10} {:<7} {:>7}\n", "TIME(s)", "COMM", "PID", "DISK", "T",
                    "SECTOR", "BYTES", "LAT(ms)"));
}

void BiosnoopTrace::on_issued(void* object, const nvme::IssuedCommand& command) {
  auto& source = *static_cast<Source*>(object);
  BiosnoopTrace& self = *source.trace;
  if (!self.begun_ || command.request == nullptr) return;
  const block::Request& request = *command.request;
  if (request.kind == block::Request::Kind::kPassthru) return;
  if (!std::exchange(self.any_, true)) self.first_ns_ = command.at_ns;
  const bool flush = request.kind == block::Request::Kind::kFlush;
  source.open.push_back({command.seq, command.task,
                         flush                               ? 'F'
                         : request.op == block::BioOp::kRead ? 'R'
                                                             : 'W',
                         flush ? 0 : request.sector, flush ? 0 : std::uint64_t{request.sectors} * 512});
}

void BiosnoopTrace::on_completed(void* object, const nvme::CompletedCommand& command) {
  auto& source = *static_cast<Source*>(object);
  BiosnoopTrace& self = *source.trace;
  const auto open =
      std::find_if(source.open.begin(), source.open.end(), [&](const Open& one) { return one.seq == command.seq; });
  if (open == source.open.end()) return;
  self.sink_(fmt::format("{:<11.6f} {:<14} {:<7} {:<9} {} {:<10} {:<7} {:>7.2f}\n",
                         static_cast<double>(command.at_ns - self.first_ns_) / 1e9, open->task, 0, source.disk,
                         open->type, open->sector, open->bytes,
                         static_cast<double>(command.at_ns - command.issued_ns) / 1e6));
  source.open.erase(open);
}

}  // namespace flushlab::lab
