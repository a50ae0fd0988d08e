// SPDX-License-Identifier: GPL-2.0-only
// The names of the status codes, in the order of their tables.
#include "emulator/spec/status.hpp"

#include <array>
#include <span>

namespace flushlab::spec {

namespace {

struct NamedStatus {
  Status status;
  std::string_view name;
};

constexpr std::array kNames = {
    NamedStatus{status::kSuccess, "Successful Completion"},
    NamedStatus{status::kInvalidCommandOpcode, "Invalid Command Opcode"},
    NamedStatus{status::kInvalidFieldInCommand, "Invalid Field in Command"},
    NamedStatus{status::kCommandIdConflict, "Command ID Conflict"},
    NamedStatus{status::kDataTransferError, "Data Transfer Error"},
    NamedStatus{status::kAbortedDueToPowerLoss, "Commands Aborted due to Power Loss Notification"},
    NamedStatus{status::kInternalError, "Internal Error"},
    NamedStatus{status::kCommandAbortRequested, "Command Abort Requested"},
    NamedStatus{status::kAbortedDueToSqDeletion, "Command Aborted due to SQ Deletion"},
    NamedStatus{status::kAbortedDueToFailedFusedCommand, "Command Aborted due to Failed Fused Command"},
    NamedStatus{status::kAbortedDueToMissingFusedCommand, "Command Aborted due to Missing Fused Command"},
    NamedStatus{status::kInvalidNamespaceOrFormat, "Invalid Namespace or Format"},
    NamedStatus{status::kCommandSequenceError, "Command Sequence Error"},
    NamedStatus{status::kInvalidSglSegmentDescriptor, "Invalid SGL Segment Descriptor"},
    NamedStatus{status::kInvalidNumberOfSglDescriptors, "Invalid Number of SGL Descriptors"},
    NamedStatus{status::kDataSglLengthInvalid, "Data SGL Length Invalid"},
    NamedStatus{status::kMetadataSglLengthInvalid, "Metadata SGL Length Invalid"},
    NamedStatus{status::kSglDescriptorTypeInvalid, "SGL Descriptor Type Invalid"},
    NamedStatus{status::kInvalidUseOfControllerMemoryBuffer, "Invalid Use of Controller Memory Buffer"},
    NamedStatus{status::kPrpOffsetInvalid, "PRP Offset Invalid"},
    NamedStatus{status::kAtomicWriteUnitExceeded, "Atomic Write Unit Exceeded"},
    NamedStatus{status::kOperationDenied, "Operation Denied"},
    NamedStatus{status::kSglOffsetInvalid, "SGL Offset Invalid"},
    NamedStatus{status::kHostIdentifierInconsistentFormat, "Host Identifier Inconsistent Format"},
    NamedStatus{status::kKeepAliveTimerExpired, "Keep Alive Timer Expired"},
    NamedStatus{status::kKeepAliveTimeoutInvalid, "Keep Alive Timeout Invalid"},
    NamedStatus{status::kAbortedDueToPreemptAndAbort, "Command Aborted due to Preempt and Abort"},
    NamedStatus{status::kSanitizeFailed, "Sanitize Failed"},
    NamedStatus{status::kSanitizeInProgress, "Sanitize In Progress"},
    NamedStatus{status::kSglDataBlockGranularityInvalid, "SGL Data Block Granularity Invalid"},
    NamedStatus{status::kCommandNotSupportedForQueueInCmb, "Command Not Supported for Queue in CMB"},
    NamedStatus{status::kNamespaceIsWriteProtected, "Namespace is Write Protected"},
    NamedStatus{status::kCommandInterrupted, "Command Interrupted"},
    NamedStatus{status::kTransientTransportError, "Transient Transport Error"},
    NamedStatus{status::kCommandProhibitedByLockdown, "Command Prohibited by Command and Feature Lockdown"},
    NamedStatus{status::kAdminCommandMediaNotReady, "Admin Command Media Not Ready"},
    NamedStatus{status::kInvalidKeyTag, "Invalid Key Tag"},
    NamedStatus{status::kHostDispersedNamespaceSupportNotEnabled, "Host Dispersed Namespace Support Not Enabled"},
    NamedStatus{status::kHostIdentifierNotInitialized, "Host Identifier Not Initialized"},
    NamedStatus{status::kIncorrectKey, "Incorrect Key"},
    NamedStatus{status::kFdpDisabled, "FDP Disabled"},
    NamedStatus{status::kInvalidPlacementHandleList, "Invalid Placement Handle List"},
    NamedStatus{status::kLbaOutOfRange, "LBA Out of Range"},
    NamedStatus{status::kCapacityExceeded, "Capacity Exceeded"},
    NamedStatus{status::kNamespaceNotReady, "Namespace Not Ready"},
    NamedStatus{status::kReservationConflict, "Reservation Conflict"},
    NamedStatus{status::kFormatInProgress, "Format In Progress"},

    NamedStatus{status::kCompletionQueueInvalid, "Completion Queue Invalid"},
    NamedStatus{status::kInvalidQueueIdentifier, "Invalid Queue Identifier"},
    NamedStatus{status::kInvalidQueueSize, "Invalid Queue Size"},
    NamedStatus{status::kAbortCommandLimitExceeded, "Abort Command Limit Exceeded"},
    NamedStatus{status::kAsynchronousEventRequestLimitExceeded, "Asynchronous Event Request Limit Exceeded"},
    NamedStatus{status::kInvalidFirmwareSlot, "Invalid Firmware Slot"},
    NamedStatus{status::kInvalidFirmwareImage, "Invalid Firmware Image"},
    NamedStatus{status::kInvalidInterruptVector, "Invalid Interrupt Vector"},
    NamedStatus{status::kInvalidLogPage, "Invalid Log Page"},
    NamedStatus{status::kInvalidFormat, "Invalid Format"},
    NamedStatus{status::kFirmwareActivationRequiresConventionalReset,
                "Firmware Activation Requires Conventional Reset"},
    NamedStatus{status::kInvalidQueueDeletion, "Invalid Queue Deletion"},
    NamedStatus{status::kFeatureIdentifierNotSaveable, "Feature Identifier Not Saveable"},
    NamedStatus{status::kFeatureNotChangeable, "Feature Not Changeable"},
    NamedStatus{status::kFeatureNotNamespaceSpecific, "Feature Not Namespace Specific"},
    NamedStatus{status::kFirmwareActivationRequiresNvmSubsystemReset,
                "Firmware Activation Requires NVM Subsystem Reset"},
    NamedStatus{status::kFirmwareActivationRequiresControllerLevelReset,
                "Firmware Activation Requires Controller Level Reset"},
    NamedStatus{status::kFirmwareActivationRequiresMaximumTimeViolation,
                "Firmware Activation Requires Maximum Time Violation"},
    NamedStatus{status::kFirmwareActivationProhibited, "Firmware Activation Prohibited"},
    NamedStatus{status::kOverlappingRange, "Overlapping Range"},
    NamedStatus{status::kNamespaceInsufficientCapacity, "Namespace Insufficient Capacity"},
    NamedStatus{status::kNamespaceIdentifierUnavailable, "Namespace Identifier Unavailable"},
    NamedStatus{status::kNamespaceAlreadyAttached, "Namespace Already Attached"},
    NamedStatus{status::kNamespaceIsPrivate, "Namespace Is Private"},
    NamedStatus{status::kNamespaceNotAttached, "Namespace Not Attached"},
    NamedStatus{status::kThinProvisioningNotSupported, "Thin Provisioning Not Supported"},
    NamedStatus{status::kControllerListInvalid, "Controller List Invalid"},
    NamedStatus{status::kDeviceSelfTestInProgress, "Device Self-test In Progress"},
    NamedStatus{status::kBootPartitionWriteProhibited, "Boot Partition Write Prohibited"},
    NamedStatus{status::kInvalidControllerIdentifier, "Invalid Controller Identifier"},
    NamedStatus{status::kInvalidSecondaryControllerState, "Invalid Secondary Controller State"},
    NamedStatus{status::kInvalidNumberOfControllerResources, "Invalid Number of Controller Resources"},
    NamedStatus{status::kInvalidResourceIdentifier, "Invalid Resource Identifier"},
    NamedStatus{status::kSanitizeProhibitedWhilePmrEnabled,
                "Sanitize Prohibited While Persistent Memory Region is Enabled"},
    NamedStatus{status::kAnaGroupIdentifierInvalid, "ANA Group Identifier Invalid"},
    NamedStatus{status::kAnaAttachFailed, "ANA Attach Failed"},
    NamedStatus{status::kNamespaceAttachmentLimitExceeded, "Namespace Attachment Limit Exceeded"},
    NamedStatus{status::kIoCommandSetNotSupported, "I/O Command Set Not Supported"},
    NamedStatus{status::kIoCommandSetNotEnabled, "I/O Command Set Not Enabled"},
    NamedStatus{status::kIoCommandSetCombinationRejected, "I/O Command Set Combination Rejected"},
    NamedStatus{status::kIoCommandSetInvalid, "I/O Command Set Invalid"},

    NamedStatus{status::kConflictingAttributes, "Conflicting Attributes"},
    NamedStatus{status::kInvalidProtectionInformation, "Invalid Protection Information"},
    NamedStatus{status::kAttemptedWriteToReadOnlyRange, "Attempted Write to Read Only Range"},
    NamedStatus{status::kCommandSizeLimitExceeded, "Command Size Limit Exceeded"},
    NamedStatus{status::kIncompatibleNamespaceOrFormat, "Incompatible Namespace or Format"},
    NamedStatus{status::kFastCopyNotPossible, "Fast Copy Not Possible"},
    NamedStatus{status::kOverlappingIoRange, "Overlapping I/O Range"},

    NamedStatus{status::kWriteFault, "Write Fault"},
    NamedStatus{status::kUnrecoveredReadError, "Unrecovered Read Error"},
    NamedStatus{status::kEndToEndGuardCheckError, "End-to-end Guard Check Error"},
    NamedStatus{status::kEndToEndApplicationTagCheckError, "End-to-end Application Tag Check Error"},
    NamedStatus{status::kEndToEndReferenceTagCheckError, "End-to-end Reference Tag Check Error"},
    NamedStatus{status::kCompareFailure, "Compare Failure"},
    NamedStatus{status::kAccessDenied, "Access Denied"},
    NamedStatus{status::kDeallocatedOrUnwrittenLogicalBlock, "Deallocated or Unwritten Logical Block"},
    NamedStatus{status::kEndToEndStorageTagCheckError, "End-to-end Storage Tag Check Error"},

    NamedStatus{status::kInternalPathError, "Internal Path Error"},
    NamedStatus{status::kAsymmetricAccessPersistentLoss, "Asymmetric Access Persistent Loss"},
    NamedStatus{status::kAsymmetricAccessInaccessible, "Asymmetric Access Inaccessible"},
    NamedStatus{status::kAsymmetricAccessTransition, "Asymmetric Access Transition"},
    NamedStatus{status::kControllerPathingError, "Controller Pathing Error"},
    NamedStatus{status::kHostPathingError, "Host Pathing Error"},
    NamedStatus{status::kCommandAbortedByHost, "Command Aborted By Host"},
};

constexpr std::array kFabricsNames = {
    NamedStatus{status::kConnectIncompatibleFormat, "Connect Incompatible Format"},
    NamedStatus{status::kConnectControllerBusy, "Connect Controller Busy"},
    NamedStatus{status::kConnectInvalidParameters, "Connect Invalid Parameters"},
    NamedStatus{status::kConnectRestartDiscovery, "Connect Restart Discovery"},
    NamedStatus{status::kConnectInvalidHost, "Connect Invalid Host"},
    NamedStatus{status::kInvalidQueueType, "Invalid Queue Type"},
    NamedStatus{status::kDiscoveryRestart, "Discover Restart"},
    NamedStatus{status::kAuthenticationRequired, "Authentication Required"},
};

constexpr std::string_view find(std::span<const NamedStatus> names, Status status) {
  for (const NamedStatus& entry : names) {
    if (entry.status.is(status)) return entry.name;
  }
  return {};
}

}  // namespace

std::string_view Status::name() const {
  if (const std::string_view found = find(kNames, *this); !found.empty()) return found;
  if (sct() == StatusCodeType::kVendorSpecific || sc() >= 0xC0) return "Vendor Specific";
  return "Unknown";
}

std::string_view Status::fabrics_name() const {
  const std::string_view found = find(kFabricsNames, *this);
  return found.empty() ? name() : found;
}

}  // namespace flushlab::spec
