// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/stack.hpp"

#include <fmt/format.h>

#include "hostmodel/nvme/passthru.hpp"

namespace flushlab::lab {

Stack::Stack(const Scenario& scenario)
    : scenario_(&scenario), simulator_(scenario.seed), machine_(simulator_, scenario.kernel, scenario.host) {
  const std::uint64_t count = scenario.array ? scenario.array->raid_devices : 1;
  for (std::uint64_t i = 0; i < count; ++i) {
    media::DeviceProfile profile = scenario.device;
    if (i != 0) profile.identify.sn = fmt::format("{}-{}", profile.identify.sn.substr(0, 16), i);  // and its own draws
    drives_.emplace_back(simulator_, memory_, machine_, std::move(profile), fmt::format("nvme{}", i));
  }
}

nvme::Namespace& Stack::ns_of(Drive& drive) {
  nvme::Namespace* ns = drive.host.find_namespace(1);
  if (ns == nullptr) throw RunError(fmt::format("{}: the drive has no namespace 1", scenario_->name));
  return *ns;
}

block::BlockDevice& Stack::device() {
  if (array_ != nullptr) return *array_;
  const auto* fio = std::get_if<FioWorkload>(&scenario_->workload);
  nvme::Namespace* named = host().find_namespace(fio != nullptr ? fio->nsid : 1);
  if (named == nullptr || named->queue == nullptr)
    throw RunError(fmt::format("{}: the drive has no namespace {}", scenario_->name, fio != nullptr ? fio->nsid : 1));
  return *named->queue;
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
  for (Drive& drive : drives_) {
    error = co_await drive.host.probe();
    if (!error.empty()) {
      for (const std::string& message : drive.host.messages()) error += "; " + message;
      co_return;
    }
    co_await set_up(drive, error);
    if (!error.empty()) co_return;
  }
  if (scenario_->array) co_await assemble(error);
}

sim::Task<void> Stack::set_up(Drive& drive, std::string& error) {
  const block::TaskContext shell{"nvme", scenario_->host.fio_cpu};
  for (const SetupStep& step : scenario_->setup) {
    if (const auto* feature = std::get_if<SetFeature>(&step)) {
      const nvme::AdminResult result =
          co_await nvme::admin_ioctl(drive.host, spec::make_set_features(feature->fid, feature->value), {}, shell);
      if (!result.status.ok()) {
        error = fmt::format("setup: Set Features {:02x}h value {:#x}: {}", feature->fid, feature->value,
                            result.status.name());
        co_return;
      }
      co_await drive.host.flush_scan();
    } else if (const auto* sysfs = std::get_if<SysfsWriteCache>(&step)) {
      const int written = ns_of(drive).queue->write_cache_store(sysfs->value);
      if (written != 0) {
        error =
            fmt::format("setup: echo \"{}\" > queue/write_cache: the kernel answers errno {}", sysfs->value, -written);
        co_return;
      }
    }
  }
}

// As mdadm --assemble, or --create with --assume-clean, leaves it.
sim::Task<void> Stack::assemble(std::string& error) {
  const md::CreateOptions options = scenario_->array->options(error);
  if (!error.empty()) co_return;
  std::vector<md::MemberDevice> members;
  std::vector<block::BlockDevice*> devices;
  for (Drive& drive : drives_) {
    block::RequestQueue& queue = *ns_of(drive).queue;
    members.push_back({queue.sectors(), queue.limits().logical_block_size, queue.limits().io_opt});
    devices.push_back(&queue);
  }
  md::LayoutResult made = md::create_layout(options, members);
  if (!made.layout) {
    error = made.error + "; " + made.remedy;
    co_return;
  }
  md::Array::Options array_options;
  array_options.fresh = scenario_->array->fresh;
  array_options.daemon_sleep_ns = scenario_->array->daemon_sleep_ns;
  array_ = std::make_unique<md::Array>("md0", machine_, memory_, std::move(*made.layout), devices, array_options);
  co_await array_->start();
}

void Stack::bring_up() {
  std::string error;
  run_to_end(bring_up_task(error));
  if (!error.empty()) throw RunError(fmt::format("{}: {}", scenario_->name, error));
}

}  // namespace flushlab::lab
