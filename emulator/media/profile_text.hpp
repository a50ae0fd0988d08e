// SPDX-License-Identifier: GPL-2.0-only
// The parts of a device profile that are lists in one line of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/media/profile.hpp"

namespace flushlab::media {

struct LbaFormat {
  std::uint32_t data_bytes = 512;
  std::uint16_t metadata_bytes = 0;
};

// Each returns nullopt and says why in `error` when the text is not in the form of profile.hpp.
[[nodiscard]] std::optional<std::vector<LbaFormat>> parse_lba_formats(std::string_view text, std::string& error);
[[nodiscard]] std::optional<std::vector<std::uint64_t>> parse_namespace_sizes(std::string_view text,
                                                                              std::string& error);
[[nodiscard]] std::optional<std::vector<EffectsOverride>> parse_effects(std::string_view text, std::string& error);
[[nodiscard]] std::optional<std::vector<Fault>> parse_faults(std::string_view text, std::string& error);

}  // namespace flushlab::media
