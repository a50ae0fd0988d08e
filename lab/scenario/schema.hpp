// SPDX-License-Identifier: GPL-2.0-only
// JSON Schema (draft 2020-12) of every kind of configuration, from the same tables as the loader (G3).
#pragma once

#include <nlohmann/json.hpp>

#include "lab/scenario/config.hpp"

namespace flushlab::lab {

[[nodiscard]] nlohmann::ordered_json json_schema(ConfigKind kind);

}  // namespace flushlab::lab
