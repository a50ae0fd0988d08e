// SPDX-License-Identifier: GPL-2.0-only
// Identify Namespace: CNS 00h and CNS 05h of the NVM command set (NVM CS 1.1 sec. 4.1.5), and CNS 08h, which all
// command sets share (NVMe Base 2.1 sec. 5.1.13.2.8). A bare section beside a field is one of the NVM CS.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "emulator/spec/bits.hpp"
#include "emulator/spec/endian.hpp"

namespace flushlab::spec {

// LBA Format.
struct LbaFormat {
  Le16 ms;                 // Metadata Size, bytes a block
  std::uint8_t lbads = 0;  // LBA Data Size, 2^n bytes, n at least 9; 0 = format not available
  std::uint8_t rp = 0;     // Relative Performance 1:0: 0 best .. 3 degraded
};
static_assert(sizeof(LbaFormat) == 4 && std::is_trivially_copyable_v<LbaFormat>);
static_assert(offsetof(LbaFormat, ms) == 0);
static_assert(offsetof(LbaFormat, lbads) == 2);
static_assert(offsetof(LbaFormat, rp) == 3);

// CNS 00h (NVM CS 1.1 sec. 4.1.5.1).
struct IdentifyNamespace {
  Le64 nsze;                // Namespace Size, LBAs
  Le64 ncap;                // Namespace Capacity, LBAs that can be allocated
  Le64 nuse;                // Namespace Utilization, LBAs allocated
  std::uint8_t nsfeat = 0;  // Namespace Features, nsfeat::
  std::uint8_t nlbaf = 0;   // Number of LBA Formats, 0's based
  std::uint8_t flbas = 0;   // Formatted LBA Size, flbas::
  std::uint8_t mc = 0;      // Metadata Capabilities, mc::
  std::uint8_t dpc = 0;     // End-to-end Data Protection Capabilities, dpc::
  std::uint8_t dps = 0;     // End-to-end Data Protection Type Settings, dps::
  std::uint8_t nmic = 0;    // Namespace Multi-path I/O and Sharing: bit 0 shared
  std::uint8_t rescap = 0;  // Reservation Capabilities
  std::uint8_t fpi = 0;     // Format Progress Indicator, fpi::
  std::uint8_t dlfeat = 0;  // Deallocate Logical Block Features, dlfeat::
  Le16 nawun;               // Namespace Atomic Write Unit Normal, LBAs, 0's based (sec. 2.1.4)
  Le16 nawupf;              // Namespace Atomic Write Unit Power Fail, LBAs, 0's based (sec. 2.1.4)
  Le16 nacwu;               // Namespace Atomic Compare & Write Unit, LBAs, 0's based (sec. 2.1.4)
  Le16 nabsn;               // Namespace Atomic Boundary Size Normal, LBAs, 0's based; 0 = none
  Le16 nabo;                // Namespace Atomic Boundary Offset: LBA of the first boundary
  Le16 nabspf;              // Namespace Atomic Boundary Size Power Fail, LBAs, 0's based; 0 = none
  Le16 noiob;               // Namespace Optimal I/O Boundary, LBAs, a plain count; 0 = none
  Le128 nvmcap;             // NVM Capacity, bytes
  Le16 npwg;                // Namespace Preferred Write Granularity, LBAs, 0's based
  Le16 npwa;                // Namespace Preferred Write Alignment, LBAs, 0's based
  Le16 npdg;                // Namespace Preferred Deallocate Granularity, LBAs, 0's based
  Le16 npda;                // Namespace Preferred Deallocate Alignment, LBAs, 0's based
  Le16 nows;                // Namespace Optimal Write Size, LBAs, 0's based, a multiple of NPWG
  Le16 mssrl;               // Maximum Single Source Range Length of Copy, LBAs
  Le32 mcl;                 // Maximum Copy Length, LBAs
  std::uint8_t msrc = 0;    // Maximum Source Range Count of Copy, 0's based
  std::uint8_t kpios = 0;   // Key Per I/O Status
  std::uint8_t nulbaf = 0;  // Number of Unique Attribute LBA Formats
  Reserved<1> rsvd83{};
  Le32 kpiodaag;  // Key Per I/O Data Access Alignment and Granularity
  Reserved<4> rsvd88{};
  Le32 anagrpid;  // ANA Group Identifier
  Reserved<3> rsvd96{};
  std::uint8_t nsattr = 0;               // Namespace Attributes, nsattr::
  Le16 nvmsetid;                         // NVM Set Identifier
  Le16 endgid;                           // Endurance Group Identifier
  std::array<std::uint8_t, 16> nguid{};  // Namespace Globally Unique Identifier, big-endian
  std::array<std::uint8_t, 8> eui64{};   // IEEE Extended Unique Identifier, big-endian
  std::array<LbaFormat, 64> lbaf{};      // LBA Format 0..63 Support
  std::array<std::uint8_t, 3712> vs{};   // Vendor Specific
};
static_assert(sizeof(IdentifyNamespace) == 4096 && std::is_trivially_copyable_v<IdentifyNamespace>);
static_assert(offsetof(IdentifyNamespace, nsze) == 0);
static_assert(offsetof(IdentifyNamespace, ncap) == 8);
static_assert(offsetof(IdentifyNamespace, nuse) == 16);
static_assert(offsetof(IdentifyNamespace, nsfeat) == 24);
static_assert(offsetof(IdentifyNamespace, nlbaf) == 25);
static_assert(offsetof(IdentifyNamespace, flbas) == 26);
static_assert(offsetof(IdentifyNamespace, mc) == 27);
static_assert(offsetof(IdentifyNamespace, dpc) == 28);
static_assert(offsetof(IdentifyNamespace, dps) == 29);
static_assert(offsetof(IdentifyNamespace, nmic) == 30);
static_assert(offsetof(IdentifyNamespace, rescap) == 31);
static_assert(offsetof(IdentifyNamespace, fpi) == 32);
static_assert(offsetof(IdentifyNamespace, dlfeat) == 33);
static_assert(offsetof(IdentifyNamespace, nawun) == 34);
static_assert(offsetof(IdentifyNamespace, nawupf) == 36);
static_assert(offsetof(IdentifyNamespace, nacwu) == 38);
static_assert(offsetof(IdentifyNamespace, nabsn) == 40);
static_assert(offsetof(IdentifyNamespace, nabo) == 42);
static_assert(offsetof(IdentifyNamespace, nabspf) == 44);
static_assert(offsetof(IdentifyNamespace, noiob) == 46);
static_assert(offsetof(IdentifyNamespace, nvmcap) == 48);
static_assert(offsetof(IdentifyNamespace, npwg) == 64);
static_assert(offsetof(IdentifyNamespace, npwa) == 66);
static_assert(offsetof(IdentifyNamespace, npdg) == 68);
static_assert(offsetof(IdentifyNamespace, npda) == 70);
static_assert(offsetof(IdentifyNamespace, nows) == 72);
static_assert(offsetof(IdentifyNamespace, mssrl) == 74);
static_assert(offsetof(IdentifyNamespace, mcl) == 76);
static_assert(offsetof(IdentifyNamespace, msrc) == 80);
static_assert(offsetof(IdentifyNamespace, kpios) == 81);
static_assert(offsetof(IdentifyNamespace, nulbaf) == 82);
static_assert(offsetof(IdentifyNamespace, kpiodaag) == 84);
static_assert(offsetof(IdentifyNamespace, anagrpid) == 92);
static_assert(offsetof(IdentifyNamespace, nsattr) == 99);
static_assert(offsetof(IdentifyNamespace, nvmsetid) == 100);
static_assert(offsetof(IdentifyNamespace, endgid) == 102);
static_assert(offsetof(IdentifyNamespace, nguid) == 104);
static_assert(offsetof(IdentifyNamespace, eui64) == 120);
static_assert(offsetof(IdentifyNamespace, lbaf) == 128);
static_assert(offsetof(IdentifyNamespace, vs) == 384);

namespace nsfeat {
inline constexpr Bits8 kTHINP{0};       // Thin Provisioning
inline constexpr Bits8 kNSABP{1};       // NAWUN, NAWUPF and NACWU count, not the controller's units
inline constexpr Bits8 kDAE{2};         // Deallocated or Unwritten Logical Block error
inline constexpr Bits8 kUIDREUSE{3};    // NGUID and EUI64 are never reused
inline constexpr Bits8 kOPTPERF{5, 4};  // which preferred sizes count, optperf::
inline constexpr Bits8 kMAM{6};         // Multiple Atomicity Mode
inline constexpr Bits8 kOPTRPERF{7};    // NPRG, NPRA and NORS count
}  // namespace nsfeat

// NSFEAT.OPTPERF. Before 2.1 bit 4 alone, with the meaning of kShort.
namespace optperf {
inline constexpr std::uint8_t kNone = 0;
inline constexpr std::uint8_t kShort = 1;  // NPWG, NPWA, NPDG, NPDA, NOWS
inline constexpr std::uint8_t kLarge = 2;  // NPWG, NPWA, NOWS, and NPDGL, NPDAL of CNS 05h
inline constexpr std::uint8_t kAll = 3;    // all of them
}  // namespace optperf

namespace flbas {
inline constexpr Bits8 kIndexLow{3, 0};
inline constexpr Bits8 kInterleaved{4};  // metadata follows each block's data
inline constexpr Bits8 kIndexHigh{6, 5};
// Index into lbaf.
[[nodiscard]] constexpr unsigned index(std::uint8_t flbas) {
  return static_cast<unsigned>(kIndexLow.get(flbas) | (kIndexHigh.get(flbas) << 4));
}
[[nodiscard]] constexpr std::uint8_t make(unsigned index, bool interleaved = false) {
  return static_cast<std::uint8_t>(kIndexLow.put(index & 15u) | kIndexHigh.put(index >> 4) |
                                   kInterleaved.put(interleaved ? 1u : 0u));
}
}  // namespace flbas

namespace mc {
inline constexpr Bits8 kInterleaved{0};  // metadata as part of an extended block
inline constexpr Bits8 kSeparate{1};     // metadata in a buffer of its own
}  // namespace mc

namespace dpc {
inline constexpr Bits8 kType1{0};
inline constexpr Bits8 kType2{1};
inline constexpr Bits8 kType3{2};
inline constexpr Bits8 kFirst{3};  // protection information as first bytes of the metadata
inline constexpr Bits8 kLast{4};   // as last bytes
}  // namespace dpc

namespace dps {
inline constexpr Bits8 kPIT{2, 0};  // Protection Information Type, 0 = none
inline constexpr Bits8 kPIP{3};     // Protection Information Position: 1 = first bytes
}  // namespace dps

namespace fpi {
inline constexpr Bits8 kRemaining{6, 0};  // percent still to be formatted
inline constexpr Bits8 kSupported{7};
}  // namespace fpi

namespace dlfeat {
inline constexpr Bits8 kDRB{2, 0};  // Deallocation Read Behavior
inline constexpr Bits8 kWZDS{3};    // Write Zeroes Deallocation Support: DEAC
inline constexpr Bits8 kGDS{4};     // Guard Deallocation Status: the guard is the CRC of what is read
inline constexpr std::uint8_t kReadNotReported = 0;
inline constexpr std::uint8_t kRead00 = 1;
inline constexpr std::uint8_t kReadFF = 2;
}  // namespace dlfeat

namespace nsattr {
inline constexpr Bits8 kWriteProtected{0};
}  // namespace nsattr

// CNS 05h, CSI 00h (NVM CS 1.1 sec. 4.1.5).
struct IdentifyNamespaceNvm {
  Le64 lbstm;             // Logical Block Storage Tag Mask
  std::uint8_t pic = 0;   // Protection Information Capabilities, pic::
  std::uint8_t pifa = 0;  // Protection Information Format Attributes
  Reserved<2> rsvd10{};
  std::array<Le32, 64> elbaf{};  // Extended LBA Format 0..63 Support, elbaf::
  Le32 npdgl;                    // Namespace Preferred Deallocate Granularity Large, LBAs, a plain count; 0 = not given
  Le32 nprg;                     // Namespace Preferred Read Granularity
  Le32 npra;                     // Namespace Preferred Read Alignment
  Le32 nors;                     // Namespace Optimal Read Size
  Le32 npdal;                    // Namespace Preferred Deallocate Alignment Large, LBAs, a plain count; 0 = not given
  Le32 lbapss;                   // LBA Format Placement Shard Size
  Le32 tlbaag;                   // Tracked LBA Allocation Granularity
  Reserved<3800> rsvd296{};
};
static_assert(sizeof(IdentifyNamespaceNvm) == 4096 && std::is_trivially_copyable_v<IdentifyNamespaceNvm>);
static_assert(offsetof(IdentifyNamespaceNvm, lbstm) == 0);
static_assert(offsetof(IdentifyNamespaceNvm, pic) == 8);
static_assert(offsetof(IdentifyNamespaceNvm, pifa) == 9);
static_assert(offsetof(IdentifyNamespaceNvm, elbaf) == 12);
static_assert(offsetof(IdentifyNamespaceNvm, npdgl) == 268);
static_assert(offsetof(IdentifyNamespaceNvm, nprg) == 272);
static_assert(offsetof(IdentifyNamespaceNvm, npra) == 276);
static_assert(offsetof(IdentifyNamespaceNvm, nors) == 280);
static_assert(offsetof(IdentifyNamespaceNvm, npdal) == 284);
static_assert(offsetof(IdentifyNamespaceNvm, lbapss) == 288);
static_assert(offsetof(IdentifyNamespaceNvm, tlbaag) == 292);

namespace pic {
inline constexpr Bits8 kPISTS16{0};  // 16BPISTS: 16-bit guard with storage tag supported
inline constexpr Bits8 kPISTM16{1};  // 16BPISTM: its storage tag mask is all ones
inline constexpr Bits8 kSTCRS{2};    // Storage Tag Check Read Support
}  // namespace pic

namespace elbaf {
inline constexpr Bits32 kSTS{6, 0};  // Storage Tag Size, bits
inline constexpr Bits32 kPIF{8, 7};  // Protection Information Format: 0 = 16-bit, 1 = 32-bit, 2 = 64-bit guard
}  // namespace elbaf

// CNS 08h (Base 2.1 sec. 5.1.13.2.8).
struct IdentifyNamespaceIndependent {
  std::uint8_t nsfeat = 0;  // Common Namespace Features, independent_nsfeat::
  std::uint8_t nmic = 0;    // Namespace Multi-path I/O and Sharing: bit 0 shared
  std::uint8_t rescap = 0;  // Reservation Capabilities
  std::uint8_t fpi = 0;     // Format Progress Indicator, fpi::
  Le32 anagrpid;            // ANA Group Identifier
  std::uint8_t nsattr = 0;  // Namespace Attributes, nsattr::
  Reserved<1> rsvd9{};
  Le16 nvmsetid;           // NVM Set Identifier
  Le16 endgid;             // Endurance Group Identifier
  std::uint8_t nstat = 0;  // Namespace Status, nstat::
  std::uint8_t kpios = 0;  // Key Per I/O Status
  Le16 maxkt;              // Maximum Key Tag
  Reserved<2> rsvd18{};
  Le32 rgrpid;  // Reachability Group Identifier
  Reserved<4072> rsvd24{};
};
static_assert(sizeof(IdentifyNamespaceIndependent) == 4096 &&
              std::is_trivially_copyable_v<IdentifyNamespaceIndependent>);
static_assert(offsetof(IdentifyNamespaceIndependent, nsfeat) == 0);
static_assert(offsetof(IdentifyNamespaceIndependent, nmic) == 1);
static_assert(offsetof(IdentifyNamespaceIndependent, rescap) == 2);
static_assert(offsetof(IdentifyNamespaceIndependent, fpi) == 3);
static_assert(offsetof(IdentifyNamespaceIndependent, anagrpid) == 4);
static_assert(offsetof(IdentifyNamespaceIndependent, nsattr) == 8);
static_assert(offsetof(IdentifyNamespaceIndependent, nvmsetid) == 10);
static_assert(offsetof(IdentifyNamespaceIndependent, endgid) == 12);
static_assert(offsetof(IdentifyNamespaceIndependent, nstat) == 14);
static_assert(offsetof(IdentifyNamespaceIndependent, kpios) == 15);
static_assert(offsetof(IdentifyNamespaceIndependent, maxkt) == 16);
static_assert(offsetof(IdentifyNamespaceIndependent, rgrpid) == 20);

namespace independent_nsfeat {  // not the bits of CNS 00h's NSFEAT
inline constexpr Bits8 kUIDREUSE{3};
inline constexpr Bits8 kRMEDIA{4};  // Rotational Media
inline constexpr Bits8 kVWCNP{5};   // Volatile Write Cache Not Present for this namespace
}  // namespace independent_nsfeat

namespace nstat {
inline constexpr Bits8 kNRDY{0};    // Namespace Ready
inline constexpr Bits8 kIOI{2, 1};  // I/O Impacted
}  // namespace nstat

}  // namespace flushlab::spec
