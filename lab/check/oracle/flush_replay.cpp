// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/flush_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "hostmodel/block/request_queue.hpp"

namespace flushlab::lab::oracle {

using block::Bio;
using block::Request;

namespace {

// One block device without a drive: the recording says when commands complete.
class Replay {
 public:
  Replay(const Recording& recording, const std::string& disk, bool cut_off)
      : recording_(&recording),
        disk_(disk),
        cut_off_(cut_off),
        simulator_(1),
        host_(host_of(recording.vcpus)),
        machine_(simulator_, kernel_, host_),
        map_(queue_map(recording, disk)),
        tags_(static_cast<std::uint16_t>(*std::max_element(map_.begin(), map_.end()) + 1), kTags),
        queue_(disk, machine_, tags_, map_, {this, &Replay::queue_rq}, 1),
        hctxs_(tags_.hw_queues()) {
    block::QueueLimits limits;
    limits.feature_write_cache = limits.feature_fua = true;
    limits.max_hw_sectors = limits.max_sectors = 1U << 30;
    limits.max_segments = 0xFFFF;
    (void)queue_.commit_limits(limits);
    (void)queue_.scheduler_store("none");  // it is the drive's queue that decides, not the order among them
  }

  ReplayResult run() {
    struct Event {
      std::uint64_t ev;
      enum class Kind { kBio, kIssue, kDone } kind;
      std::size_t index;
    };
    std::vector<Event> events;
    for (std::size_t i = 0; i < recording_->bios.size(); ++i) {
      if (recording_->bios[i].device == disk_) events.push_back({recording_->bios[i].ev, Event::Kind::kBio, i});
    }
    for (std::size_t i = 0; i < recording_->commands.size(); ++i) {
      const RecordedCommand& c = recording_->commands[i];
      if (c.disk != disk_ || !of_block_layer(c)) continue;
      events.push_back({c.ev, Event::Kind::kIssue, i});
      if (c.cev) events.push_back({*c.cev, Event::Kind::kDone, i});
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.ev < b.ev; });
    sent_.assign(recording_->commands.size(), nullptr);
    for (const Event& event : events) {
      simulator_.events().run_until((event.ev + 1) * 1000);
      switch (event.kind) {
        case Event::Kind::kBio:
          submit(recording_->bios[event.index]);
          break;
        case Event::Kind::kIssue:
          issued(event.index);
          break;
        case Event::Kind::kDone:
          completed(event.index);
          break;
      }
      simulator_.events().run_until((event.ev + 1) * 1000);  // what kblockd does at once
      if (!result_.failure.empty()) return result_;
    }
    for (std::size_t h = 0; h < hctxs_.size(); ++h) {
      const std::size_t open = hctxs_[h].asked.size();
      if (open > (cut_off_ ? 1U : 0U)) {
        result_.failure = fmt::format("{} queue {}: the flush machine asks for {} Flush more than the recording has",
                                      disk_, h + 1, open);
        break;
      }
    }
    return result_;
  }

 private:
  static constexpr std::uint16_t kTags = 4096;
  struct Hctx {
    std::deque<Request*> asked;  // Flushes that the machine handed to the driver, not seen in the recording yet
    std::uint32_t waiting = 0;   // flush bios that have not ended
    std::uint64_t extra = 0;
    bool concurrent = false;
  };
  struct Data {
    Request* request;
    std::uint64_t begin, end;  // sectors
    std::uint64_t left;
    std::uint16_t cpu;
  };
  struct OneBio {
    Bio bio;
    Replay* replay;
    std::uint16_t hctx;
    bool flush;
  };

  static std::vector<std::uint16_t> queue_map(const Recording& recording, const std::string& disk) {
    std::vector<std::uint16_t> map(recording.vcpus);
    for (std::uint16_t cpu = 0; cpu < recording.vcpus; ++cpu) map[cpu] = recording.hctx_of(disk, cpu).value_or(cpu);
    return map;
  }

