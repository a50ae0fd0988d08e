// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/nvme/pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>

#include "hostmodel/nvme/status_map.hpp"

namespace flushlab::nvme {

namespace reg = spec::reg;
using block::Request;

Pci::Pci(kernel::Machine& machine, queue::Door& door) : machine_(&machine), door_(&door), admin_slots_(kAdminTags) {
  door.attach_host({this, &Pci::interrupt});
}

void Pci::init_queue(Queue& queue, std::uint16_t qid, std::uint16_t depth, std::uint64_t& sq_address,
                     std::uint64_t& cq_address) {
  auto& memory = door_->memory();
  const std::uint64_t sq_bytes = std::uint64_t{depth} * sizeof(spec::SubmissionEntry);
  const std::uint64_t cq_bytes = std::uint64_t{depth} * sizeof(spec::CompletionEntry);
  if (queue.depth != depth) {
    queue.depth = depth;
    queue.sq_address = memory.allocate(sq_bytes, queue::HostMemory::Kind::kBytes);
    queue.cq_address = memory.allocate(cq_bytes, queue::HostMemory::Kind::kBytes);
  } else {
    std::memset(memory.bytes(queue.cq_address, cq_bytes), 0, cq_bytes);  // the phase tags start anew
  }
  sq_address = queue.sq_address;
  cq_address = queue.cq_address;
  queue.sq = {reinterpret_cast<spec::SubmissionEntry*>(memory.bytes(sq_address, sq_bytes)), depth};
  queue.cq = {reinterpret_cast<const spec::CompletionEntry*>(memory.bytes(cq_address, cq_bytes)), depth};
  queue.qid = qid;
  queue.pci = this;
}

// models drivers/nvme/host/pci.c nvme_pci_configure_admin_queue and core.c nvme_enable_ctrl, v6.12
sim::Task<std::string> Pci::enable() {
  std::uint64_t asq = 0;
  std::uint64_t acq = 0;
  init_queue(admin_, 0, kAdminDepth, asq, acq);
  const std::uint64_t cap = door_->read64(reg::kCAP);
  door_->write32(reg::kCC, spec::cc::kEN.set(door_->read32(reg::kCC), 0U) & ~spec::cc::kSHN.mask());
  door_->write32(reg::kAQA, spec::aqa::make(kAdminDepth, kAdminDepth));
  door_->write64(reg::kASQ, asq);
  door_->write64(reg::kACQ, acq);
  const bool all_sets = spec::cap::kCssIoCs.in(cap);
  const std::uint32_t css = all_sets ? spec::cc::kCssAll : spec::cc::kCssNvm;
  door_->write32(reg::kCC, spec::cc::make(false, css));
  door_->write32(reg::kCC, spec::cc::make(true, css));
  const sim::TimeNs deadline = machine_->simulator().now() + (spec::cap::kTO.get(cap) + 1) * 500 * sim::kMillisecond;
  for (;;) {
    const std::uint32_t csts = door_->read32(reg::kCSTS);
    if (csts == spec::csts::kGone) co_return std::string("the controller is gone (CSTS reads all ones)");
    if (spec::csts::kCFS.in(csts))
      co_return std::string("the controller reports a fatal status (CSTS.CFS) when enabled");
    if (spec::csts::kRDY.in(csts)) break;
    if (machine_->simulator().now() > deadline) co_return std::string("Device not ready; aborting initialisation");
    co_await machine_->simulator().sleep(sim::kMillisecond);
  }
  enabled_ = true;
  co_return std::string();
}

std::vector<std::uint16_t> Pci::map_queues(std::uint16_t count) const {
  const std::uint16_t cpus = machine_->cpus();
  std::vector<std::uint16_t> map(cpus);
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) {
    map[cpu] = static_cast<std::uint16_t>(count >= cpus ? cpu : cpu * count / cpus);
  }
  return map;
}

