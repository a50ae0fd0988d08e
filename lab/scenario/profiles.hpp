// SPDX-License-Identifier: GPL-2.0-only
// Device, kernel and host profiles: load (with `extends`), check, write back.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "emulator/media/profile.hpp"
#include "hostmodel/kernel/host_profile.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"
#include "lab/scenario/config.hpp"

namespace flushlab::lab {

// `name_or_path`: a name below the kind's folder, or a path that ends in .json. `sets`: overrides with paths from the
// profile's own top ("timing.flush_answer=5us"). Throw ConfigError.
[[nodiscard]] media::DeviceProfile load_device(const ConfigRoot& root, const std::string& name_or_path,
                                               std::span<const std::string> sets = {});
[[nodiscard]] kernel::KernelProfile load_kernel(const ConfigRoot& root, const std::string& name_or_path,
                                                std::span<const std::string> sets = {});
[[nodiscard]] kernel::HostProfile load_host(const ConfigRoot& root, const std::string& name_or_path,
                                            std::span<const std::string> sets = {});

// The same from a text; `file` is for messages and for relative paths.
[[nodiscard]] media::DeviceProfile parse_device(const ConfigRoot& root, std::string_view text, const std::string& file);
[[nodiscard]] kernel::KernelProfile parse_kernel(const ConfigRoot& root, std::string_view text,
                                                 const std::string& file);
[[nodiscard]] kernel::HostProfile parse_host(const ConfigRoot& root, std::string_view text, const std::string& file);

// Every field, in the table's order, as a profile's file would say it. Loads to the same profile.
[[nodiscard]] nlohmann::ordered_json to_json(const media::DeviceProfile& profile);
[[nodiscard]] nlohmann::ordered_json to_json(const kernel::KernelProfile& profile);
[[nodiscard]] nlohmann::ordered_json to_json(const kernel::HostProfile& profile);

}  // namespace flushlab::lab
