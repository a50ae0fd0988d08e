// SPDX-License-Identifier: GPL-2.0-only
// A request: what the driver is handed (models struct request), and the tags that requests are found by.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "hostmodel/block/bio.hpp"

namespace flushlab::block {

class RequestQueue;

struct Request {
  enum class Kind : std::uint8_t {
    kBio,       // carries (a piece of) a bio
    kFlush,     // the flush machine's own: the Flush command itself
    kPassthru,  // a driver command: `driver_data` says what
  };
  // Steps of a flush sequence, in order (models REQ_FSEQ_*).
  static constexpr std::uint8_t kStepPreflush = 1, kStepData = 2, kStepPostflush = 4, kStepsAll = 7;

  RequestQueue* queue = nullptr;
  Bio* bio = nullptr;
  void* driver_data = nullptr;
  Request* next = nullptr;  // in the one list that holds it
  const char* issuer = "";  // the task that hands it to the driver
  std::uint64_t sector = 0;
  std::uint64_t buffer = 0;
  std::uint64_t issued_ns = 0;    // when the driver encoded the command (nvme_setup_cmd)
  std::uint64_t deadline_ns = 0;  // when the driver gives up on it
  std::uint64_t trace_mark = 0;   // for the trace: the command's place in issue order
  std::uint32_t sectors = 0;
  std::uint16_t flags = 0;
  std::uint16_t tag = 0;
  std::uint16_t hctx = 0;
  std::uint16_t cpu = 0;
  BioOp op = BioOp::kWrite;
  Kind kind = Kind::kBio;
  std::uint8_t steps_done = 0;  // flush sequence only
  bool in_flush_sequence = false;
  bool started = false;         // the driver has it
  bool aborted = false;         // an Abort has been sent for it
  std::uint8_t retries = 0;     // attempts that ended with an error worth another one
  std::uint8_t opc = 0;         // of the command that the driver sent
  std::uint8_t generation = 0;  // bits 15:12 of the next command identifier
  BlockStatus status = BlockStatus::kOk;
};

// First in, first out, through Request::next.
class RequestList {
 public:
  [[nodiscard]] bool empty() const { return head_ == nullptr; }
  [[nodiscard]] Request* front() const { return head_; }
  void push_back(Request& request) {
    request.next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = &request;
    tail_ = &request;
  }
  Request* pop_front() {
    Request* request = head_;
    if (request != nullptr) head_ = request->next;
    return request;
  }
  RequestList take() {
    RequestList all = *this;
    head_ = tail_ = nullptr;
    return all;
  }

 private:
  Request* head_ = nullptr;
  Request* tail_ = nullptr;
};

// The tags of one controller: one set for all its namespaces, `depth` tags a hardware queue (models blk_mq_tag_set).
class TagSet {
 public:
  TagSet(std::uint16_t hw_queues, std::uint16_t depth) : depth_(depth), hctxs_(hw_queues) {}

  [[nodiscard]] std::uint16_t hw_queues() const { return static_cast<std::uint16_t>(hctxs_.size()); }

  // A request with a free tag of the queue, or nullptr when all are taken.
  Request* get(std::uint16_t hctx) {
    Hctx& queue = hctxs_[hctx];
    if (!queue.free.empty()) {
      const std::uint16_t tag = queue.free.back();
      queue.free.pop_back();
      return queue.active[tag] = &queue.requests[tag];
    }
    if (queue.requests.size() == depth_) return nullptr;
    const auto tag = static_cast<std::uint16_t>(queue.requests.size());
    Request& request = queue.requests.emplace_back();
    request.tag = tag;
    request.hctx = hctx;
    queue.active.push_back(&request);
    return &request;
  }
  void put(Request& request) { hctxs_[request.hctx].free.push_back(request.tag); }

  // The request that a command identifier's tag stands for: normally its own, or a Flush that borrowed the tag.
  [[nodiscard]] Request* find(std::uint16_t hctx, std::uint16_t tag) const {
    const Hctx& queue = hctxs_[hctx];
    return tag < queue.active.size() ? queue.active[tag] : nullptr;
  }
  // Every request that the driver has, in order of the tags. f(Request&).
  template <typename F>
  void for_each_started(std::uint16_t hctx, F&& f) {
    const Hctx& queue = hctxs_[hctx];
    for (Request* request : queue.active) {
      if (request != nullptr && request->started) f(*request);
    }
  }
  void lend(Request& request) { hctxs_[request.hctx].active[request.tag] = &request; }

  // Bios that wait for a tag, in order of arrival.
  struct Waiter {
    RequestQueue* queue;
    Bio* bio;
    std::uint32_t done_sectors;  // of the bio, already in requests
  };
  std::deque<Waiter>& waiters(std::uint16_t hctx) { return hctxs_[hctx].waiters; }

 private:
  struct Hctx {
    std::vector<std::uint16_t> free;  // last freed, first taken
    std::deque<Request> requests;     // grows to what is used, at most the depth
    std::vector<Request*> active;
    std::deque<Waiter> waiters;
  };
  std::uint16_t depth_;
  std::vector<Hctx> hctxs_;
};

}  // namespace flushlab::block
