// SPDX-License-Identifier: GPL-2.0-only
// nvme-cli 2.4, with the commands that it sends of its own in front of the wanted one, and nvmeadm, which sends one
// passthrough command for each of a list of values.
#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "emulator/spec/feature.hpp"
#include "emulator/spec/log_page.hpp"
#include "lab/check/oracle/programs.hpp"

namespace flushlab::lab::oracle {

namespace {

using spec::AdminOpcode;
using spec::SubmissionEntry;

constexpr std::uint64_t kMaxDataBytes = std::uint64_t{512} * queue::kPageBytes;  // what one PRP list describes

std::uint64_t in_range(const std::string& name, const std::string& text, std::uint64_t most) {
  const std::uint64_t value = parse_size(text);
  if (value > most) throw NotModelled(fmt::format("{} {}: beyond the {} that its field holds", name, text, most));
  return value;
}

// --name=value, --name value, -x value; flags without a value.
class Options {
 public:
  Options(const std::vector<std::string>& words, std::size_t first, const std::vector<std::string>& flags) {
    for (std::size_t i = first; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (!word.starts_with("-")) {
        if (!path_.empty()) throw NotModelled(fmt::format("nvme: '{}'", word));
        path_ = word;
        continue;
      }
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      bool is_flag = false;
      for (const std::string& flag : flags) is_flag = is_flag || flag == name;
      if (equals != std::string::npos) {
        given_[name] = word.substr(equals + 1);
      } else if (is_flag || i + 1 == words.size() || words[i + 1].starts_with("/dev/")) {
        given_[name] = "";
      } else {
        given_[name] = words[++i];
      }
    }
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (given_.contains(name)) {
        used_.push_back(name);
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] std::uint64_t number(std::initializer_list<const char*> names, std::uint64_t fallback,
                                     std::uint64_t most = ~std::uint64_t{0}) {
    for (const char* name : names) {
      const auto it = given_.find(name);
      if (it == given_.end()) continue;
      used_.push_back(name);
      return in_range(name, it->second, most);
    }
    return fallback;
  }
  // A field of the command: a value that does not fit it is named, not cut.
  template <typename T>
  [[nodiscard]] T field(std::initializer_list<const char*> names, std::uint64_t fallback) {
    return static_cast<T>(number(names, fallback, std::numeric_limits<T>::max()));
  }
  template <typename T>
  [[nodiscard]] T needed(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (given_.contains(name)) return field<T>(names, 0);
    }
    throw NotModelled(fmt::format("nvme without {}", *names.begin()));
  }
  // Everything given has been looked at; else NotModelled with the first that was not.
  void done(const std::string& verb) const {
    for (const auto& [name, value] : given_) {
      bool known = name == "--raw-binary" || name == "-b" || name == "-H" || name == "--human-readable";
      for (const std::string& used : used_) known = known || used == name;
      if (!known) throw NotModelled(fmt::format("nvme {} {}", verb, name));
    }
  }

