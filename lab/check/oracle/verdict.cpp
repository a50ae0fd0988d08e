// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <set>
#include <thread>

#include "hostmodel/fio/next_io.hpp"
#include "lab/check/oracle/compare.hpp"
#include "lab/check/oracle/compare_array.hpp"
#include "lab/check/oracle/flush_replay.hpp"
#include "lab/check/oracle/guest.hpp"
#include "lab/scenario/stack.hpp"

namespace flushlab::lab::oracle {

using nlohmann::json;

const char* word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "pass";
    case Outcome::kFail:
      return "fail";
    case Outcome::kSkip:
      return "skip";
  }
  return "fail";
}

namespace {

// What is found wrong first ends the judging.
struct Mismatch {
  std::string reason;
  std::vector<std::string> details;
};

class Judge {
 public:
  Judge(const Recording& recording, const Guest& guest) : recording_(&recording), guest_(&guest) {}

  // Empty reason: everything holds; `how` then says what was held.
  Mismatch run(std::string& how) {
    Mismatch wrong = limits();
    if (wrong.reason.empty()) wrong = admin();
    if (wrong.reason.empty()) wrong = io(how);
    if (wrong.reason.empty()) wrong = outputs();
    if (wrong.reason.empty()) wrong = replay();
    if (wrong.reason.empty()) wrong = fsyncs();
    return wrong;
  }

 private:
  // ---- O1 ----
  Mismatch limits() const {
    Mismatch wrong = limits_of(recording_->queue_limits, guest_->queue_limits_before(), "before");
    if (!wrong.reason.empty()) return wrong;
    return limits_of(recording_->queue_limits_after, guest_->queue_limits(), "after");
  }
  static Mismatch limits_of(const json& recorded, const json& model, const char* when) {
    for (const auto& [device, attributes] : recorded.items()) {
      const auto known = model.find(device);
      if (known == model.end() || !attributes.is_object()) continue;
      for (const auto& [attribute, value] : known->items()) {
        const auto it = attributes.find(attribute);
        if (it == attributes.end() || *it == value) continue;
        return {fmt::format("queue limits {} of {}: {} is {} in the recording, {} in the model", when, device,
                            attribute, it->dump(), value.dump()),
                {}};
      }
    }
    return {};
  }

  // ---- O2 ----
  Mismatch admin() const {
    std::set<std::string> disks;
    for (const RecordedCommand& c : recording_->commands) {
      if (c.admin()) disks.insert(c.disk);
    }
    for (const ModelCommand& c : guest_->commands()) {
      if (c.qid == 0) disks.insert(c.disk);
    }
    for (const std::string& disk : disks) {
      std::vector<RecordedCommand> recorded;
      std::vector<ModelCommand> model;
      std::copy_if(recording_->commands.begin(), recording_->commands.end(), std::back_inserter(recorded),
                   [&](const RecordedCommand& c) { return c.admin() && c.disk == disk; });
      std::copy_if(guest_->commands().begin(), guest_->commands().end(), std::back_inserter(model),
                   [&](const ModelCommand& c) { return c.qid == 0 && c.disk == disk; });
      AdminComparison comparison = compare_admin(recorded, model, disk);
      if (!comparison.failure.empty()) return {comparison.failure, comparison.details};
    }
    return {};
  }

  // ---- O3, O4 ----
  [[nodiscard]] std::set<std::string> io_disks() const {
    std::set<std::string> disks;
    for (const RecordedCommand& c : recording_->commands) {
      if (!c.admin()) disks.insert(c.disk);
    }
    for (const ModelCommand& c : guest_->commands()) {
      if (c.qid != 0) disks.insert(c.disk);
    }
    return disks;
  }

  // One I/O in flight at a time, by construction of the guest's programs.
  [[nodiscard]] bool order_is_certain() const {
    if (guest_->has_background()) return false;
    return std::all_of(guest_->fio_runs().begin(), guest_->fio_runs().end(), [](const FioRun& run) {
      return run.jobs.size() == 1 && run.jobs.front().numjobs == 1 &&
             (!fio::is_async(run.jobs.front().ioengine) || run.jobs.front().iodepth == 1);
    });
  }

