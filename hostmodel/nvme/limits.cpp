// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/nvme/limits.hpp"

#include <algorithm>
#include <limits>

#include "emulator/spec/registers.hpp"

namespace flushlab::nvme {

using kernel::AtomicWriteUnit;
using kernel::IoOptWithoutNows;
using kernel::KernelProfile;
using kernel::VwcPolicy;

bool namespace_write_cache(const KernelProfile& kernel, const VwcState& vwc, bool vwcnp) {
  if (kernel.honours_vwcnp && vwcnp) return false;
  switch (kernel.vwc_policy) {
    case VwcPolicy::kVwc:
      return vwc.present;
    case VwcPolicy::kVwcWce:
      return vwc.present && vwc.wce;
  }
  return vwc.present;
}

// models drivers/nvme/host/core.c nvme_configure_atomic_write, v7.1, and its predecessors: bytes.
std::uint32_t atomic_write_bytes(const KernelProfile& kernel, const IdentifyView& id, std::uint32_t block_bytes) {
  if (id.ns->nabo.value() != 0) return block_bytes;
  if (spec::nsfeat::kNSABP.in(id.ns->nsfeat) && id.ns->nawupf.value() != 0)
    return (1U + id.ns->nawupf.value()) * block_bytes;
  if (kernel.atomic_write_unit == AtomicWriteUnit::kNawupf) return block_bytes;
  return (1U + id.controller->awupf.value()) * block_bytes;
}

unsigned preferred_size_bits(const KernelProfile& kernel, const IdentifyView& id) {
  const unsigned optperf = spec::nsfeat::kOPTPERF.get(id.ns->nsfeat);
  return optperf & (kernel.optperf_two_bits && id.vs >= spec::vs::k2_1_0 ? 3U : 1U);
}

bool unsupported_format(const KernelProfile& kernel, const IdentifyView& id) {
  const unsigned lbads = id.ns->lbaf[spec::flbas::index(id.ns->flbas)].lbads;
  return lbads < 9 || lbads > 31 || (1U << lbads) > kernel.max_lba_bytes;
}

namespace {

// models drivers/nvme/host/core.c nvme_update_disk_info, v7.1: NPDGL and NPDAL where given, else NPDG and NPDA.
std::uint32_t discard_granularity(const KernelProfile& kernel, const IdentifyView& id, std::uint32_t block_bytes,
                                  unsigned optperf) {
  if (!kernel.discard_granularity_from_npdg || optperf == 0) return block_bytes;
  std::uint64_t granularity = 1;
  if ((optperf & 2U) != 0 && id.ns_nvm != nullptr && id.ns_nvm->npdgl.value() != 0) {
    granularity = id.ns_nvm->npdgl.value();
  } else if ((optperf & 1U) != 0) {
    granularity = id.ns->npdg.value() + 1ULL;
  }
  std::uint64_t alignment = id.ns->npda.value() + 1ULL;
  if ((optperf & 2U) != 0 && id.ns_nvm != nullptr && id.ns_nvm->npdal.value() != 0)
    alignment = id.ns_nvm->npdal.value();
  const std::uint64_t bytes = std::max(granularity, alignment) * block_bytes;
  return bytes > std::numeric_limits<std::uint32_t>::max() ? block_bytes : static_cast<std::uint32_t>(bytes);
}

std::uint32_t max_hw_sectors(const KernelProfile& kernel, const IdentifyView& id, std::uint32_t block_bytes) {
  std::uint64_t sectors = kernel.transport_max_sectors;
  const unsigned mdts = id.controller->mdts;
  if (mdts != 0) {
    const unsigned shift = mdts + 12U + static_cast<unsigned>(spec::cap::kMPSMIN.get(id.cap)) - 9U;
    const std::uint64_t limit = shift >= 32 ? std::numeric_limits<std::uint32_t>::max() : std::uint64_t{1} << shift;
    sectors = std::min(sectors, limit);
  }
  return static_cast<std::uint32_t>(sectors - sectors % (block_bytes / 512));
}

}  // namespace

block::QueueLimits namespace_limits(const KernelProfile& kernel, const IdentifyView& id, const VwcState& vwc) {
  const unsigned lbads = unsupported_format(kernel, id) ? 9U : id.ns->lbaf[spec::flbas::index(id.ns->flbas)].lbads;
  const std::uint32_t block_bytes = 1U << lbads;
  const unsigned optperf = preferred_size_bits(kernel, id);

  block::QueueLimits limits;
  limits.logical_block_size = block_bytes;
  std::uint32_t physical = block_bytes;
  if (optperf != 0) {  // 32-bit arithmetic, as the driver's
    physical = block_bytes * (1U + id.ns->npwg.value());
    const std::uint16_t nows = id.ns->nows;
    if (nows != 0 || kernel.io_opt_without_nows == IoOptWithoutNows::kBlockSize)
      limits.io_opt = block_bytes * (1U + nows);
  }
  limits.physical_block_size = std::min(physical, atomic_write_bytes(kernel, id, block_bytes));
  limits.io_min = physical;
  limits.max_hw_sectors = max_hw_sectors(kernel, id, block_bytes);
  limits.max_segments = kernel.max_segments;

  const std::uint16_t oncs = id.controller->oncs;
  if (spec::oncs::kDatasetManagement.in(oncs)) {
    limits.max_discard_sectors = std::numeric_limits<std::uint32_t>::max();
    if (id.dmrsl != 0) {  // nvme_config_discard
      const std::uint64_t sectors = std::uint64_t{id.dmrsl} * (block_bytes / 512);
      limits.max_discard_sectors =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors, std::numeric_limits<std::uint32_t>::max()));
    }
    limits.discard_granularity = discard_granularity(kernel, id, block_bytes, optperf);
  }
  if (spec::oncs::kWriteZeroes.in(oncs)) limits.max_write_zeroes_sectors = limits.max_hw_sectors;

  const bool takes_sgls = spec::sgls::kSupport.get(id.controller->sgls) != 0;
  limits.virt_boundary_mask = kernel.sgl_lifts_virt_boundary && takes_sgls ? 0 : 4095;

  const bool vwcnp = id.ns_independent != nullptr && spec::independent_nsfeat::kVWCNP.in(id.ns_independent->nsfeat);
  limits.feature_write_cache = limits.feature_fua = namespace_write_cache(kernel, vwc, vwcnp);
  return limits;
}

}  // namespace flushlab::nvme
