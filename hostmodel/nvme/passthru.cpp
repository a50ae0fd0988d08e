// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/nvme/passthru.hpp"

#include "emulator/spec/feature.hpp"
#include "emulator/spec/log_page.hpp"
#include "hostmodel/block/bio_wait.hpp"

namespace flushlab::nvme {

namespace {

// models drivers/nvme/host/core.c nvme_passthru_end, v6.12, with the patch's refresh
sim::Task<void> passthru_end(Ctrl& ctrl, std::uint32_t effects, const spec::SubmissionEntry& sqe, spec::Status status,
                             block::TaskContext task) {
  namespace fx = spec::effects;
  if (fx::kCSE.get(effects) != 0) ctrl.unfreeze_namespaces();
  if (fx::kCCC.in(effects) && ctrl.machine().kernel().ccc_action == kernel::CccAction::kReinitialise) {
    co_await ctrl.reidentify();
  }
  if (spec::effects::kNCC.in(effects) || spec::effects::kNIC.in(effects)) {
    ctrl.queue_scan();
    co_await ctrl.flush_scan();
  }
  if (!status.ok() || sqe.admin_opcode() != spec::AdminOpcode::kSetFeatures) co_return;
  const auto fid = static_cast<spec::FeatureId>(spec::feature_cdw::kFID.get(sqe.cdw10));
  if (fid == spec::FeatureId::kVolatileWriteCache && ctrl.machine().kernel().vwc_policy == kernel::VwcPolicy::kVwcWce) {
    co_await ctrl.query_vwc(task);
    ctrl.queue_scan();
    if (ctrl.vwc().present && ctrl.vwc().wce) co_await ctrl.flush_scan();  // T2
  }
}

}  // namespace

// models drivers/nvme/host/core.c nvme_command_effects, v6.12
std::uint32_t command_effects(Ctrl& ctrl, bool admin, std::uint8_t opcode) {
  namespace fx = spec::effects;
  std::uint32_t effects = 0;
  if (ctrl.has_effects_log()) effects = admin ? ctrl.effects().acs[opcode] : ctrl.effects().iocs[opcode];
  if (!admin) return fx::kCSE.set(effects, 0U);
  if (opcode == static_cast<std::uint8_t>(spec::AdminOpcode::kFormatNvm)) {
    effects |= fx::kLBCC.put() | fx::kNCC.put() | fx::kCSE.mask();
  } else if (opcode == static_cast<std::uint8_t>(spec::AdminOpcode::kSanitize)) {
    effects |= fx::kLBCC.put() | fx::kCSE.mask();
  }
  if (ctrl.machine().kernel().cse_relaxations && fx::kCSER.get(effects) != 0) effects = fx::kCSE.set(effects, 0U);
  return effects;
}

sim::Task<AdminResult> admin_ioctl(Ctrl& ctrl, spec::SubmissionEntry sqe, std::span<std::byte> data,
                                   block::TaskContext task) {
  const std::uint32_t effects = command_effects(ctrl, true, sqe.opc);
  co_await ctrl.machine().cpu(task.cpu).run(ctrl.machine().costs().passthru_ns.value);
  if (spec::effects::kCSE.get(effects) != 0) co_await ctrl.freeze_namespaces();  // nvme_passthru_start
  const AdminResult result = co_await ctrl.pci().admin(sqe, data, task);
  if (effects != 0) co_await passthru_end(ctrl, effects, sqe, result.status, task);  // T1
  co_return result;
}

sim::Task<AdminResult> admin_uring_cmd(Ctrl& ctrl, spec::SubmissionEntry sqe, std::span<std::byte> data,
                                       block::TaskContext task) {
  co_await ctrl.machine().cpu(task.cpu).run(ctrl.machine().costs().passthru_ns.value);
  co_return co_await ctrl.pci().admin(sqe, data, task);
}

sim::Task<AdminResult> io_ioctl(Ctrl& ctrl, Namespace& ns, spec::SubmissionEntry sqe, block::TaskContext task) {
  auto& machine = ctrl.machine();
  co_await machine.cpu(task.cpu).run(machine.costs().passthru_ns.value);
  PassthruCommand command;
  command.sqe = sqe;
  block::Bio bio;
  bio.op = block::BioOp::kWrite;
  bio.flags = block::REQ_DRV;
  bio.cpu = task.cpu;
  bio.task = task.name;
  bio.driver_data = &command;
  block::BioGroup done(machine.simulator(), machine.costs().task_wake_ns.value);
  done.submit(*ns.queue, bio);
  (void)co_await done;  // the NVMe status is what the ioctl returns
  co_return AdminResult{command.status, command.result};
}

sim::Task<void> run_nvme_cli_loop(Ctrl& ctrl, Namespace& ns, NvmeCliLoop loop, NvmeCliResult& result) {
  auto& machine = ctrl.machine();
  const block::TaskContext task{"nvme", machine.host().fio_cpu};
  for (std::uint64_t i = 0; i < loop.count; ++i) {
    co_await machine.cpu(task.cpu).run(machine.costs().process_ns.value);
    const sim::TimeNs begin_ns = machine.simulator().now();
    const AdminResult answer = co_await io_ioctl(ctrl, ns, loop.sqe, task);
    result.ioctl_latency.record(machine.simulator().now() - begin_ns);
    ++result.commands;
    if (!answer.status.ok()) ++result.errors;
  }
}

}  // namespace flushlab::nvme
