// SPDX-License-Identifier: GPL-2.0-only
// How a command ended: the 15 bits of the status field, without the phase tag that shares their word
// (NVMe Base 2.1 sec. 4.2.3; NVM CS 1.1 sec. 3.1). Each constant carries the DNR bit with which it is best reported.
#pragma once

#include <cstdint>
#include <string_view>

#include "emulator/spec/bits.hpp"

namespace flushlab::spec {

// Status Code Type: which table the status code is from.
enum class StatusCodeType : std::uint8_t {
  kGeneric = 0,
  kCommandSpecific = 1,
  kMediaAndDataIntegrity = 2,
  kPathRelated = 3,
  kVendorSpecific = 7,
};

class Status {
 public:
  constexpr Status() = default;  // Success
  constexpr Status(StatusCodeType sct, std::uint8_t sc, bool dnr = false)
      : bits_(static_cast<std::uint16_t>(kSC.put(sc) | kSCT.put(sct) | kDNR.put(dnr ? 1u : 0u))) {}

  // From bytes 14-15 of a completion entry; the phase tag is dropped.
  [[nodiscard]] static constexpr Status from_word(std::uint16_t word) {
    Status status;
    status.bits_ = static_cast<std::uint16_t>(word & ~kP.mask());
    return status;
  }
  // Bytes 14-15 of a completion entry.
  [[nodiscard]] constexpr std::uint16_t word(bool phase) const {
    return static_cast<std::uint16_t>(bits_ | (phase ? 1u : 0u));
  }

  [[nodiscard]] constexpr std::uint8_t sc() const { return static_cast<std::uint8_t>(kSC.get(bits_)); }
  [[nodiscard]] constexpr StatusCodeType sct() const { return static_cast<StatusCodeType>(kSCT.get(bits_)); }
  // Command Retry Delay: 0 at once, 1..3 after CRDT1..CRDT3.
  [[nodiscard]] constexpr std::uint8_t crd() const { return static_cast<std::uint8_t>(kCRD.get(bits_)); }
  [[nodiscard]] constexpr bool m() const { return kM.in(bits_); }      // more in the Error Information log
  [[nodiscard]] constexpr bool dnr() const { return kDNR.in(bits_); }  // Do Not Retry: it would fail again

  [[nodiscard]] constexpr Status with_crd(unsigned crd) const { return from_word(kCRD.set(bits_, crd)); }
  [[nodiscard]] constexpr Status with_m(bool m) const { return from_word(kM.set(bits_, m ? 1u : 0u)); }
  [[nodiscard]] constexpr Status with_dnr(bool dnr) const { return from_word(kDNR.set(bits_, dnr ? 1u : 0u)); }

  [[nodiscard]] constexpr bool ok() const { return (bits_ & (kSC | kSCT)) == 0; }
  // The same code, whatever CRD, M and DNR say: what a caller that branches on the outcome compares.
  [[nodiscard]] constexpr bool is(Status other) const { return ((bits_ ^ other.bits_) & (kSC | kSCT)) == 0; }
  constexpr bool operator==(const Status&) const = default;

  // The specification's name of the code; codes 80h.. of SCT 1 by the NVM command set's meaning.
  // "Vendor Specific" for SCT 7 and vendor codes, "Unknown" for what no table holds.
  [[nodiscard]] std::string_view name() const;
  // The same for a Fabrics command, whose SCT 1 codes 80h.. mean something else.
  [[nodiscard]] std::string_view fabrics_name() const;

  static constexpr Bits16 kP{0};        // Phase Tag; not part of the value
  static constexpr Bits16 kSC{8, 1};    // Status Code
  static constexpr Bits16 kSCT{11, 9};  // Status Code Type
  static constexpr Bits16 kCRD{13, 12};
  static constexpr Bits16 kM{14};
  static constexpr Bits16 kDNR{15};

