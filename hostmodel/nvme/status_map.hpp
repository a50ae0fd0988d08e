// SPDX-License-Identifier: GPL-2.0-only
// From an NVMe status to what the block layer reports (models drivers/nvme/host/core.c nvme_error_status), and what the
// driver does with a command that failed (models nvme_decide_disposition).
#pragma once

#include "emulator/spec/status.hpp"
#include "hostmodel/block/bio.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"

namespace flushlab::nvme {

[[nodiscard]] block::BlockStatus block_status(spec::Status status, const kernel::KernelProfile& kernel);

enum class Disposition : std::uint8_t { kComplete, kRetry };
// `no_retry`: a passthrough command or a read-ahead. A status with DNR is final; any other is tried again until
// nvme_max_retries attempts have failed.
[[nodiscard]] Disposition decide_disposition(spec::Status status, bool no_retry, unsigned retries,
                                             const kernel::KernelProfile& kernel);

}  // namespace flushlab::nvme
