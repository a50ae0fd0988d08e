// SPDX-License-Identifier: GPL-2.0-only
// The names of CNS values, features and log pages.
#include "emulator/spec/feature.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"

namespace flushlab::spec {

std::string_view name(Cns cns) {
  switch (cns) {
    case Cns::kNamespace:
      return "Identify Namespace";
    case Cns::kController:
      return "Identify Controller";
    case Cns::kActiveNamespaceList:
      return "Active Namespace ID list";
    case Cns::kNamespaceIdDescriptors:
      return "Namespace Identification Descriptor list";
    case Cns::kNvmSetList:
      return "NVM Set List";
    case Cns::kIoCommandSetNamespace:
      return "I/O Command Set specific Identify Namespace";
    case Cns::kIoCommandSetController:
      return "I/O Command Set specific Identify Controller";
    case Cns::kIoCommandSetActiveNamespaceList:
      return "I/O Command Set specific Active Namespace ID list";
    case Cns::kIndependentNamespace:
      return "I/O Command Set Independent Identify Namespace";
    case Cns::kNamespaceUserDataFormat:
      return "Identify Namespace, user data format";
    case Cns::kIoCommandSetUserDataFormat:
      return "I/O Command Set specific Identify Namespace, user data format";
    case Cns::kAllocatedNamespaceList:
      return "Allocated Namespace ID list";
    case Cns::kAllocatedNamespace:
      return "Identify Namespace, allocated";
    case Cns::kNamespaceAttachedControllerList:
      return "Namespace Attached Controller list";
    case Cns::kControllerList:
      return "Controller list";
    case Cns::kPrimaryControllerCapabilities:
      return "Primary Controller Capabilities";
    case Cns::kSecondaryControllerList:
      return "Secondary Controller list";
    case Cns::kNamespaceGranularityList:
      return "Namespace Granularity List";
    case Cns::kUuidList:
      return "UUID List";
    case Cns::kDomainList:
      return "Domain List";
    case Cns::kEnduranceGroupList:
      return "Endurance Group List";
    case Cns::kIoCommandSetAllocatedNamespaceList:
      return "I/O Command Set specific Allocated Namespace ID list";
    case Cns::kIoCommandSetAllocatedNamespace:
      return "I/O Command Set specific Identify Namespace, allocated";
    case Cns::kIoCommandSetCombinations:
      return "I/O Command Set data structure";
    case Cns::kAllocatedIndependentNamespace:
      return "I/O Command Set Independent Identify Namespace, allocated";
    case Cns::kSupportedControllerStateFormats:
      return "Supported Controller State Formats";
  }
  return "Unknown";
}

std::string_view name(FeatureId fid) {
  switch (fid) {
    case FeatureId::kArbitration:
      return "Arbitration";
    case FeatureId::kPowerManagement:
      return "Power Management";
    case FeatureId::kLbaRangeType:
      return "LBA Range Type";
    case FeatureId::kTemperatureThreshold:
      return "Temperature Threshold";
    case FeatureId::kErrorRecovery:
      return "Error Recovery";
    case FeatureId::kVolatileWriteCache:
      return "Volatile Write Cache";
    case FeatureId::kNumberOfQueues:
      return "Number of Queues";
    case FeatureId::kInterruptCoalescing:
      return "Interrupt Coalescing";
    case FeatureId::kInterruptVectorConfiguration:
      return "Interrupt Vector Configuration";
    case FeatureId::kWriteAtomicityNormal:
      return "Write Atomicity Normal";
    case FeatureId::kAsynchronousEventConfiguration:
      return "Asynchronous Event Configuration";
    case FeatureId::kAutonomousPowerStateTransition:
      return "Autonomous Power State Transition";
    case FeatureId::kHostMemoryBuffer:
      return "Host Memory Buffer";
    case FeatureId::kTimestamp:
      return "Timestamp";
    case FeatureId::kKeepAliveTimer:
      return "Keep Alive Timer";
    case FeatureId::kHostControlledThermalManagement:
      return "Host Controlled Thermal Management";
    case FeatureId::kNonOperationalPowerStateConfig:
      return "Non-Operational Power State Config";
    case FeatureId::kReadRecoveryLevelConfig:
      return "Read Recovery Level Config";
    case FeatureId::kPredictableLatencyModeConfig:
      return "Predictable Latency Mode Config";
    case FeatureId::kPredictableLatencyModeWindow:
      return "Predictable Latency Mode Window";
    case FeatureId::kLbaStatusInformationReportInterval:
      return "LBA Status Information Report Interval";
    case FeatureId::kHostBehaviorSupport:
      return "Host Behavior Support";
    case FeatureId::kSanitizeConfig:
      return "Sanitize Config";
    case FeatureId::kEnduranceGroupEventConfiguration:
      return "Endurance Group Event Configuration";
    case FeatureId::kIoCommandSetProfile:
      return "I/O Command Set Profile";
    case FeatureId::kSpinupControl:
      return "Spinup Control";
    case FeatureId::kPowerLossSignalingConfig:
      return "Power Loss Signaling Config";
    case FeatureId::kFlexibleDataPlacement:
      return "Flexible Data Placement";
    case FeatureId::kFlexibleDataPlacementEvents:
      return "Flexible Data Placement Events";
    case FeatureId::kSoftwareProgressMarker:
      return "Software Progress Marker";
    case FeatureId::kHostIdentifier:
      return "Host Identifier";
    case FeatureId::kReservationNotificationMask:
      return "Reservation Notification Mask";
    case FeatureId::kReservationPersistence:
      return "Reservation Persistence";
    case FeatureId::kNamespaceWriteProtectionConfig:
      return "Namespace Write Protection Config";
  }
  return static_cast<std::uint8_t>(fid) >= 0xC0 ? "Vendor Specific" : "Unknown";
}

std::string_view name(LogPageId lid) {
  switch (lid) {
    case LogPageId::kSupportedLogPages:
      return "Supported Log Pages";
    case LogPageId::kErrorInformation:
      return "Error Information";
    case LogPageId::kSmart:
      return "SMART / Health Information";
    case LogPageId::kFirmwareSlot:
      return "Firmware Slot Information";
    case LogPageId::kChangedNamespaceList:
      return "Changed Attached Namespace List";
    case LogPageId::kCommandsSupportedAndEffects:
      return "Commands Supported and Effects";
    case LogPageId::kDeviceSelfTest:
      return "Device Self-test";
    case LogPageId::kTelemetryHostInitiated:
      return "Telemetry Host-Initiated";
    case LogPageId::kTelemetryControllerInitiated:
      return "Telemetry Controller-Initiated";
    case LogPageId::kEnduranceGroup:
      return "Endurance Group Information";
    case LogPageId::kPredictableLatencyPerNvmSet:
      return "Predictable Latency Per NVM Set";
    case LogPageId::kPredictableLatencyAggregate:
      return "Predictable Latency Event Aggregate";
    case LogPageId::kAsymmetricNamespaceAccess:
      return "Asymmetric Namespace Access";
    case LogPageId::kPersistentEvent:
      return "Persistent Event";
    case LogPageId::kLbaStatus:
      return "LBA Status Information";
    case LogPageId::kEnduranceGroupAggregate:
      return "Endurance Group Event Aggregate";
    case LogPageId::kFeatureIdsSupportedAndEffects:
      return "Feature Identifiers Supported and Effects";
    case LogPageId::kNvmeMiCommandsSupportedAndEffects:
      return "NVMe-MI Commands Supported and Effects";
    case LogPageId::kDiscovery:
      return "Discovery";
    case LogPageId::kReservationNotification:
      return "Reservation Notification";
    case LogPageId::kSanitizeStatus:
      return "Sanitize Status";
  }
  return static_cast<std::uint8_t>(lid) >= 0xC0 ? "Vendor Specific" : "Unknown";
}

}  // namespace flushlab::spec
