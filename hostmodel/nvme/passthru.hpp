// SPDX-License-Identifier: GPL-2.0-only
// Passthrough: commands that a program sends by ioctl, and what the kernel does around them
// (models drivers/nvme/host/ioctl.c nvme_submit_user_cmd, core.c nvme_passthru_start, nvme_passthru_end, v6.12).
//
// Rules:
//   T1  The end hook runs only when the command's effects are not zero: without an effects log, or with an empty entry
//       for the opcode, nothing is refreshed.
//   T2  With the vwc+wce policy, a successful Set Features 06h re-reads the feature, queues a scan, and waits for the
//   scan
//       only if the cache is now on.
//   T3  A passthrough Flush or FUA write is sent as it is, whatever the block layer thinks of the write cache.
//   T4  With CSE in the effects every namespace is frozen and drained before the command, and let go right after it;
//       CCC and NCC or NIC act after that, and T2 last.
//   T5  The same command by io_uring (NVME_URING_CMD_ADMIN) runs no hook at all: nothing is frozen, nothing refreshed.
#pragma once

#include <cstdint>

#include "emulator/sim/histogram.hpp"
#include "emulator/sim/task.hpp"
#include "hostmodel/nvme/core.hpp"

namespace flushlab::nvme {

// Effects of a command (a word of the effects log, spec::effects), as the driver sees them.
[[nodiscard]] std::uint32_t command_effects(Ctrl& ctrl, bool admin, std::uint8_t opcode);

// NVME_IOCTL_ADMIN_CMD on the controller's node.
sim::Task<AdminResult> admin_ioctl(Ctrl& ctrl, spec::SubmissionEntry sqe, std::span<std::byte> data,
                                   block::TaskContext task);

// NVME_URING_CMD_ADMIN on the controller's node (T5).
sim::Task<AdminResult> admin_uring_cmd(Ctrl& ctrl, spec::SubmissionEntry sqe, std::span<std::byte> data,
                                       block::TaskContext task);

// NVME_IOCTL_IO_CMD: an I/O command with its data pointer already set.
sim::Task<AdminResult> io_ioctl(Ctrl& ctrl, Namespace& ns, spec::SubmissionEntry sqe, block::TaskContext task);

// A shell loop around nvme-cli: `count` times one process that sends one command and ends.
struct NvmeCliLoop {
  spec::SubmissionEntry sqe;
  std::uint64_t count = 1;
};
struct NvmeCliResult {
  std::uint64_t commands = 0;
  std::uint64_t errors = 0;
  sim::Histogram ioctl_latency;  // the whole ioctl, ns
};
sim::Task<void> run_nvme_cli_loop(Ctrl& ctrl, Namespace& ns, NvmeCliLoop loop, NvmeCliResult& result);

}  // namespace flushlab::nvme
