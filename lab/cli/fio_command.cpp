// SPDX-License-Identifier: GPL-2.0-only
// flushlab fio JOBFILE | --option=value ...
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "hostmodel/fio/job_file.hpp"
#include "hostmodel/fio/output.hpp"
#include "lab/cli/command.hpp"
#include "lab/report/run_report.hpp"
#include "lab/scenario/run.hpp"

namespace flushlab::cli {

namespace {

// fio's own options for its output; everything else of its command line describes jobs.
struct FioOutput {
  std::string path;
  std::string format = "normal";
};

// Takes --output and --output-format out of the arguments.
FioOutput take_output_options(std::vector<std::string>& arguments) {
  FioOutput output;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto take = [&](std::string_view name, std::string& value) {
      const std::string& argument = arguments[i];
      if (argument.starts_with(std::string(name) + "=")) {
        value = argument.substr(name.size() + 1);
        return true;
      }
      if (argument != name) return false;
      if (i + 1 == arguments.size()) throw UsageError(fmt::format("{} needs a value", name), "");
      value = arguments[++i];
      return true;
    };
    if (!take("--output", output.path) && !take("--output-format", output.format)) rest.push_back(arguments[i]);
  }
  arguments = std::move(rest);
  if (output.format != "normal" && output.format != "json" && output.format != "json+") {
    throw UsageError(fmt::format("--output-format={}: not a format that flushlab prints", output.format),
                     "use normal, json or json+");
  }
  return output;
}

}  // namespace

void add_fio_command(CLI::App& app, Program& program) {
  struct Options : CommonOptions {
    std::string device = "kioxia-cd6-v";
    std::string kernel = "nvme-7.4";
    std::string host = "cd6-v-host";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("fio", "Run a fio job file, or a fio command line, against a simulated drive");
  command->allow_extras();
  command->fallthrough(false);  // what is not ours here is fio's
  command->footer(
      "Everything else is fio's: a job file, or options such as --name=a --rw=randwrite --fsync=1.\n"
      "--output-format=json prints fio's own JSON; --json prints flushlab's.");
  command->add_option("--device", options->device, "Device profile")->capture_default_str();
  command->add_option("--kernel", options->kernel, "Kernel profile")->capture_default_str();
  command->add_option("--host", options->host, "Host profile")->capture_default_str();
  add_common_options(*command, *options);
  add_trace_option(*command, *options);
  command->callback([options, &program, command] {
    program.action = [options, &program, command] {
      std::vector<std::string> arguments = command->remaining();
      const FioOutput output = take_output_options(arguments);
      if (arguments.empty()) {
        throw UsageError("fio: no job",
                         "give a job file, or options such as --name=a --rw=randwrite --bs=4k --size=1g --fsync=1");
      }
      nlohmann::ordered_json tree;
      tree["name"] = "fio";
      tree["device"] = options->device;
      tree["kernel"] = options->kernel;
      tree["host"] = options->host;
      tree["workload"]["fio"] = arguments;
      const lab::Scenario scenario =
          lab::parse_scenario(program.root(), tree.dump(), "fio", options->all_sets()).scenario;
      std::optional<OutputFile> trace;
      lab::RunOptions run_options;
      if (!options->trace_path.empty()) {
        trace.emplace(options->trace_path, options->force);
        run_options.trace = [&trace](std::string_view lines) { trace->write(lines); };
        run_options.format = trace_format_of(*options);
      } else if (options->trace_format == "biosnoop") {
        run_options.trace = [](std::string_view lines) { print(lines); };
        run_options.format = lab::TraceFormat::kBiosnoop;
      }
      std::optional<OutputFile> file;
      if (!output.path.empty()) file.emplace(output.path, options->force);
      const lab::RunResult result = lab::run_scenario(scenario, run_options);
      if (trace) trace->close();
      std::string text;
      if (options->json) {
        text = lab::run_report_json(scenario, result).dump(2) + "\n";
      } else if (output.format == "normal") {
        text = fio::normal_output(result.jobs) + lab::run_footer_text(result);
      } else {
        text = fio::json_output(result.jobs, output.format == "json+").dump(2) + "\n";
      }
      if (file) {
        file->write(text);
        file->close();
      } else {
        print(text);
      }
      return result.lawful() ? kHolds : kExpectationFailed;
    };
  });
}

}  // namespace flushlab::cli
