// SPDX-License-Identifier: GPL-2.0-only
// The guest's programs, each as the commands that it makes the kernel send: fio, dd, blkdiscard, fallocate, xfs_io,
// sync, blockdev, mdadm, nvme (nvme-cli 2.4), nvmeadm (a passthrough command by ioctl or io_uring), dmsetup, modprobe,
// rmmod, cat, echo, printf, sleep.
#pragma once

#include "lab/check/oracle/guest.hpp"

namespace flushlab::lab::oracle {

class Programs {
 public:
  explicit Programs(Guest& guest) : guest_(&guest) {}

  // Runs one command to its end, or starts it when it is in the background. `output` collects lines that the model
  // knows; it is reset when the program prints something that it does not know.
  sim::Task<void> run(SimpleCommand command, std::optional<std::vector<std::string>>& output);
  sim::FramePool& frames() { return guest_->frames(); }

 private:
  using Words = std::vector<std::string>;
  using Output = std::optional<std::vector<std::string>>;

  // programs_io.cpp
  sim::Task<void> fio(const SimpleCommand& command);
  sim::Task<void> dd(const Words& words);
  sim::Task<void> blkdiscard(const Words& words);
  sim::Task<void> fallocate(const Words& words);
  sim::Task<void> xfs_io(const Words& words);
  sim::Task<void> sync_all();
  sim::Task<void> blockdev(const Words& words);
  // programs_nvme.cpp
  sim::Task<void> nvme(const Words& words, Output& output);
  sim::Task<void> nvmeadm(const Words& words, Output& output);
  // programs_md.cpp
  sim::Task<void> mdadm(const Words& words);
  sim::Task<void> create_array(ArrayCommand command);
  sim::Task<void> start_array(ArrayCommand command, bool fresh);
  // programs.cpp
  sim::Task<void> modprobe(const Words& words);
  sim::Task<void> rmmod(const Words& words);
  sim::Task<void> echo(const SimpleCommand& command);
  void cat(const Words& words, Output& output);
  void dmsetup(const Words& words);

  [[nodiscard]] block::BlockDevice& device(const std::string& path);
  [[nodiscard]] Guest::Drive& drive(const std::string& path);
  [[nodiscard]] nvme::Ctrl& ctrl(const std::string& path);
  [[nodiscard]] std::uint32_t nsid_of(const std::string& path) const;  // 0: the controller's node
  [[nodiscard]] vfs::Caller caller(const char* task) const;
  [[nodiscard]] std::string attribute(const std::string& path);  // a sysfs attribute's text
  std::uint64_t buffer(std::uint64_t size_bytes);

  Guest* guest_;
};

// A `mdadm --create` line. Throws NotModelled.
[[nodiscard]] ArrayCommand parse_mdadm_create(const std::vector<std::string>& words);

// A size as coreutils and util-linux write it: 4096, 4k, 1M, 0x1000. Throws NotModelled.
[[nodiscard]] std::uint64_t parse_size(const std::string& text);

}  // namespace flushlab::lab::oracle