  // One disk's I/O commands, recorded and the model's.
  [[nodiscard]] std::pair<std::vector<RecordedCommand>, std::vector<ModelCommand>> io_of(
      const std::string& disk) const {
    std::pair<std::vector<RecordedCommand>, std::vector<ModelCommand>> both;
    std::copy_if(recording_->commands.begin(), recording_->commands.end(), std::back_inserter(both.first),
                 [&](const RecordedCommand& c) { return !c.admin() && c.disk == disk; });
    std::copy_if(guest_->commands().begin(), guest_->commands().end(), std::back_inserter(both.second),
                 [&](const ModelCommand& c) { return c.qid != 0 && c.disk == disk; });
    return both;
  }

  // The members of an array, each for itself.
  Mismatch members(std::string& how) const {
    how = "each member's data in order, its metadata where the rules impose it";
    for (const std::string& disk : io_disks()) {
      const auto [recorded, model] = io_of(disk);
      MemberComparison comparison = order_is_certain()
                                        ? compare_member(recorded, model, disk, guest_->metadata_of(disk))
                                        : compare_member_set(recorded, guest_->copies_of(recording_->bios, disk), disk,
                                                             guest_->metadata_of(disk));
      if (!comparison.failure.empty()) return {comparison.failure, comparison.details};
      if (!comparison.exact)
        how = "each member's data in order, its metadata where the rules impose it; timers elsewhere";
    }
    if (order_is_certain()) return {};
    how = "each member's data and metadata as sets, writes as fio makes them, flushes by replay";
    return totals();
  }

  Mismatch io(std::string& how) const {
    if (guest_->has_arrays()) return members(how);
    how = "same commands in the same order";
    Mismatch first;
    for (const std::string& disk : io_disks()) {
      const auto [recorded, model] = io_of(disk);
      std::vector<std::string> r;
      std::vector<std::string> m;
      for (const RecordedCommand& c : recorded) r.push_back(line_of(c));
      for (const ModelCommand& c : model) m.push_back(line_of(c));
      const Difference difference = compare_lines(r, m, disk);
      if (difference.equal) continue;
      if (guest_->has_large_direct_io() && same_blocks(recorded, model, most_blocks(disk))) {
        how = "same commands in the same order; pieces of large direct I/O cut elsewhere";
        continue;
      }
      if (first.reason.empty())
        first = {fmt::format("I/O commands of {}, from command {} on", disk, difference.at), difference.details};
    }
    if (first.reason.empty()) return {};
    if (order_is_certain()) return first;
    how = "a legal order: writes as fio makes them, totals within bounds, flushes by replay";
    return totals();
  }

  [[nodiscard]] std::uint64_t most_blocks(const std::string& disk) const {
    const auto limits = recording_->queue_limits.find(disk);
    if (limits == recording_->queue_limits.end()) return ~std::uint64_t{0};
    return limits->value("max_sectors_kb", std::uint64_t{0}) * 1024 /
           limits->value("logical_block_size", std::uint64_t{512});
  }

  // The bios that programs queued to the device that a fio run works on, in order.
  Mismatch totals() const {
    for (std::size_t i = 0; i < guest_->fio_runs().size(); ++i) {
      const FioRun& run = guest_->fio_runs()[i];
      if (Mismatch wrong = writes_of(run); !wrong.reason.empty()) return wrong;
    }
    return {};
  }

