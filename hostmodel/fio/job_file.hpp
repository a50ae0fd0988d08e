// SPDX-License-Identifier: GPL-2.0-only
// fio job files and fio command lines, as fio reads them, to jobs in order.
//
// Every fault of the input is a JobFileError that says where it is, what is wrong and what to type instead.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {

struct JobFileContext {
  ParseSettings settings;
  // The value of an environment variable, std::nullopt if unset (then `${VAR}` stays as it is, as in fio). May be
  // empty.
  std::function<std::optional<std::string>(std::string_view name)> lookup_variable;
  // The text of a file that `include` or a command line names, std::nullopt if it cannot be read. The path is as
  // written, or relative to the including file's folder. May be empty: then include and job files are refused.
  std::function<std::optional<std::string>(const std::string& path)> read_file;
};

// All jobs of the text, in order; numjobs stays a field. `file_name` is for messages and for relative includes.
// `sections`: only those jobs (fio's --section); empty: all.
[[nodiscard]] std::vector<JobOptions> parse_job_file(std::string_view text, const std::string& file_name,
                                                     const JobFileContext& context = {},
                                                     std::span<const std::string> sections = {});

struct FioCommandLine {
  std::vector<JobOptions> jobs;
  std::optional<std::string> output_path;  // --output
  std::string output_format = "normal";    // --output-format: normal, json, json+ or a comma list of them
};

// The arguments after the program's name. Options before the first --name are defaults for all jobs; arguments without
// dashes are job files. `--option=value` and `--option value`.
[[nodiscard]] FioCommandLine parse_command_line(std::span<const std::string> arguments,
                                                const JobFileContext& context = {});

// The job as a job file section that parses to the same options; what was given, in order, globals included.
[[nodiscard]] std::string to_job_file(const JobOptions& job);

}  // namespace flushlab::fio
