// SPDX-License-Identifier: GPL-2.0-only
// flushlab limits [DEVICE]: from Identify fields to Linux queue limits.
#include <fmt/format.h>

#include "lab/cli/command.hpp"
#include "lab/report/limits_report.hpp"
#include "lab/scenario/identify_dump.hpp"
#include "lab/scenario/profiles.hpp"

namespace flushlab::cli {

namespace {

struct LimitsOptions {
  std::string device;
  lab::DumpFiles files;
  std::string kernel = "linux-6.12";
  bool all_kernels = false;
  bool json = false;
  std::vector<std::string> sets;
  std::uint16_t cpus = 16;
};

int run_limits(const Program& program, const LimitsOptions& options) {
  const lab::ConfigRoot root = program.root();
  const bool dumps = !options.files.id_ctrl.empty() || !options.files.id_ns.empty();
  if (dumps && !options.device.empty()) {
    throw UsageError("a device profile and dumps at once", "name DEVICE, or --id-ctrl FILE and --id-ns FILE");
  }
  if (!dumps && options.device.empty()) {
    throw UsageError("no drive", "name a device profile, or --id-ctrl FILE and --id-ns FILE");
  }
  if (dumps && (options.files.id_ctrl.empty() || options.files.id_ns.empty())) {
    throw UsageError(
        options.files.id_ns.empty() ? "--id-ctrl without --id-ns" : "--id-ns without --id-ctrl",
        "the limits need both; `nvme id-ctrl DEVICE --raw-binary` and `nvme id-ns DEVICE --raw-binary` write them");
  }
  if (dumps && !options.sets.empty()) throw UsageError("--set changes a profile, not a dump", "name a device profile");
  const lab::IdentifyDump identify = dumps ? lab::read_dumps(root, options.files)
                                           : lab::identify_of(lab::load_device(root, options.device, options.sets));
  std::vector<std::string> kernels = {options.kernel};
  if (options.all_kernels) kernels = lab::list_profiles(root, lab::ConfigKind::kKernel);
  std::vector<lab::LimitsReport> reports;
  for (const std::string& name : kernels)
    reports.push_back(lab::explain_limits(lab::load_kernel(root, name), identify.view(), options.cpus));
  if (options.json) {
    nlohmann::ordered_json tree = nlohmann::ordered_json::array();
    for (const lab::LimitsReport& report : reports) tree.push_back(lab::to_json(report));
    print((options.all_kernels ? tree : tree.front()).dump(2) + "\n");
  } else {
    print(options.all_kernels ? lab::to_text(reports) : lab::to_text(reports.front()));
  }
  return kHolds;
}

}  // namespace

void add_limits_command(CLI::App& app, Program& program) {
  auto options = std::make_shared<LimitsOptions>();
  CLI::App* command =
      app.add_subcommand("limits", "Queue limits that Linux derives from a drive's Identify fields, explained");
  command->add_option("DEVICE", options->device, "Device profile, by name or path");
  command->add_option("--id-ctrl", options->files.id_ctrl, "A drive's `nvme id-ctrl --raw-binary`")->type_name("FILE");
  command->add_option("--id-ns", options->files.id_ns, "The same drive's `nvme id-ns --raw-binary`")->type_name("FILE");
  command->add_option("--id-ns-nvm", options->files.id_ns_nvm, "Identify CNS 05h of the namespace, if there is one")
      ->type_name("FILE");
  command
      ->add_option("--id-ns-indep", options->files.id_ns_independent,
                   "Identify CNS 08h of the namespace, if there is one")
      ->type_name("FILE");
  command->add_option("--kernel", options->kernel, "Kernel profile")->capture_default_str();
  command->add_flag("--all-kernels", options->all_kernels, "Every kernel profile, side by side");
  command->add_option("--cpus", options->cpus, "CPUs of the host: one hardware queue each")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--set", options->sets, "Change one value of the profile: identify.nows=255 (repeatable)")
      ->take_all()
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback(
      [options, &program] { program.action = [options, &program] { return run_limits(program, *options); }; });
}

}  // namespace flushlab::cli
