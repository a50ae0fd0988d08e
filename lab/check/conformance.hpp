// SPDX-License-Identifier: GPL-2.0-only
// The spec's conformance vectors against a device profile, through the door alone.
//
// Each vector is one entry of a table: what is sent, in which state, and what has to come back. Where implementations
// are known to differ, the profile says which of the accepted answers the drive gives, and that one is expected. Where
// a profile says that its drive departs from the specification, the verdict is "differs" and names the setting. A
// vector that the profile makes meaningless (no volatile write cache, one namespace identifier only) is n/a, with the
// reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "emulator/media/profile.hpp"

namespace flushlab::lab {

struct ConformanceResult {
  enum class Verdict : std::uint8_t { kPass, kFail, kDiffers, kNotApplicable };
  int vector = 0;
  std::string section;  // of the specification
  std::string name;
  Verdict verdict = Verdict::kPass;
  std::string expected;
  std::string got;
  std::string reason;  // of n/a; of "differs" the profile's setting
};

[[nodiscard]] std::size_t conformance_vectors();
[[nodiscard]] std::string conformance_vector_name(std::size_t index);  // "6 Set WCE to 0: ..."
// One vector, by its place in the table.
[[nodiscard]] ConformanceResult run_conformance_vector(const media::DeviceProfile& profile, std::size_t index);
[[nodiscard]] std::vector<ConformanceResult> run_conformance(const media::DeviceProfile& profile);

[[nodiscard]] const char* word_of(ConformanceResult::Verdict verdict);
[[nodiscard]] nlohmann::ordered_json to_json(const std::string& device, const std::vector<ConformanceResult>& results);
[[nodiscard]] std::string to_text(const std::vector<ConformanceResult>& results);

}  // namespace flushlab::lab
