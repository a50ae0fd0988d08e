// SPDX-License-Identifier: GPL-2.0-only
// Registers, queues, arbitration, completion.
#include "emulator/controller/controller.hpp"

#include <algorithm>
#include <utility>

namespace flushlab::controller {

namespace reg = spec::reg;
namespace st = spec::status;

namespace {
constexpr std::uint32_t kCommandSlots = 1024;  // commands that are being worked on at once
}

Controller::Controller(sim::Simulator& simulator, queue::Door& door, const media::DeviceProfile& profile)
    : simulator_(&simulator),
      door_(&door),
      profile_(&profile),
      timing_(simulator.events(), simulator.seed(), profile),
      features_(profile),
      mdts_bytes_(
          profile.identify.mdts == 0 || profile.identify.mdts > 40 ? 0 : std::uint64_t{4096} << profile.identify.mdts),
      fault_counts_(profile.faults.size(), 0) {
  namespace cap = spec::cap;
  cap_ =
      cap::kMQES.put(profile.identify.mqes) | cap::kCQR.put() | cap::kTO.put(profile.identify.to) | cap::kCssNvm.put();
  if (profile.identify.css_all) cap_ |= cap::kCssIoCs.put();
  sqs_.resize(profile.identify.io_queue_pairs + 1U);
  cqs_.resize(profile.identify.io_queue_pairs + 1U);
  fill_identify();
  door.attach_device({this, &on_read, &on_write, &on_sq_tail, &on_cq_head});
}

// ---- registers (Base 2.1 sec. 3.1.4) ----

std::uint64_t Controller::on_read(void* object, std::uint32_t offset, unsigned size_bytes) {
  const auto& self = *static_cast<const Controller*>(object);
  const auto half = [&](std::uint64_t value, std::uint32_t base) { return offset == base ? value : value >> 32; };
  std::uint64_t value = 0;
  switch (offset) {
    case reg::kCAP:
    case reg::kCAP + 4:
      value = half(self.cap_, reg::kCAP);
      break;
    case reg::kVS:
      value = self.profile_->identify.ver;
      break;
    case reg::kCC:
      value = self.cc_;
      break;
    case reg::kCSTS:
      value = self.csts_;
      break;
    case reg::kAQA:
      value = self.aqa_;
      break;
    case reg::kASQ:
    case reg::kASQ + 4:
      value = half(self.asq_, reg::kASQ);
      break;
    case reg::kACQ:
    case reg::kACQ + 4:
      value = half(self.acq_, reg::kACQ);
      break;
    default:
      break;
  }
  return size_bytes == 8 ? value : value & 0xFFFFFFFFU;
}

void Controller::on_write(void* object, std::uint32_t offset, unsigned size_bytes, std::uint64_t value) {
  auto& self = *static_cast<Controller*>(object);
  const auto store = [&](std::uint64_t& target, std::uint32_t base) {
    if (size_bytes == 8) {
      target = value;
    } else if (offset == base) {
      target = (target & ~std::uint64_t{0xFFFFFFFF}) | (value & 0xFFFFFFFF);
    } else {
      target = (target & 0xFFFFFFFF) | value << 32;
    }
  };
  const bool enabled = spec::cc::kEN.in(self.cc_);
  switch (offset) {
    case reg::kCC:
      self.write_cc(static_cast<std::uint32_t>(value));
      break;
    case reg::kAQA:
      if (!enabled) self.aqa_ = static_cast<std::uint32_t>(value) & 0x0FFF0FFF;
      break;
    case reg::kASQ:
    case reg::kASQ + 4:
      if (!enabled) store(self.asq_, reg::kASQ);
      break;
    case reg::kACQ:
    case reg::kACQ + 4:
      if (!enabled) store(self.acq_, reg::kACQ);
      break;
    default:
      if (offset >= reg::kDoorbells && offset % 4 == 0) {
        const std::uint32_t index = (offset - reg::kDoorbells) / 4;
        if (index / 2 > 0xFFFF || value > 0xFFFF) break;
        (index % 2 == 0 ? on_sq_tail : on_cq_head)(object, static_cast<std::uint16_t>(index / 2),
                                                   static_cast<std::uint16_t>(value));
      }
      break;
  }
}

void Controller::write_cc(std::uint32_t value) {
  simulator_->record(sim::EventKind::kRegister, reg::kCC, value);
  const bool was = spec::cc::kEN.in(cc_);
  const bool is = spec::cc::kEN.in(value);
  const std::uint32_t old_shn = spec::cc::kSHN.get(cc_);
  const std::uint32_t shn = spec::cc::kSHN.get(value);
  if (was && is) {  // only the shutdown notification may change while enabled
    cc_ = spec::cc::kSHN.set(cc_, shn);
  } else {
    cc_ = value;
  }
  if (!was && is) enable();
  if (was && !is) reset();
  if (shn != spec::cc::kShnNone && old_shn == spec::cc::kShnNone) shut_down();
  if (shn == spec::cc::kShnNone && old_shn != spec::cc::kShnNone) {
    csts_ = spec::csts::kSHST.set(csts_, spec::csts::kShstNormal);
  }
}

// Base 2.1 sec. 3.5.1: what must be right for the controller to become ready.
void Controller::enable() {
  const std::uint32_t sq_entries = (aqa_ & 0xFFFU) + 1;
  const std::uint32_t cq_entries = (aqa_ >> 16 & 0xFFFU) + 1;
  auto& memory = door_->memory();
  auto* sq = memory.bytes(asq_, std::uint64_t{sq_entries} * sizeof(spec::SubmissionEntry));
  auto* cq = memory.bytes(acq_, std::uint64_t{cq_entries} * sizeof(spec::CompletionEntry));
  const bool ok =
      spec::cc::kMPS.get(cc_) == 0 &&
      (spec::cc::kCSS.get(cc_) == spec::cc::kCssNvm ||
       (profile_->identify.css_all && spec::cc::kCSS.get(cc_) == spec::cc::kCssAll)) &&
      spec::cc::kAMS.get(cc_) == spec::cc::kAmsRoundRobin && spec::cc::kIOSQES.get(cc_) == spec::cc::kIosqes64 &&
      spec::cc::kIOCQES.get(cc_) == spec::cc::kIocqes16 && sq_entries >= spec::aqa::kMinEntries &&
      cq_entries >= spec::aqa::kMinEntries && asq_ % 4096 == 0 && acq_ % 4096 == 0 && sq != nullptr && cq != nullptr;
  if (!ok) {
    csts_ |= spec::csts::kCFS.put();
    return;
  }
  sqs_[0] = {};
  sqs_[0].exists = true;
  sqs_[0].ring = {reinterpret_cast<const spec::SubmissionEntry*>(sq), static_cast<std::uint16_t>(sq_entries)};
  cqs_[0] = {};
  cqs_[0].exists = true;
  cqs_[0].interrupts = true;
  cqs_[0].ring = {reinterpret_cast<spec::CompletionEntry*>(cq), static_cast<std::uint16_t>(cq_entries)};
  cqs_[0].users = 1;
  slots_.assign(kCommandSlots, {});
  free_slots_ = kNoSlot;
  for (std::uint32_t i = static_cast<std::uint32_t>(slots_.size()); i-- > 0;) {
    slots_[i].next_free = free_slots_;
    free_slots_ = i;
  }
  simulator_->events().schedule_at(timing_.reset_ready_ns(), &on_ready, this, generation_);
}

void Controller::on_ready(void* object, std::uint64_t generation) {
  auto& self = *static_cast<Controller*>(object);
  if (generation == self.generation_) self.csts_ |= spec::csts::kRDY.put();
}

// Controller level reset (Base 2.1 sec. 3.7.2): queues and outstanding commands are gone; cached data stays cached, and
// is written back if the reset turns the cache off.
void Controller::reset() {
  ++generation_;
  csts_ = 0;
  for (auto& sq : sqs_) sq = {};
  for (auto& cq : cqs_) cq = {};
  free_slots_ = kNoSlot;
  next_sq_ = 0;
  starved_ = false;
  io_outstanding_ = 0;
  for (const Command& command : slots_) {
    if (command.ns != nullptr && command.reserved_units != 0) command.ns->cache->release(command.reserved_units);
  }
  slots_.clear();
  timing_.reset();
  parked_aers_.clear();
  pending_events_.clear();
  masked_event_types_ = 0;
  const std::uint32_t wce_before = features_.current(0x06);
  features_.reset();
  if (profile_->cache.wce_survives_reset) features_.set(0x06, wce_before, false);
  const bool wce = features_.info(0x06).supported ? features_.current(0x06) != 0 : profile_->cache.wce_default;
  for_each_namespace([wce](NamespaceState& ns) {
    ns.cache->set_wce(wce);
    ns.dulbe = false;
    ns.tler = 0;
  });
  timestamp_set_ms_ = 0;
  timestamp_set_ns_ = simulator_->now();
  timestamp_origin_ = spec::timestamp_attributes::kOriginCleared;
  ++keep_alive_generation_;
  aborts_ = 0;
}

void Controller::power_cut() {
  const bool clean = spec::csts::kSHST.get(csts_) == spec::csts::kShstComplete;
  if (!clean) ++unsafe_shutdowns_;
  ++power_cycles_;
  if (profile_->cache.is_volatile) {
    for_each_namespace([](NamespaceState& ns) { ns.cache->drop_all(); });
  } else {
    for_each_namespace([](NamespaceState& ns) { ns.cache->persist_all(); });
  }
  for_each_namespace([](NamespaceState& ns) {
    if (ns.wps == spec::write_protection::kUntilPowerCycle) ns.wps = spec::write_protection::kNone;
  });
  cc_ = 0;
  aqa_ = 0;
  asq_ = acq_ = 0;
  reset();
}

// Base 2.1 sec. 3.6: nothing more is fetched, what is outstanding finishes, what is cached is written back; then SHST
// says complete, and what was acknowledged is safe.
void Controller::shut_down() {
  csts_ = spec::csts::kSHST.set(csts_, spec::csts::kShstOccurring);
  continue_shut_down();
}

void Controller::continue_shut_down() {
  if (io_outstanding_ != 0) return;  // the last completion comes here again
  std::uint64_t units = 0;
  for_each_namespace([&](NamespaceState& ns) {
    const std::uint64_t persisted = ns.cache->persist_all();
    if (persisted != 0) simulator_->record(sim::EventKind::kPersist, ns.cache->snapshot(), persisted, 2);
    units += persisted;
  });
  simulator_->events().schedule_after(timing_.write_back_ns(units), &on_shut_down, this, generation_);
}

void Controller::on_shut_down(void* object, std::uint64_t generation) {
  auto& self = *static_cast<Controller*>(object);
  if (generation != self.generation_ || spec::csts::kSHST.get(self.csts_) != spec::csts::kShstOccurring) return;
  self.csts_ = spec::csts::kSHST.set(self.csts_, spec::csts::kShstComplete);
}

// ---- doorbells and arbitration ----

void Controller::on_sq_tail(void* object, std::uint16_t qid, std::uint16_t tail) {
  auto& self = *static_cast<Controller*>(object);
  if (!spec::csts::kRDY.in(self.csts_)) return;
  const auto bad_doorbell = [&](std::uint8_t information) {
    if (self.parked_aers_.empty()) return;  // sec. 3.1.4: nobody to tell
    self.raise({spec::aer_dw0::make(spec::AsyncEventType::kError, information, spec::LogPageId::kErrorInformation),
                static_cast<std::uint8_t>(spec::AsyncEventType::kError), 0});
  };
  if (qid >= self.sqs_.size() || !self.sqs_[qid].exists) {
    bad_doorbell(spec::aer_error::kInvalidDoorbellRegister);
    return;
  }
  if (!self.sqs_[qid].ring.set_tail(tail)) {
    bad_doorbell(spec::aer_error::kInvalidDoorbellValue);
    return;
  }
  if (spec::csts::kSHST.get(self.csts_) != spec::csts::kShstNormal) return;
  if (!self.starved_) self.fetch_from(qid, ~std::uint32_t{0});  // every other queue is empty
}

void Controller::on_cq_head(void* object, std::uint16_t qid, std::uint16_t head) {
  auto& self = *static_cast<Controller*>(object);
  if (qid >= self.cqs_.size() || !self.cqs_[qid].exists) return;
  CompletionQueue& cq = self.cqs_[qid];
  if (!cq.ring.set_head(head)) return;
  while (!cq.held.empty() && !cq.ring.full()) {
    const auto [sqid, cqe] = cq.held.front();
    cq.held.erase(cq.held.begin());
    self.place(cq, sqid, cqe);
  }
}

// K1, when slots have become free again.
void Controller::fetch() {
  if (spec::csts::kSHST.get(csts_) != spec::csts::kShstNormal) return;
  const std::uint32_t ab = spec::arbitration::kAB.get(features_.current(0x01));
  const std::uint32_t burst = ab == spec::arbitration::kNoLimit ? ~std::uint32_t{0} : 1U << ab;
  const auto queues = static_cast<std::uint16_t>(sqs_.size());
  starved_ = false;
  for (std::uint16_t idle = 0; idle < queues && !starved_;) {
    const std::uint16_t qid = next_sq_;
    next_sq_ = static_cast<std::uint16_t>(qid + 1U == queues ? 0 : qid + 1U);
    if (!sqs_[qid].exists || sqs_[qid].ring.empty()) {
      ++idle;
      continue;
    }
    idle = 0;
    if (fetch_from(qid, burst) == 0) next_sq_ = qid;  // no slot was left for it: its turn is still to come
    if (slots_.empty()) return;                       // a command reset the controller
  }
}

std::uint32_t Controller::fetch_from(std::uint16_t qid, std::uint32_t burst) {
  SubmissionQueue& sq = sqs_[qid];
  std::uint32_t fetched = 0;
  while (fetched < burst && sq.exists && !sq.ring.empty()) {
    Command* command = take_slot();
    if (command == nullptr) {
      starved_ = true;
      break;
    }
    command->sqe = sq.ring.pop();
    command->sqid = qid;
    command->sq_generation = sq.generation;
    ++fetched;
    execute(*command);
  }
  return fetched;
}

Controller::Command* Controller::take_slot() {
  if (free_slots_ == kNoSlot) return nullptr;
  Command& command = slots_[free_slots_];
  free_slots_ = command.next_free;
  command.in_use = true;
  command.result = 0;
  command.reserved_units = 0;
  command.ns = nullptr;
  command.hung = false;
  command.status = st::kSuccess;
  return &command;
}

void Controller::free_slot(Command& command) {
  command.in_use = false;
  command.next_free = free_slots_;
  free_slots_ = static_cast<std::uint32_t>(&command - slots_.data());
}

void Controller::done_at(Command& command, sim::TimeNs at_ns) {
  simulator_->events().schedule_at(at_ns, &on_done, this, std::uint64_t{generation_} << 32 | index_of(command));
}

void Controller::done_now(Command& command, spec::Status status) {
  command.status = status;
  done_at(command, timing_.admin_done_ns());
}

void Controller::on_done(void* object, std::uint64_t argument) {
  auto& self = *static_cast<Controller*>(object);
  if (argument >> 32 != self.generation_) return;
  self.finish(self.slots_[argument & 0xFFFFFFFFU]);
}

void Controller::on_flush_answered(void* object, media::FlushTicket& ticket) {
  auto& self = *static_cast<Controller*>(object);
  self.finish(self.slots_[ticket.argument]);
}

// A command of a queue that was deleted meanwhile has been answered already, and has no effect any more.
void Controller::finish(Command& command) {
  const SubmissionQueue& sq = sqs_[command.sqid];
  const bool live = sq.exists && sq.generation == command.sq_generation;
  if (live && command.sqid != 0 && command.status.ok()) finish_io(command);
  complete(command);
}

void Controller::complete(Command& command) {
  SubmissionQueue& sq = sqs_[command.sqid];
  const std::uint16_t sqid = command.sqid;
  const bool live = sq.exists && sq.generation == command.sq_generation;
  if (!command.status.ok()) [[unlikely]]
    log_error(command);
  spec::CompletionEntry cqe;
  cqe.dw0 = command.result;
  cqe.cid = command.sqe.cid;
  cqe.status_word = command.status.word(false);
  if (command.reserved_units != 0 && command.ns != nullptr && command.ns->generation == command.ns_generation)
    command.ns->cache->release(std::exchange(command.reserved_units, 0));
  free_slot(command);
  if (live) post(sqid, cqe);
  if (sqid != 0 && --io_outstanding_ == 0 && spec::csts::kSHST.get(csts_) == spec::csts::kShstOccurring)
    continue_shut_down();
  if (starved_) fetch();
}

void Controller::post(std::uint16_t sqid, const spec::CompletionEntry& cqe) {
  CompletionQueue& cq = cqs_[sqs_[sqid].cqid];
  if (cq.ring.full() || !cq.held.empty()) {
    cq.held.emplace_back(sqid, cqe);  // K2
    return;
  }
  place(cq, sqid, cqe);
}

void Controller::place(CompletionQueue& cq, std::uint16_t sqid, spec::CompletionEntry cqe) {
  cqe.sqhd = sqs_[sqid].ring.head();
  cqe.sqid = sqid;
  cqe.set_phase(cq.ring.phase());
  cq.ring.push(cqe);
  if (sqid != 0) ++counters_.completed;
  if (cq.interrupts) door_->interrupt(cq.vector);
}

}  // namespace flushlab::controller
