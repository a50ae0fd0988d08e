// SPDX-License-Identifier: GPL-2.0-only
// A scenario: one run, complete. A drive, a kernel, a host, what is done to the drive before the job, and the job.
//
//   { "name": "...", "description": "...", "seed": 1,
//     "device": "kioxia-cd6-v", "kernel": "nvme-7.4", "host": "cd6-v-host",
//     "array": {"level": 10, "layout": "n2", "raid_devices": 4},
//     "setup": [ {"set_feature": {"fid": 6, "value": 1}}, {"write_cache": "write through"} ],
//     "workload": {"fio": "--name=job --rw=randwrite --fsync=1 ..."} }
//
// device, kernel and host are a profile's name, a path that ends in .json (relative to the file that names it), or an
// object; an object, like a profile's file, may say "extends": NAME-OR-PATH and then holds only what differs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/media/profile.hpp"
#include "hostmodel/fio/options.hpp"
#include "hostmodel/kernel/host_profile.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"
#include "lab/scenario/array_config.hpp"
#include "lab/scenario/config.hpp"

namespace flushlab::lab {

// Set Features by ioctl after the probe: {"set_feature": {"fid": 6, "value": 1}}.
struct SetFeature {
  std::uint8_t fid = 0;
  std::uint32_t value = 0;  // Command Dword 11
  bool operator==(const SetFeature&) const = default;
};

// A write to queue/write_cache: {"write_cache": "write through"}.
struct SysfsWriteCache {
  std::string value;  // "write back" or "write through"
  bool operator==(const SysfsWriteCache&) const = default;
};

using SetupStep = std::variant<SetFeature, SysfsWriteCache>;

// "fio": "--name=a --rw=randwrite" or ["--name=a", "--rw=randwrite"]; or "fio_job": "[a]\nrw=randwrite"; or
// "fio_file": "a.fio". "fio_version": "new" (default) or "3.33".
struct FioWorkload {
  std::vector<fio::JobOptions> jobs;
  std::uint32_t nsid = 1;        // of the drive, without an array: what the jobs' filename names
  std::string text;              // as it would be typed after `fio`, or the job file's text
  bool is_command_line = false;  // which of the two `text` is
  fio::FioVersion version = fio::FioVersion::kNew;
};

// nvme-cli in a loop: {"nvme_cli": {"verb": "flush", "count": 2000}}. One process a command.
struct NvmeCliWorkload {
  enum class Verb : std::uint8_t { kFlush, kWrite };
  Verb verb = Verb::kFlush;
  std::uint64_t count = 1;
  std::uint64_t start_block = 0;      // write: --start-block
  std::uint16_t block_count = 0;      // write: --block-count, 0's based as there
  std::uint64_t data_size_bytes = 0;  // write: --data-size; 0: (block_count + 1) blocks
  bool fua = false;                   // write: --force-unit-access
  bool operator==(const NvmeCliWorkload&) const = default;
};

using Workload = std::variant<FioWorkload, NvmeCliWorkload>;

struct Scenario {
  std::string name;
  std::string description;
  std::uint64_t seed = 1;
  media::DeviceProfile device;
  kernel::KernelProfile kernel;
  kernel::HostProfile host;
  std::optional<ArrayConfig> array;  // what the workload uses; otherwise the drive's namespace 1
  std::vector<SetupStep> setup;
  Workload workload;
};

// A scenario with everything that it names put in place, and the overrides applied: one tree that stands alone.
struct ResolvedScenario {
  Scenario scenario;
  nlohmann::ordered_json tree;  // loads to the same scenario (G5)
};

// `name_or_path`: "cd6-v/uring-qd32.nvme-7.4" below configs/scenarios, or a path that ends in .json. `sets`: overrides
// "path=value" in order, such as "device.timing.flush_answer=5us", "kernel=nvme-7.4+honor-wce",
// "workload.fio.iodepth=32" (added to every fio job), "seed=7". Throws ConfigError.
[[nodiscard]] Scenario load_scenario(const ConfigRoot& root, const std::string& name_or_path,
                                     std::span<const std::string> sets = {});
[[nodiscard]] ResolvedScenario resolve_scenario(const ConfigRoot& root, const std::string& name_or_path,
                                                std::span<const std::string> sets = {});
// The same from a text; `file` is for messages and for relative paths.
[[nodiscard]] ResolvedScenario parse_scenario(const ConfigRoot& root, std::string_view text, const std::string& file,
                                              std::span<const std::string> sets = {});

}  // namespace flushlab::lab