  // O4: every write that the recording has is the next one of some job; the jobs' own order is fio's.
  Mismatch writes_of(const FioRun& run) const {
    const std::string device = recorded_name(run.device);
    const bool writes_only = std::all_of(run.jobs.begin(), run.jobs.end(), [](const fio::JobOptions& job) {
      return !fio::is_mixed(job.rw) && fio::does_write(job.rw);
    });
    std::vector<const RecordedBio*> bios;
    std::uint64_t flushes = 0;
    for (const RecordedBio& bio : recording_->bios) {
      if (bio.device != device) continue;
      if (bio.preflush() && bio.sectors == 0) {
        ++flushes;
      } else if ((bio.op() == 'W' || (bio.op() == 'R' && !writes_only)) && bio.sectors != 0 && !by_kernel(bio.task)) {
        bios.push_back(&bio);
      }
    }
    const bool alone = guest_->fio_runs().size() == 1;
    struct Lane {
      std::unique_ptr<fio::NextIo> next;
      std::deque<std::pair<std::uint64_t, std::uint64_t>> ahead;  // offset, size: taken from next, not matched yet
      std::uint64_t matched = 0;
      std::size_t window = 1;  // I/Os that may overtake each other on their way to the kernel
      bool ended = false;
    };
    std::vector<Lane> lanes;
    std::uint32_t number = 0;
    const block::BlockDevice* target = const_cast<Guest*>(guest_)->find_device(run.device);
    if (target == nullptr) return {};
    bool syncs = false;
    bool timed = false;
    bool deep = false;
    for (const fio::JobOptions& job : run.jobs) {
      syncs = syncs || job.fsync_every_writes != 0 || job.fdatasync_every_writes != 0;
      timed = timed || job.runtime_ns.has_value();
      deep = deep || (fio::is_async(job.ioengine) && job.iodepth > 1);
      for (std::uint32_t clone = 0; clone < job.numjobs; ++clone) {
        Lane& lane = lanes.emplace_back();
        lane.window = fio::is_async(job.ioengine) ? job.iodepth : 1;
        lane.next = std::make_unique<fio::NextIo>(job, fio::FioVersion::k3_33, ++number, clone, target->sectors() * 512,
                                                  guest_->scenario().seed);
        lane.next->start_pass();
      }
    }
    const auto refill = [](Lane& lane) {
      while (!lane.ended && lane.ahead.size() < lane.window) {
        const auto request = lane.next->next();
        if (!request) {
          lane.ended = true;
          return;
        }
        lane.next->on_issued(*request);
        lane.next->on_completed(request->kind, request->offset_bytes, request->length_bytes);
        if (!request->is_sync()) lane.ahead.emplace_back(request->offset_bytes, request->length_bytes);
      }
    };
    std::set<std::uint64_t> submitted;
    for (const RecordedBio* bio : bios) {
      const std::uint64_t offset = bio->sector * 512;
      // A submission that would have had to wait (a frozen queue, no tag) comes again from io-wq.
      bool found = bio->task.starts_with("iou-wrk") && submitted.contains(offset);
      if (found) continue;
      submitted.insert(offset);
      for (Lane& lane : lanes) {
        refill(lane);
        const auto it =
            std::find_if(lane.ahead.begin(), lane.ahead.end(), [&](const auto& io) { return io.first == offset; });
        if (it == lane.ahead.end()) continue;
        lane.ahead.erase(it);
        ++lane.matched;
        found = true;
        break;
      }
      if (!found && alone)
        return {fmt::format("bio at ev {}: {} of sector {} is not the next one of any job of fio", bio->ev, bio->rwbs,
                            bio->sector),
                {}};
    }
    if (timed || !alone) return {};  // how many there are is a matter of time
    // Each job's number of data I/Os and fsyncs together is fio's; without fsync the data I/Os alone.
    const auto count = [&](const char* op) {
      return static_cast<std::uint64_t>(std::count_if(guest_->commands().begin(), guest_->commands().end(),
                                                      [&](const ModelCommand& c) { return c.qid != 0 && c.op == op; }));
    };
    std::uint64_t model_data = count("write") + count("read");
    if (guest_->has_arrays()) {  // above the members
      model_data = 0;
      for (const auto& job : guest_->job_results()) model_data += job.write.total_ios + job.read.total_ios;
    }
    if (!deep || !syncs) {
      if (bios.size() != model_data && data_commands() != model_data) {
        return {fmt::format("{} data I/Os in the recording, {} in the model", bios.size(), model_data), {}};
      }
      return {};
    }
    std::uint64_t model_syncs = 0;
    for (const auto& jobs : guest_->job_results()) model_syncs += jobs.syncs;
    const bool shows_syncs = write_back(device);
    std::uint64_t depth = 0;
    for (const fio::JobOptions& job : run.jobs) depth += std::uint64_t{job.iodepth} * job.numjobs;
    if (shows_syncs) {
      const std::uint64_t recorded_sum = bios.size() + flushes;
      const std::uint64_t model_sum = model_data + model_syncs;
      if (recorded_sum + depth < model_sum || model_sum + depth < recorded_sum) {
        return {fmt::format("{} writes and fsyncs in the recording, {} in the model, more than the depth of {} apart",
                            recorded_sum, model_sum, depth),
                {}};
      }
    }
    return {};
  }

