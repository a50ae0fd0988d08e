// SPDX-License-Identifier: GPL-2.0-only
// flushlab conformance [DEVICE]: the spec's vectors against a profile.
#include <algorithm>

#include "lab/check/conformance.hpp"
#include "lab/cli/command.hpp"
#include "lab/scenario/profiles.hpp"

namespace flushlab::cli {

void add_conformance_command(CLI::App& app, Program& program) {
  struct Options {
    std::string device = "spec-vectors";
    std::vector<std::string> sets;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("conformance", "The specification's vectors against a device profile, by section");
  command->add_option("DEVICE", options->device, "Device profile, by name or path")->capture_default_str();
  command->add_option("--set", options->sets, "Change one value of the profile (repeatable)")
      ->take_all()
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exit code 1 when a vector fails. \"differs\": the drive departs from the specification as its profile says, by "
      "the\n"
      "setting that is named. A vector that the profile makes meaningless is n/a, with the reason.");
  command->callback([options, &program] {
    program.action = [options, &program] {
      const media::DeviceProfile profile = lab::load_device(program.root(), options->device, options->sets);
      const std::vector<lab::ConformanceResult> results = lab::run_conformance(profile);
      print(options->json ? lab::to_json(profile.name, results).dump(2) + "\n" : lab::to_text(results));
      const bool failed = std::any_of(results.begin(), results.end(), [](const lab::ConformanceResult& r) {
        return r.verdict == lab::ConformanceResult::Verdict::kFail;
      });
      return failed ? kExpectationFailed : kHolds;
    };
  });
}

}  // namespace flushlab::cli
