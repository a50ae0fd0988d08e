// SPDX-License-Identifier: GPL-2.0-only
// What cannot be: combinations of values that no drive may report or no machine has.
#pragma once

#include <string>

#include "emulator/media/profile.hpp"
#include "hostmodel/kernel/host_profile.hpp"
#include "lab/scenario/document.hpp"

namespace flushlab::lab {

// Both throw ConfigError and name the fields; `pointer` is where the profile lies in the document.
// Also reads the lists that a profile holds as text into the profile.
void validate_device(media::DeviceProfile& device, const Document& document, const std::string& pointer);
void validate_host(const kernel::HostProfile& host, const Document& document, const std::string& pointer);

}  // namespace flushlab::lab