  [[nodiscard]] std::uint64_t data_commands() const {
    return static_cast<std::uint64_t>(
        std::count_if(recording_->commands.begin(), recording_->commands.end(),
                      [](const RecordedCommand& c) { return c.op == "write" || c.op == "read"; }));
  }
  static bool by_kernel(const std::string& task) { return task.starts_with("kworker") || task.starts_with("jbd2"); }
  [[nodiscard]] bool write_back(const std::string& device) const {
    const auto limits = recording_->queue_limits.find(device);
    return limits != recording_->queue_limits.end() && limits->value("write_cache", "") == "write back";
  }
  // Mapped devices have numbers in a recording: the one with the same size.
  [[nodiscard]] std::string recorded_name(const std::string& device) const {
    if (!device.starts_with("mapper/")) return device;
    const block::BlockDevice* target = const_cast<Guest*>(guest_)->find_device(device);
    std::set<std::string> used;
    for (const RecordedBio& bio : recording_->bios) {
      if (bio.device.starts_with("dm-")) used.insert(bio.device);
    }
    for (const std::string& name : used) {
      const auto limits = recording_->queue_limits.find(name);
      if (limits == recording_->queue_limits.end() || target == nullptr ||
          limits->value("size_sectors", std::uint64_t{0}) == target->sectors())
        return name;
    }
    return device;
  }

  // ---- O6 ----
  Mismatch outputs() const {
    for (std::size_t i = 0; i < recording_->lines.size() && i < guest_->outputs().size(); ++i) {
      const GuestLine& line = recording_->lines[i];
      const auto& model = guest_->outputs()[i];
      if (!line.output || !model || model->empty() || scan_may_run(i)) continue;
      if (*line.output != *model) {
        const Difference difference = compare_lines(*line.output, *model, "output");
        return {fmt::format("output of '{}'", line.text), difference.details};
      }
    }
    return {};
  }
  // Whether a scan that nobody waits for may still be under way when line i runs.
  [[nodiscard]] bool scan_may_run(std::size_t i) const {
    while (i-- > 0) {
      const std::string& text = recording_->lines[i].text;
      if (text.starts_with("cat ") || text.starts_with("echo \"write") || text.starts_with("fio ")) continue;
      if (text.starts_with("sleep ")) return false;
      if (text.starts_with("nvmeadm ")) {
        const std::size_t space = text.rfind(' ');
        return std::strtoul(text.c_str() + space + 1, nullptr, 10) < 300;
      }
      return text.find("reset") != std::string::npos || text.find("rescan") != std::string::npos ||
             text.find("set-feature") != std::string::npos || text.find("modprobe") != std::string::npos;
    }
    return false;
  }

  // ---- O5 ----
  Mismatch replay() const {
    for (const std::string& disk : io_disks()) {
      const ReplayResult result = replay_flushes(*recording_, disk, guest_->has_background());
      if (!result.failure.empty()) return {result.failure, {}};
    }
    return {};
  }

