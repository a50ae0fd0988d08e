// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/nvme/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/spec/feature.hpp"
#include "emulator/spec/log_page.hpp"
#include "hostmodel/block/freeze.hpp"

namespace flushlab::nvme {

using spec::Cns;
using spec::FeatureId;

namespace {

constexpr block::TaskContext kProbeTask{"kworker", 0};

template <typename T>
std::span<std::byte> bytes_of(T& object) {
  return std::as_writable_bytes(std::span<T, 1>(&object, 1));
}

spec::SubmissionEntry get_log(std::uint8_t lid, std::uint32_t nsid, std::uint32_t size_bytes) {
  spec::SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(spec::AdminOpcode::kGetLogPage);
  sqe.nsid = nsid;
  sqe.cdw10 = spec::log_cdw::kLID.put(lid) | spec::log_cdw::kNUMDL.put(size_bytes / 4 - 1);
  return sqe;
}

}  // namespace

Ctrl::Ctrl(kernel::Machine& machine, queue::Door& door, std::string name)
    : machine_(&machine), name_(std::move(name)), pci_(machine, door) {
  pci_.attach({this, [](void* self, std::uint32_t dw0) { static_cast<Ctrl*>(self)->async_event(dw0); },
               [](void* self) { static_cast<Ctrl*>(self)->queue_reset(); }});
}

Namespace* Ctrl::find_namespace(std::uint32_t nsid) {
  for (const auto& ns : namespaces_) {
    if (ns->nsid == nsid) return ns.get();
  }
  return nullptr;
}

sim::Task<AdminResult> Ctrl::identify_command(std::uint8_t cns, std::uint32_t nsid, std::span<std::byte> data) {
  co_return co_await pci_.admin(spec::make_identify(cns, nsid), data, kProbeTask);
}

// models drivers/nvme/host/pci.c nvme_probe, v6.12
sim::Task<std::string> Ctrl::probe() {
  const std::string error = co_await bring_up();
  if (!error.empty()) {
    state_ = State::kDead;
    co_return error;
  }
  state_ = State::kLive;
  co_await start();
  co_await flush_scan();
  initialised_once_ = true;
  if (namespaces_.empty()) co_return fmt::format("{}: no active namespace", name_);
  co_return std::string();
}

// What probe and reset have in common (models nvme_init_ctrl_finish and nvme_setup_io_queues).
sim::Task<std::string> Ctrl::bring_up() {
  std::string error = co_await pci_.enable();
  if (!error.empty()) co_return error;
  cap_ = pci_.door().read64(spec::reg::kCAP);
  vs_ = pci_.door().read32(spec::reg::kVS);
  error = co_await init_identify();
  if (!error.empty()) co_return error;
  error = co_await init_features();
  if (!error.empty()) co_return error;
  co_return co_await setup_io_queues();
}

// models drivers/nvme/host/core.c nvme_start_ctrl, nvme_enable_aen, v6.12
sim::Task<void> Ctrl::start() {
  constexpr std::uint32_t kWantedEvents = 0x00000B00;  // namespace attribute, firmware activation, ANA
  const std::uint32_t events = identify_.oaes.value() & kWantedEvents;
  if (events != 0) {
    co_await pci_.admin(
        spec::make_set_features(static_cast<std::uint8_t>(FeatureId::kAsynchronousEventConfiguration), events), {},
        kProbeTask);
    pci_.submit_async_event();
  }
  queue_scan();
}

// models drivers/nvme/host/core.c nvme_init_identify, v6.12
sim::Task<std::string> Ctrl::init_identify() {
  const AdminResult result =
      co_await identify_command(static_cast<std::uint8_t>(Cns::kController), 0, bytes_of(identify_));
  if (!result.status.ok()) co_return fmt::format("Identify Controller failed: {}", result.status.name());
  vwc_.present = spec::vwc::kVWCP.in(identify_.vwc);
  pci_.set_retry_limits({identify_.crdt1, identify_.crdt2, identify_.crdt3}, identify_.acl + 1U);
  if (!initialised_once_ && spec::lpa::kEffectsLog.in(identify_.lpa)) {
    const AdminResult log = co_await pci_.admin(
        get_log(static_cast<std::uint8_t>(spec::LogPageId::kCommandsSupportedAndEffects), 0, sizeof effects_),
        bytes_of(effects_), kProbeTask);
    has_effects_ = log.status.ok();
  }
  if (machine_->kernel().vwc_policy == kernel::VwcPolicy::kVwcWce) co_await query_vwc(kProbeTask);
  co_return std::string();
}

// models the patch "nvme: honor the volatile write cache enable state": on unless the drive says otherwise.
sim::Task<void> Ctrl::query_vwc(block::TaskContext task) {
  vwc_.wce = true;
  if (!vwc_.present) co_return;
  const AdminResult result =
      co_await pci_.admin(spec::make_get_features(static_cast<std::uint8_t>(FeatureId::kVolatileWriteCache)), {}, task);
  if (!result.status.ok()) {
    messages_.push_back(fmt::format("{}: reading the volatile write cache feature failed ({}), assuming it is enabled",
                                    name_, result.status.name()));
    co_return;
  }
  vwc_.wce = spec::volatile_write_cache::kWCE.in(result.result);
}

// models drivers/nvme/host/core.c nvme_configure_timestamp, nvme_configure_host_options and the hwmon attach, v6.12
sim::Task<std::string> Ctrl::init_features() {
  if (spec::oncs::kTimestamp.in(identify_.oncs)) {
    std::array<std::byte, 8> timestamp{};
    co_await pci_.admin(spec::make_set_features(static_cast<std::uint8_t>(FeatureId::kTimestamp), 0), timestamp,
                        kProbeTask);
  }
  if (identify_.crdt1.value() != 0 || spec::ctratt::kELBAS.in(identify_.ctratt)) {
    std::array<std::byte, 512> behaviour{};
    behaviour[0] = std::byte{1};                                                             // ACRE
    behaviour[2] = spec::ctratt::kELBAS.in(identify_.ctratt) ? std::byte{1} : std::byte{0};  // LBAFEE
    co_await pci_.admin(spec::make_set_features(static_cast<std::uint8_t>(FeatureId::kHostBehaviorSupport), 0),
                        behaviour, kProbeTask);
  }
  if (!initialised_once_) {
    spec::SmartLog smart{};
    co_await pci_.admin(get_log(static_cast<std::uint8_t>(spec::LogPageId::kSmart), spec::kBroadcastNsid, sizeof smart),
                        bytes_of(smart), kProbeTask);
  }
  co_return std::string();
}

// models drivers/nvme/host/pci.c nvme_setup_io_queues and core.c nvme_set_queue_count, v6.12
sim::Task<std::string> Ctrl::setup_io_queues() {
  const std::uint32_t wanted = machine_->cpus();
  const AdminResult result = co_await pci_.admin(
      spec::make_set_features(static_cast<std::uint8_t>(FeatureId::kNumberOfQueues), (wanted - 1) | (wanted - 1) << 16),
      {}, kProbeTask);
  if (!result.status.ok()) co_return fmt::format("Set Features, Number of Queues: {}", result.status.name());
  const std::uint32_t granted =
      std::min(spec::number_of_queues::kNSQA.get(result.result), spec::number_of_queues::kNCQA.get(result.result)) + 1;
  const auto count = static_cast<std::uint16_t>(std::min(wanted, granted));
  const auto mqes = static_cast<std::uint32_t>(spec::cap::kMQES.get(cap_)) + 1;
  const auto depth = static_cast<std::uint16_t>(std::min<std::uint32_t>(mqes, machine_->kernel().io_queue_depth));
  const std::string error = co_await pci_.create_io_queues(count, depth);
  if (!error.empty() || !spec::oacs::kDoorbellBuffer.in(identify_.oacs)) co_return error;
  // The shadow doorbells' pages are registered; the model keeps ringing the real ones.
  auto& memory = pci_.door().memory();
  if (shadow_doorbells_ == 0)
    shadow_doorbells_ = memory.allocate(2 * queue::kPageBytes, queue::HostMemory::Kind::kBytes);
  spec::SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(spec::AdminOpcode::kDoorbellBufferConfig);
  sqe.prp1 = shadow_doorbells_;
  sqe.prp2 = shadow_doorbells_ + queue::kPageBytes;
  const AdminResult doorbells = co_await pci_.admin(sqe, {}, kProbeTask);
  if (!doorbells.status.ok()) messages_.push_back(fmt::format("{}: unable to set up shadow doorbells", name_));
  co_return std::string();
}

void Ctrl::queue_scan() {
  if (scan_queued_ || state_ != State::kLive) return;
  scan_queued_ = true;
  if (!scan_running_) {
    scan_running_ = true;
    machine_->simulator().spawn(run_scans());
  }
}

sim::Task<void> Ctrl::run_scans() {
  while (std::exchange(scan_queued_, false)) co_await scan_work();
  scan_running_ = false;
  for (const auto waiter : std::exchange(scan_waiters_, {})) {
    machine_->simulator().resume_at(machine_->simulator().now(), waiter);
  }
}

// models drivers/nvme/host/core.c nvme_scan_work, v6.12
sim::Task<void> Ctrl::scan_work() {
  if (vs_ >= spec::vs::k1_2_0 && !cns06_failed_) {
    spec::IdentifyControllerNvm nvm{};
    const AdminResult result =
        co_await identify_command(static_cast<std::uint8_t>(Cns::kIoCommandSetController), 0, bytes_of(nvm));
    cns06_failed_ = !result.status.ok();
    if (result.status.ok()) dmrsl_ = nvm.dmrsl;
  }
  if (ns_changed_) {  // nvme_clear_changed_ns_log
    ns_changed_ = false;
    spec::NamespaceList changed{};
    co_await pci_.admin(get_log(static_cast<std::uint8_t>(spec::LogPageId::kChangedNamespaceList), spec::kBroadcastNsid,
                                sizeof changed),
                        bytes_of(changed), kProbeTask);
  }
  spec::NamespaceList list{};
  const AdminResult result =
      co_await identify_command(static_cast<std::uint8_t>(Cns::kActiveNamespaceList), 0, bytes_of(list));
  if (!result.status.ok()) co_return;
  std::uint32_t open = 0;
  for (const auto& nsid : list.nsid) {
    if (nsid.value() == 0) break;
    if (machine_->kernel().parallel_scan) {
      ++open;
      machine_->simulator().spawn(scan_one(nsid, open));
    } else {
      co_await scan_namespace(nsid);
    }
  }
  struct Join {
    Ctrl& ctrl;
    const std::uint32_t& open;
    bool await_ready() const noexcept { return open == 0; }
    void await_suspend(std::coroutine_handle<> handle) const noexcept { ctrl.scan_join_ = handle; }
    void await_resume() const noexcept {}
  };
  co_await Join{*this, open};
  for (std::size_t i = namespaces_.size(); i-- > 0;) {  // nvme_remove_invalid_namespaces
    const bool listed = std::any_of(list.nsid.begin(), list.nsid.end(),
                                    [&](const auto& nsid) { return nsid.value() == namespaces_[i]->nsid; });
    if (!listed) remove_namespace(i);
  }
}

sim::Task<void> Ctrl::scan_one(std::uint32_t nsid, std::uint32_t& open) {
  co_await scan_namespace(nsid);
  if (--open == 0 && scan_join_) {
    machine_->simulator().resume_at(machine_->simulator().now(), std::exchange(scan_join_, nullptr));
  }
}

void Ctrl::remove_namespace(std::size_t index) {
  Namespace& ns = *namespaces_[index];
  ns.queue->kill();
  removed_.push_back(std::move(namespaces_[index]));
  namespaces_.erase(namespaces_.begin() + static_cast<std::ptrdiff_t>(index));
}

// models drivers/nvme/host/core.c nvme_scan_ns, nvme_validate_ns, nvme_alloc_ns, v6.12
sim::Task<void> Ctrl::scan_namespace(std::uint32_t nsid) {
  auto found = std::make_unique<Namespace>();
  found->nsid = nsid;
  if (vs_ >= spec::vs::k1_3_0) {
    const AdminResult result =
        co_await identify_command(static_cast<std::uint8_t>(Cns::kNamespaceIdDescriptors), nsid, found->descriptors);
    if (result.status.is(spec::status::kCommandAbortedByHost)) co_return;
  }
  const bool ready_modes = spec::cap::kCRIMS.in(cap_);
  bool independent = ready_modes || (machine_->kernel().cs_indep_needs_vs_2_0 && vs_ >= spec::vs::k2_0_0);
  if (independent) {
    const AdminResult result = co_await identify_command(static_cast<std::uint8_t>(Cns::kIndependentNamespace), nsid,
                                                         bytes_of(found->independent));
    independent = result.status.ok();
  }
  found->have_independent = independent;
  if (!independent) {
    const AdminResult result =
        co_await identify_command(static_cast<std::uint8_t>(Cns::kNamespace), nsid, bytes_of(found->identify));
    if (!result.status.ok() || found->identify.ncap.value() == 0) co_return;
  }
  const auto known =
      std::find_if(namespaces_.begin(), namespaces_.end(), [&](const auto& n) { return n->nsid == nsid; });
  if (known != namespaces_.end() && (*known)->descriptors != found->descriptors) {
    messages_.push_back(fmt::format("{}n{}: identifiers changed for nsid {}", name_, nsid, nsid));
    remove_namespace(static_cast<std::size_t>(known - namespaces_.begin()));
    co_return;
  }
  // nvme_update_ns_info_block
  const AdminResult result =
      co_await identify_command(static_cast<std::uint8_t>(Cns::kNamespace), nsid, bytes_of(found->identify));
  if (result.status.ok() && found->identify.ncap.value() != 0) {
    const bool elbas = spec::ctratt::kELBAS.in(identify_.ctratt);
    if (elbas || (machine_->kernel().ns_nvm_from_vs_1_2 && vs_ >= spec::vs::k1_2_0)) {
      co_await identify_command(static_cast<std::uint8_t>(Cns::kIoCommandSetNamespace), nsid, bytes_of(found->nvm));
    }
  } else {
    // nvme_validate_ns: a drive that says no for good loses the namespace; any other error leaves the old limits
    Namespace* ns = find_namespace(nsid);
    if (ns != nullptr && result.status.dnr()) {
      for (std::size_t i = 0; i < namespaces_.size(); ++i) {
        if (namespaces_[i].get() == ns) remove_namespace(i);
      }
    }
    co_return;
  }
  Namespace* ns = find_namespace(nsid);  // the list may have changed while this waited
  const bool fresh = ns == nullptr;
  if (!fresh) {
    ns->identify = found->identify;
    ns->independent = found->independent;
    ns->have_independent = found->have_independent;
    ns->nvm = found->nvm;
  }
  co_await update_namespace(fresh ? *found : *ns, fresh);
  if (!fresh || found->queue == nullptr) co_return;
  Namespace& added = *found;
  const auto place = std::upper_bound(namespaces_.begin(), namespaces_.end(), nsid,
                                      [](std::uint32_t id, const auto& n) { return id < n->nsid; });
  namespaces_.insert(place, std::move(found));
  co_await partition_scan(added);
}

// models block/partitions/core.c: the first reads of a new disk, one page at a time; what they find is no partition
// table. Pages 0, 1 and 3, as recorded.
sim::Task<void> Ctrl::partition_scan(Namespace& ns) {
  constexpr std::array<std::uint64_t, 3> kPages = {0, 1, 3};
  if (scan_buffer_ == 0) {
    scan_buffer_ = pci_.door().memory().allocate(queue::kPageBytes, queue::HostMemory::Kind::kWriteIds);
  }
  for (const std::uint64_t page : kPages) {
    if ((page + 1) * 8 > ns.queue->sectors()) co_return;
    block::Bio bio;
    bio.op = block::BioOp::kRead;
    bio.task = kProbeTask.name;
    bio.sector = page * 8;
    bio.sectors = 8;
    bio.buffer = scan_buffer_;
    block::BioGroup done(machine_->simulator(), machine_->costs().task_wake_ns.value);
    done.submit(*ns.queue, bio);
    if (co_await done != block::BlockStatus::kOk) co_return;
  }
}

sim::Task<void> Ctrl::freeze_namespaces() {
  co_await flush_scan();  // the scan lock
  for (const auto& ns : namespaces_) co_await block::frozen(*ns->queue);
}

void Ctrl::unfreeze_namespaces() {
  for (const auto& ns : namespaces_) ns->queue->unfreeze();
}

// The limits update: the queue is frozen around it, so no request sees two sets of limits.
sim::Task<void> Ctrl::update_namespace(Namespace& ns, bool fresh) {
  IdentifyView view;
  view.controller = &identify_;
  view.ns = &ns.identify;
  view.ns_nvm = &ns.nvm;
  view.ns_independent = ns.have_independent ? &ns.independent : nullptr;
  view.cap = cap_;
  view.vs = vs_;
  view.dmrsl = dmrsl_;
  const block::QueueLimits limits = namespace_limits(machine_->kernel(), view, vwc_);
  if (fresh) {
    const std::uint32_t instance = ns.nsid <= instances_.size() ? instances_[ns.nsid - 1] : ns.nsid;
    ns.queue = std::make_unique<block::RequestQueue>(fmt::format("{}n{}", name_, instance), *machine_, *pci_.io_tags(),
                                                     pci_.map_queues(pci_.io_tags()->hw_queues()),
                                                     block::MqOps{&pci_, &Pci::queue_rq}, ns.nsid);
  } else {
    co_await block::frozen(*ns.queue);
  }
  const std::string error = ns.queue->commit_limits(limits);
  const bool unusable = unsupported_format(machine_->kernel(), view);
  const std::uint8_t lbads = unusable ? std::uint8_t{9} : ns.identify.lbaf[spec::flbas::index(ns.identify.flbas)].lbads;
  ns.queue->set_sectors(unusable ? 0 : ns.identify.nsze.value() << (lbads - 9U));
  NamespaceFormat format;
  format.nsid = ns.nsid;
  format.lba_shift = lbads;
  constexpr std::uint8_t kReadsZero = 1;
  format.deac = machine_->kernel().write_zeroes_deac && (ns.identify.dlfeat & 0x7U) == kReadsZero &&
                (ns.identify.dlfeat & 0x8U) != 0;
  pci_.set_format(*ns.queue, format);
  if (!fresh) ns.queue->unfreeze();
  if (!error.empty()) {
    messages_.push_back(fmt::format("{}n{}: queue limits rejected: {}", name_, ns.nsid, error));
    if (fresh) ns.queue.reset();
  }
}

}  // namespace flushlab::nvme
