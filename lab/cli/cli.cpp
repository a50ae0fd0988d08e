// SPDX-License-Identifier: GPL-2.0-only
#include "lab/cli/cli.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "hostmodel/fio/options.hpp"
#include "lab/cli/command.hpp"
#include "lab/scenario/stack.hpp"

namespace flushlab::cli {

std::vector<std::string> CommonOptions::all_sets() const {
  std::vector<std::string> all = sets;
  if (seed) all.push_back(fmt::format("seed={}", *seed));
  return all;
}

void add_common_options(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--set", options.sets,
                  "Change one value: path=value, e.g. device.timing.flush_answer=5us (repeatable)")
      ->take_all()
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Seed of the run's random streams")->type_name("N");
  command.add_flag("--json", options.json, "Print JSON");
}

void add_trace_option(CLI::App& command, CommonOptions& options) {
  command.add_option("--trace", options.trace_path, "Write every NVMe command to FILE, one JSON object a line")
      ->type_name("FILE");
  command
      .add_option("--format", options.trace_format,
                  "Of the trace: jsonl, or biosnoop's columns (without --trace: to standard output, first)")
      ->check(CLI::IsMember({"jsonl", "biosnoop"}))
      ->capture_default_str();
  command.add_flag("--force", options.force, "Overwrite FILE when it exists");
}

lab::TraceFormat trace_format_of(const CommonOptions& options) {
  return options.trace_format == "biosnoop" ? lab::TraceFormat::kBiosnoop : lab::TraceFormat::kJsonl;
}

lab::ConfigRoot Program::root() const {
  std::string directory = configs_directory;
  if (directory.empty()) {
    if (const char* variable = std::getenv("FLUSHLAB_CONFIGS"); variable != nullptr && *variable != 0)
      directory = variable;
  }
  if (directory.empty()) directory = FLUSHLAB_CONFIG_DIR;
  if (!std::filesystem::is_directory(directory)) {
    throw UsageError(fmt::format("{}: not a folder of configurations", directory),
                     "name one with --configs DIR or FLUSHLAB_CONFIGS");
  }
  return lab::ConfigRoot(directory);
}

OutputFile::OutputFile(const std::string& path, bool force) : path_(path) {
  if (!force && std::filesystem::exists(path) && !std::filesystem::is_character_file(path) &&
      !std::filesystem::is_fifo(path)) {
    throw UsageError(fmt::format("{}: exists already", path), "name another file, or add --force to overwrite it");
  }
  file_.reset(std::fopen(path.c_str(), "w"));
  if (file_ == nullptr) {
    throw UsageError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)),
                     "name a file in a folder that you may write to");
  }
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) {
    throw UsageError(fmt::format("{}: writing failed: {}", path_, std::strerror(errno)),
                     "free some space or name another file");
  }
}

void OutputFile::close() {
  std::FILE* file = file_.release();
  if (file != nullptr && std::fclose(file) != 0) {
    throw UsageError(fmt::format("{}: writing failed: {}", path_, std::strerror(errno)),
                     "free some space or name another file");
  }
}

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw UsageError(fmt::format("standard output: {}", std::strerror(errno)), "");
  }
}

int run(int argc, char** argv) {
  Program program;
  CLI::App app(
      "flushlab: what a flush costs, and what it protects.\n"
      "A deterministic NVMe controller emulator opposite a model of the Linux host.");
  app.name("flushlab");
  app.set_version_flag("--version", std::string("flushlab ") + FLUSHLAB_VERSION);
  app.add_option("--configs", program.configs_directory, "Folder of devices/, kernels/, hosts/, scenarios/, published/")
      ->type_name("DIR");
  app.require_subcommand(1);
  app.fallthrough();
  add_reproduce_command(app, program);
  add_run_command(app, program);
  add_fio_command(app, program);
  add_compare_command(app, program);
  add_profile_command(app, program);
  add_limits_command(app, program);
  add_oracle_command(app, program);
  add_conformance_command(app, program);
  add_md_command(app, program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    app.exit(error);
    return kBadInput;
  }
  try {
    return program.action();
  } catch (
      const std::exception& error) {  // ConfigError, JobFileError, RunError, UsageError: all say where and what to do
    fmt::print(stderr, "flushlab: {}\n", error.what());
    return kBadInput;
  }
}

}  // namespace flushlab::cli
