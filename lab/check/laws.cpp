// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/laws.hpp"

#include <fmt/format.h>

namespace flushlab::lab {

std::vector<Law> check_laws(const LawInputs& in) {
  const nvme::CommandLog& log = *in.log;
  const std::uint64_t issued = log.completed_commands() + log.in_flight();
  std::vector<Law> laws;
  laws.push_back({"conservation",
                  in.fetched == in.completed && in.completed == log.completed_commands() && log.in_flight() == 0,
                  fmt::format("issued {}, fetched {}, posted {}, completed {}", issued, in.fetched, in.completed,
                              log.completed_commands())});
  laws.push_back({"littles_law", log.latency_sum_ns() == log.in_flight_integral_ns(),
                  fmt::format("sum of latencies {} ns, integral of commands in flight {} ns", log.latency_sum_ns(),
                              log.in_flight_integral_ns())});
  if (in.write_cache_always_off) {
    const std::uint64_t flushes = log.counts(nvme::CommandKind::kFlush).commands - in.passthru_flushes;
    const std::uint64_t fua = log.counts(nvme::CommandKind::kWrite).fua;
    laws.push_back({"no_flush", flushes == 0 && fua == 0,
                    fmt::format("write cache off: {} flushes, {} FUA writes", flushes, fua)});
  }
  laws.push_back({"one_flush", in.most_flushes_in_flight <= 1,
                  fmt::format("most flushes in flight in one hardware queue: {}", in.most_flushes_in_flight)});
  return laws;
}

}  // namespace flushlab::lab
