// SPDX-License-Identifier: GPL-2.0-only
// The smallest host: rings, doorbells and nothing else. For checks and tests of a controller through its door.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/controller/controller.hpp"
#include "emulator/queue/door.hpp"
#include "emulator/queue/ring.hpp"
#include "emulator/sim/simulator.hpp"

namespace flushlab::lab {

class RawHost {
 public:
  static constexpr std::uint16_t kEntries = 64;
  static constexpr std::uint64_t kDataBytes = 512 * 1024;

  explicit RawHost(const media::DeviceProfile& device) : profile(device), controller(simulator, door, profile) {
    data = door.memory().allocate(kDataBytes, queue::HostMemory::Kind::kBytes);
    ids = door.memory().allocate(kDataBytes, queue::HostMemory::Kind::kWriteIds);
    list = door.memory().allocate(2 * queue::kPageBytes, queue::HostMemory::Kind::kBytes);
  }

  void start() {
    asq_ = region(kEntries * sizeof(spec::SubmissionEntry));
    acq_ = region(kEntries * sizeof(spec::CompletionEntry));
    door.write32(spec::reg::kAQA, spec::aqa::make(kEntries, kEntries));
    door.write64(spec::reg::kASQ, asq_);
    door.write64(spec::reg::kACQ, acq_);
    door.write32(spec::reg::kCC, spec::cc::make(true));
    simulator.events().run();
    queues_.assign(2, {});
    queues_[0] = pair(asq_, acq_, kEntries);
  }
  void stop() { door.write32(spec::reg::kCC, spec::cc::make(false)); }
  [[nodiscard]] std::uint32_t csts() { return door.read32(spec::reg::kCSTS); }

  void create_io_pair(std::uint16_t entries = kEntries, std::uint16_t qid = 1, bool interrupts = true) {
    entries = static_cast<std::uint16_t>(std::min<std::uint32_t>(entries, profile.identify.mqes + 1U));
    const std::uint64_t cq = region(entries * sizeof(spec::CompletionEntry));
    const std::uint64_t sq = region(entries * sizeof(spec::SubmissionEntry));
    admin(spec::make_create_io_cq(qid, entries, cq, interrupts, qid));
    admin(spec::make_create_io_sq(qid, entries, sq, qid));
    if (queues_.size() <= qid) queues_.resize(qid + 1U);
    queues_[qid] = pair(sq, cq, entries);
  }

  // Queues one command and rings; its CID is returned.
  std::uint16_t send(std::uint16_t qid, spec::SubmissionEntry sqe) {
    sqe.cid = ++cid_;
    queues_[qid].sq.push(sqe);
    door.ring_sq_tail(qid, queues_[qid].sq.tail());
    return cid_;
  }
  // Takes what has been completed; the head doorbell is rung only when asked.
  std::vector<spec::CompletionEntry> reap(std::uint16_t qid, bool ring = true) {
    std::vector<spec::CompletionEntry> out;
    Pair& q = queues_[qid];
    while (const spec::CompletionEntry* entry = q.cq.peek()) {
      out.push_back(*entry);
      q.sq.consumed(entry->sqhd);
      q.cq.pop();
    }
    if (ring && !out.empty()) door.ring_cq_head(qid, q.cq.head());
    return out;
  }
  // Sends one command, runs until nothing is left to happen, and returns its completion; cid 0 if there was none.
  spec::CompletionEntry run(std::uint16_t qid, const spec::SubmissionEntry& sqe) {
    const std::uint16_t cid = send(qid, sqe);
    simulator.events().run();
    for (const spec::CompletionEntry& entry : reap(qid)) {
      if (entry.cid.value() == cid) return entry;
    }
    return {};
  }
  spec::CompletionEntry admin(spec::SubmissionEntry sqe) {
    if (sqe.prp1.value() == 0) sqe.prp1 = data;
    return run(0, sqe);
  }
  // Up to two pages without a list.
  spec::CompletionEntry io(spec::SubmissionEntry sqe) {
    if (sqe.prp1.value() == 0) {
      sqe.prp1 = ids;
      sqe.prp2 = ids + queue::kPageBytes;
    }
    return run(1, sqe);
  }
  spec::CompletionEntry write(std::uint64_t lba, queue::WriteId id, std::uint32_t blocks = 1, bool fua = false) {
    for (std::uint32_t i = 0; i < blocks; ++i) door.memory().write_ids(ids, kDataBytes)[i] = id;
    return io(spec::make_write(1, lba, blocks, fua));
  }
  [[nodiscard]] std::uint64_t newest(std::uint64_t lba) { return controller.image()->at(lba).newest; }
  [[nodiscard]] std::uint64_t durable(std::uint64_t lba) { return controller.image()->at(lba).durable; }
  [[nodiscard]] std::byte* bytes() { return door.memory().bytes(data, kDataBytes); }
  std::uint64_t region(std::uint64_t size) { return door.memory().allocate(size, queue::HostMemory::Kind::kBytes); }

  media::DeviceProfile profile;
  sim::Simulator simulator{1};
  queue::Door door;
  controller::Controller controller;
  std::uint64_t data = 0, ids = 0, list = 0;

 private:
  struct Pair {
    queue::SqProducer sq;
    queue::CqConsumer cq;
  };
  Pair pair(std::uint64_t sq, std::uint64_t cq, std::uint16_t entries) {
    auto& memory = door.memory();
    Pair made;
    made.sq = {reinterpret_cast<spec::SubmissionEntry*>(memory.bytes(sq, entries * sizeof(spec::SubmissionEntry))),
               entries};
    made.cq = {
        reinterpret_cast<const spec::CompletionEntry*>(memory.bytes(cq, entries * sizeof(spec::CompletionEntry))),
        entries};
    return made;
  }
  std::uint64_t asq_ = 0, acq_ = 0;
  std::uint16_t cid_ = 0;
  std::vector<Pair> queues_;
};

}  // namespace flushlab::lab
