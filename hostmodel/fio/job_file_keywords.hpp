// SPDX-License-Identifier: GPL-2.0-only
// What fio replaces in the lines of a job file before it reads them: ${VAR}, and $ncpus, $pagesize, $mb_memory with
// the arithmetic around them. On a command line it replaces neither; that is the shell's business.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {

// ${NAME} by its value; where `lookup` is empty or knows no value the text stays as it is. Values are not searched
// again.
[[nodiscard]] std::string replace_variables(std::string_view line,
                                            const std::function<std::optional<std::string>(std::string_view)>& lookup);

// If the value has a keyword: its number, with + - * / and parentheses evaluated in whole numbers. Throws JobFileError
// where that is no expression, is negative or exceeds 64 bits. A value without keywords stays as it is.
[[nodiscard]] std::string replace_keywords(std::string_view value, const ParseSettings& settings,
                                           std::string_view where);

}  // namespace flushlab::fio
