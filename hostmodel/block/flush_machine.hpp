// SPDX-License-Identifier: GPL-2.0-only
// The flush machine: how empty flushes, PREFLUSH writes and FUA writes become Flush commands.
// Models block/blk-flush.c, v6.12 (blk_insert_flush, blk_flush_complete_seq, blk_kick_flush, flush_end_io,
// mq_flush_data_end_io).
//
// A request that needs a Flush goes through up to three steps: PREFLUSH (a Flush before its data), DATA, POSTFLUSH (a
// Flush after its data, only where the device has a write cache but no FUA). Requests share Flushes. There is one
// machine for each hardware queue of each namespace; requests of different hardware queues never share.
//
// The rules, by the kernel's names:
//   C1  At most one Flush is in flight. What arrives meanwhile collects in the pending list; its Flush starts when the
//       running one is done, and there is one for all of them.
//   C2  No Flush starts while the data of a sequence is in flight in this queue: a later Flush can serve more requests.
//   C3  ... but not longer than 5 s after the first request began to wait. This is looked at only when something else
//       makes the machine look (an arrival, a completion); there is no timer.
//
//   Consequences worth knowing: the first fsync on an idle machine never shares its Flush. A plain FUA write on a
//   device with FUA has only a DATA step, is not counted in C2 and holds nothing back. A Flush covers the writes that
//   completed before it was issued, nothing else; ordering against writes in flight is the caller's business.
#pragma once

#include <array>
#include <cstdint>

#include "hostmodel/block/queue_limits.hpp"
#include "hostmodel/block/request.hpp"

namespace flushlab::block {

// The steps that a request needs, a set of Request::kStep* (models blk_flush_policy).
//   has_data, preflush, fua: the request; write_cache, device_fua: the device as the block layer sees it.
[[nodiscard]] constexpr std::uint8_t flush_policy(bool has_data, bool preflush, bool fua, bool write_cache,
                                                  bool device_fua) {
  std::uint8_t policy = has_data ? Request::kStepData : std::uint8_t{0};
  if (write_cache) {
    if (preflush) policy |= Request::kStepPreflush;
    if (fua && !device_fua) policy |= Request::kStepPostflush;
  }
  return policy;
}

class FlushMachine {
 public:
  FlushMachine(RequestQueue& queue, std::uint16_t hctx);
  FlushMachine(const FlushMachine&) = delete;
  FlushMachine& operator=(const FlushMachine&) = delete;

  // Takes a PREFLUSH or FUA request. False: it needs nothing of the machine, the caller sends it as an ordinary write.
  bool insert(Request& request);
  void flush_done(BlockStatus status);                   // the Flush command is done
  void data_done(Request& request, BlockStatus status);  // the data step of a sequence is done

  [[nodiscard]] bool flush_in_flight() const { return pending_ != running_; }
  [[nodiscard]] std::uint64_t flushes() const { return flushes_; }  // commands, not callers

 private:
  void complete_step(Request& request, std::uint8_t finished, BlockStatus status);  // models blk_flush_complete_seq
  void kick();                                                                      // models blk_kick_flush

  RequestQueue* queue_;
  std::array<RequestList, 2> lists_;
  std::uint8_t pending_ = 0;  // the list that collects
  std::uint8_t running_ = 0;  // the list that the Flush in flight serves; equal to pending_ when none is
  std::uint32_t data_in_flight_ = 0;
  std::uint64_t pending_since_ns_ = 0;
  std::uint64_t flushes_ = 0;
  Request flush_request_;
};

}  // namespace flushlab::block
