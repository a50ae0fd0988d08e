// SPDX-License-Identifier: GPL-2.0-only
// Status words against the fact sheet's section 2.3.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <string_view>

#include "emulator/spec/status.hpp"

using namespace flushlab::spec;
namespace st = flushlab::spec::status;

namespace {

struct Row {
  Status status;
  std::uint16_t word;  // phase 0, recommended DNR
  std::string_view name;
};

constexpr std::array kRows = {
    Row{st::kSuccess, 0x0000, "Successful Completion"},
    Row{st::kInvalidCommandOpcode, 0x8002, "Invalid Command Opcode"},
    Row{st::kInvalidFieldInCommand, 0x8004, "Invalid Field in Command"},
    Row{st::kCommandIdConflict, 0x8006, "Command ID Conflict"},
    Row{st::kDataTransferError, 0x0008, "Data Transfer Error"},
    Row{st::kAbortedDueToPowerLoss, 0x000A, "Commands Aborted due to Power Loss Notification"},
    Row{st::kInternalError, 0x000C, "Internal Error"},
    Row{st::kCommandAbortRequested, 0x000E, "Command Abort Requested"},
    Row{st::kAbortedDueToSqDeletion, 0x0010, "Command Aborted due to SQ Deletion"},
    Row{st::kAbortedDueToFailedFusedCommand, 0x8012, "Command Aborted due to Failed Fused Command"},
    Row{st::kAbortedDueToMissingFusedCommand, 0x8014, "Command Aborted due to Missing Fused Command"},
    Row{st::kInvalidNamespaceOrFormat, 0x8016, "Invalid Namespace or Format"},
    Row{st::kCommandSequenceError, 0x8018, "Command Sequence Error"},
    Row{st::kInvalidSglSegmentDescriptor, 0x801A, "Invalid SGL Segment Descriptor"},
    Row{st::kInvalidNumberOfSglDescriptors, 0x801C, "Invalid Number of SGL Descriptors"},
    Row{st::kDataSglLengthInvalid, 0x801E, "Data SGL Length Invalid"},
    Row{st::kMetadataSglLengthInvalid, 0x8020, "Metadata SGL Length Invalid"},
    Row{st::kSglDescriptorTypeInvalid, 0x8022, "SGL Descriptor Type Invalid"},
    Row{st::kInvalidUseOfControllerMemoryBuffer, 0x8024, "Invalid Use of Controller Memory Buffer"},
    Row{st::kPrpOffsetInvalid, 0x8026, "PRP Offset Invalid"},
    Row{st::kAtomicWriteUnitExceeded, 0x8028, "Atomic Write Unit Exceeded"},
    Row{st::kOperationDenied, 0x802A, "Operation Denied"},
    Row{st::kSglOffsetInvalid, 0x802C, "SGL Offset Invalid"},
    Row{st::kHostIdentifierInconsistentFormat, 0x8030, "Host Identifier Inconsistent Format"},
    Row{st::kKeepAliveTimerExpired, 0x8032, "Keep Alive Timer Expired"},
    Row{st::kKeepAliveTimeoutInvalid, 0x8034, "Keep Alive Timeout Invalid"},
    Row{st::kAbortedDueToPreemptAndAbort, 0x0036, "Command Aborted due to Preempt and Abort"},
    Row{st::kSanitizeFailed, 0x8038, "Sanitize Failed"},
    Row{st::kSanitizeInProgress, 0x803A, "Sanitize In Progress"},
    Row{st::kSglDataBlockGranularityInvalid, 0x803C, "SGL Data Block Granularity Invalid"},
    Row{st::kCommandNotSupportedForQueueInCmb, 0x803E, "Command Not Supported for Queue in CMB"},
    Row{st::kNamespaceIsWriteProtected, 0x8040, "Namespace is Write Protected"},
    Row{st::kCommandInterrupted, 0x0042, "Command Interrupted"},
    Row{st::kTransientTransportError, 0x0044, "Transient Transport Error"},
    Row{st::kCommandProhibitedByLockdown, 0x8046, "Command Prohibited by Command and Feature Lockdown"},
    Row{st::kAdminCommandMediaNotReady, 0x0048, "Admin Command Media Not Ready"},
    Row{st::kInvalidKeyTag, 0x804A, "Invalid Key Tag"},
    Row{st::kHostDispersedNamespaceSupportNotEnabled, 0x804C, "Host Dispersed Namespace Support Not Enabled"},
    Row{st::kHostIdentifierNotInitialized, 0x804E, "Host Identifier Not Initialized"},
    Row{st::kIncorrectKey, 0x8050, "Incorrect Key"},
    Row{st::kFdpDisabled, 0x8052, "FDP Disabled"},
    Row{st::kInvalidPlacementHandleList, 0x8054, "Invalid Placement Handle List"},
    Row{st::kLbaOutOfRange, 0x8100, "LBA Out of Range"},
    Row{st::kCapacityExceeded, 0x8102, "Capacity Exceeded"},
    Row{st::kNamespaceNotReady, 0x0104, "Namespace Not Ready"},
    Row{st::kReservationConflict, 0x8106, "Reservation Conflict"},
    Row{st::kFormatInProgress, 0x0108, "Format In Progress"},

    Row{st::kCompletionQueueInvalid, 0x8200, "Completion Queue Invalid"},
    Row{st::kInvalidQueueIdentifier, 0x8202, "Invalid Queue Identifier"},
    Row{st::kInvalidQueueSize, 0x8204, "Invalid Queue Size"},
    Row{st::kAbortCommandLimitExceeded, 0x8206, "Abort Command Limit Exceeded"},
    // 820Ah with DNR; sections 7.6 and 10 (#62) of the sheet: it is not to be set here.
    Row{st::kAsynchronousEventRequestLimitExceeded, 0x020A, "Asynchronous Event Request Limit Exceeded"},
    Row{st::kInvalidFirmwareSlot, 0x820C, "Invalid Firmware Slot"},
    Row{st::kInvalidFirmwareImage, 0x820E, "Invalid Firmware Image"},
    Row{st::kInvalidInterruptVector, 0x8210, "Invalid Interrupt Vector"},
    Row{st::kInvalidLogPage, 0x8212, "Invalid Log Page"},
    Row{st::kInvalidFormat, 0x8214, "Invalid Format"},
    Row{st::kFirmwareActivationRequiresConventionalReset, 0x8216, "Firmware Activation Requires Conventional Reset"},
    Row{st::kInvalidQueueDeletion, 0x8218, "Invalid Queue Deletion"},
    Row{st::kFeatureIdentifierNotSaveable, 0x821A, "Feature Identifier Not Saveable"},
    Row{st::kFeatureNotChangeable, 0x821C, "Feature Not Changeable"},
    Row{st::kFeatureNotNamespaceSpecific, 0x821E, "Feature Not Namespace Specific"},
    Row{st::kFirmwareActivationRequiresNvmSubsystemReset, 0x8220, "Firmware Activation Requires NVM Subsystem Reset"},
    Row{st::kFirmwareActivationRequiresControllerLevelReset, 0x8222,
        "Firmware Activation Requires Controller Level Reset"},
    Row{st::kFirmwareActivationRequiresMaximumTimeViolation, 0x8224,
        "Firmware Activation Requires Maximum Time Violation"},
    Row{st::kFirmwareActivationProhibited, 0x8226, "Firmware Activation Prohibited"},
    Row{st::kOverlappingRange, 0x8228, "Overlapping Range"},
    Row{st::kNamespaceInsufficientCapacity, 0x822A, "Namespace Insufficient Capacity"},
    Row{st::kNamespaceIdentifierUnavailable, 0x822C, "Namespace Identifier Unavailable"},
    Row{st::kNamespaceAlreadyAttached, 0x8230, "Namespace Already Attached"},
    Row{st::kNamespaceIsPrivate, 0x8232, "Namespace Is Private"},
    Row{st::kNamespaceNotAttached, 0x8234, "Namespace Not Attached"},
    Row{st::kThinProvisioningNotSupported, 0x8236, "Thin Provisioning Not Supported"},
    Row{st::kControllerListInvalid, 0x8238, "Controller List Invalid"},
    Row{st::kDeviceSelfTestInProgress, 0x823A, "Device Self-test In Progress"},
    Row{st::kBootPartitionWriteProhibited, 0x823C, "Boot Partition Write Prohibited"},
    Row{st::kInvalidControllerIdentifier, 0x823E, "Invalid Controller Identifier"},
    Row{st::kInvalidSecondaryControllerState, 0x8240, "Invalid Secondary Controller State"},
    Row{st::kInvalidNumberOfControllerResources, 0x8242, "Invalid Number of Controller Resources"},
    Row{st::kInvalidResourceIdentifier, 0x8244, "Invalid Resource Identifier"},
    Row{st::kSanitizeProhibitedWhilePmrEnabled, 0x8246,
        "Sanitize Prohibited While Persistent Memory Region is Enabled"},
    Row{st::kAnaGroupIdentifierInvalid, 0x8248, "ANA Group Identifier Invalid"},
    Row{st::kAnaAttachFailed, 0x824A, "ANA Attach Failed"},
    Row{st::kNamespaceAttachmentLimitExceeded, 0x824E, "Namespace Attachment Limit Exceeded"},
    Row{st::kIoCommandSetNotSupported, 0x8252, "I/O Command Set Not Supported"},
    Row{st::kIoCommandSetNotEnabled, 0x8254, "I/O Command Set Not Enabled"},
    Row{st::kIoCommandSetCombinationRejected, 0x8256, "I/O Command Set Combination Rejected"},
    Row{st::kIoCommandSetInvalid, 0x8258, "I/O Command Set Invalid"},
    Row{st::kConflictingAttributes, 0x8300, "Conflicting Attributes"},
    Row{st::kInvalidProtectionInformation, 0x8302, "Invalid Protection Information"},
    Row{st::kAttemptedWriteToReadOnlyRange, 0x8304, "Attempted Write to Read Only Range"},
    Row{st::kCommandSizeLimitExceeded, 0x8306, "Command Size Limit Exceeded"},
    Row{st::kIncompatibleNamespaceOrFormat, 0x830A, "Incompatible Namespace or Format"},
    Row{st::kFastCopyNotPossible, 0x830C, "Fast Copy Not Possible"},
    Row{st::kOverlappingIoRange, 0x830E, "Overlapping I/O Range"},

    Row{st::kWriteFault, 0x0500, "Write Fault"},
    Row{st::kUnrecoveredReadError, 0x0502, "Unrecovered Read Error"},
    Row{st::kEndToEndGuardCheckError, 0x0504, "End-to-end Guard Check Error"},
    Row{st::kEndToEndApplicationTagCheckError, 0x0506, "End-to-end Application Tag Check Error"},
    Row{st::kEndToEndReferenceTagCheckError, 0x0508, "End-to-end Reference Tag Check Error"},
    Row{st::kCompareFailure, 0x850A, "Compare Failure"},
    Row{st::kAccessDenied, 0x850C, "Access Denied"},
    Row{st::kDeallocatedOrUnwrittenLogicalBlock, 0x850E, "Deallocated or Unwritten Logical Block"},
    Row{st::kEndToEndStorageTagCheckError, 0x0510, "End-to-end Storage Tag Check Error"},

    Row{st::kInternalPathError, 0x0600, "Internal Path Error"},
    Row{st::kAsymmetricAccessPersistentLoss, 0x0602, "Asymmetric Access Persistent Loss"},
    Row{st::kAsymmetricAccessInaccessible, 0x0604, "Asymmetric Access Inaccessible"},
    Row{st::kAsymmetricAccessTransition, 0x0606, "Asymmetric Access Transition"},
    Row{st::kControllerPathingError, 0x06C0, "Controller Pathing Error"},
    Row{st::kHostPathingError, 0x06E0, "Host Pathing Error"},
    Row{st::kCommandAbortedByHost, 0x06E2, "Command Aborted By Host"},
};

}  // namespace

