// SPDX-License-Identifier: GPL-2.0-only
// The feature table: which features the drive has, and their current, default and saved values (NVMe Base 2.1
// sec. 5.1.11, 5.1.25; NVM Command Set 1.1 sec. 4.1.3). What setting one does is in feature_commands.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/media/profile.hpp"
#include "emulator/spec/command.hpp"
#include "emulator/spec/feature.hpp"

namespace flushlab::controller {

class Features {
 public:
  struct Info {
    bool supported = false;
    bool saveable = false;
    bool changeable = true;
    bool namespace_specific = false;
    std::uint16_t data_bytes = 0;  // of the data that goes with it
  };

  explicit Features(const media::DeviceProfile& profile);

  [[nodiscard]] const Info& info(std::uint8_t fid) const { return info_[fid]; }
  [[nodiscard]] std::uint32_t current(std::uint8_t fid) const { return current_[fid]; }
  [[nodiscard]] std::uint32_t default_value(std::uint8_t fid) const { return default_[fid]; }
  // The saved value; the default where nothing can be saved.
  [[nodiscard]] std::uint32_t saved(std::uint8_t fid) const {
    return info_[fid].saveable ? saved_[fid] : default_[fid];
  }
  // SEL = 011b: bit 0 saveable, 1 namespace specific, 2 changeable.
  [[nodiscard]] std::uint32_t capabilities(std::uint8_t fid) const;

  void set(std::uint8_t fid, std::uint32_t value, bool save) {
    current_[fid] = value;
    if (save) saved_[fid] = value;
  }
  // A firmware that stops, or starts again, to know a feature.
  void set_supported(std::uint8_t fid, bool supported) { info_[fid].supported = supported; }
  // Whether the value is legal for the feature (sec. 5.1.25.1 and 5.1.25.2).
  [[nodiscard]] spec::Status check_value(std::uint8_t fid, std::uint32_t cdw11) const;
  // Whether the data is: the 512 bytes that the host sent.
  [[nodiscard]] spec::Status check_data(std::uint8_t fid, std::uint32_t cdw11,
                                        const std::array<std::byte, 512>& data) const;
  // A controller level reset: current becomes saved, or default.
  void reset();

  // Temperature thresholds (04h): one over and one under value for the composite temperature and each of eight sensors.
  void set_threshold(std::uint32_t cdw11);
  [[nodiscard]] std::uint16_t threshold(std::uint32_t tmpsel, std::uint32_t thsel) const {
    return tmpsel < thresholds_.size() ? thresholds_[tmpsel][thsel & 1U] : std::uint16_t{0};
  }

  // Data of the features that have some.
  std::array<std::byte, 512>& data(std::uint8_t fid);

 private:
  void default_thresholds();

  const media::DeviceProfile* profile_;
  std::array<Info, 256> info_{};
  std::array<std::uint32_t, 256> current_{};
  std::array<std::uint32_t, 256> default_{};
  std::array<std::uint32_t, 256> saved_{};
  std::array<std::array<std::uint16_t, 2>, 9> thresholds_{};
  std::array<std::byte, 512> timestamp_{};
  std::array<std::byte, 512> host_behavior_{};
  std::array<std::byte, 512> apst_{};
  std::array<std::byte, 512> host_identifier_{};
  std::array<std::byte, 512> range_type_{};
};

}  // namespace flushlab::controller
