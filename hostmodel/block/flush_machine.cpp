// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/block/flush_machine.hpp"

#include <bit>

#include "hostmodel/block/request_queue.hpp"

namespace flushlab::block {

FlushMachine::FlushMachine(RequestQueue& queue, std::uint16_t hctx) : queue_(&queue) {
  flush_request_.kind = Request::Kind::kFlush;
  flush_request_.queue = &queue;
  flush_request_.hctx = hctx;
  flush_request_.flags = REQ_PREFLUSH;
}

// models block/blk-flush.c blk_insert_flush, v6.12
bool FlushMachine::insert(Request& request) {
  const QueueLimits& limits = queue_->limits();
  const bool has_data = request.sectors != 0;
  const std::uint8_t policy = flush_policy(has_data, (request.flags & REQ_PREFLUSH) != 0,
                                           (request.flags & REQ_FUA) != 0, limits.write_cache(), limits.fua());
  request.flags = static_cast<std::uint16_t>(request.flags & ~REQ_PREFLUSH);
  if (!limits.fua()) request.flags = static_cast<std::uint16_t>(request.flags & ~REQ_FUA);
  request.flags |= REQ_SYNC;

  if (policy == 0) {  // nothing to write, nothing to flush
    queue_->finish(request, BlockStatus::kOk);
    return true;
  }
  if (policy == Request::kStepData) return false;
  request.in_flush_sequence = true;
  request.steps_done = static_cast<std::uint8_t>(Request::kStepsAll & ~policy);
  if (policy == (Request::kStepData | Request::kStepPostflush)) {
    ++data_in_flight_;  // the data goes the ordinary way; data_done() takes it up again
    return false;
  }
  complete_step(request, 0, BlockStatus::kOk);
  return true;
}

// models block/blk-flush.c blk_flush_complete_seq, v6.12
void FlushMachine::complete_step(Request& request, std::uint8_t finished, BlockStatus status) {
  request.steps_done |= finished;
  const auto open = static_cast<std::uint8_t>(Request::kStepsAll & ~request.steps_done);
  const std::uint8_t step = status != BlockStatus::kOk || open == 0
                                ? std::uint8_t{0}
                                : static_cast<std::uint8_t>(1U << std::countr_zero(open));
  switch (step) {
    case Request::kStepPreflush:
    case Request::kStepPostflush:
      if (lists_[pending_].empty()) pending_since_ns_ = queue_->simulator().now();
      lists_[pending_].push_back(request);
      break;
    case Request::kStepData:
      ++data_in_flight_;
      queue_->requeue_data(request);
      break;
    default:
      request.in_flush_sequence = false;
      queue_->finish(request, status);
      break;
  }
  kick();
}

// models block/blk-flush.c blk_kick_flush, v6.12
void FlushMachine::kick() {
  RequestList& waiting = lists_[pending_];
  if (flush_in_flight() || waiting.empty()) return;  // C1
  const std::uint64_t now_ns = queue_->simulator().now();
  if (data_in_flight_ != 0 && now_ns < pending_since_ns_ + queue_->kernel().pending_flush_timeout_ns) return;  // C2, C3
  const Request& first = *waiting.front();
  flush_request_.tag = first.tag;
  flush_request_.cpu = first.cpu;
  flush_request_.retries = 0;
  pending_ ^= 1U;
  queue_->simulator().record(sim::EventKind::kFlushKick, flush_request_.hctx, first.tag);
  queue_->requeue_flush(flush_request_);
}

// models block/blk-flush.c flush_end_io, v6.12
void FlushMachine::flush_done(BlockStatus status) {
  ++flushes_;
  RequestList served = lists_[running_].take();
  running_ ^= 1U;
  while (Request* request = served.pop_front()) {
    const bool before_data = (request->steps_done & Request::kStepPreflush) == 0;
    complete_step(*request, before_data ? Request::kStepPreflush : Request::kStepPostflush, status);
  }
}

// models block/blk-flush.c mq_flush_data_end_io, v6.12
void FlushMachine::data_done(Request& request, BlockStatus status) {
  --data_in_flight_;
  complete_step(request, Request::kStepData, status);
}

}  // namespace flushlab::block