  static kernel::HostProfile host_of(std::uint16_t cpus) {
    kernel::HostProfile host;
    host.cpus = cpus;
    return host;
  }

  // Passthrough commands have no bio: the trace shows them with the flags of no operation.
  static bool of_block_layer(const RecordedCommand& c) {
    if (c.op == "flush") return c.rwbs == "FF";
    if (c.op == "write_zeroes") return c.rwbs.starts_with("N") && c.task != "nvme" && c.task != "nvmeadm";
    return !c.rwbs.empty() && (c.rwbs.front() == 'W' || c.rwbs.front() == 'R' || c.rwbs.front() == 'D' ||
                               (c.rwbs.front() == 'F' && c.rwbs.size() > 1));
  }

  void submit(const RecordedBio& recorded) {
    OneBio& one = bios_.emplace_back();
    one.replay = this;
    one.flush = recorded.preflush();
    one.hctx = map_.at(std::min<std::size_t>(recorded.cpu, map_.size() - 1));
    Bio& bio = one.bio;
    switch (recorded.op()) {
      case 'R':
        bio.op = block::BioOp::kRead;
        break;
      case 'D':
        bio.op = block::BioOp::kDiscard;
        break;
      case 'N':
        bio.op = block::BioOp::kWriteZeroes;
        break;
      default:
        bio.op = block::BioOp::kWrite;
        break;
    }
    bio.flags = static_cast<std::uint16_t>((recorded.preflush() ? block::REQ_PREFLUSH : 0) |
                                           (recorded.fua() ? block::REQ_FUA : 0));
    bio.cpu = static_cast<std::uint16_t>(std::min<std::size_t>(recorded.cpu, map_.size() - 1));
    bio.task = "replay";
    bio.sector = recorded.sector;
    bio.sectors = recorded.sectors;
    bio.owner = &one;
    bio.end_io = &ended;
    if (one.flush) {
      Hctx& hctx = hctxs_[one.hctx];
      if (hctx.waiting != 0) {
        hctx.concurrent = true;
        ++result_.sharing;
      }
      ++hctx.waiting;
    }
    limits_for(bio);
    queue_.submit_bio(bio);
  }

  // Discards and zeroing are not cut here: the recording's own commands say how they were.
  void limits_for(const Bio& bio) {
    if (bio.op != block::BioOp::kDiscard && bio.op != block::BioOp::kWriteZeroes) return;
    block::QueueLimits limits = queue_.limits();
    limits.max_discard_sectors = limits.max_write_zeroes_sectors = ~std::uint32_t{0};
    (void)queue_.commit_limits(limits);
  }

  static void ended(Bio& bio) {
    auto& one = *static_cast<OneBio*>(bio.owner);
    if (one.flush) --one.replay->hctxs_[one.hctx].waiting;
  }

  static void queue_rq(void* self, Request& request) {
    auto& replay = *static_cast<Replay*>(self);
    if (request.kind == Request::Kind::kFlush) {
      replay.hctxs_[request.hctx].asked.push_back(&request);
      return;
    }
    replay.data_.push_back({&request, request.sector, request.sector + request.sectors, request.sectors, request.cpu});
  }

  void issued(std::size_t index) {
    const RecordedCommand& c = recording_->commands[index];
    if (c.op != "flush") {
      check_placement(c);
      return;
    }
    ++result_.flushes;
    const auto h = static_cast<std::size_t>(c.qid - 1U);
    if (h >= hctxs_.size()) {
      result_.failure = fmt::format("command {}: a Flush on queue {}, which the header does not have", c.seq, c.qid);
      return;
    }
    Hctx& hctx = hctxs_[h];
    if (!hctx.asked.empty()) {
      sent_[index] = hctx.asked.front();
      hctx.asked.pop_front();
      return;
    }
    for (Hctx& other : hctxs_) {
      if (other.asked.empty() || moved_ == 2) continue;
      ++moved_;
      sent_[index] = other.asked.front();
      other.asked.pop_front();
      return;
    }
    if (hctx.concurrent && hctx.extra == 0) {  // X2
      ++hctx.extra;
      ++result_.extra;
      return;
    }
    result_.failure =
        fmt::format("command {}: a Flush on {} queue {} that the flush machine has not asked for", c.seq, disk_, c.qid);
  }