// models drivers/nvme/host/pci.c nvme_create_io_queues, v6.12: CQ1, SQ1, CQ2, SQ2, ...
sim::Task<std::string> Pci::create_io_queues(std::uint16_t count, std::uint16_t depth) {
  const std::vector<std::uint16_t> map = map_queues(count);
  const block::TaskContext task{"kworker", 0};
  for (std::uint16_t i = 0; i < count; ++i) {
    if (i == io_.size()) io_.push_back(std::make_unique<Queue>());
    Queue& queue = *io_[i];
    std::uint64_t sq = 0;
    std::uint64_t cq = 0;
    const auto qid = static_cast<std::uint16_t>(i + 1);
    init_queue(queue, qid, depth, sq, cq);
    const auto first = std::find(map.begin(), map.end(), i);
    queue.cpu = first == map.end() ? std::uint16_t{0} : static_cast<std::uint16_t>(first - map.begin());
    const AdminResult created_cq = co_await admin(spec::make_create_io_cq(qid, depth, cq, true, qid), {}, task);
    if (!created_cq.status.ok())
      co_return fmt::format("Create I/O Completion Queue {}: {}", qid, created_cq.status.name());
    const AdminResult created_sq = co_await admin(spec::make_create_io_sq(qid, depth, sq, qid), {}, task);
    if (!created_sq.status.ok())
      co_return fmt::format("Create I/O Submission Queue {}: {}", qid, created_sq.status.name());
  }
  if (io_tags_ == nullptr) io_tags_ = std::make_unique<block::TagSet>(count, static_cast<std::uint16_t>(depth - 1));
  co_return std::string();
}

void Pci::set_format(const block::RequestQueue& queue, const NamespaceFormat& format) {
  for (Format& known : formats_) {
    if (known.queue == &queue) {
      known.format = format;
      return;
    }
  }
  formats_.push_back({&queue, format});
}

sim::Task<AdminResult> Pci::admin(spec::SubmissionEntry sqe, std::span<std::byte> data, block::TaskContext task) {
  auto& simulator = machine_->simulator();
  auto free = std::find_if(admin_slots_.begin(), admin_slots_.end(), [](const AdminSlot& slot) { return !slot.busy; });
  while (free == admin_slots_.end()) {  // all 30 tags taken: look again when some time has passed
    co_await simulator.sleep(10 * sim::kMicrosecond);
    free = std::find_if(admin_slots_.begin(), admin_slots_.end(), [](const AdminSlot& slot) { return !slot.busy; });
  }
  if (!enabled_) co_return AdminResult{spec::status::kCommandAbortedByHost, 0};
  AdminSlot& slot = *free;
  const auto tag = static_cast<std::uint16_t>(free - admin_slots_.begin());
  slot.busy = true;
  auto& memory = door_->memory();
  if (!data.empty()) {
    assert(data.size() <= 2 * queue::kPageBytes);
    if (slot.buffer == 0) slot.buffer = memory.allocate(2 * queue::kPageBytes, queue::HostMemory::Kind::kBytes);
    std::memcpy(memory.bytes(slot.buffer, data.size()), data.data(), data.size());
    map_data(sqe, slot.buffer, data.size(), 0, nullptr);
  }
  sqe.cid = static_cast<std::uint16_t>(slot.generation << 12 | tag);
  slot.issued_ns = simulator.now();
  slot.seq = log_.next_seq();
  slot.opc = sqe.opc;
  simulator.record(sim::EventKind::kCommandIssue, sqe.cid.value(),
                   sqe.cdw10.value() | std::uint64_t{sqe.cdw11.value()} << 32, sqe.opc);
  if (log_.observed()) {
    log_.issued({simulator.now(), slot.seq, 0, task.cpu, task.name, nullptr, sqe});
  }
  slot.sent = true;
  arm_timer(slot.issued_ns + machine_->kernel().admin_timeout_ns);
  admin_.sq.push(sqe);
  door_->ring_sq_tail(0, admin_.sq.tail());
  struct Wait {
    AdminSlot& slot;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const noexcept { slot.waiter = handle; }
    void await_resume() const noexcept {}
  };
  co_await Wait{slot};
  const AdminResult result = slot.result;
  slot.busy = false;
  if (!data.empty()) std::memcpy(data.data(), memory.bytes(slot.buffer, data.size()), data.size());
  co_return result;
}

void Pci::submit_async_event() {
  spec::SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(spec::AdminOpcode::kAsynchronousEventRequest);
  sqe.cid = kAsyncEventCid;
  machine_->simulator().record(sim::EventKind::kCommandIssue, kAsyncEventCid, 0, sqe.opc);
  admin_.sq.push(sqe);  // not through nvme_setup_cmd, so the command log does not see it
  door_->ring_sq_tail(0, admin_.sq.tail());
}

