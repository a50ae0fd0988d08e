// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hostmodel/block/freeze.hpp"

namespace flushlab::lab::oracle {

std::uint64_t parse_size(const std::string& text) {
  std::uint64_t value = 0;
  const bool hex = text.starts_with("0x");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc()) throw NotModelled(fmt::format("the size '{}'", text));
  const std::string unit(stop, end);
  static const std::map<std::string, unsigned> kShift = {{"", 0},     {"c", 0},  {"k", 10},  {"K", 10},
                                                         {"KiB", 10}, {"m", 20}, {"M", 20},  {"MiB", 20},
                                                         {"g", 30},   {"G", 30}, {"GiB", 30}};
  const auto shift = kShift.find(unit);
  if (shift == kShift.end() || value << shift->second >> shift->second != value)
    throw NotModelled(fmt::format("the size '{}'", text));
  return value << shift->second;
}

namespace {

// "1.5", "2": seconds, exactly.
sim::TimeNs parse_seconds(const std::string& text) {
  const std::size_t dot = text.find('.');
  std::uint64_t whole = 0;
  const char* const end_of_whole = text.data() + std::min(dot, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end_of_whole, whole);
  constexpr std::uint64_t kLongest = 1'000'000;
  if (error != std::errc() || stop != end_of_whole || whole > kLongest)
    throw NotModelled(fmt::format("sleep {}", text));
  sim::TimeNs ns = whole * sim::kSecond;
  sim::TimeNs place = sim::kSecond / 10;
  for (std::size_t i = dot == std::string::npos ? text.size() : dot + 1; i < text.size(); ++i, place /= 10) {
    if (text[i] < '0' || text[i] > '9') throw NotModelled(fmt::format("sleep {}", text));
    ns += static_cast<sim::TimeNs>(text[i] - '0') * place;
  }
  return ns;
}

}  // namespace

vfs::Caller Programs::caller(const char* task) const {
  const auto& machine = *guest_->machine_;
  const sim::TimeNs wake = machine.costs().task_wake_ns.value;
  return {{task, machine.host().fio_cpu}, wake, wake};
}

block::BlockDevice& Programs::device(const std::string& path) {
  if (!path.starts_with("/dev/")) throw NotModelled(fmt::format("{}: a file on a file system of the guest", path));
  block::BlockDevice* found = guest_->find_device(path.substr(5));
  if (found == nullptr) {
    for (const std::string& line : guest_->recording_->setup) {
      for (const char* program : {"mdadm", "make-bcache", "mkfs", "mount", "nvme connect", "modprobe brd"}) {
        if (line.find(program) != std::string::npos) throw NotModelled(fmt::format("{} ({})", program, path));
      }
    }
    throw NotModelled(fmt::format("{}: no such block device in the model", path));
  }
  return *found;
}

Guest::Drive& Programs::drive(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const auto& drive : guest_->drives_) {
    if (name == drive->name || name.starts_with(drive->name + "n")) return *drive;
  }
  throw NotModelled(fmt::format("{}: no such controller in the model", path));
}

nvme::Ctrl& Programs::ctrl(const std::string& path) {
  Guest::Drive& found = drive(path);
  if (found.host == nullptr) throw NotModelled(fmt::format("{}: its driver is not loaded", path));
  return *found.host;
}

std::uint32_t Programs::nsid_of(const std::string& path) const {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t n = name.rfind('n');
  if (n == 0 || n == std::string::npos) return 0;
  std::uint32_t nsid = 0;
  std::from_chars(name.data() + n + 1, name.data() + name.size(), nsid);
  return nsid;
}

std::uint64_t Programs::buffer(std::uint64_t size_bytes) {
  return guest_->memory_.allocate(size_bytes, queue::HostMemory::Kind::kWriteIds);
}

