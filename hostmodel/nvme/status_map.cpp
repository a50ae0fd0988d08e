// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/nvme/status_map.hpp"

#include <array>

namespace flushlab::nvme {

namespace st = spec::status;
using block::BlockStatus;

namespace {

struct Row {
  spec::Status status;
  BlockStatus block;
};

// models drivers/nvme/host/core.c nvme_error_status, v6.1 to v7.1; whatever is not here is an I/O error.
constexpr std::array kRows = {
    Row{st::kCapacityExceeded, BlockStatus::kNoSpace},
    Row{st::kLbaOutOfRange, BlockStatus::kTarget},
    Row{st::kCommandInterrupted, BlockStatus::kTarget},
    Row{st::kNamespaceNotReady, BlockStatus::kTarget},
    Row{st::kInvalidCommandOpcode, BlockStatus::kNotSupported},
    Row{st::kInvalidFieldInCommand, BlockStatus::kNotSupported},
    Row{st::kInvalidNamespaceOrFormat, BlockStatus::kNotSupported},
    Row{st::kConflictingAttributes, BlockStatus::kNotSupported},
    Row{st::kWriteFault, BlockStatus::kMedium},
    Row{st::kUnrecoveredReadError, BlockStatus::kMedium},
    Row{st::kCompareFailure, BlockStatus::kMedium},
    Row{st::kAccessDenied, BlockStatus::kMedium},
    Row{st::kDeallocatedOrUnwrittenLogicalBlock, BlockStatus::kMedium},
    Row{st::kAttemptedWriteToReadOnlyRange, BlockStatus::kMedium},
    Row{st::kEndToEndGuardCheckError, BlockStatus::kProtection},
    Row{st::kEndToEndApplicationTagCheckError, BlockStatus::kProtection},
    Row{st::kEndToEndReferenceTagCheckError, BlockStatus::kProtection},
    Row{st::kInvalidProtectionInformation, BlockStatus::kProtection},
    Row{st::kReservationConflict, BlockStatus::kReservation},
    Row{st::kHostPathingError, BlockStatus::kTransport},
};

}  // namespace

BlockStatus block_status(spec::Status status, const kernel::KernelProfile& kernel) {
  if (status.ok()) return BlockStatus::kOk;
  for (const Row& row : kRows) {
    if (status.is(row.status)) return row.block;
  }
  if (status.is(st::kCommandSizeLimitExceeded) && kernel.size_limit_not_supported) return BlockStatus::kNotSupported;
  return BlockStatus::kIoError;
}

Disposition decide_disposition(spec::Status status, bool no_retry, unsigned retries,
                               const kernel::KernelProfile& kernel) {
  if (status.ok() || no_retry || status.dnr() || retries >= kernel.max_retries) return Disposition::kComplete;
  return Disposition::kRetry;
}

}  // namespace flushlab::nvme
