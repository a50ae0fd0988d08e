// SPDX-License-Identifier: GPL-2.0-only
// Identify (NVMe Base 2.1 sec. 5.1.13): the CNS values, the lists, and, by inclusion, the controller and namespace
// structures.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "emulator/spec/command.hpp"
#include "emulator/spec/endian.hpp"
#include "emulator/spec/identify_controller.hpp"
#include "emulator/spec/identify_namespace.hpp"

namespace flushlab::spec {

// Controller or Namespace Structure (Base 2.1 sec. 5.1.13.1).
enum class Cns : std::uint8_t {
  kNamespace = 0x00,                        // NVM CS 1.1 sec. 4.1.5.1
  kController = 0x01,                       // sec. 5.1.13.2.1
  kActiveNamespaceList = 0x02,              // sec. 5.1.13.2.2
  kNamespaceIdDescriptors = 0x03,           // sec. 5.1.13.2.3
  kNvmSetList = 0x04,                       // sec. 5.1.13.2.4
  kIoCommandSetNamespace = 0x05,            // per CDW11.CSI
  kIoCommandSetController = 0x06,           // per CDW11.CSI
  kIoCommandSetActiveNamespaceList = 0x07,  // per CDW11.CSI
  kIndependentNamespace = 0x08,             // sec. 5.1.13.2.8
  kNamespaceUserDataFormat = 0x09,
  kIoCommandSetUserDataFormat = 0x0A,
  kAllocatedNamespaceList = 0x10,
  kAllocatedNamespace = 0x11,
  kNamespaceAttachedControllerList = 0x12,  // controllers attached to an NSID
  kControllerList = 0x13,                   // all controllers from CNTID on
  kPrimaryControllerCapabilities = 0x14,
  kSecondaryControllerList = 0x15,
  kNamespaceGranularityList = 0x16,
  kUuidList = 0x17,
  kDomainList = 0x18,                          // sec. 5.1.13.2.15
  kEnduranceGroupList = 0x19,                  // sec. 5.1.13.2.16
  kIoCommandSetAllocatedNamespaceList = 0x1A,  // sec. 5.1.13.2.17
  kIoCommandSetAllocatedNamespace = 0x1B,      // sec. 5.1.13.2.18
  kIoCommandSetCombinations = 0x1C,            // sec. 5.1.13.2.19
  kAllocatedIndependentNamespace = 0x1F,       // sec. 5.1.13.2.20
  kSupportedControllerStateFormats = 0x20,     // sec. 5.1.13.2.21
};

// "Unknown" for a value that no table holds.
[[nodiscard]] std::string_view name(Cns cns);

// Command Set Identifier: CDW11.CSI, NIDT 4.
enum class Csi : std::uint8_t { kNvm = 0, kKeyValue = 1, kZoned = 2 };

[[nodiscard]] constexpr SubmissionEntry make_identify(Cns cns, std::uint32_t nsid = 0, Csi csi = Csi::kNvm,
                                                      std::uint16_t cntid = 0) {
  return make_identify(static_cast<std::uint8_t>(cns), nsid, static_cast<std::uint8_t>(csi), cntid);
}

// Namespace List (CNS 02h, 07h, 10h, 1Ah; also log page 04h): ascending, ended by 0 if not full.
struct NamespaceList {
  std::array<Le32, 1024> nsid{};
};
static_assert(sizeof(NamespaceList) == 4096);

// Controller List (CNS 12h, 13h; Namespace Attachment data).
struct ControllerList {
  Le16 numid;                     // identifiers that follow
  std::array<Le16, 2047> cntlid;  // ascending
};
static_assert(sizeof(ControllerList) == 4096);
static_assert(offsetof(ControllerList, cntlid) == 2);

// I/O Command Set data structure (CNS 1Ch): bit n of a combination stands for CSI n.
struct IoCommandSetCombinations {
  std::array<Le64, 512> iocsc{};
};
static_assert(sizeof(IoCommandSetCombinations) == 4096);

// Namespace Identification Descriptor (CNS 03h, Base 2.1 sec. 5.1.13.2.3); NID follows. NIDL 0 ends the list.
struct NamespaceIdDescriptor {
  std::uint8_t nidt = 0;  // Namespace Identifier Type
  std::uint8_t nidl = 0;  // Namespace Identifier Length, bytes
  Reserved<2> rsvd2{};
};
static_assert(sizeof(NamespaceIdDescriptor) == 4);
static_assert(offsetof(NamespaceIdDescriptor, nidl) == 1);

enum class Nidt : std::uint8_t {
  kEui64 = 1,  // 8 bytes, big-endian
  kNguid = 2,  // 16 bytes, big-endian
  kUuid = 3,   // 16 bytes, RFC 4122 order
  kCsi = 4,    // 1 byte, the command set
};

// NIDL that belongs to a type; 0 for a type that no table holds.
[[nodiscard]] constexpr std::uint8_t nid_length(Nidt nidt) {
  switch (nidt) {
    case Nidt::kEui64:
      return 8;
    case Nidt::kNguid:
    case Nidt::kUuid:
      return 16;
    case Nidt::kCsi:
      return 1;
  }
  return 0;
}

// Writes one descriptor at the front of `out` and returns what is left of it; `nid` has the type's length and fits.
[[nodiscard]] constexpr std::span<std::uint8_t> put_descriptor(std::span<std::uint8_t> out, Nidt nidt,
                                                               std::span<const std::uint8_t> nid) {
  assert(nid.size() == nid_length(nidt) && out.size() >= sizeof(NamespaceIdDescriptor) + nid.size());
  out[0] = static_cast<std::uint8_t>(nidt);
  out[1] = static_cast<std::uint8_t>(nid.size());
  out[2] = 0;
  out[3] = 0;
  for (std::size_t i = 0; i < nid.size(); ++i) out[sizeof(NamespaceIdDescriptor) + i] = nid[i];
  return out.subspan(sizeof(NamespaceIdDescriptor) + nid.size());
}

}  // namespace flushlab::spec