std::uint64_t Pci::list_page(Queue& queue, std::uint16_t tag) {
  if (tag >= queue.list_pages.size()) queue.list_pages.resize(tag + 1U, 0);
  std::uint64_t& page = queue.list_pages[tag];
  if (page == 0) page = door_->memory().allocate(queue::kPageBytes, queue::HostMemory::Kind::kBytes);
  return page;
}

void Pci::queue_rq(void* self, Request& request) {
  static_cast<Pci*>(self)->issue(request);
}

// models drivers/nvme/host/pci.c nvme_queue_rq, v6.12
void Pci::issue(Request& request) {
  auto& simulator = machine_->simulator();
  Queue& queue = *io_[request.hctx];
  spec::SubmissionEntry sqe;
  std::uint64_t bytes = 0;
  if (request.kind == Request::Kind::kPassthru) {
    sqe = static_cast<const PassthruCommand*>(request.driver_data)->sqe;
  } else {
    const Format* known = formats_.data();
    while (known->queue != request.queue) ++known;
    const NamespaceFormat* format = &known->format;
    sqe = setup_cmd(request, *format);
    if (request.kind == Request::Kind::kBio && request.op != block::BioOp::kWriteZeroes) {
      bytes = std::uint64_t{request.sectors} * 512;
      if (request.op == block::BioOp::kDiscard) {  // one range in a whole page (nvme_setup_discard)
        const std::uint64_t page = list_page(queue, request.tag);
        std::byte* range_bytes = door_->memory().bytes(page, queue::kPageBytes);
        const unsigned shift = format->lba_shift - 9U;
        spec::DsmRange range;
        range.length = request.sectors >> shift;
        range.slba = request.sector >> shift;
        std::memcpy(range_bytes, &range, sizeof range);
        sqe.prp1 = page;
      } else if (request.bio->next_merged != nullptr) {
        const std::uint64_t page = list_page(queue, request.tag);
        map_merged(sqe, request, page, door_->memory().bytes(page, queue::kPageBytes));
      } else if (request.buffer % queue::kPageBytes + bytes > 2 * queue::kPageBytes) {
        const std::uint64_t page = list_page(queue, request.tag);
        map_data(sqe, request.buffer, bytes, page, door_->memory().bytes(page, queue::kPageBytes));
      } else {
        map_data(sqe, request.buffer, bytes, 0, nullptr);
      }
    }
  }
  const auto cid = static_cast<std::uint16_t>((request.generation & 0xFU) << 12 | request.tag);
  sqe.cid = cid;
  request.opc = sqe.opc;
  request.issued_ns = simulator.now();
  request.deadline_ns = request.issued_ns + machine_->kernel().io_timeout_ns;
  if (request.deadline_ns < timer_at_ns_) arm_timer(request.deadline_ns);
  log_.io_issued(request.issued_ns, sqe.io_opcode(), spec::fua(sqe), bytes);
  request.trace_mark = log_.next_seq();
  simulator.record(sim::EventKind::kCommandIssue, std::uint64_t{queue.qid} << 16 | cid, sqe.slba(),
                   std::uint64_t{sqe.opc} << 32 | sqe.cdw12.value());
  if (log_.observed()) [[unlikely]]
    observe_issue(request, queue, sqe);
  if (request.kind == Request::Kind::kFlush) {
    most_flushes_in_flight_ = std::max<std::uint64_t>(most_flushes_in_flight_, ++queue.flushes_in_flight);
  }
  assert(!queue.sq.full() && "a tag implies room in the ring");
  queue.sq.push(sqe);
  door_->ring_sq_tail(queue.qid, queue.sq.tail());
}

void Pci::observe_issue(const Request& request, const Queue& queue, const spec::SubmissionEntry& sqe) {
  log_.issued({request.issued_ns, request.trace_mark, queue.qid, request.cpu, request.issuer, &request, sqe});
}

void Pci::interrupt(void* self, std::uint16_t vector) {
  auto& pci = *static_cast<Pci*>(self);
  Queue& queue = vector == 0 ? pci.admin_ : *pci.io_[vector - 1U];
  if (queue.irq_pending) return;
  queue.irq_pending = true;
  pci.machine_->cpu(queue.cpu).call(pci.machine_->costs().irq_ns.value, &Pci::handle_irq, &queue);
}

