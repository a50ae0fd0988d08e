// SPDX-License-Identifier: GPL-2.0-only
// A whole stack for tests of what goes on the wire: tasks on chosen CPUs, and the commands in the notation of the
// write-cache vectors.
//
//   W(slba,nlb) write   W!(slba,nlb) FUA write   F Flush   D(slba,nlb) deallocate   Z(slba,nlb) Write Zeroes
//   each with its queue; "a -> b": everything before b was complete when b was sent; "a, b": something was not.
#pragma once

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hostmodel/block/freeze.hpp"
#include "hostmodel/block/plug.hpp"
#include "hostmodel/dm/mapped_device.hpp"
#include "hostmodel/fio/job.hpp"
#include "hostmodel/fio/job_file.hpp"
#include "hostmodel/nvme/passthru.hpp"
#include "hostmodel/vfs/block_file.hpp"
#include "lab/scenario/stack.hpp"
#include "lab/trace/command_names.hpp"

namespace flushlab::test {

class Rig {
 public:
  Rig(const std::string& kernel, std::vector<std::string> sets) {
    const lab::ConfigRoot root(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
    const nlohmann::ordered_json tree = {{"name", "vector"},
                                         {"device", "generic-plp"},
                                         {"kernel", kernel},
                                         {"host", "cd6-v-host"},
                                         {"workload", {{"fio", "--name=a --rw=write --size=1M"}}}};
    std::vector<std::string> all = {"host.cpus=4",
                                    "device.identify.oncs=0x5c",
                                    "device.identify.vwc=0x07",
                                    "device.identify.mdts=5",
                                    "device.write_cache.wce_default=true",
                                    "device.timing.write_lat_sigma=0",
                                    "device.timing.flush_answer=1ms",
                                    "device.timing.destage_idle_delay=1s"};
    all.insert(all.end(), sets.begin(), sets.end());
    scenario_ = lab::parse_scenario(root, tree.dump(), "vector", all).scenario;
    stack_ = std::make_unique<lab::Stack>(scenario_);
    host().pci().log().add_observer({this, &issued, &completed});
    stack_->bring_up();
    sim().events().run_until(sim().now() + sim::kSecond);  // the partition scan ends
    start_ns_ = sim().now();
    forget();
  }

  lab::Stack& stack() { return *stack_; }
  sim::Simulator& sim() { return stack_->simulator(); }
  sim::FramePool& frames() { return sim().frames(); }
  nvme::Ctrl& host() { return stack_->host(); }
  block::RequestQueue& queue(std::uint32_t nsid = 1) {
    nvme::Namespace* ns = host().find_namespace(nsid);
    if (ns == nullptr || ns->queue == nullptr) throw lab::RunError("no such namespace");
    return *ns->queue;
  }

  // A file open on a device: the namespace's unless another is named.
  vfs::BlockFile& open(vfs::OpenFlags flags, block::BlockDevice* device = nullptr) {
    block::BlockDevice& target = device == nullptr ? queue() : *device;
    auto& cache = caches_.try_emplace(&target, std::uint64_t{64} << 20).first->second;
    return files_.emplace_back(stack_->machine(), target, stack_->door().memory(), cache, flags);
  }
  vfs::BlockFile& direct() { return open({true, false}); }
  vfs::BlockFile& direct_dsync() { return open({true, true}); }
  vfs::BlockFile& buffered() { return open({false, false}); }
  static vfs::Caller on(std::uint16_t cpu) { return {{"task", cpu}, 0, 0}; }
  std::uint64_t buffer(std::uint64_t size_bytes) {
    return stack_->door().memory().allocate(size_bytes, queue::HostMemory::Kind::kWriteIds);
  }

  // Time since the rig was built, for scripts.
  sim::Simulator::Sleep at(sim::TimeNs since_start_ns) { return sim().sleep_until(start_ns_ + since_start_ns); }
  sim::TimeNs elapsed() { return sim().now() - start_ns_; }
  void spawn(sim::Task<void> task) { sim().spawn(std::move(task)); }
  sim::Task<void> fsync_at(sim::TimeNs since_start_ns, std::uint16_t cpu, block::BlockDevice* device = nullptr) {
    co_await at(since_start_ns);
    vfs::BlockFile& file = open({true, false}, device);
    returned(co_await file.fsync(0, file.size_bytes() - 1, on(cpu)));
  }
  // A bio of its own, as a file system or a stacked driver submits it.
  sim::Task<void> bio_at(sim::TimeNs since_start_ns, std::uint16_t cpu, std::uint16_t flags, std::uint64_t sector,
                         std::uint32_t sectors) {
    co_await at(since_start_ns);
    block::BioGroup group(sim(), 0);
    block::Bio bio;
    bio.flags = flags;
    bio.sector = sector;
    bio.sectors = sectors;
    bio.cpu = cpu;
    bio.task = "task";
    bio.buffer = sectors != 0 ? buffer(std::uint64_t{sectors} * 512) : 0;
    group.submit(queue(), bio);
    returned(block::errno_of(co_await group));
  }
  sim::Task<void> fio(const std::string& options, block::BlockDevice* device = nullptr) {
    fio::JobFileContext context;
    std::vector<std::string> words;
    std::string word;
    for (const char c : options + " ") {
      if (c != ' ') {
        word += c;
      } else if (!word.empty()) {
        words.push_back(std::exchange(word, ""));
      }
    }
    const auto jobs = fio::parse_command_line(words, context).jobs;
    auto& set = jobs_.emplace_back(std::make_unique<fio::JobSet>(
        fio::JobSet::Environment{stack_->machine(), device == nullptr ? queue() : *device, stack_->door().memory()},
        jobs));
    co_await set->run();
  }
  sim::Task<void> set_features(std::uint32_t value) {
    co_await nvme::admin_ioctl(host(), spec::make_set_features(spec::FeatureId::kVolatileWriteCache, value), {},
                               {"nvme", 0});
  }
  sim::Task<void> rescan() {
    host().queue_scan();
    co_await host().flush_scan();
  }
  dm::MappedDevice& map(const std::string& name, const std::string& table) {
    auto targets = dm::parse_table(table);
    std::vector<std::vector<block::BlockDevice*>> members;
    for (const dm::TargetSpec& target : targets) members.emplace_back(target.members.size(), &queue());
    return mapped_.emplace_back(name, stack_->machine(), std::move(targets), std::move(members));
  }
  // Keeps what a system call returned, or anything else a script wants to say.
  void returned(int value) { note(std::to_string(value)); }
  void note(const std::string& text) { notes_ += (notes_.empty() ? "" : " ") + text; }
  void show_admin() { show_admin_ = true; }

  // Runs everything that the scripts started, a simulated hour at most.
  void run() { sim().events().run_until(sim().now() + 3600 * sim::kSecond); }
  // What went on the wire, then "; " and the notes.
  [[nodiscard]] std::string wire() const { return wire_ + (notes_.empty() ? "" : "; " + notes_); }
  void forget() {
    wire_.clear();
    notes_.clear();
    tags_.clear();
    times_.clear();
  }
  [[nodiscard]] const std::vector<std::uint16_t>& tags() const { return tags_; }  // of I/O commands, in order
  [[nodiscard]] const std::vector<sim::TimeNs>& times() const { return times_; }  // since the start, of the same

 private:
  static void issued(void* self, const nvme::IssuedCommand& command) {
    auto& rig = *static_cast<Rig*>(self);
    if (command.qid == 0 && !rig.show_admin_) return;
    const bool alone = rig.open_ == 0;
    ++rig.open_;
    rig.seqs_.insert(command.seq);
    if (!rig.wire_.empty()) rig.wire_ += alone ? " -> " : ", ";
    rig.wire_ += rig.words(command);
    if (command.qid == 0) return;
    rig.tags_.push_back(command.sqe.cid.value() & 0xFFF);
    rig.times_.push_back(command.at_ns - rig.start_ns_);
  }
  static void completed(void* self, const nvme::CompletedCommand& command) {
    auto& rig = *static_cast<Rig*>(self);
    if (rig.seqs_.erase(command.seq) != 0) --rig.open_;
  }
  [[nodiscard]] std::string words(const nvme::IssuedCommand& command) const {
    const spec::SubmissionEntry& sqe = command.sqe;
    if (command.qid == 0) {
      switch (static_cast<spec::AdminOpcode>(sqe.opc)) {
        case spec::AdminOpcode::kAbort:
          return fmt::format("abort q{}", sqe.cdw10.value() & 0xFFFF);
        case spec::AdminOpcode::kIdentify:
          return fmt::format("id{}", sqe.cdw10.value() & 0xFF);
        case spec::AdminOpcode::kGetLogPage:
          return fmt::format("log{}", sqe.cdw10.value() & 0xFF);
        case spec::AdminOpcode::kSetFeatures:
          return fmt::format("set{}", sqe.cdw10.value() & 0xFF);
        case spec::AdminOpcode::kGetFeatures:
          return fmt::format("get{}", sqe.cdw10.value() & 0xFF);
        default:
          return lab::admin_op_name(sqe);
      }
    }
    const std::string nsid = sqe.nsid.value() == 1 ? "" : fmt::format(" ns{}", sqe.nsid.value());
    const auto opcode = static_cast<spec::IoOpcode>(sqe.opc);
    std::string what;
    if (opcode == spec::IoOpcode::kFlush) {
      what = "F";
    } else if (opcode == spec::IoOpcode::kDatasetManagement) {
      const block::Request& request = *command.request;
      what = fmt::format("D({},{})", request.sector, request.sectors);
    } else {
      const bool fua = (sqe.cdw12.value() & (1U << 30)) != 0;
      const char* op = opcode == spec::IoOpcode::kWrite ? "W" : opcode == spec::IoOpcode::kRead ? "R" : "Z";
      what = fmt::format("{}{}({},{})", op, fua ? "!" : "", sqe.cdw10.value(), (sqe.cdw12.value() & 0xFFFF) + 1);
    }
    return fmt::format("{}{} q{}", what, nsid, command.qid);
  }

  lab::Scenario scenario_;
  std::unique_ptr<lab::Stack> stack_;
  std::map<block::BlockDevice*, vfs::PageCache> caches_;
  std::deque<vfs::BlockFile> files_;
  std::deque<dm::MappedDevice> mapped_;
  std::vector<std::unique_ptr<fio::JobSet>> jobs_;
  std::string wire_;
  std::string notes_;
  std::set<std::uint64_t> seqs_;  // commands shown and not complete
  std::vector<std::uint16_t> tags_;
  std::vector<sim::TimeNs> times_;
  std::uint64_t open_ = 0;  // their number
  sim::TimeNs start_ns_ = 0;
  bool show_admin_ = false;
};

}  // namespace flushlab::test
