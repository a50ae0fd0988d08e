// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/stack.hpp"

#include <fmt/format.h>

#include "hostmodel/nvme/passthru.hpp"

namespace flushlab::lab {

Stack::Stack(const Scenario& scenario)
    : scenario_(&scenario),
      simulator_(scenario.seed),
      drive_(simulator_, door_, scenario.device),
      machine_(simulator_, scenario.kernel, scenario.host),
      host_(machine_, door_) {}

nvme::Namespace& Stack::ns() {
  nvme::Namespace* ns = host_.find_namespace(1);
  if (ns == nullptr) throw RunError(fmt::format("{}: the drive has no namespace 1", scenario_->name));
  return *ns;
}

namespace {

sim::Task<void> finish_flag(sim::Simulator&, sim::Task<void> task, bool& done) {
  co_await std::move(task);
  done = true;
}

}  // namespace

void Stack::run_to_end(sim::Task<void> task) {
  bool done = false;
  simulator_.spawn(finish_flag(simulator_, std::move(task), done));
  while (!done && simulator_.events().run_one()) {
  }
  if (!done) throw RunError(fmt::format("{}: everything waits and nothing will happen any more", scenario_->name));
}

sim::Task<void> Stack::bring_up_task(std::string& error) {
  error = co_await host_.probe();
  if (!error.empty()) {
    for (const std::string& message : host_.messages()) error += "; " + message;
    co_return;
  }
  const block::TaskContext shell{"nvme", scenario_->host.fio_cpu};
  for (const SetupStep& step : scenario_->setup) {
    if (const auto* feature = std::get_if<SetFeature>(&step)) {
      const nvme::AdminResult result =
          co_await nvme::admin_ioctl(host_, spec::make_set_features(feature->fid, feature->value), {}, shell);
      if (!result.status.ok()) {
        error = fmt::format("setup: Set Features {:02x}h value {:#x}: {}", feature->fid, feature->value,
                            result.status.name());
        co_return;
      }
      co_await host_.flush_scan();
    } else if (const auto* sysfs = std::get_if<SysfsWriteCache>(&step)) {
      const int written = ns().queue->write_cache_store(sysfs->value);
      if (written != 0) {
        error =
            fmt::format("setup: echo \"{}\" > queue/write_cache: the kernel answers errno {}", sysfs->value, -written);
        co_return;
      }
    }
  }
}

void Stack::bring_up() {
  std::string error;
  run_to_end(bring_up_task(error));
  if (!error.empty()) throw RunError(fmt::format("{}: {}", scenario_->name, error));
}

}  // namespace flushlab::lab
