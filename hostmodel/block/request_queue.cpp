// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/block/request_queue.hpp"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

namespace flushlab::block {

int errno_of(BlockStatus status) {
  switch (status) {
    case BlockStatus::kOk:
      return 0;
    case BlockStatus::kNotSupported:
      return -EOPNOTSUPP;
    case BlockStatus::kTarget:
      return -EREMOTEIO;
    case BlockStatus::kNoSpace:
      return -ENOSPC;
    case BlockStatus::kMedium:
      return -ENODATA;
    case BlockStatus::kProtection:
      return -EILSEQ;
    case BlockStatus::kReservation:
      return -EBADE;
    case BlockStatus::kTransport:
      return -ENOLINK;
    case BlockStatus::kIoError:
      return -EIO;
  }
  return -EIO;
}

RequestQueue::RequestQueue(std::string name, kernel::Machine& machine, TagSet& tags,
                           std::vector<std::uint16_t> hctx_of_cpu, MqOps ops, std::uint32_t device_number)
    : BlockDevice(std::move(name), &RequestQueue::submit),
      machine_(&machine),
      tags_(&tags),
      hctx_of_cpu_(std::move(hctx_of_cpu)),
      ops_(ops),
      device_number_(device_number),
      scheduler_(tags.hw_queues() == 1 ? Scheduler::kMqDeadline : Scheduler::kNone) {
  for (std::uint16_t hctx = 0; hctx < tags.hw_queues(); ++hctx) {
    machines_.push_back(std::make_unique<FlushMachine>(*this, hctx));
  }
}

std::uint64_t RequestQueue::flushes() const {
  std::uint64_t sum = 0;
  for (const auto& machine : machines_) sum += machine->flushes();
  return sum;
}

// models block/blk-core.c submit_bio_noacct, v6.12
void RequestQueue::submit(BlockDevice& device, Bio& bio) {
  auto& self = static_cast<RequestQueue&>(device);
  self.machine_->simulator().record(
      sim::EventKind::kBioSubmit, self.device_number_, bio.sector,
      static_cast<std::uint64_t>(bio.op) | std::uint64_t{bio.flags} << 8 | std::uint64_t{bio.sectors} << 24);
  bio.parts = 1;
  bio.next_merged = nullptr;
  bio.status = BlockStatus::kOk;
  if (bio.is_flush_or_fua() && !self.limits_.write_cache()) {  // R1
    bio.flags = static_cast<std::uint16_t>(bio.flags & ~(REQ_PREFLUSH | REQ_FUA));
    if (bio.sectors == 0) {
      bio.end_io(bio);
      return;
    }
  }
  if (self.frozen_ != 0) {  // R3
    if (self.dead_) {
      bio.status = BlockStatus::kIoError;
      bio.end_io(bio);
      return;
    }
    bio.next = nullptr;
    bio.plug = nullptr;
    (self.parked_head_ == nullptr ? self.parked_head_ : self.parked_tail_->next) = &bio;
    self.parked_tail_ = &bio;
    return;
  }
  self.enter(bio);
}

std::uint32_t RequestQueue::piece_sectors(const Bio& bio) const {
  switch (bio.op) {
    case BioOp::kDiscard:
      return std::max(limits_.max_discard_sectors, 1U);
    case BioOp::kWriteZeroes:
      return std::max(limits_.max_write_zeroes_sectors, 1U);
    case BioOp::kRead:
    case BioOp::kWrite:
      break;
  }
  // Pages of a user buffer are rarely adjacent in memory: one segment a page.
  return std::min(limits_.max_sectors, std::uint32_t{limits_.max_segments} * 8);
}

void RequestQueue::enter(Bio& bio) {
  ++usage_;
  if (bio.plug != nullptr && bio.plug->merge(*this, bio)) return;
  const std::uint32_t piece = piece_sectors(bio);
  bio.parts = bio.sectors == 0 ? 1 : (bio.sectors - 1) / piece + 1;
  queue_pieces(bio, 0);
}

// Front pieces first, in ascending order; every piece inherits the flags (models blk_mq_submit_bio, bio_split).
void RequestQueue::queue_pieces(Bio& bio, std::uint32_t done_sectors) {
  const std::uint16_t hctx = hctx_of_cpu_[bio.cpu];  // R2
  const std::uint32_t piece = piece_sectors(bio);
  const std::uint32_t total = bio.sectors;
  do {
    Request* request = tags_->get(hctx);
    if (request == nullptr) {
      bio.plug = nullptr;
      tags_->waiters(hctx).push_back({this, &bio, done_sectors});
      return;
    }
    const std::uint32_t sectors = std::min(piece, total - done_sectors);
    request->queue = this;
    request->bio = &bio;
    request->kind = (bio.flags & REQ_DRV) != 0 ? Request::Kind::kPassthru : Request::Kind::kBio;
    request->driver_data = bio.driver_data;
    request->op = bio.op;
    request->flags = bio.flags;
    request->cpu = bio.cpu;
    request->sector = bio.sector + done_sectors;
    request->sectors = sectors;
    request->buffer = bio.buffer + std::uint64_t{done_sectors} * 512;
    request->status = BlockStatus::kOk;
    request->in_flush_sequence = false;
    request->started = false;
    request->retries = 0;
    request->issuer = bio.task;
    done_sectors += sectors;
    insert(*request, bio.plug);  // may end the bio when this was its last piece: `bio` is not touched after that
  } while (done_sectors < total);
}

void RequestQueue::insert(Request& request, Plug* plug) {
  if ((request.flags & (REQ_PREFLUSH | REQ_FUA)) != 0) {
    if (machines_[request.hctx]->insert(request)) return;
    if (kernel().fua_bypasses_plug) {
      dispatch(request, request.issuer);
      return;
    }
  }
  if (plug != nullptr && request.kind == Request::Kind::kBio) {
    plug->add(request);
    return;
  }
  if (scheduler_ != Scheduler::kNone) {
    Request* one = &request;
    insert_scheduled({&one, 1}, request.issuer);
    return;
  }
  dispatch(request, request.issuer);
}

// models block/blk-merge.c blk_attempt_bio_merge with ll_back_merge_fn and ll_front_merge_fn. With a virtual boundary
// of a page only whole pages may meet inside a request.
bool RequestQueue::merge(Request& request, Bio& bio) {
  constexpr std::uint16_t kNoMerge = REQ_PREFLUSH | REQ_FUA | REQ_DRV;
  const bool data = bio.op == BioOp::kRead || bio.op == BioOp::kWrite;
  if (!data || bio.sectors == 0 || bio.op != request.op || ((bio.flags | request.flags) & kNoMerge) != 0) return false;
  const bool back = request.sector + request.sectors == bio.sector;
  const bool front = bio.sector + bio.sectors == request.sector;
  const std::uint32_t sectors = request.sectors + bio.sectors;
  constexpr std::uint64_t kPageSectors = 8;
  if ((!back && !front) || sectors > piece_sectors(bio) || request.bio->parts != 1) return false;
  if ((back ? request.sectors : bio.sectors) % kPageSectors != 0) return false;  // PRPs: all but the end is whole pages
  if (request.buffer % (kPageSectors * 512) != 0 || bio.buffer % (kPageSectors * 512) != 0) return false;
  if (back) {
    Bio* last = request.bio;
    while (last->next_merged != nullptr) last = last->next_merged;
    last->next_merged = &bio;
  } else {
    bio.next_merged = request.bio;
    request.bio = &bio;
    request.sector = bio.sector;
    request.buffer = bio.buffer;
  }
  request.sectors = sectors;
  return true;
}

void RequestQueue::issue_plugged(std::span<Request*> requests, bool from_schedule) {
  if (from_schedule) {
    for (Request* request : requests) from_kblockd_.push_back(*request);
    if (kblockd_scheduled_) return;
    kblockd_scheduled_ = true;
    machine_->simulator().events().schedule_after(machine_->costs().flush_requeue_ns.value, &kblockd_work, this);
    return;
  }
  if (scheduler_ != Scheduler::kNone) {
    insert_scheduled(requests, requests.front()->issuer);
    return;
  }
  for (Request* request : requests) dispatch(*request, request->issuer);
}

void RequestQueue::kblockd_work(void* self, std::uint64_t) {
  auto& queue = *static_cast<RequestQueue*>(self);
  queue.kblockd_scheduled_ = false;
  RequestList list = queue.from_kblockd_.take();
  if (queue.scheduler_ == Scheduler::kNone) {
    while (Request* request = list.pop_front()) queue.dispatch(*request, "kworker-H");
    return;
  }
  std::vector<Request*> requests;
  while (Request* request = list.pop_front()) requests.push_back(request);
  queue.insert_scheduled(requests, "kworker-H");
}

// models block/mq-deadline.c dd_dispatch_request for requests that arrive together: the drive takes everything at once,
// so nothing is left in the scheduler for later ones to be sorted with.
void RequestQueue::insert_scheduled(std::span<Request*> requests, const char* issuer) {
  std::stable_sort(requests.begin(), requests.end(), [](const Request* a, const Request* b) {
    const bool a_writes = a->op != BioOp::kRead;
    const bool b_writes = b->op != BioOp::kRead;
    return a_writes != b_writes ? b_writes : a->sector < b->sector;
  });
  for (Request* request : requests) dispatch(*request, issuer);
}

void RequestQueue::dispatch(Request& request, const char* issuer) {
  request.issuer = issuer;
  if (quiesced_ != 0) [[unlikely]] {
    waiting_.push_back(request);
    return;
  }
  request.started = true;
  ops_.queue_rq(ops_.object, request);
}

// models block/genhd.c blk_mark_disk_dead: the frozen queue never opens again, and whoever waits is told.
void RequestQueue::kill() {
  dead_ = true;
  ++frozen_;
  Bio* bio = std::exchange(parked_head_, nullptr);
  while (bio != nullptr) {
    Bio* const next = bio->next;
    bio->status = BlockStatus::kIoError;
    bio->end_io(*bio);
    bio = next;
  }
}

void RequestQueue::unquiesce() {
  assert(quiesced_ != 0);
  if (--quiesced_ != 0) return;
  RequestList list = waiting_.take();
  while (Request* request = list.pop_front()) dispatch(*request, request->issuer);
}

// models block/blk-mq.c blk_mq_requeue_request, blk_mq_delay_kick_requeue_list
void RequestQueue::retry(Request& request, sim::TimeNs delay_ns) {
  request.started = false;
  machine_->simulator().events().schedule_after(delay_ns + machine_->costs().flush_requeue_ns.value, &retry_due, this,
                                                reinterpret_cast<std::uint64_t>(&request));
}

void RequestQueue::retry_due(void* self, std::uint64_t argument) {
  auto& request = *reinterpret_cast<Request*>(argument);
  static_cast<RequestQueue*>(self)->dispatch(request, "kworker-H");
}

void RequestQueue::complete(Request& request, BlockStatus status) {
  request.started = false;
  if (request.kind == Request::Kind::kFlush) {
    machines_[request.hctx]->flush_done(status);
  } else if (request.in_flush_sequence) {
    machines_[request.hctx]->data_done(request, status);
  } else {
    finish(request, status);
  }
}

// models blk_mq_end_request: the bio first, then the tag.
void RequestQueue::finish(Request& request, BlockStatus status) {
  std::uint32_t ended = 0;
  for (Bio* bio = request.bio; bio != nullptr;) {
    Bio* const next = bio->next_merged;
    if (status != BlockStatus::kOk && bio->status == BlockStatus::kOk) bio->status = status;
    if (--bio->parts == 0) {
      end_bio(*bio);
      ++ended;
    }
    bio = next;
  }
  const std::uint16_t hctx = request.hctx;
  request.bio = nullptr;
  tags_->put(request);
  auto& waiters = tags_->waiters(hctx);
  if (!waiters.empty()) {
    const TagSet::Waiter waiter = waiters.front();
    waiters.pop_front();
    waiter.queue->queue_pieces(*waiter.bio, waiter.done_sectors);
  }
  if (ended != 0) leave(ended);
}

void RequestQueue::end_bio(Bio& bio) {
  machine_->simulator().record(sim::EventKind::kBioEnd, device_number_, bio.sector,
                               static_cast<std::uint64_t>(bio.status));
  bio.end_io(bio);
}

void RequestQueue::leave(std::uint32_t bios) {
  assert(usage_ >= bios);
  usage_ -= bios;
  if (usage_ != 0 || drained_.empty()) return;
  for (const Drained& drained : std::exchange(drained_, {})) drained.call(drained.object);
}

void RequestQueue::freeze(void (*drained)(void* object), void* object) {
  ++frozen_;
  if (usage_ == 0) {
    drained(object);
    return;
  }
  drained_.push_back({drained, object});
}

void RequestQueue::unfreeze() {
  assert(frozen_ != 0);
  if (--frozen_ != 0) return;
  Bio* bio = std::exchange(parked_head_, nullptr);
  while (bio != nullptr) {
    Bio* const next = bio->next;
    enter(*bio);
    bio = next;
  }
}

std::string RequestQueue::commit_limits(QueueLimits next) {
  const bool keep = kernel().write_cache_override == kernel::WriteCacheOverride::kDisabledFlag;
  next.write_cache_disabled = keep && limits_.write_cache_disabled;
  std::string error = validate_limits(next, kernel());
  if (!error.empty()) return error;
  limits_ = next;
  machine_->simulator().record(sim::EventKind::kLimitsCommit, device_number_, limits_.feature_write_cache ? 1 : 0,
                               limits_.feature_fua ? 1 : 0);
  return {};
}

// models block/blk-sysfs.c queue_wc_store
int RequestQueue::write_cache_store(std::string_view value) {
  if (value.starts_with("write back")) {
    if (kernel().write_cache_override == kernel::WriteCacheOverride::kQueueFlag && !limits_.feature_write_cache) {
      return -EINVAL;
    }
    limits_.write_cache_disabled = false;
  } else if (value.starts_with("write through") || value.starts_with("none")) {
    limits_.write_cache_disabled = true;
  } else {
    return -EINVAL;
  }
  return 0;
}

// models block/elevator.c elv_iosched_store
int RequestQueue::scheduler_store(std::string_view value) {
  if (value == "none") {
    scheduler_ = Scheduler::kNone;
  } else if (value == "mq-deadline") {
    scheduler_ = Scheduler::kMqDeadline;
  } else {
    return -EINVAL;
  }
  return 0;
}

// models block/blk-sysfs.c queue_max_sectors_store
int RequestQueue::max_sectors_store(std::uint32_t kilobytes) {
  constexpr std::uint32_t kPageKilobytes = 4;
  if (kilobytes < kPageKilobytes || kilobytes > limits_.max_hw_sectors / 2) return -EINVAL;
  limits_.max_sectors = kilobytes * 2;
  return 0;
}

void RequestQueue::requeue_data(Request& request) {
  requeued_data_.push_back(request);
  schedule_requeue_work();
}

void RequestQueue::requeue_flush(Request& request) {
  requeued_flushes_.push_back(request);
  schedule_requeue_work();
}

void RequestQueue::schedule_requeue_work() {
  if (requeue_scheduled_) return;
  requeue_scheduled_ = true;
  machine_->simulator().events().schedule_after(machine_->costs().flush_requeue_ns.value, &requeue_work, this);
}

// models block/blk-mq.c blk_mq_requeue_work: the Flush goes to the head of the dispatch list, so it is first on the
// wire.
void RequestQueue::requeue_work(void* self, std::uint64_t) {
  auto& queue = *static_cast<RequestQueue*>(self);
  queue.requeue_scheduled_ = false;
  RequestList flushes = queue.requeued_flushes_.take();
  RequestList data = queue.requeued_data_.take();
  while (Request* request = flushes.pop_front()) {
    queue.tags_->lend(*request);
    queue.dispatch(*request, "kworker-H");
  }
  while (Request* request = data.pop_front()) {
    queue.tags_->lend(*request);
    queue.dispatch(*request, "kworker-H");
  }
}

}  // namespace flushlab::block
