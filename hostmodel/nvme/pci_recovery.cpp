// SPDX-License-Identifier: GPL-2.0-only
// Timeouts, cancelling, and taking a controller down (models drivers/nvme/host/pci.c nvme_timeout, nvme_dev_disable,
// nvme_disable_io_queues, v6.12).
#include <algorithm>

#include "hostmodel/nvme/pci.hpp"

namespace flushlab::nvme {

using block::Request;
namespace st = spec::status;

// ---- timeouts (E2) ----

// One timer for all commands, as block/blk-mq.c blk_mq_timeout_work has one a queue: it looks at what has expired and
// sets itself for the next deadline.
void Pci::arm_timer(sim::TimeNs deadline_ns) {
  if (deadline_ns >= timer_at_ns_) return;
  timer_at_ns_ = deadline_ns;
  machine_->simulator().events().schedule_at(deadline_ns, &timer_fired, this);
}

void Pci::timer_fired(void* object, std::uint64_t) {
  auto& pci = *static_cast<Pci*>(object);
  const sim::TimeNs now = pci.machine_->simulator().now();
  if (now != pci.timer_at_ns_) return;  // another deadline came before this one, and saw to it
  pci.timer_at_ns_ = sim::kNever;
  bool reset = false;
  for (const AdminSlot& slot : pci.admin_slots_) {
    reset = reset || (slot.sent && slot.issued_ns + pci.machine_->kernel().admin_timeout_ns <= now);
  }
  std::vector<std::pair<Queue*, Request*>> expired;  // handling one changes the set that is walked
  if (pci.io_tags_ != nullptr) {
    for (const auto& queue : pci.io_) {
      pci.io_tags_->for_each_started(static_cast<std::uint16_t>(queue->qid - 1U), [&](Request& request) {
        if (request.deadline_ns <= now) expired.emplace_back(queue.get(), &request);
      });
    }
  }
  for (const auto& [queue, request] : expired) {
    if (request->started && request->deadline_ns <= now) pci.timed_out(*queue, *request);
  }
  if (reset && pci.upcalls_.needs_reset != nullptr) pci.upcalls_.needs_reset(pci.upcalls_.object);
  sim::TimeNs next = sim::kNever;
  for (const AdminSlot& slot : pci.admin_slots_) {
    if (slot.sent) next = std::min(next, std::max(slot.issued_ns + pci.machine_->kernel().admin_timeout_ns, now + 1));
  }
  if (pci.io_tags_ != nullptr) {
    for (const auto& queue : pci.io_) {
      pci.io_tags_->for_each_started(static_cast<std::uint16_t>(queue->qid - 1U), [&](const Request& request) {
        next = std::min<sim::TimeNs>(next, std::max<sim::TimeNs>(request.deadline_ns, now + 1));
      });
    }
  }
  if (next != sim::kNever) pci.arm_timer(next);
}

// models drivers/nvme/host/pci.c nvme_timeout, v6.12
void Pci::timed_out(Queue& queue, Request& request) {
  const sim::TimeNs now = machine_->simulator().now();
  process_cq(queue);
  if (!request.started || request.deadline_ns > now) return;  // it was there after all
  request.deadline_ns = now + machine_->kernel().io_timeout_ns;
  if (request.aborted || spec::csts::kCFS.in(door_->read32(spec::reg::kCSTS))) {
    if (upcalls_.needs_reset != nullptr) upcalls_.needs_reset(upcalls_.object);
    return;
  }
  if (aborts_ >= abort_limit_) return;  // its turn comes at its next deadline
  request.aborted = true;
  const auto cid = static_cast<std::uint16_t>((request.generation & 0xFU) << 12 | request.tag);
  machine_->simulator().spawn(send_abort(queue.qid, cid));
}

sim::Task<void> Pci::send_abort(std::uint16_t sqid, std::uint16_t cid) {
  ++aborts_;
  spec::SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(spec::AdminOpcode::kAbort);
  sqe.cdw10 = std::uint32_t{cid} << 16 | sqid;
  co_await admin(sqe, {}, {"kworker", 0});
  --aborts_;
}

// ---- taking it down (E3) ----

sim::Task<void> Pci::delete_queue(spec::AdminOpcode opcode, std::uint16_t qid, std::uint32_t& open) {
  co_await admin(spec::make_delete_io_queue(opcode, qid), {}, {"kworker", 0});
  if (--open == 0 && delete_waiter_) {
    machine_->simulator().resume_at(machine_->simulator().now(), std::exchange(delete_waiter_, nullptr));
  }
}

// The last queue first, all sent before the first is waited for.
sim::Task<void> Pci::delete_queues(spec::AdminOpcode opcode) {
  struct Wait {
    Pci& pci;
    const std::uint32_t& open;
    bool await_ready() const noexcept { return open == 0; }
    void await_suspend(std::coroutine_handle<> handle) const noexcept { pci.delete_waiter_ = handle; }
    void await_resume() const noexcept {}
  };
  auto open = static_cast<std::uint32_t>(io_.size());
  for (auto qid = static_cast<std::uint16_t>(io_.size()); qid > 0; --qid) {
    machine_->simulator().spawn(delete_queue(opcode, qid, open));
  }
  co_await Wait{*this, open};
}

sim::Task<void> Pci::disable(bool shutdown) {
  const std::uint32_t csts = door_->read32(spec::reg::kCSTS);
  const bool dead = csts == spec::csts::kGone || spec::csts::kCFS.in(csts) || !spec::csts::kRDY.in(csts);
  if (!dead && enabled_) {
    co_await delete_queues(spec::AdminOpcode::kDeleteIoSq);
    co_await delete_queues(spec::AdminOpcode::kDeleteIoCq);
  }
  const std::uint32_t cc = door_->read32(spec::reg::kCC);
  auto& simulator = machine_->simulator();
  const std::uint64_t to = spec::cap::kTO.get(door_->read64(spec::reg::kCAP));
  const sim::TimeNs deadline_ns = simulator.now() + (to + 1) * 500 * sim::kMillisecond;
  if (shutdown && !dead) {
    door_->write32(spec::reg::kCC, spec::cc::kSHN.set(cc, spec::cc::kShnNormal));
    while (spec::csts::kSHST.get(door_->read32(spec::reg::kCSTS)) != spec::csts::kShstComplete &&
           simulator.now() < deadline_ns) {
      co_await simulator.sleep(sim::kMillisecond);
    }
  } else {
    door_->write32(spec::reg::kCC, spec::cc::kSHN.set(spec::cc::kEN.set(cc, 0U), spec::cc::kShnNone));
    while (spec::csts::kRDY.in(door_->read32(spec::reg::kCSTS)) && simulator.now() < deadline_ns) {
      co_await simulator.sleep(sim::kMillisecond);
    }
  }
  enabled_ = false;
  cancel();
}

void Pci::give_up() {
  enabled_ = false;
  cancel();
}

// models drivers/nvme/host/core.c nvme_cancel_tagset, nvme_cancel_admin_tagset
void Pci::cancel() {
  auto& simulator = machine_->simulator();
  std::vector<Request*> requests;
  for (const auto& queue : io_) {
    queue->flushes_in_flight = 0;
    if (io_tags_ == nullptr) continue;
    io_tags_->for_each_started(static_cast<std::uint16_t>(queue->qid - 1U),
                               [&](Request& request) { requests.push_back(&request); });
  }
  for (Request* request : requests) end_request(*request, st::kCommandAbortedByHost, 0);
  for (AdminSlot& slot : admin_slots_) {
    if (!slot.sent) continue;
    slot.sent = false;
    slot.generation = (slot.generation + 1U) & 0xFU;
    slot.result = {st::kCommandAbortedByHost, 0};
    if (log_.observed()) {
      log_.completed({simulator.now(), slot.issued_ns, slot.seq, 0, slot.opc, st::kCommandAbortedByHost, 0});
    }
    simulator.resume_at(simulator.now(), slot.waiter);
  }
}

}  // namespace flushlab::nvme