TEST_CASE("spec status: words and names of the table") {
  std::set<std::uint16_t> seen;
  for (const Row& row : kRows) {
    INFO(row.name);
    CHECK(row.status.word(false) == row.word);
    CHECK(row.status.word(true) == (row.word | 1u));
    CHECK(row.status.name() == row.name);
    CHECK(Status::from_word(row.word) == row.status);
    CHECK(Status::from_word(static_cast<std::uint16_t>(row.word | 1u)) == row.status);
    CHECK(seen.insert(row.word).second);
  }
}

TEST_CASE("spec status: the name depends on the code alone") {
  const Status bare{StatusCodeType::kGeneric, 0x02};
  CHECK(bare != st::kInvalidFieldInCommand);
  CHECK(bare.is(st::kInvalidFieldInCommand));
  CHECK(bare.name() == "Invalid Field in Command");
  CHECK(bare.with_dnr(true) == st::kInvalidFieldInCommand);
}

TEST_CASE("spec status: fields of the word") {
  const Status status = Status{StatusCodeType::kVendorSpecific, 0xFF, true}.with_crd(3).with_m(true);
  CHECK(status.word(true) == 0xFFFF);
  CHECK(status.sct() == StatusCodeType::kVendorSpecific);
  CHECK(status.sc() == 0xFF);
  CHECK(status.crd() == 3);
  CHECK(status.m());
  CHECK(status.dnr());
  CHECK_FALSE(status.ok());
  CHECK(status.name() == "Vendor Specific");
  CHECK(status.with_crd(0).with_m(false).with_dnr(false).word(false) == 0x0FFE);
  CHECK(Status{}.with_m(true).ok());
  CHECK((Status{StatusCodeType::kGeneric, 0x17}).name() == "Unknown");
}

