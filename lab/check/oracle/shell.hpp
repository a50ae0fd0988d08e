// SPDX-License-Identifier: GPL-2.0-only
// The guest's shell, as far as recordings use it: words with quotes, NAME=VALUE and $NAME, `;`, `&`, redirections, and
// `for NAME in WORDS; do ...; done`. Anything else is an UnknownShell that names it.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace flushlab::lab::oracle {

class UnknownShell : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SimpleCommand {
  std::vector<std::string> words;  // the program and its arguments, expanded
  std::string output;              // > FILE; empty: the terminal
  bool append = false;
  bool background = false;
};

using Variables = std::map<std::string, std::string>;

// The commands of a line in the order in which they run, loops unrolled.
[[nodiscard]] std::vector<SimpleCommand> parse_shell(std::string_view line, const Variables& variables);

}  // namespace flushlab::lab::oracle