sim::Task<void> Programs::run(SimpleCommand command, Output& output) {
  const Words& words = command.words;
  const std::string& program = words.front();
  Output unknown;
  Output& shown = command.output.empty() ? output : unknown;
  // A program takes its time to start: longer than a scan, which is why a scan that nobody waits for is over by then.
  constexpr sim::TimeNs kStart = 20 * sim::kMillisecond;
  if (guest_->recording_now_ && program != "echo" && program != "printf" && program != "sleep")
    co_await guest_->simulator_->sleep(kStart);
  if (program == "sleep") {
    if (words.size() != 2) throw NotModelled("sleep without one number");
    co_await guest_->simulator_->sleep(parse_seconds(words[1]));
  } else if (program == "fio") {
    shown.reset();
    co_await fio(command);
  } else if (program == "dd") {
    shown.reset();
    co_await dd(words);
  } else if (program == "blkdiscard") {
    co_await blkdiscard(words);
  } else if (program == "fallocate") {
    co_await fallocate(words);
  } else if (program == "xfs_io") {
    shown.reset();
    co_await xfs_io(words);
  } else if (program == "mdadm") {
    shown.reset();
    co_await mdadm(words);
  } else if (program == "sync" && words.size() == 2) {
    block::BlockDevice& target = device(words[1]);
    vfs::BlockFile file(*guest_->machine_, target, guest_->memory_, guest_->page_cache(target), {});
    co_await file.fsync(0, file.size_bytes() - 1, caller("sync"));
  } else if (program == "sync") {
    co_await sync_all();
  } else if (program == "blockdev") {
    co_await blockdev(words);
  } else if (program == "nvme") {
    co_await nvme(words, shown);
  } else if (program == "nvmeadm") {
    co_await nvmeadm(words, shown);
  } else if (program == "dmsetup") {
    dmsetup(words);
  } else if (program == "modprobe") {
    co_await modprobe(words);
  } else if (program == "rmmod") {
    co_await rmmod(words);
  } else if (program == "echo" || program == "printf") {
    co_await echo(command);
  } else if (program == "cat") {
    cat(words, shown);
  } else if (program == "grep" || program == "ls" || program == "true" || program == "dmesg") {
    shown.reset();  // reads what the guest shows, sends nothing
  } else {
    throw NotModelled(fmt::format("the program {}", program));
  }
}

sim::Task<void> Programs::modprobe(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with("dm-") || words[i].starts_with("dm_")) co_return;
    if (words[i] != "nvme") throw NotModelled(fmt::format("modprobe {}", words[i]));
  }
  for (const auto& drive : guest_->drives_) {
    if (drive->host != nullptr || !drive->present) continue;
    guest_->load_driver(*drive);
    const std::string error = co_await drive->host->probe();
    if (!error.empty()) throw NotModelled(fmt::format("a probe that fails: {}", error));
  }
}

sim::Task<void> Programs::rmmod(const Words& words) {
  if (words.size() != 2 || words[1] != "nvme") throw NotModelled("rmmod of another module than nvme");
  for (const auto& drive : guest_->drives_) {
    if (drive->host == nullptr) continue;
    co_await drive->host->remove();
    guest_->unloaded_.push_back(std::move(drive->host));
  }
}