void Pci::handle_irq(void* object, std::uint64_t) {
  auto& queue = *static_cast<Queue*>(object);
  queue.irq_pending = false;
  queue.pci->process_cq(queue);
}

// models drivers/nvme/host/pci.c nvme_poll_cq, v6.12
void Pci::process_cq(Queue& queue) {
  bool first = true;
  bool any = false;
  while (const spec::CompletionEntry* entry = queue.cq.peek()) {
    const spec::CompletionEntry cqe = *entry;
    queue.cq.pop();
    any = true;
    if (!first) machine_->cpu(queue.cpu).charge(machine_->costs().irq_ns.value);
    first = false;
    queue.sq.consumed(cqe.sqhd);
    if (queue.qid == 0) {
      complete_admin(cqe);
    } else {
      complete_io(queue, cqe);
    }
  }
  if (any) door_->ring_cq_head(queue.qid, queue.cq.head());
}

void Pci::complete_admin(const spec::CompletionEntry& cqe) {
  const std::uint16_t tag = cqe.cid.value() & 0xFFFU;
  if (tag >= admin_slots_.size()) {
    if (upcalls_.async_event != nullptr) upcalls_.async_event(upcalls_.object, cqe.dw0);
    return;
  }
  AdminSlot& slot = admin_slots_[tag];
  auto& simulator = machine_->simulator();
  simulator.record(sim::EventKind::kCommandDone, cqe.cid.value(), cqe.dw0.value(), cqe.status().word(false));
  if (log_.observed()) {
    log_.completed({simulator.now(), slot.issued_ns, slot.seq, 0, slot.opc, cqe.status(), cqe.dw0});
  }
  slot.generation = (slot.generation + 1U) & 0xFU;
  slot.sent = false;
  slot.result = {cqe.status(), cqe.dw0};
  simulator.resume_at(simulator.now(), slot.waiter);
}

void Pci::complete_io(Queue& queue, const spec::CompletionEntry& cqe) {
  const std::uint16_t cid = cqe.cid;
  Request* request = io_tags_->find(static_cast<std::uint16_t>(queue.qid - 1U), cid & 0xFFFU);
  assert(request != nullptr && request->started && "a completion for a command that was never sent");
  machine_->simulator().record(sim::EventKind::kCommandDone, std::uint64_t{queue.qid} << 16 | cid, cqe.dw0.value(),
                               cqe.status().word(false));
  if (request->kind == Request::Kind::kFlush) --queue.flushes_in_flight;
  end_request(*request, cqe.status(), cqe.dw0);
}

// models drivers/nvme/host/core.c nvme_complete_rq, nvme_retry_req, v6.12
void Pci::end_request(Request& request, spec::Status status, std::uint32_t result) {
  auto& simulator = machine_->simulator();
  const auto opcode = static_cast<spec::IoOpcode>(request.opc);
  log_.io_completed(simulator.now(), request.issued_ns, opcode, status);
  if (log_.observed()) [[unlikely]] {
    log_.completed({simulator.now(), request.issued_ns, request.trace_mark,
                    static_cast<std::uint16_t>(request.hctx + 1U), request.opc, status, result});
  }
  request.generation = (request.generation + 1U) & 0xFU;
  request.aborted = false;
  if (request.kind == Request::Kind::kPassthru) {
    auto& command = *static_cast<PassthruCommand*>(request.driver_data);
    command.status = status;
    command.result = result;
    request.queue->complete(request, block::BlockStatus::kOk);  // the caller looks at the NVMe status itself
    return;
  }
  if (!status.ok()) [[unlikely]] {
    const bool no_retry = (request.flags & block::REQ_RAHEAD) != 0;
    if (decide_disposition(status, no_retry, request.retries, machine_->kernel()) == Disposition::kRetry) {  // E1
      ++request.retries;
      const sim::TimeNs delay_ns =
          status.crd() == 0 ? 0 : sim::TimeNs{crdt_[status.crd() - 1U]} * 100 * sim::kMillisecond;
      request.queue->retry(request, delay_ns);
      return;
    }
  }
  request.queue->complete(request, block_status(status, machine_->kernel()));
}

}  // namespace flushlab::nvme