TEST_CASE("spec status: every word comes back") {
  for (unsigned word = 0; word <= 0xFFFF; ++word) {
    const auto status = Status::from_word(static_cast<std::uint16_t>(word));
    const auto rebuilt =
        Status{status.sct(), status.sc(), status.dnr()}.with_crd(status.crd()).with_m(status.m()).word((word & 1) != 0);
    if (rebuilt != word) FAIL(word);
  }
}

TEST_CASE("spec status: codes of Fabrics commands") {
  struct FabricsRow {
    Status status;
    std::uint16_t word;
    std::string_view name;
  };
  constexpr std::array rows = {
      FabricsRow{st::kConnectIncompatibleFormat, 0x8300, "Connect Incompatible Format"},
      FabricsRow{st::kConnectControllerBusy, 0x8302, "Connect Controller Busy"},
      FabricsRow{st::kConnectInvalidParameters, 0x8304, "Connect Invalid Parameters"},
      FabricsRow{st::kConnectRestartDiscovery, 0x8306, "Connect Restart Discovery"},
      FabricsRow{st::kConnectInvalidHost, 0x8308, "Connect Invalid Host"},
      FabricsRow{st::kInvalidQueueType, 0x830A, "Invalid Queue Type"},
      FabricsRow{st::kAuthenticationRequired, 0x8322, "Authentication Required"},
  };
  for (const FabricsRow& row : rows) {
    INFO(row.name);
    CHECK(row.status.word(false) == row.word);
    CHECK(row.status.fabrics_name() == row.name);
  }
  CHECK(st::kInvalidFieldInCommand.fabrics_name() == "Invalid Field in Command");
}
