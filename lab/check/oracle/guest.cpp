// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/guest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "lab/check/oracle/programs.hpp"
#include "lab/report/limits_report.hpp"
#include "lab/scenario/identify_dump.hpp"
#include "lab/scenario/stack.hpp"
#include "lab/trace/command_names.hpp"

namespace flushlab::lab::oracle {

using nlohmann::json;

std::string kernel_profile_of(const std::string& kernel, const std::string& driver) {
  std::string profile;
  for (const char* version : {"6.1", "6.8", "6.12", "7.1"}) {
    const std::string prefix = version;
    if (kernel.starts_with(prefix) &&
        (kernel.size() == prefix.size() || kernel[prefix.size()] == '.' || kernel[prefix.size()] == '-')) {
      profile = "linux-" + prefix;
    }
  }
  if (profile.empty()) throw NotModelled(fmt::format("kernel {}: no kernel profile of that version", kernel));
  if (driver.empty()) return profile;
  if (driver.find("honor the volatile write cache enable state") != std::string::npos) return profile + "+honor-wce";
  if (driver.find("v2 patch \"md: Use optimal I/O size") != std::string::npos) return profile + "+md-optimal-v2";
  if (driver.find("last-bitmap-page logic as merged for 6.4") != std::string::npos) return profile + "+md-optimal-6.4";
  throw NotModelled(fmt::format("driver: {}", driver));
}

namespace {

std::uint64_t integer_of(const json& value, const std::string& key) {
  if (!value.is_number_integer()) throw NotModelled(fmt::format("drive setting \"{}\": {}", key, value.dump()));
  return value.get<std::uint64_t>();
}

// What a header may say of a drive: a field of Identify that was edited before the guest started. Values that a careful
// drive would not report are taken as they are; that is what such recordings are for.
bool set_identify(media::IdentifyFields& identify, const std::string& key, std::uint64_t value) {
  const auto put = [value](auto& field) { field = static_cast<std::remove_reference_t<decltype(field)>>(value); };
  if (key == "mdts" || key == "77") {
    put(identify.mdts);
  } else if (key == "oacs" || key == "256") {
    put(identify.oacs);
  } else if (key == "lpa" || key == "261") {
    put(identify.lpa);
  } else if (key == "oncs" || key == "520") {
    put(identify.oncs);
  } else if (key == "vwc" || key == "525") {
    put(identify.vwc);
  } else if (key == "awun" || key == "526") {
    put(identify.awun);
  } else if (key == "awupf" || key == "528") {
    put(identify.awupf);
  } else if (key == "nsfeat") {
    put(identify.nsfeat);
  } else if (key == "nawupf") {
    put(identify.nawupf);
  } else if (key == "npwg") {
    put(identify.npwg);
  } else if (key == "npwa") {
    put(identify.npwa);
  } else if (key == "npdg") {
    put(identify.npdg);
  } else if (key == "npda") {
    put(identify.npda);
  } else if (key == "nows") {
    put(identify.nows);
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> sets_of_drive(const json& drive) {
  std::vector<std::string> sets;
  const auto size = drive.find("size");
  if (size == drive.end()) throw NotModelled("a drive without \"size\"");
  sets.push_back(fmt::format("device.identify.size={}B", integer_of(*size, "size")));
  if (const auto lba = drive.find("lba"); lba != drive.end())
    sets.push_back(fmt::format("device.identify.lba_size={}B", integer_of(*lba, "lba")));
  return sets;
}

void edit_drive(media::DeviceProfile& profile, const json& drive) {
  for (const auto& [key, value] : drive.items()) {
    if (key == "size" || key == "lba" || key == "slow_flush" || key == "serial") {
      // a flush that takes longer, and a name: neither changes what is sent
    } else if (key == "id_ctrl" && value.is_object()) {
      for (const auto& [offset, edit] : value.items()) {
        if (!edit.is_array() || edit.size() != 2 ||
            !set_identify(profile.identify, offset, integer_of(edit[1], offset)))
          throw NotModelled(fmt::format("an edit of Identify Controller byte {}", offset));
      }
    } else if (key == "ns" && value == "write-cache=off") {
      profile.cache.wce_default = false;
    } else if (key == "ctrl" && value.is_string() && value.get<std::string>().starts_with("subsys=")) {
      throw NotModelled("native multipath: two controllers of one subsystem share the namespace");
    } else if (!value.is_number_integer() || !set_identify(profile.identify, key, value.get<std::uint64_t>())) {
      throw NotModelled(fmt::format("drive setting \"{}\": {}", key, value.dump()));
    }
  }
}

}  // namespace

Guest::Guest(const ConfigRoot& root, const Recording& recording, const GroupSetup& group)
    : recording_(&recording), programs_(std::make_unique<Programs>(*this)) {
  build_drives(root);
  restore_state(group);
}

Guest::~Guest() {
  if (simulator_ != nullptr) simulator_->end_tasks();
}

void Guest::build_drives(const ConfigRoot& root) {
  const bool stock = recording_->driver.starts_with("unmodified distribution driver");
  const std::string kernel = kernel_profile_of(recording_->kernel, stock ? std::string() : recording_->driver);
  std::string more_namespaces;
  if (const std::string& extra = recording_->qemu_extra; !extra.empty()) {
    constexpr std::string_view kSecond = "a second namespace (nsid 2, ";
    std::uint64_t mebibytes = 0;
    const auto [end, error] =
        std::from_chars(extra.data() + std::min(kSecond.size(), extra.size()), extra.data() + extra.size(), mebibytes);
    if (!extra.starts_with(kSecond) || error != std::errc() || !std::string_view(end).starts_with(" MiB)"))
      throw NotModelled(extra);
    more_namespaces = fmt::format("{}MiB", mebibytes);
  }
  std::vector<media::DeviceProfile> profiles;
  for (const json& drive : recording_->drives) {
    if (!drive.is_object()) throw NotModelled(fmt::format("drive {}", drive.dump()));
    const nlohmann::ordered_json tree = {{"name", recording_->name},
                                         {"device", "qemu-7.2"},
                                         {"kernel", kernel},
                                         {"host", "qemu-guest"},
                                         {"workload", {{"fio", "--name=a --rw=write --size=1M"}}}};
    std::vector<std::string> sets = sets_of_drive(drive);
    sets.push_back(fmt::format("host.cpus={}", recording_->vcpus));
    scenario_ = parse_scenario(root, tree.dump(), recording_->name, sets).scenario;
    // QEMU's DMRSL is 2 GiB less one block, whatever the block size.
    scenario_.device.identify.dmrsl =
        static_cast<std::uint32_t>((std::uint64_t{1} << 31) / scenario_.device.identify.lba_bytes - 1);
    scenario_.device.identify.more_namespaces = more_namespaces;
    edit_drive(scenario_.device, drive);
    profiles.push_back(scenario_.device);
  }
  const std::string& edit = recording_->emulator_edit;
  constexpr std::string_view kEffects = "effects log entry of Set Features = ";
  if (edit.starts_with(kEffects)) {
    std::uint32_t effects = 0;
    const bool hex = edit.compare(kEffects.size(), 2, "0x") == 0;
    std::from_chars(edit.data() + kEffects.size() + (hex ? 2 : 0), edit.data() + edit.size(), effects, hex ? 16 : 10);
    for (auto& profile : profiles)
      profile.effects.push_back({static_cast<std::uint8_t>(spec::AdminOpcode::kSetFeatures), effects, false});
  } else if (!edit.empty() && !edit.starts_with("feature identifier 06h")) {
    throw NotModelled(fmt::format("emulator edit: {}", edit));
  }
  follow_names(profiles);
  simulator_ = std::make_unique<sim::Simulator>(scenario_.seed);
  machine_ = std::make_unique<kernel::Machine>(*simulator_, scenario_.kernel, scenario_.host);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    auto& drive = *drives_.emplace_back(std::make_unique<Drive>());
    drive.name = fmt::format("nvme{}", i);
    drive.profile = profiles[i];
  }
}

// A kernel that probes drives at the same time numbers them in any order: each name gets the drive that its recorded
// limits belong to.
void Guest::follow_names(std::vector<media::DeviceProfile>& profiles) const {
  std::vector<media::DeviceProfile> ordered;
  std::vector<bool> used(profiles.size(), false);
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const auto limits = recording_->queue_limits.find(fmt::format("nvme{}n1", i));
    if (limits == recording_->queue_limits.end() || !limits->is_object()) return;
    std::size_t k = 0;
    for (; k < profiles.size(); ++k) {
      if (used[k]) continue;
      const block::QueueLimits made =
          explain_limits(scenario_.kernel, identify_of(profiles[k]).view(), recording_->vcpus).limits;
      if (limits->value("size_sectors", std::uint64_t{0}) * 512 == profiles[k].identify.size_bytes &&
          limits->value("logical_block_size", 0U) == made.logical_block_size &&
          limits->value("optimal_io_size", 0U) == made.io_opt)
        break;
    }
    if (k == profiles.size()) return;  // the comparison of limits says what is wrong
    used[k] = true;
    ordered.push_back(profiles[k]);
  }
  profiles = std::move(ordered);
}

// Which namespace got which number in the recorded boot: as its commands show, or by the sizes.
std::vector<std::uint32_t> Guest::instances_of(const Drive& drive) const {
  if (drive.profile.identify.more_namespaces.empty()) return {};
  std::vector<std::uint32_t> instances = {1, 2};
  for (const RecordedCommand& c : recording_->commands) {
    if (c.admin() || c.nsid == 0 || c.nsid > instances.size()) continue;
    if (c.disk == fmt::format("{}n{}", drive.name, 3 - c.nsid)) return {2, 1};
    return instances;
  }
  for (const json* limits : {&recording_->queue_limits, &recording_->queue_limits_after}) {
    const auto first = limits->find(drive.name + "n1");
    if (first == limits->end() || !first->is_object()) continue;
    if (first->value("size_sectors", std::uint64_t{0}) * 512 != drive.profile.identify.size_bytes) return {2, 1};
  }
  return instances;
}

void Guest::load_driver(Drive& drive) {
  drive.host = std::make_unique<nvme::Ctrl>(*machine_, *drive.door, drive.name);
  drive.host->set_instances(instances_of(drive));
  observers_.push_back({this, &drive});
  drive.host->pci().log().add_observer({&observers_.back(), &on_issued, &on_completed});
}

void Guest::on_issued(void* object, const nvme::IssuedCommand& command) {
  const auto& observer = *static_cast<const Observer*>(object);
  if (!observer.guest->recording_now_) return;
  ModelCommand c;
  const spec::SubmissionEntry& sqe = command.sqe;
  const bool admin = command.qid == 0;
  const nvme::Namespace* ns = admin ? nullptr : observer.drive->host->find_namespace(sqe.nsid);
  c.disk = ns != nullptr && ns->queue != nullptr                             ? ns->queue->name()
           : command.request != nullptr && command.request->queue != nullptr ? command.request->queue->name()
           : admin                                                           ? observer.drive->name
                   : fmt::format("{}n{}", observer.drive->name, sqe.nsid.value());
  c.qid = command.qid;
  c.op = admin ? admin_op_name(sqe) : io_op_name(sqe.opc);
  c.args = command_args(admin, sqe);
  c.task = command.task;
  c.nsid = sqe.nsid;
  c.log_seq = command.seq;
  c.meta = command.request != nullptr && (command.request->flags & block::REQ_META) != 0;
  if (!admin && shows_range(sqe.io_opcode())) {
    c.slba = sqe.slba();
    c.nlb = spec::block_count(sqe);
    c.fua = spec::fua(sqe);
  } else if (!admin && sqe.io_opcode() == spec::IoOpcode::kDatasetManagement && command.request != nullptr &&
             command.request->kind == block::Request::Kind::kBio) {
    const std::uint32_t sectors_per_block = observer.drive->profile.identify.lba_bytes / 512;
    c.slba = command.request->sector / sectors_per_block;
    c.nlb = command.request->sectors / sectors_per_block;
  }
  observer.guest->commands_.push_back(std::move(c));
}

void Guest::on_completed(void* object, const nvme::CompletedCommand& command) {
  const auto& observer = *static_cast<const Observer*>(object);
  auto& commands = observer.guest->commands_;
  for (std::size_t i = commands.size(); i-- > 0;) {
    ModelCommand& c = commands[i];
    if (c.completed || c.log_seq != command.seq || !c.disk.starts_with(observer.drive->name)) continue;
    c.completed = true;
    c.status = command.status.word(false) >> 1U;
    c.result = command.result;
    return;
  }
}

void Guest::run_task(sim::Task<void> task, const char* what) {
  struct Flag {
    static sim::Task<void> set(sim::Simulator&, sim::Task<void> inner, bool& done) {
      co_await std::move(inner);
      done = true;
    }
  };
  bool done = false;
  simulator_->spawn(Flag::set(*simulator_, std::move(task), done));
  while (!done && simulator_->events().run_one()) {
  }
  if (!done) throw RunError(fmt::format("{}: {} waits for something that never happens", recording_->name, what));
}

void Guest::settle(sim::TimeNs for_ns) {
  simulator_->events().run_until(simulator_->now() + for_ns);
}

namespace {

// queue/write_cache and queue/fua of one device in a header.
struct SysfsState {
  bool known = false;
  bool write_back = false;
  bool fua = false;
};

SysfsState sysfs_of(const json& limits, const std::string& device) {
  SysfsState state;
  const auto it = limits.find(device);
  if (it == limits.end() || !it->is_object() || !it->contains("write_cache")) return state;
  state.known = true;
  state.write_back = (*it)["write_cache"] == "write back";
  state.fua = it->value("fua", 0) != 0;
  return state;
}

// The drive's WCE before the first command, where the recording's own answers tell: a Get Features 06h before any Set.
std::optional<bool> first_wce(const Recording& recording, const std::string& disk) {
  for (const RecordedCommand& c : recording.commands) {
    if (c.disk != disk || !c.args.starts_with("fid=0x6,")) continue;
    if (c.op == "nvme_admin_set_features" && c.status == 0) return std::nullopt;
    if (c.op == "nvme_admin_get_features" && c.status == 0 && c.args.find("sel=0x0") != std::string::npos)
      return (c.result & 1U) != 0;
  }
  return std::nullopt;
}

// Whether feature 06h exists before the first command: its first answer tells, else the drive was made so.
bool feature6_works(const Recording& recording, const std::string& disk) {
  const bool edited = recording.emulator_edit.starts_with("feature identifier 06h unsupported");
  std::optional<bool> switched;
  for (const GuestLine& line : recording.lines) {
    const std::size_t at = line.text.find("ORC HOST feature6=");
    if (at != std::string::npos && !switched) switched = line.text[at + 18] == '0';  // it worked until then, or not
  }
  constexpr std::uint32_t kInvalidField = 0x4002;
  for (const RecordedCommand& c : recording.commands) {
    if (c.disk != disk || !c.args.starts_with("fid=0x6,") || switched) continue;
    if (c.op == "nvme_admin_get_features" || c.op == "nvme_admin_set_features") return c.status != kInvalidField;
  }
  if (switched) return *switched;
  return !edited;
}

// Whether queue/write_cache was overridden although the feature is off: only seen when the feature comes on later.
bool override_shows_later(const Recording& recording, const std::string& device) {
  for (const GuestLine& line : recording.lines) {
    if (line.text.starts_with("echo") && line.text.find("write_cache") != std::string::npos) return false;
    if (!line.output || line.text.find("/queue/write_cache") == std::string::npos || line.output->size() < 2) continue;
    if ((*line.output)[0] == "write through" && (*line.output)[1] == "1") return true;
  }
  const SysfsState after = sysfs_of(recording.queue_limits_after, device);
  return after.known && !after.write_back && after.fua;
}

}  // namespace

void Guest::restore_state(const GroupSetup& group) {
  const bool honours = scenario_.kernel.vwc_policy == kernel::VwcPolicy::kVwcWce;
  const bool loaded =
      std::any_of(recording_->queue_limits.begin(), recording_->queue_limits.end(), [](const json&) { return true; });
  for (const auto& drive : drives_) {
    const SysfsState before = sysfs_of(recording_->queue_limits, drive->name + "n1");
    const bool vwc = spec::vwc::kVWCP.in(drive->profile.identify.vwc);
    if (honours && before.known && vwc && !before.fua) drive->profile.cache.wce_default = false;
    if (honours && before.known && vwc && before.fua) drive->profile.cache.wce_default = true;
    drive->door = std::make_unique<queue::Door>(memory_);
    drive->controller = std::make_unique<controller::Controller>(*simulator_, *drive->door, drive->profile);
    if (!feature6_works(*recording_, drive->name)) drive->controller->set_feature_supported(0x06, false);
  }
  if (!loaded) {
    for (const auto& drive : drives_) {
      if (const auto wce = first_wce(*recording_, drive->name)) drive->controller->preset_wce(*wce);
    }
    return;
  }
  for (const auto& drive : drives_) {
    load_driver(*drive);
    std::string error;
    struct Probe {
      static sim::Task<void> run(nvme::Ctrl& host, std::string& out) { out = co_await host.probe(); }
    };
    run_task(Probe::run(*drive->host, error), "the probe");
    if (!error.empty()) throw RunError(fmt::format("{}: probe: {}", recording_->name, error));
    if (const auto wce = first_wce(*recording_, drive->name)) drive->controller->preset_wce(*wce);
    for (const auto& ns : drive->host->namespaces()) {
      const std::string& name = ns->queue->name();
      const SysfsState before = sysfs_of(recording_->queue_limits, name);
      const bool shows_override = before.known && !before.write_back && before.fua;
      if (shows_override || (honours && before.known && !before.write_back && override_shows_later(*recording_, name)))
        ns->queue->write_cache_store("write through");
      const auto limits = recording_->queue_limits.find(name);
      if (limits == recording_->queue_limits.end() || !limits->is_object()) continue;
      const std::string schedulers = limits->value("scheduler", "");
      const std::size_t open = schedulers.find('[');
      const std::size_t close = schedulers.find(']');
      if (open != std::string::npos && close != std::string::npos) {
        const std::string in_use = schedulers.substr(open + 1, close - open - 1);
        if (ns->queue->scheduler_store(in_use) != 0) throw NotModelled(fmt::format("scheduler {}", in_use));
      }
      const std::uint32_t max_sectors_kb = limits->value("max_sectors_kb", 0U);
      if (max_sectors_kb != 0 && max_sectors_kb != ns->queue->limits().max_sectors / 2)
        ns->queue->max_sectors_store(max_sectors_kb);
    }
  }
  check_setup();
  // Mapped devices that an earlier scenario of the same boot made.
  for (const std::string& line : group.setup) {
    if (line.find("dmsetup create") == std::string::npos && line.find("> /tmp/") == std::string::npos) continue;
    try {
      for (const SimpleCommand& command : parse_shell(line, {{"OUT", "/out"}, {"SC", recording_->name}})) {
        std::optional<std::vector<std::string>> output;
        run_task(programs_->run(command, output), "the setup");
      }
    } catch (const NotModelled&) {
      // a device that this scenario may not use; who uses it will not find it
    } catch (const UnknownShell&) {
    }
  }
  restore_array(group);
  check_devices();
}

// What ran before this scenario and is no part of the model's guest is said, not left out. Programs that only read,
// wait or write data change nothing that is held; sysfs settings are taken from the header's queue limits.
void Guest::check_setup() const {
  static const std::set<std::string> kKnown = {"modprobe", "rmmod",   "printf", "dmsetup", "mdadm", "sleep",
                                               "echo",     "dd",      "sync",   "cat",     "ls",    "umount",
                                               "ifconfig", "nvmeadm", "nvme",   "for",     "true"};
  for (const std::string& line : recording_->setup) {
    const std::string program = line.substr(0, line.find_first_of(" ;"));
    if (!kKnown.contains(program)) throw NotModelled(fmt::format("setup: {}", program));
  }
}

// Every block device of the header is one of the model's: a layer that is not built may send anything at any time.
void Guest::check_devices() const {
  std::size_t mapped = 0;
  for (const auto& entry : recording_->queue_limits.items()) {
    const std::string& name = entry.key();
    if (name.starts_with("dm-")) {
      if (++mapped > mapped_.size())
        throw NotModelled(fmt::format("{}: a mapped device that no setup line explains", name));
      continue;
    }
    if (std::any_of(arrays_.begin(), arrays_.end(), [&](const auto& array) { return array->name() == name; })) continue;
    const bool known = std::any_of(drives_.begin(), drives_.end(), [&](const auto& drive) {
      return drive->host != nullptr && std::any_of(drive->host->namespaces().begin(), drive->host->namespaces().end(),
                                                   [&](const auto& ns) { return ns->queue->name() == name; });
    });
    if (!known) throw NotModelled(fmt::format("{}: a block device of a kind that the model does not have", name));
  }
}

vfs::PageCache& Guest::page_cache(block::BlockDevice& device) {
  for (Cached& known : caches_) {
    if (known.device == &device) return *known.cache;
  }
  return *caches_.emplace_back(Cached{&device, std::make_unique<vfs::PageCache>(scenario_.host.page_cache_bytes)})
              .cache;
}

block::RequestQueue* Guest::find_queue(const std::string& name) {
  for (const auto& drive : drives_) {
    if (drive->host == nullptr) continue;
    for (const auto& ns : drive->host->namespaces()) {
      if (ns->queue->name() == name) return ns->queue.get();
    }
  }
  return nullptr;
}

block::BlockDevice* Guest::find_device(const std::string& name) {
  if (block::RequestQueue* queue = find_queue(name); queue != nullptr) return queue;
  for (const auto& device : mapped_) {
    if (device->name() == name) return device.get();
  }
  for (const auto& array : arrays_) {
    if (array->name() == name) return array.get();
  }
  return nullptr;
}

void Guest::create_mapped(const std::string& name, const std::string& table) {
  std::vector<dm::TargetSpec> targets;
  try {
    targets = dm::parse_table(table);
  } catch (const dm::UnknownTarget& error) {
    throw NotModelled(error.what());
  } catch (const dm::TableError& error) {
    throw NotModelled(fmt::format("dmsetup create {}: {}", name, error.what()));
  }
  std::vector<std::vector<block::BlockDevice*>> members;
  for (const dm::TargetSpec& target : targets) {
    auto& list = members.emplace_back();
    for (const dm::TargetMember& member : target.members) {
      const std::string device = member.device.starts_with("/dev/") ? member.device.substr(5) : member.device;
      list.push_back(find_device(device));
      if (list.back() == nullptr)
        throw NotModelled(fmt::format("dmsetup create {}: no device {}", name, member.device));
    }
  }
  mapped_.push_back(
      std::make_unique<dm::MappedDevice>("mapper/" + name, *machine_, std::move(targets), std::move(members)));
}

std::vector<fio::JobResult> Guest::job_results() const {
  std::vector<fio::JobResult> all;
  for (const auto& set : job_sets_) {
    for (fio::JobResult& result : set->results()) all.push_back(std::move(result));
  }
  return all;
}

json Guest::queue_limits() const {
  json all = json::object();
  const auto add = [&](const std::string& name, const block::BlockDevice& device) {
    const block::QueueLimits& l = device.limits();
    all[name] = {{"write_cache", l.write_cache() ? "write back" : "write through"},
                 {"fua", l.fua() ? 1 : 0},
                 {"logical_block_size", l.logical_block_size},
                 {"physical_block_size", l.physical_block_size},
                 {"minimum_io_size", l.io_min},
                 {"optimal_io_size", l.io_opt},
                 {"max_hw_sectors_kb", l.max_hw_sectors / 2},
                 {"max_sectors_kb", l.max_sectors / 2},
                 {"max_segments", l.max_segments},
                 {"discard_granularity", l.discard_granularity},
                 {"discard_max_bytes", std::uint64_t{l.max_discard_sectors} * 512},
                 {"write_zeroes_max_bytes", std::uint64_t{l.max_write_zeroes_sectors} * 512},
                 {"size_sectors", device.sectors()}};
  };
  for (const auto& drive : drives_) {
    if (drive->host == nullptr) continue;
    for (const auto& ns : drive->host->namespaces()) add(ns->queue->name(), *ns->queue);
  }
  for (const auto& array : arrays_) {
    const block::QueueLimits& l = array->limits();
    all[array->name()] = {{"write_cache", l.write_cache() ? "write back" : "write through"},
                          {"fua", l.fua() ? 1 : 0},
                          {"logical_block_size", l.logical_block_size},
                          {"physical_block_size", l.physical_block_size},
                          {"minimum_io_size", l.io_min},
                          {"optimal_io_size", l.io_opt},
                          {"size_sectors", array->sectors()}};
  }
  return all;
}

void Guest::run() {
  limits_before_ = queue_limits();
  recording_now_ = true;
  for (const GuestLine& line : recording_->lines) {
    auto& output = outputs_.emplace_back(std::vector<std::string>{});
    for (const SimpleCommand& command :
         parse_shell(with_sizes(line.text), {{"OUT", "/out"}, {"SC", recording_->name}})) {
      if (command.background) {
        has_background_ = true;
        simulator_->spawn(programs_->run(command, output));
      } else {
        run_task(programs_->run(command, output), command.words.front().c_str());
      }
    }
  }
  constexpr sim::TimeNs kUntilQuiet = 300 * sim::kMillisecond;
  settle(kUntilQuiet);
  recording_now_ = false;
}

}  // namespace flushlab::lab::oracle
