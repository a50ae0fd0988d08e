// SPDX-License-Identifier: GPL-2.0-only
// flushlab compare A B
#include <fmt/format.h>

#include <algorithm>

#include "lab/cli/command.hpp"
#include "lab/report/compare_report.hpp"
#include "lab/scenario/run.hpp"

namespace flushlab::cli {

void add_compare_command(CLI::App& app, Program& program) {
  struct Options : CommonOptions {
    std::string a, b, scenario;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("compare", "Two scenarios, kernels, devices or hosts side by side, with ratios");
  command->add_option("a", options->a, "A scenario; or, with --scenario, a kernel, device or host profile")->required();
  command->add_option("b", options->b, "What to hold against it")->required();
  command->add_option("--scenario", options->scenario, "The scenario to run with each of the two profiles")
      ->type_name("NAME");
  add_common_options(*command, *options);
  command->callback([options, &program] {
    program.action = [options, &program] {
      const lab::ConfigRoot root = program.root();
      std::vector<lab::Scenario> scenarios;
      for (const std::string& side : {options->a, options->b}) {
        std::vector<std::string> sets = options->all_sets();
        std::string scenario = side;
        if (!options->scenario.empty()) {
          scenario = options->scenario;
          const auto is = [&](lab::ConfigKind kind) {
            const std::vector<std::string> names = lab::list_profiles(root, kind);
            return std::find(names.begin(), names.end(), side) != names.end();
          };
          if (is(lab::ConfigKind::kKernel)) {
            sets.insert(sets.begin(), "kernel=" + side);
          } else if (is(lab::ConfigKind::kDevice)) {
            sets.insert(sets.begin(), "device=" + side);
          } else if (is(lab::ConfigKind::kHost)) {
            sets.insert(sets.begin(), "host=" + side);
          } else if (side.find('=') != std::string::npos) {
            sets.push_back(side);
          } else {
            throw UsageError(fmt::format("{}: neither a kernel, a device nor a host profile, nor path=value", side),
                             "'flushlab profile list' shows them");
          }
        }
        scenarios.push_back(lab::load_scenario(root, scenario, sets));
      }
      const std::vector<lab::RunResult> results = lab::run_scenarios(scenarios, 2);
      const lab::Comparison comparison = lab::compare_runs(options->a, results[0], options->b, results[1]);
      print(options->json ? lab::comparison_json(comparison).dump(2) + "\n" : lab::comparison_text(comparison));
      return results[0].lawful() && results[1].lawful() ? kHolds : kExpectationFailed;
    };
  });
}

}  // namespace flushlab::cli
