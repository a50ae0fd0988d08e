// SPDX-License-Identifier: GPL-2.0-only
// The tables of every configured struct (G3): keys, kinds, ranges, meaning.
#pragma once

#include "lab/scenario/fields.hpp"

namespace flushlab::lab {

[[nodiscard]] const StructTable& device_table();
[[nodiscard]] const StructTable& kernel_table();
[[nodiscard]] const StructTable& host_table();
[[nodiscard]] const StructTable& array_table();
// Of device, kernel and host; scenarios are put together from them in scenario.cpp.
[[nodiscard]] const StructTable& table_of(ConfigKind kind);

}  // namespace flushlab::lab