  // ---- O7 ----
  Mismatch fsyncs() const {
    if (recording_->fsyncs.empty() || recording_->drives.size() != 1 || !recording_->qemu_extra.empty()) return {};
    const std::string disk = "nvme0n1";
    const auto limits = recording_->queue_limits.find(disk);
    if (limits == recording_->queue_limits.end()) return {};
    if (limits->value("write_cache", "") == "write through" && limits->value("fua", 0) == 1) return {};  // overridden
    for (const GuestLine& line : recording_->lines) {
      if (line.text.starts_with("echo \"write")) return {};
    }
    const auto after = recording_->queue_limits_after.find(disk);
    if (after != recording_->queue_limits_after.end() && after->value("write_cache", "") == "write through" &&
        after->value("fua", 0) == 1)
      return {};
    struct Change {
      std::uint64_t ev;
      bool on;
    };
    std::vector<Change> changes = {{0, limits->value("write_cache", "") == "write back"}};
    bool scanning = false;  // a limits update outside of a scan is the admin queue's
    for (const RecordedMark& mark : recording_->marks) {
      if (mark.text.starts_with("k:scan-begin")) scanning = true;
      if (mark.text.starts_with("k:scan-end")) scanning = false;
      if (!scanning || !mark.text.starts_with("k:limits-commit")) continue;
      bool on = changes.back().on;
      for (const RecordedCommand& c : recording_->commands) {
        if (c.op != "nvme_admin_get_features" || !c.args.starts_with("fid=0x6,") || !c.cev || *c.cev >= mark.ev)
          continue;
        on = c.status != 0 || (c.result & 1U) != 0;
      }
      changes.push_back({mark.ev, on});
    }
    for (const RecordedFsync& call : recording_->fsyncs) {
      const std::uint64_t exit = call.exit_ev.value_or(call.enter_ev);
      bool on = changes.front().on;
      bool straddles = !call.exit_ev;
      for (std::size_t i = 1; i < changes.size(); ++i) {
        if (changes[i].ev <= call.enter_ev) on = changes[i].on;
        if (changes[i].ev >= call.enter_ev && changes[i].ev <= exit) straddles = true;
      }
      if (!straddles && call.flush != on) {
        return {fmt::format("fsync at ev {}: {} flush, though the write cache was {} by the limits updates",
                            call.enter_ev, call.flush ? "a" : "no", on ? "in use" : "not in use"),
                {}};
      }
    }
    return {};
  }

  const Recording* recording_;
  const Guest* guest_;
};

}  // namespace

Verdict judge(const ConfigRoot& root, const std::filesystem::path& header) {
  const Recording recording = load_recording(header);
  Verdict verdict;
  verdict.group = recording.group;
  verdict.scenario = recording.name;
  const auto skip = [&](const std::string& reason) {
    verdict.outcome = Outcome::kSkip;
    verdict.reason = reason;
    return verdict;
  };
  if (recording.lost_events) return skip("the recording lost events");
  try {
    Guest guest(root, recording, setup_of_group(header.parent_path()));
    guest.run();
    Mismatch wrong = Judge(recording, guest).run(verdict.how);
    if (!wrong.reason.empty()) {
      verdict.outcome = Outcome::kFail;
      verdict.reason = wrong.reason;
      verdict.details = wrong.details;
    }
  } catch (const NotModelled& missing) {
    return skip(fmt::format("not modelled: {}", missing.what()));
  } catch (const UnknownShell& missing) {
    return skip(fmt::format("not modelled: {}", missing.what()));
  } catch (const json::exception& error) {
    throw RecordingError(fmt::format("{}: not in the format: {}", header.string(), error.what()));
  } catch (const RunError& error) {
    verdict.outcome = Outcome::kFail;
    verdict.reason = error.what();
  }
  return verdict;
}

namespace {

Verdict unreadable(const std::filesystem::path& header, std::string reason) {
  Verdict verdict;
  verdict.group = header.parent_path().filename().string();
  verdict.scenario = header.stem().string();
  verdict.outcome = Outcome::kFail;
  verdict.unreadable = true;
  verdict.reason = std::move(reason);
  return verdict;
}

}  // namespace

std::vector<Verdict> judge_all(const ConfigRoot& root, const std::filesystem::path& directory, unsigned threads) {
  const std::vector<std::filesystem::path> headers = find_recordings(directory);
  std::vector<Verdict> verdicts(headers.size());
  std::vector<std::exception_ptr> errors(headers.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < headers.size(); i = next++) {
      try {
        verdicts[i] = judge(root, headers[i]);
      } catch (const RecordingError& error) {
        verdicts[i] = unreadable(headers[i], error.what());
      } catch (const ConfigError& error) {
        verdicts[i] = unreadable(headers[i], headers[i].string() + ": " + error.message);
      } catch (const dm::TableError& error) {
        verdicts[i] = unreadable(headers[i], headers[i].string() + ": " + error.what());
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  std::vector<std::jthread> pool;
  for (unsigned t = 1; t < std::max(1U, threads) && t < headers.size(); ++t) pool.emplace_back(work);
  work();
  pool.clear();  // joins
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return verdicts;
}

}  // namespace flushlab::lab::oracle
