// SPDX-License-Identifier: GPL-2.0-only
// What a run showed, for people and as JSON. Floating point appears here and not before.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/scenario/run.hpp"

namespace flushlab::lab {

[[nodiscard]] std::string run_report_text(const Scenario& scenario, const RunResult& result);
// {"schema": "flushlab.run/1", ...}: complete and in a stable order.
[[nodiscard]] nlohmann::ordered_json run_report_json(const Scenario& scenario, const RunResult& result);
// The commands, the laws and the hash: what follows fio's own output.
[[nodiscard]] std::string run_footer_text(const RunResult& result);

// Figures that reports, comparisons and published cells share. 0 where a run has no such thing.
[[nodiscard]] double iops(const RunResult& result);
[[nodiscard]] double bandwidth_kib_s(const RunResult& result);    // of all jobs, read and written
[[nodiscard]] double bytes_written_mib(const RunResult& result);  // by all jobs          // data I/Os of all jobs
[[nodiscard]] double fsync_avg_us(const RunResult& result);       // as fio reports it
[[nodiscard]] double driver_avg_us(const CommandSummary& commands);
[[nodiscard]] double passthru_avg_us(const RunResult& result);  // the driver's share, setup to completion

}  // namespace flushlab::lab