  // X3
  void check_placement(const RecordedCommand& c) {
    const std::uint64_t scale = block_sectors();
    const std::uint64_t begin = c.slba * scale;
    const std::uint64_t end = begin + c.nlb * scale;
    bool inside = false;
    for (const Data& data : data_) {
      if (begin >= data.end || end <= data.begin) continue;
      inside = true;
      const bool by_bio = map_[data.cpu] + 1U == c.qid;
      const bool by_issuer = c.cpu < map_.size() && map_[c.cpu] + 1U == c.qid;
      if (by_bio || by_issuer) return;
    }
    result_.failure =
        inside ? fmt::format("command {}: {} {}+{} on queue {}, but its bio was queued by a CPU of another", c.seq,
                             c.op, c.slba, c.nlb, c.qid)
               : fmt::format("command {}: {} {}+{} on {} belongs to no bio", c.seq, c.op, c.slba, c.nlb, disk_);
  }

  [[nodiscard]] std::uint64_t block_sectors() const {
    for (const nlohmann::json* limits : {&recording_->queue_limits, &recording_->queue_limits_after}) {
      const auto found = limits->find(disk_);
      if (found != limits->end() && found->is_object())
        return std::max<std::uint64_t>(found->value("logical_block_size", 512U) / 512, 1);
    }
    return 1;
  }

  void completed(std::size_t index) {
    const RecordedCommand& c = recording_->commands[index];
    if (c.op == "flush") {
      if (Request* flush = sent_[index]; flush != nullptr) queue_.complete(*flush, block::BlockStatus::kOk);
      return;
    }
    const std::uint64_t scale = block_sectors();
    std::uint64_t begin = c.slba * scale;
    const std::uint64_t end = begin + c.nlb * scale;
    // The oldest requests that the command's range lies in; a request is done when all of it is.
    for (std::size_t i = 0; i < data_.size() && begin < end;) {
      Data& data = data_[i];
      const std::uint64_t from = std::max(begin, data.begin);
      const std::uint64_t to = std::min(end, data.end);
      if (from >= to) {
        ++i;
        continue;
      }
      data.left -= std::min(data.left, to - from);
      if (from == begin) begin = to;
      if (data.left != 0) {
        ++i;
        continue;
      }
      Request* request = data.request;
      data_.erase(data_.begin() + static_cast<std::ptrdiff_t>(i));
      queue_.complete(*request, block::BlockStatus::kOk);
    }
  }

  const Recording* recording_;
  std::string disk_;
  bool cut_off_;
  kernel::KernelProfile kernel_ = [] {
    kernel::KernelProfile kernel;
    kernel.pending_flush_timeout_ns = sim::kNever / 4;
    return kernel;
  }();
  sim::Simulator simulator_;
  kernel::HostProfile host_;  // that takes no time
  kernel::Machine machine_;
  std::vector<std::uint16_t> map_;
  block::TagSet tags_;
  block::RequestQueue queue_;
  std::vector<Hctx> hctxs_;
  std::deque<OneBio> bios_;
  std::vector<Data> data_;
  std::vector<Request*> sent_;  // by command: the machine's Flush that it is
  std::uint32_t moved_ = 0;
  ReplayResult result_;
};

}  // namespace

ReplayResult replay_flushes(const Recording& recording, const std::string& disk, bool cut_off) {
  return Replay(recording, disk, cut_off).run();
}

}  // namespace flushlab::lab::oracle
