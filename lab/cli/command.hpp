// SPDX-License-Identifier: GPL-2.0-only
// What the subcommands share: options, output files, and how errors become messages. Each subcommand is one file with
// one add_*_command function that declares it and says what it does.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/scenario/config.hpp"
#include "lab/scenario/run.hpp"

namespace flushlab::cli {

inline constexpr int kHolds = 0, kExpectationFailed = 1, kBadInput = 2;

// Bad usage that only the subcommand can see. `remedy` says what to type instead.
class UsageError : public std::runtime_error {
 public:
  UsageError(const std::string& message, const std::string& remedy)
      : std::runtime_error(remedy.empty() ? message : message + "; " + remedy) {}
};

// Options that several subcommands have.
struct CommonOptions {
  std::vector<std::string> sets;  // --set path=value
  std::optional<std::uint64_t> seed;
  bool json = false;
  bool force = false;
  std::string trace_path;
  std::string trace_format = "jsonl";

  // `sets` with the seed as one of them.
  [[nodiscard]] std::vector<std::string> all_sets() const;
};
void add_common_options(CLI::App& command, CommonOptions& options);
void add_trace_option(CLI::App& command, CommonOptions& options);
[[nodiscard]] lab::TraceFormat trace_format_of(const CommonOptions& options);

// The program's state while it parses: where configs are, and what to run once parsing is over.
struct Program {
  std::string configs_directory;
  std::function<int()> action;
  [[nodiscard]] lab::ConfigRoot root() const;
};

// A file that is written from the start. Refuses to overwrite one that exists unless `force`. Throws UsageError.
class OutputFile {
 public:
  OutputFile(const std::string& path, bool force);
  void write(std::string_view text);
  void close();  // reports what could not be written

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

void print(std::string_view text);  // to stdout

void add_run_command(CLI::App& app, Program& program);
void add_fio_command(CLI::App& app, Program& program);
void add_reproduce_command(CLI::App& app, Program& program);
void add_compare_command(CLI::App& app, Program& program);
void add_profile_command(CLI::App& app, Program& program);
void add_oracle_command(CLI::App& app, Program& program);
void add_limits_command(CLI::App& app, Program& program);
void add_conformance_command(CLI::App& app, Program& program);
void add_md_command(CLI::App& app, Program& program);

}  // namespace flushlab::cli
