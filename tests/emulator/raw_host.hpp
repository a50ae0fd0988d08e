// SPDX-License-Identifier: GPL-2.0-only
// The raw host of lab/check for tests, and the drive of the spec's vectors.
#pragma once

#include "lab/check/raw_host.hpp"

namespace flushlab::test {

using lab::RawHost;

// The drive of nvme-spec.md section 10.
inline media::DeviceProfile conformance_drive() {
  media::DeviceProfile p;
  p.name = "conformance";
  p.keep_image = true;
  p.identify.nn = 4;
  p.identify.size_bytes = std::uint64_t{0x100000} * 512;
  p.identify.oncs = 0x019F;
  p.timing.write_lat_floor_ns.value = 10'000;
  p.timing.read_lat_ns.value = 10'000;
  p.timing.write_slots.value = p.timing.read_slots.value = 8;
  p.timing.admin_lat_ns.value = 1'000;
  p.timing.unit_bytes.value = 4096;
  return p;
}

}  // namespace flushlab::test
