// SPDX-License-Identifier: GPL-2.0-only
// Virtual time: an integer count of nanoseconds since the simulation began. There is no other clock.
#pragma once

#include <cstdint>

namespace flushlab::sim {

using TimeNs = std::uint64_t;  // a point in virtual time, or a span of it; always nanoseconds

inline constexpr TimeNs kNever = ~TimeNs{0};
inline constexpr TimeNs kMicrosecond = 1'000;
inline constexpr TimeNs kMillisecond = 1'000'000;
inline constexpr TimeNs kSecond = 1'000'000'000;

}  // namespace flushlab::sim