 private:
  std::string path_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> used_;
};

}  // namespace

sim::Task<void> Programs::nvme(const Words& words, Output& output) {
  output.reset();  // what nvme-cli prints is its own matter
  if (words.size() < 2) throw NotModelled("nvme without a command");
  const std::string& verb = words[1];
  Options o(words, 2,
            {"--raw-binary", "-b", "-H", "--human-readable", "--ad", "-d", "--force-unit-access", "-f=", "--write",
             "--read", "-s=", "-w", "-r", "--save"});
  const block::TaskContext task{"nvme", guest_->machine_->host().fio_cpu};
  std::array<std::byte, spec::kIdentifyDataSize> data{};
  nvme::Ctrl& host = ctrl(o.path());
  const std::uint32_t path_nsid = nsid_of(o.path());
  const auto admin = [&](SubmissionEntry sqe) { return nvme::admin_ioctl(host, sqe, {}, task); };
  const auto identify = [&](std::uint8_t cns, std::uint32_t nsid) {
    return nvme::admin_ioctl(host, spec::make_identify(cns, nsid), data, task);
  };
  const auto get_log = [&](std::uint8_t lid, std::uint32_t nsid, std::uint32_t bytes) {
    SubmissionEntry sqe;
    sqe.opc = static_cast<std::uint8_t>(AdminOpcode::kGetLogPage);
    sqe.nsid = nsid;
    sqe.cdw10 = spec::log_cdw::kLID.put(lid) | spec::log_cdw::kNUMDL.put(bytes / 4 - 1);
    return nvme::admin_ioctl(host, sqe, std::span(data).first(bytes), task);
  };
  // An I/O command with data of its own.
  const auto io = [&](SubmissionEntry sqe, std::uint64_t bytes) -> sim::Task<nvme::AdminResult> {
    nvme::Namespace* ns = host.find_namespace(sqe.nsid);
    if (ns == nullptr) throw NotModelled(fmt::format("nvme {}: namespace {}", verb, sqe.nsid.value()));
    if (bytes != 0) {
      const std::uint64_t list = guest_->memory_.allocate(queue::kPageBytes, queue::HostMemory::Kind::kBytes);
      nvme::map_data(sqe, buffer(bytes), bytes, list, guest_->memory_.bytes(list, queue::kPageBytes));
    }
    return nvme::io_ioctl(host, *ns, sqe, task);
  };
  // What nvme-cli looks at before it lists or shows: each namespace and its controller, twice.
  const auto scan_topology = [&]() -> sim::Task<void> {
    for (int twice = 0; twice < 2; ++twice) {
      for (const auto& ns : host.namespaces()) {
        co_await nvme::admin_ioctl(host, spec::make_identify(0, ns->nsid), data, task);
        co_await nvme::admin_ioctl(host, spec::make_identify(3, ns->nsid), data, task);
      }
    }
  };
  const std::uint32_t default_nsid = path_nsid == 0 ? 1 : path_nsid;
  if (verb == "flush") {
    const auto nsid = o.field<std::uint32_t>({"-n", "--namespace-id"}, default_nsid);
    o.done(verb);
    co_await io(spec::make_flush(nsid), 0);
  } else if (verb == "read" || verb == "write" || verb == "compare") {
    const auto slba = o.number({"--start-block", "-s"}, 0);
    const auto blocks = o.field<std::uint16_t>({"--block-count", "-c"}, 0) + 1U;
    (void)o.number({"--data-size", "-z"}, 0, kMaxDataBytes);
    const bool fua = o.has({"--force-unit-access", "-f"});
    (void)o.has({"--data", "-d"});
    o.done(verb);
    co_await identify(0, default_nsid);
    SubmissionEntry sqe = verb == "read" ? spec::make_read(default_nsid, slba, blocks, fua)
                                         : spec::make_write(default_nsid, slba, blocks, fua);
    if (verb == "compare") sqe.opc = static_cast<std::uint8_t>(spec::IoOpcode::kCompare);
    const block::RequestQueue& queue = *host.find_namespace(default_nsid)->queue;
    co_await io(sqe, std::uint64_t{blocks} * queue.limits().logical_block_size);
  } else if (verb == "write-zeroes" || verb == "verify" || verb == "write-uncor") {
    const auto nsid = o.field<std::uint32_t>({"-n", "--namespace-id"}, default_nsid);
    const auto slba = o.number({"--start-block", "-s"}, 0);
    const auto blocks = o.field<std::uint16_t>({"--block-count", "-c"}, 0) + 1U;
    const bool fua = o.has({"--force-unit-access", "-f"});
    const bool deac = o.has({"--deac", "-d"});
    o.done(verb);
    if (verb != "write-uncor") {
      co_await identify(0, nsid);
      co_await identify(5, nsid);
    }
    SubmissionEntry sqe = spec::make_write_zeroes(nsid, slba, blocks, deac, fua);
    if (verb == "verify") sqe.opc = static_cast<std::uint8_t>(spec::IoOpcode::kVerify);
    if (verb == "write-uncor") sqe.opc = static_cast<std::uint8_t>(spec::IoOpcode::kWriteUncorrectable);
    co_await io(sqe, 0);
  } else if (verb == "dsm") {
    const auto nsid = o.field<std::uint32_t>({"-n", "--namespace-id"}, default_nsid);
    const std::uint32_t attributes = o.has({"--ad", "-d"}) ? 4 : 0;
    spec::DsmRange range;
    range.slba = o.number({"--slbs", "-s"}, 0);
    range.length = o.field<std::uint32_t>({"--blocks", "-b"}, 0);
    o.done(verb);
    SubmissionEntry sqe = spec::make_dsm(nsid, 1, attributes);
    const std::uint64_t page = guest_->memory_.allocate(queue::kPageBytes, queue::HostMemory::Kind::kBytes);
    std::memcpy(guest_->memory_.bytes(page, sizeof range), &range, sizeof range);
    sqe.prp1 = page;
    co_await io(sqe, 0);
  } else if (verb == "io-passthru" || verb == "admin-passthru") {
    SubmissionEntry sqe;
    sqe.opc = o.field<std::uint8_t>({"--opcode", "-o"}, 0);
    sqe.nsid = o.field<std::uint32_t>({"--namespace-id", "-n"}, 0);
    sqe.cdw10 = o.field<std::uint32_t>({"--cdw10"}, 0);
    sqe.cdw11 = o.field<std::uint32_t>({"--cdw11"}, 0);
    sqe.cdw12 = o.field<std::uint32_t>({"--cdw12"}, 0);
    sqe.cdw13 = o.field<std::uint32_t>({"--cdw13"}, 0);
    sqe.cdw14 = o.field<std::uint32_t>({"--cdw14"}, 0);
    sqe.cdw15 = o.field<std::uint32_t>({"--cdw15"}, 0);
    const std::uint64_t bytes = o.number({"--data-len", "-l"}, 0, kMaxDataBytes);
    (void)o.has({"--write", "-w"});
    (void)o.has({"--read", "-r"});
    (void)o.has({"--input-file", "-i"});
    o.done(verb);
    if (verb == "io-passthru") {
      co_await io(sqe, bytes);
    } else {
      std::vector<std::byte> own(bytes);
      if (bytes > 2 * queue::kPageBytes) throw NotModelled("nvme admin-passthru with more than 8 KiB of data");
      co_await nvme::admin_ioctl(host, sqe, own, task);
    }
  } else if (verb == "get-feature") {
    const auto fid = o.needed<std::uint8_t>({"-f", "--feature-id"});
    const auto select = static_cast<std::uint32_t>(o.number({"-s", "--sel"}, 0, 7));
    const auto nsid =
        o.field<std::uint32_t>({"-n", "--namespace-id"}, path_nsid == 0 ? spec::kBroadcastNsid : path_nsid);
    o.done(verb);
    SubmissionEntry sqe = spec::make_get_features(fid);
    sqe.cdw10 = spec::feature_cdw::kSEL.set(sqe.cdw10, select);
    sqe.nsid = nsid;
    // nvme-cli brings a buffer for the features that have data
    const bool has_data = fid == 0x0C || fid == 0x0E || fid == 0x16 || fid == 0x03;
    co_await nvme::admin_ioctl(host, sqe, has_data ? std::span<std::byte>(data) : std::span<std::byte>(), task);
  } else if (verb == "set-feature") {
    const auto fid = o.needed<std::uint8_t>({"-f", "--feature-id"});
    const auto value = o.needed<std::uint32_t>({"--value", "-v", "-V"});
    const bool save = o.has({"-s", "--save"});
    const auto nsid =
        o.field<std::uint32_t>({"-n", "--namespace-id"}, path_nsid == 0 ? spec::kBroadcastNsid : path_nsid);
    o.done(verb);
    SubmissionEntry sqe = spec::make_set_features(fid, value);
    if (save) sqe.cdw10 = spec::feature_cdw::kSV.set(sqe.cdw10, 1U);
    sqe.nsid = nsid;
    co_await admin(sqe);
  } else if (verb == "id-ctrl") {
    o.done(verb);
    co_await identify(1, 0);
  } else if (verb == "id-ns") {
    const auto nsid = o.field<std::uint32_t>({"-n", "--namespace-id"}, default_nsid);
    o.done(verb);
    co_await identify(0, nsid);
  } else if (verb == "list-ns") {
    o.done(verb);
    co_await identify(2, 0);
  } else if (verb == "ns-descs") {
    const auto nsid = o.field<std::uint32_t>({"-n", "--namespace-id"}, default_nsid);
    o.done(verb);
    co_await identify(3, nsid);
  } else if (verb == "smart-log") {
    o.done(verb);
    co_await get_log(static_cast<std::uint8_t>(spec::LogPageId::kSmart), spec::kBroadcastNsid, 512);
  } else if (verb == "effects-log") {
    o.done(verb);
    co_await scan_topology();  // and then it prints the driver's own copy of the log
  } else if (verb == "show-regs") {
    o.done(verb);
    co_await scan_topology();
    SubmissionEntry property;  // tried as a Fabrics command first, then the registers are mapped
    property.opc = 0x7F;
    property.nsid = 4;
    property.cdw10 = 1;
    co_await admin(property);
  } else if (verb == "reset") {
    o.done(verb);
    co_await host.reset();
  } else if (verb == "ns-rescan") {
    o.done(verb);
    host.queue_scan();
  } else {
    throw NotModelled(fmt::format("nvme {}", verb));
  }
}

// nvmeadm [-u] DEVICE OPCODE CDW10 CDW11[,CDW11...] [MILLISECONDS]: one admin command a value, by ioctl or (-u) by
// io_uring, with a pause after each.
sim::Task<void> Programs::nvmeadm(const Words& words, Output& output) {
  output.reset();
  std::size_t at = 1;
  const bool uring = words.size() > 1 && words[1] == "-u";
  if (uring) ++at;
  if (words.size() < at + 4 || words.size() > at + 5)
    throw NotModelled("nvmeadm without DEVICE OPCODE CDW10 CDW11[,...] [MILLISECONDS]");
  nvme::Ctrl& host = ctrl(words[at]);
  SubmissionEntry sqe;
  sqe.opc = static_cast<std::uint8_t>(in_range("nvmeadm OPCODE", words[at + 1], 0xFF));
  sqe.cdw10 = static_cast<std::uint32_t>(in_range("nvmeadm CDW10", words[at + 2], 0xFFFFFFFF));
  const sim::TimeNs pause_ns =
      words.size() > at + 4 ? in_range("nvmeadm MILLISECONDS", words[at + 4], 1000000) * sim::kMillisecond : 0;
  const block::TaskContext task{"nvmeadm", guest_->machine_->host().fio_cpu};
  const std::string& values = words[at + 3];
  for (std::size_t begin = 0; begin <= values.size();) {
    const std::size_t end = std::min(values.find(',', begin), values.size());
    sqe.cdw11 = static_cast<std::uint32_t>(in_range("nvmeadm CDW11", values.substr(begin, end - begin), 0xFFFFFFFF));
    if (uring) {
      co_await nvme::admin_uring_cmd(host, sqe, {}, task);
    } else {
      co_await nvme::admin_ioctl(host, sqe, {}, task);
    }
    co_await guest_->simulator_->sleep(pause_ns);
    begin = end + 1;
  }
}

}  // namespace flushlab::lab::oracle