// echo and printf: to a sysfs attribute, to a file of the guest, to the console that the emulator listens to.
sim::Task<void> Programs::echo(const SimpleCommand& command) {
  std::string text;
  for (std::size_t i = 1; i < command.words.size(); ++i) text += (i == 1 ? "" : " ") + command.words[i];
  const std::string& path = command.output;
  if (path.empty()) co_return;
  if (path == "/dev/console") {
    constexpr std::string_view kFeature6 = "ORC HOST feature6=";
    if (!text.starts_with(kFeature6)) throw NotModelled(fmt::format("a request to the emulator: {}", text));
    for (const auto& drive : guest_->drives_) drive->controller->set_feature_supported(0x06, text.ends_with("1"));
    co_return;
  }
  if (path.starts_with("/tmp/")) {
    std::string& file = guest_->files_[path];
    if (!command.append) file.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == 'n') {
        file += '\n';
        ++i;
      } else {
        file += text[i];
      }
    }
    co_return;
  }
  constexpr std::string_view kBlock = "/sys/block/";
  if (path.starts_with(kBlock)) {
    const std::size_t slash = path.find('/', kBlock.size());
    const std::string name = path.substr(kBlock.size(), slash - kBlock.size());
    const std::string attribute = path.substr(slash + 1);
    block::RequestQueue* queue = guest_->find_queue(name);
    if (queue == nullptr) throw NotModelled(fmt::format("{}: no such device in the model", path));
    if (attribute == "queue/write_cache") {
      (void)co_await block::store_write_cache(*queue, text);
    } else if (attribute == "queue/scheduler") {
      if (queue->scheduler_store(text) != 0) throw NotModelled(fmt::format("scheduler {}", text));
    } else if (attribute == "queue/max_sectors_kb") {
      queue->max_sectors_store(static_cast<std::uint32_t>(parse_size(text)));
    } else {
      throw NotModelled(fmt::format("echo > {}", path));
    }
    co_return;
  }
  constexpr std::string_view kClass = "/sys/class/nvme/";
  if (path.starts_with(kClass)) {
    const std::size_t slash = path.find('/', kClass.size());
    const std::string name = path.substr(kClass.size(), slash - kClass.size());
    const std::string attribute = path.substr(slash + 1);
    if (attribute == "rescan_controller") {
      ctrl(name).queue_scan();
    } else if (attribute == "reset_controller") {
      co_await ctrl(name).reset();
    } else if (attribute == "device/remove") {
      Guest::Drive& found = drive(name);
      co_await ctrl(name).remove();
      guest_->unloaded_.push_back(std::move(found.host));
      found.present = false;
    } else {
      throw NotModelled(fmt::format("echo > {}", path));
    }
    co_return;
  }
  if (path == "/sys/bus/pci/rescan") {
    for (const auto& found : guest_->drives_) {
      if (found->present) continue;
      found->present = true;
      guest_->load_driver(*found);
      const std::string error = co_await found->host->probe();
      if (!error.empty()) throw NotModelled(fmt::format("a probe that fails: {}", error));
    }
    co_return;
  }
  if (path == "/dev/null") co_return;
  throw NotModelled(fmt::format("echo > {}", path));
}

std::string Programs::attribute(const std::string& path) {
  constexpr std::string_view kBlock = "/sys/block/";
  const std::size_t slash = path.find('/', kBlock.size());
  if (!path.starts_with(kBlock) || slash == std::string::npos) throw NotModelled(fmt::format("cat {}", path));
  const block::BlockDevice* found = guest_->find_device(path.substr(kBlock.size(), slash - kBlock.size()));
  if (found == nullptr) throw NotModelled(fmt::format("cat {}: no such device in the model", path));
  const std::string name = path.substr(slash + 1);
  if (name == "queue/write_cache") return found->limits().write_cache() ? "write back" : "write through";
  if (name == "queue/fua") return found->limits().fua() ? "1" : "0";
  throw NotModelled(fmt::format("cat {}", path));
}

void Programs::cat(const Words& words, Output& output) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].find('*') != std::string::npos || words[i] == "/proc/mdstat") {
      output.reset();
      return;
    }
    const std::string line = attribute(words[i]);
    if (output) output->push_back(line);
  }
}

// dmsetup create NAME [--noudevsync] {--table TEXT | FILE}, remove NAME.
void Programs::dmsetup(const Words& words) {
  if (words.size() < 2) throw NotModelled("dmsetup without a command");
  if (words[1] == "table" || words[1] == "status" || words[1] == "info" || words[1] == "ls") return;
  if (words[1] != "create") throw NotModelled(fmt::format("dmsetup {}", words[1]));
  std::string name;
  std::string table;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "--noudevsync" || words[i] == "--noudevrules") continue;
    if (words[i] == "--table" && i + 1 < words.size()) {
      table = words[++i];
    } else if (words[i].starts_with("-")) {
      throw NotModelled(fmt::format("dmsetup create {}", words[i]));
    } else if (name.empty()) {
      name = words[i];
    } else {
      const auto file = guest_->files_.find(words[i]);
      if (file == guest_->files_.end()) throw NotModelled(fmt::format("dmsetup create: the file {}", words[i]));
      table = file->second;
    }
  }
  guest_->create_mapped(name, table);
}

}  // namespace flushlab::lab::oracle
