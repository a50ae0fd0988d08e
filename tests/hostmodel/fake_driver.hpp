// SPDX-License-Identifier: GPL-2.0-only
// A driver for block-layer tests: takes requests, and completes them when the test (or a random delay) says so.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hostmodel/block/request_queue.hpp"

namespace flushlab::test {

struct FakeDriver {
  struct Sent {
    block::Request* request = nullptr;
    bool flush = false;
    bool fua = false;
    std::uint64_t sector = 0;
    std::uint16_t hctx = 0;
    sim::TimeNs issued_ns = 0;
    sim::TimeNs done_ns = sim::kNever;
    std::string issuer;
  };

  FakeDriver(const kernel::KernelProfile& kernel, std::uint16_t cpus, std::uint16_t hw_queues, std::uint16_t depth = 32)
      : kernel_profile(kernel), tags(hw_queues, depth) {
    host_profile.cpus = cpus;
    host_profile.costs.flush_requeue_ns.value = 1000;
    machine = std::make_unique<kernel::Machine>(simulator, kernel_profile, host_profile);
    std::vector<std::uint16_t> map;
    for (std::uint16_t cpu = 0; cpu < cpus; ++cpu) map.push_back(static_cast<std::uint16_t>(cpu % hw_queues));
    queue = std::make_unique<block::RequestQueue>("disk", *machine, tags, map, block::MqOps{this, &queue_rq}, 1);
    queue->set_sectors(1 << 20);
    set_write_cache(true, true);
  }

  void set_write_cache(bool write_cache, bool fua) {
    block::QueueLimits limits;
    limits.max_hw_sectors = 256;
    limits.feature_write_cache = write_cache;
    limits.feature_fua = fua;
    REQUIRE(queue->commit_limits(limits).empty());
  }

  static void queue_rq(void* self, block::Request& request) {
    auto& driver = *static_cast<FakeDriver*>(self);
    Sent sent;
    sent.request = &request;
    sent.flush = request.kind == block::Request::Kind::kFlush;
    sent.fua = (request.flags & block::REQ_FUA) != 0;
    sent.sector = request.sector;
    sent.hctx = request.hctx;
    sent.issued_ns = driver.simulator.now();
    sent.issuer = request.issuer;
    driver.sent.push_back(sent);
    const std::size_t index = driver.sent.size() - 1;
    if (driver.on_sent) driver.on_sent(index);
  }

  void complete(std::size_t index, block::BlockStatus status = block::BlockStatus::kOk) {
    sent[index].done_ns = simulator.now();
    queue->complete(*sent[index].request, status);
  }
  void complete_after(std::size_t index, sim::TimeNs delay_ns) {
    simulator.events().schedule_after(
        delay_ns, [](void* self, std::uint64_t i) { static_cast<FakeDriver*>(self)->complete(i); }, this, index);
  }

  // "W8 F W!16": what was sent, in order; W sector, ! FUA, F flush.
  [[nodiscard]] std::string wire(std::size_t from = 0) const {
    std::string out;
    for (std::size_t i = from; i < sent.size(); ++i) {
      if (!out.empty()) out += ' ';
      out += sent[i].flush ? "F" : (sent[i].fua ? "W!" : "W") + std::to_string(sent[i].sector);
    }
    return out;
  }

  kernel::KernelProfile kernel_profile;
  kernel::HostProfile host_profile;
  sim::Simulator simulator{1};
  block::TagSet tags;
  std::unique_ptr<kernel::Machine> machine;
  std::unique_ptr<block::RequestQueue> queue;
  std::vector<Sent> sent;
  std::function<void(std::size_t)> on_sent;
};

// A bio that notes when it ended.
struct TestBio {
  block::Bio bio;
  sim::TimeNs submitted_ns = 0;
  sim::TimeNs ended_ns = sim::kNever;
  FakeDriver* driver = nullptr;

  void submit(FakeDriver& d, std::uint16_t flags, std::uint64_t sector, std::uint32_t sectors, std::uint16_t cpu = 0) {
    driver = &d;
    bio = block::Bio{};
    bio.flags = flags;
    bio.sector = sector;
    bio.sectors = sectors;
    bio.cpu = cpu;
    bio.task = "test";
    bio.owner = this;
    bio.end_io = [](block::Bio& b) {
      auto* self = static_cast<TestBio*>(b.owner);
      self->ended_ns = self->driver->simulator.now();
    };
    submitted_ns = d.simulator.now();
    d.queue->submit_bio(bio);
  }
  [[nodiscard]] bool ended() const { return ended_ns != sim::kNever; }
};

}  // namespace flushlab::test
