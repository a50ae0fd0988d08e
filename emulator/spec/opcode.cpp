// SPDX-License-Identifier: GPL-2.0-only
// The names of the opcodes.
#include "emulator/spec/command.hpp"

namespace flushlab::spec {

std::string_view name(AdminOpcode opcode) {
  switch (opcode) {
    case AdminOpcode::kDeleteIoSq:
      return "Delete I/O Submission Queue";
    case AdminOpcode::kCreateIoSq:
      return "Create I/O Submission Queue";
    case AdminOpcode::kGetLogPage:
      return "Get Log Page";
    case AdminOpcode::kDeleteIoCq:
      return "Delete I/O Completion Queue";
    case AdminOpcode::kCreateIoCq:
      return "Create I/O Completion Queue";
    case AdminOpcode::kIdentify:
      return "Identify";
    case AdminOpcode::kAbort:
      return "Abort";
    case AdminOpcode::kSetFeatures:
      return "Set Features";
    case AdminOpcode::kGetFeatures:
      return "Get Features";
    case AdminOpcode::kAsynchronousEventRequest:
      return "Asynchronous Event Request";
    case AdminOpcode::kNamespaceManagement:
      return "Namespace Management";
    case AdminOpcode::kFirmwareCommit:
      return "Firmware Commit";
    case AdminOpcode::kFirmwareImageDownload:
      return "Firmware Image Download";
    case AdminOpcode::kDeviceSelfTest:
      return "Device Self-test";
    case AdminOpcode::kNamespaceAttachment:
      return "Namespace Attachment";
    case AdminOpcode::kKeepAlive:
      return "Keep Alive";
    case AdminOpcode::kDirectiveSend:
      return "Directive Send";
    case AdminOpcode::kDirectiveReceive:
      return "Directive Receive";
    case AdminOpcode::kVirtualizationManagement:
      return "Virtualization Management";
    case AdminOpcode::kNvmeMiSend:
      return "NVMe-MI Send";
    case AdminOpcode::kNvmeMiReceive:
      return "NVMe-MI Receive";
    case AdminOpcode::kCapacityManagement:
      return "Capacity Management";
    case AdminOpcode::kLockdown:
      return "Lockdown";
    case AdminOpcode::kDoorbellBufferConfig:
      return "Doorbell Buffer Config";
    case AdminOpcode::kFabrics:
      return "Fabrics";
    case AdminOpcode::kFormatNvm:
      return "Format NVM";
    case AdminOpcode::kSecuritySend:
      return "Security Send";
    case AdminOpcode::kSecurityReceive:
      return "Security Receive";
    case AdminOpcode::kSanitize:
      return "Sanitize";
    case AdminOpcode::kGetLbaStatus:
      return "Get LBA Status";
    case AdminOpcode::kVendorFirst:
      break;
  }
  return opcode >= AdminOpcode::kVendorFirst ? "Vendor Specific" : "Unknown";
}

std::string_view name(IoOpcode opcode) {
  switch (opcode) {
    case IoOpcode::kFlush:
      return "Flush";
    case IoOpcode::kWrite:
      return "Write";
    case IoOpcode::kRead:
      return "Read";
    case IoOpcode::kWriteUncorrectable:
      return "Write Uncorrectable";
    case IoOpcode::kCompare:
      return "Compare";
    case IoOpcode::kWriteZeroes:
      return "Write Zeroes";
    case IoOpcode::kDatasetManagement:
      return "Dataset Management";
    case IoOpcode::kVerify:
      return "Verify";
    case IoOpcode::kReservationRegister:
      return "Reservation Register";
    case IoOpcode::kReservationReport:
      return "Reservation Report";
    case IoOpcode::kReservationAcquire:
      return "Reservation Acquire";
    case IoOpcode::kIoManagementReceive:
      return "I/O Management Receive";
    case IoOpcode::kReservationRelease:
      return "Reservation Release";
    case IoOpcode::kCancel:
      return "Cancel";
    case IoOpcode::kCopy:
      return "Copy";
    case IoOpcode::kIoManagementSend:
      return "I/O Management Send";
    case IoOpcode::kFabrics:
      return "Fabrics";
  }
  return static_cast<std::uint8_t>(opcode) >= 0x80 ? "Vendor Specific" : "Unknown";
}

}  // namespace flushlab::spec
