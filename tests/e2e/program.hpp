// SPDX-License-Identifier: GPL-2.0-only
// Runs the program as a user would.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace flushlab::test {

struct Outcome {
  int exit_code = -1;
  std::string out;  // stdout and, with `both`, stderr
};

inline Outcome run_program(const std::string& program, const std::string& arguments, bool both = true) {
  const std::string command = program + " " + arguments + (both ? " 2>&1" : " 2>/dev/null");
  Outcome outcome;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) outcome.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

}  // namespace flushlab::test
