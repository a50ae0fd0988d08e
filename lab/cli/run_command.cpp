// SPDX-License-Identifier: GPL-2.0-only
// flushlab run SCENARIO
#include "lab/cli/command.hpp"
#include "lab/report/run_report.hpp"
#include "lab/scenario/run.hpp"

namespace flushlab::cli {

void add_run_command(CLI::App& app, Program& program) {
  struct Options : CommonOptions {
    std::string scenario;
    bool trace_probe = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run one scenario and say what it did");
  command->add_option("scenario", options->scenario, "A scenario's name, or a path that ends in .json")->required();
  add_common_options(*command, *options);
  add_trace_option(*command, *options);
  command->add_flag("--trace-probe", options->trace_probe, "Begin the trace with the driver's probe");
  command->callback([options, &program] {
    program.action = [options, &program] {
      const lab::Scenario scenario = lab::load_scenario(program.root(), options->scenario, options->all_sets());
      std::optional<OutputFile> trace;
      lab::RunOptions run_options;
      if (!options->trace_path.empty()) {
        trace.emplace(options->trace_path, options->force);
        run_options.trace = [&trace](std::string_view lines) { trace->write(lines); };
        run_options.format = trace_format_of(*options);
        run_options.trace_probe = options->trace_probe;
      } else if (options->trace_format == "biosnoop") {
        run_options.trace = [](std::string_view lines) { print(lines); };
        run_options.format = lab::TraceFormat::kBiosnoop;
      }
      const lab::RunResult result = lab::run_scenario(scenario, run_options);
      if (trace) trace->close();
      print(options->json ? lab::run_report_json(scenario, result).dump(2) + "\n"
                          : lab::run_report_text(scenario, result));
      return result.lawful() ? kHolds : kExpectationFailed;
    };
  });
}

}  // namespace flushlab::cli