 private:
  std::uint16_t bits_ = 0;  // as in the word, phase 0
};

static_assert(sizeof(Status) == 2);

namespace status {

namespace detail {
inline constexpr bool kDnr = true;
constexpr Status generic(std::uint8_t sc, bool dnr = false) {
  return {StatusCodeType::kGeneric, sc, dnr};
}
constexpr Status command(std::uint8_t sc, bool dnr = true) {
  return {StatusCodeType::kCommandSpecific, sc, dnr};
}
constexpr Status media(std::uint8_t sc, bool dnr = false) {
  return {StatusCodeType::kMediaAndDataIntegrity, sc, dnr};
}
constexpr Status path(std::uint8_t sc) {
  return {StatusCodeType::kPathRelated, sc, false};
}
}  // namespace detail

// Generic Command Status (Base 2.1 sec. 4.2.3.1).
inline constexpr Status kSuccess = detail::generic(0x00);
inline constexpr Status kInvalidCommandOpcode = detail::generic(0x01, detail::kDnr);
inline constexpr Status kInvalidFieldInCommand = detail::generic(0x02, detail::kDnr);
inline constexpr Status kCommandIdConflict = detail::generic(0x03, detail::kDnr);
inline constexpr Status kDataTransferError = detail::generic(0x04);
inline constexpr Status kAbortedDueToPowerLoss = detail::generic(0x05);
inline constexpr Status kInternalError = detail::generic(0x06);
inline constexpr Status kCommandAbortRequested = detail::generic(0x07);
inline constexpr Status kAbortedDueToSqDeletion = detail::generic(0x08);
inline constexpr Status kAbortedDueToFailedFusedCommand = detail::generic(0x09, detail::kDnr);
inline constexpr Status kAbortedDueToMissingFusedCommand = detail::generic(0x0A, detail::kDnr);
inline constexpr Status kInvalidNamespaceOrFormat = detail::generic(0x0B, detail::kDnr);
inline constexpr Status kCommandSequenceError = detail::generic(0x0C, detail::kDnr);
inline constexpr Status kInvalidSglSegmentDescriptor = detail::generic(0x0D, detail::kDnr);
inline constexpr Status kInvalidNumberOfSglDescriptors = detail::generic(0x0E, detail::kDnr);
inline constexpr Status kDataSglLengthInvalid = detail::generic(0x0F, detail::kDnr);
inline constexpr Status kMetadataSglLengthInvalid = detail::generic(0x10, detail::kDnr);
inline constexpr Status kSglDescriptorTypeInvalid = detail::generic(0x11, detail::kDnr);
inline constexpr Status kInvalidUseOfControllerMemoryBuffer = detail::generic(0x12, detail::kDnr);
inline constexpr Status kPrpOffsetInvalid = detail::generic(0x13, detail::kDnr);
inline constexpr Status kAtomicWriteUnitExceeded = detail::generic(0x14, detail::kDnr);
inline constexpr Status kOperationDenied = detail::generic(0x15, detail::kDnr);
inline constexpr Status kSglOffsetInvalid = detail::generic(0x16, detail::kDnr);
inline constexpr Status kHostIdentifierInconsistentFormat = detail::generic(0x18, detail::kDnr);
inline constexpr Status kKeepAliveTimerExpired = detail::generic(0x19, detail::kDnr);
inline constexpr Status kKeepAliveTimeoutInvalid = detail::generic(0x1A, detail::kDnr);
inline constexpr Status kAbortedDueToPreemptAndAbort = detail::generic(0x1B);
inline constexpr Status kSanitizeFailed = detail::generic(0x1C, detail::kDnr);
inline constexpr Status kSanitizeInProgress = detail::generic(0x1D, detail::kDnr);
inline constexpr Status kSglDataBlockGranularityInvalid = detail::generic(0x1E, detail::kDnr);
inline constexpr Status kCommandNotSupportedForQueueInCmb = detail::generic(0x1F, detail::kDnr);
inline constexpr Status kNamespaceIsWriteProtected = detail::generic(0x20, detail::kDnr);
inline constexpr Status kCommandInterrupted = detail::generic(0x21);
inline constexpr Status kTransientTransportError = detail::generic(0x22);
inline constexpr Status kCommandProhibitedByLockdown = detail::generic(0x23, detail::kDnr);
inline constexpr Status kAdminCommandMediaNotReady = detail::generic(0x24);
inline constexpr Status kInvalidKeyTag = detail::generic(0x25, detail::kDnr);
inline constexpr Status kHostDispersedNamespaceSupportNotEnabled = detail::generic(0x26, detail::kDnr);
inline constexpr Status kHostIdentifierNotInitialized = detail::generic(0x27, detail::kDnr);
inline constexpr Status kIncorrectKey = detail::generic(0x28, detail::kDnr);
inline constexpr Status kFdpDisabled = detail::generic(0x29, detail::kDnr);
inline constexpr Status kInvalidPlacementHandleList = detail::generic(0x2A, detail::kDnr);
inline constexpr Status kLbaOutOfRange = detail::generic(0x80, detail::kDnr);
inline constexpr Status kCapacityExceeded = detail::generic(0x81, detail::kDnr);
inline constexpr Status kNamespaceNotReady = detail::generic(0x82);
inline constexpr Status kReservationConflict = detail::generic(0x83, detail::kDnr);
inline constexpr Status kFormatInProgress = detail::generic(0x84);

// Command Specific Status (Base 2.1 sec. 4.2.3.2). Retrying does not help, with one exception.
inline constexpr Status kCompletionQueueInvalid = detail::command(0x00);
inline constexpr Status kInvalidQueueIdentifier = detail::command(0x01);
inline constexpr Status kInvalidQueueSize = detail::command(0x02);
inline constexpr Status kAbortCommandLimitExceeded = detail::command(0x03);
inline constexpr Status kAsynchronousEventRequestLimitExceeded =
    detail::command(0x05, false);  // room comes with an event
inline constexpr Status kInvalidFirmwareSlot = detail::command(0x06);
inline constexpr Status kInvalidFirmwareImage = detail::command(0x07);
inline constexpr Status kInvalidInterruptVector = detail::command(0x08);
inline constexpr Status kInvalidLogPage = detail::command(0x09);
inline constexpr Status kInvalidFormat = detail::command(0x0A);
inline constexpr Status kFirmwareActivationRequiresConventionalReset = detail::command(0x0B);
inline constexpr Status kInvalidQueueDeletion = detail::command(0x0C);
inline constexpr Status kFeatureIdentifierNotSaveable = detail::command(0x0D);
inline constexpr Status kFeatureNotChangeable = detail::command(0x0E);
inline constexpr Status kFeatureNotNamespaceSpecific = detail::command(0x0F);
inline constexpr Status kFirmwareActivationRequiresNvmSubsystemReset = detail::command(0x10);
inline constexpr Status kFirmwareActivationRequiresControllerLevelReset = detail::command(0x11);
inline constexpr Status kFirmwareActivationRequiresMaximumTimeViolation = detail::command(0x12);
inline constexpr Status kFirmwareActivationProhibited = detail::command(0x13);
inline constexpr Status kOverlappingRange = detail::command(0x14);
inline constexpr Status kNamespaceInsufficientCapacity = detail::command(0x15);
inline constexpr Status kNamespaceIdentifierUnavailable = detail::command(0x16);
inline constexpr Status kNamespaceAlreadyAttached = detail::command(0x18);
inline constexpr Status kNamespaceIsPrivate = detail::command(0x19);
inline constexpr Status kNamespaceNotAttached = detail::command(0x1A);
inline constexpr Status kThinProvisioningNotSupported = detail::command(0x1B);
inline constexpr Status kControllerListInvalid = detail::command(0x1C);
inline constexpr Status kDeviceSelfTestInProgress = detail::command(0x1D);
inline constexpr Status kBootPartitionWriteProhibited = detail::command(0x1E);
inline constexpr Status kInvalidControllerIdentifier = detail::command(0x1F);
inline constexpr Status kInvalidSecondaryControllerState = detail::command(0x20);
inline constexpr Status kInvalidNumberOfControllerResources = detail::command(0x21);
inline constexpr Status kInvalidResourceIdentifier = detail::command(0x22);
inline constexpr Status kSanitizeProhibitedWhilePmrEnabled = detail::command(0x23);
inline constexpr Status kAnaGroupIdentifierInvalid = detail::command(0x24);
inline constexpr Status kAnaAttachFailed = detail::command(0x25);
inline constexpr Status kNamespaceAttachmentLimitExceeded = detail::command(0x27);
inline constexpr Status kIoCommandSetNotSupported = detail::command(0x29);
inline constexpr Status kIoCommandSetNotEnabled = detail::command(0x2A);
inline constexpr Status kIoCommandSetCombinationRejected = detail::command(0x2B);
inline constexpr Status kIoCommandSetInvalid = detail::command(0x2C);

// Command Specific Status of the NVM command set (NVM CS 1.1 sec. 3.1.1).
inline constexpr Status kConflictingAttributes = detail::command(0x80);
inline constexpr Status kInvalidProtectionInformation = detail::command(0x81);
inline constexpr Status kAttemptedWriteToReadOnlyRange = detail::command(0x82);
inline constexpr Status kCommandSizeLimitExceeded = detail::command(0x83);
inline constexpr Status kIncompatibleNamespaceOrFormat = detail::command(0x85);
inline constexpr Status kFastCopyNotPossible = detail::command(0x86);
inline constexpr Status kOverlappingIoRange = detail::command(0x87);

// The same codes after a Fabrics command (Base 2.1 sec. 6; Connect).
inline constexpr Status kConnectIncompatibleFormat = detail::command(0x80);
inline constexpr Status kConnectControllerBusy = detail::command(0x81);
inline constexpr Status kConnectInvalidParameters = detail::command(0x82);
inline constexpr Status kConnectRestartDiscovery = detail::command(0x83);
inline constexpr Status kConnectInvalidHost = detail::command(0x84);
inline constexpr Status kInvalidQueueType = detail::command(0x85);
inline constexpr Status kDiscoveryRestart = detail::command(0x90);
inline constexpr Status kAuthenticationRequired = detail::command(0x91);

// Media and Data Integrity Errors (Base 2.1 sec. 4.2.3.3; NVM CS 1.1 sec. 3.1.2).
inline constexpr Status kWriteFault = detail::media(0x80);
inline constexpr Status kUnrecoveredReadError = detail::media(0x81);
inline constexpr Status kEndToEndGuardCheckError = detail::media(0x82);
inline constexpr Status kEndToEndApplicationTagCheckError = detail::media(0x83);
inline constexpr Status kEndToEndReferenceTagCheckError = detail::media(0x84);
inline constexpr Status kCompareFailure = detail::media(0x85, detail::kDnr);
inline constexpr Status kAccessDenied = detail::media(0x86, detail::kDnr);
inline constexpr Status kDeallocatedOrUnwrittenLogicalBlock = detail::media(0x87, detail::kDnr);
inline constexpr Status kEndToEndStorageTagCheckError = detail::media(0x88);

// Path Related Status (Base 2.1 sec. 4.2.3.4). Another path may do, so never DNR.
inline constexpr Status kInternalPathError = detail::path(0x00);
inline constexpr Status kAsymmetricAccessPersistentLoss = detail::path(0x01);
inline constexpr Status kAsymmetricAccessInaccessible = detail::path(0x02);
inline constexpr Status kAsymmetricAccessTransition = detail::path(0x03);
inline constexpr Status kControllerPathingError = detail::path(0x60);
inline constexpr Status kHostPathingError = detail::path(0x70);
inline constexpr Status kCommandAbortedByHost = detail::path(0x71);

}  // namespace status
}  // namespace flushlab::spec
