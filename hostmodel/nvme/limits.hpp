// SPDX-License-Identifier: GPL-2.0-only
// From Identify to queue limits: one pure function, so that it can be asked without a run
// (models drivers/nvme/host/core.c nvme_update_disk_info, nvme_update_ns_info_block, nvme_set_ctrl_limits).
#pragma once

#include <cstdint>

#include "emulator/spec/identify.hpp"
#include "hostmodel/block/queue_limits.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"

namespace flushlab::nvme {

// What the driver knows of a controller's write cache.
struct VwcState {
  bool present = false;  // Identify Controller VWC bit 0
  bool wce = true;       // feature 06h, where the kernel asks for it; assumed on until known
};

struct IdentifyView {
  const spec::IdentifyController* controller = nullptr;
  const spec::IdentifyNamespace* ns = nullptr;
  const spec::IdentifyNamespaceNvm* ns_nvm = nullptr;                  // CNS 05h, nullptr: not read
  const spec::IdentifyNamespaceIndependent* ns_independent = nullptr;  // CNS 08h, nullptr: not read
  std::uint64_t cap = 0;
  std::uint32_t vs = 0;
  std::uint32_t dmrsl = 0;  // CNS 06h, 0: not reported
};

// NSFEAT.OPTPERF as the kernel reads it; 0: the drive reports no preferred sizes.
[[nodiscard]] unsigned preferred_size_bits(const kernel::KernelProfile& kernel, const IdentifyView& identify);
// The atomic write unit that limits physical_block_size, bytes.
[[nodiscard]] std::uint32_t atomic_write_bytes(const kernel::KernelProfile& kernel, const IdentifyView& identify,
                                               std::uint32_t block_bytes);
// A format that this kernel cannot use: the namespace comes up with 512-byte blocks and no capacity.
[[nodiscard]] bool unsupported_format(const kernel::KernelProfile& kernel, const IdentifyView& identify);

// Whether the namespace's write cache (and with it FUA) is used: the truth table of the write-cache policy.
[[nodiscard]] bool namespace_write_cache(const kernel::KernelProfile& kernel, const VwcState& vwc, bool vwcnp);

// The limits as the driver sets them, before the block layer's validation.
[[nodiscard]] block::QueueLimits namespace_limits(const kernel::KernelProfile& kernel, const IdentifyView& identify,
                                                  const VwcState& vwc);

}  // namespace flushlab::nvme
