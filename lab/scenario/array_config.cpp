// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/array_config.hpp"

#include <fmt/format.h>

namespace flushlab::lab {

md::CreateOptions ArrayConfig::options(std::string& error) const {
  md::CreateOptions create;
  error.clear();
  const auto wrong = [&](std::string text) {
    if (error.empty()) error = std::move(text);
  };
  if (const auto known = md::level_of(level)) {
    create.level = *known;
  } else {
    wrong(fmt::format("level {}: levels with a bitmap are 1, 4, 5, 6 and 10", level));
  }
  if (const auto known = md::parse_raid10_layout(layout)) {
    create.layout = *known;
  } else {
    wrong(fmt::format("layout \"{}\": write n2, f2, o2 or another number of copies up to 16", layout));
  }
  if (const auto known = md::parse_metadata(metadata)) {
    create.metadata = *known;
  } else {
    wrong(fmt::format("metadata \"{}\": write 0.90, 1.0, 1.1 or 1.2", metadata));
  }
  if (const auto known = md::parse_bitmap_kind(bitmap)) {
    create.bitmap = *known;
  } else {
    wrong(fmt::format("bitmap \"{}\": write internal, none, external or clustered", bitmap));
  }
  create.raid_devices = static_cast<std::uint32_t>(raid_devices);
  create.chunk_sectors = chunk_bytes / 512;
  create.size_sectors = size_bytes / 512;
  create.bitmap_chunk_sectors = bitmap_chunk_bytes / 512;
  if (data_offset_sectors != 0) create.data_offset = data_offset_sectors;
  return create;
}

std::vector<md::MemberDevice> members_of(const ArrayConfig& array, const media::DeviceProfile& device) {
  return std::vector<md::MemberDevice>(array.raid_devices,
                                       {device.identify.size_bytes / 512, device.identify.lba_bytes, 0});
}

}  // namespace flushlab::lab
