// SPDX-License-Identifier: GPL-2.0-only
// Where every field of the wire lies, typed a second time from the fact sheet's tables rather than from the structs, so
// that a wrong field and a wrong assert beside it do not agree with each other unnoticed.
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "emulator/spec/command.hpp"
#include "emulator/spec/feature.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"

using namespace flushlab::spec;

namespace {

struct Row {
  std::string_view name;
  std::size_t offset, size, want_offset, want_size;
};

// offsetof takes names, so only a macro can list them.
#define AT(type, field, want_offset, want_size)                                          \
  Row {                                                                                  \
#type "." #field, offsetof(type, field), sizeof(type::field), want_offset, want_size \
  }

template <std::size_t N>
void check(const std::array<Row, N>& rows) {
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(row.offset == row.want_offset);
    CHECK(row.size == row.want_size);
  }
}

template <class T>
constexpr bool is_wire(std::size_t size) {
  return sizeof(T) == size && alignof(T) == 1 && std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T>;
}

}  // namespace

TEST_CASE("spec layout: structures have the size of the wire and no alignment") {
  CHECK(is_wire<SubmissionEntry>(64));
  CHECK(is_wire<CompletionEntry>(16));
  CHECK(is_wire<SglDescriptor>(16));
  CHECK(is_wire<DsmRange>(16));
  CHECK(is_wire<CopyRange>(32));
  CHECK(is_wire<PowerStateDescriptor>(32));
  CHECK(is_wire<LbaFormat>(4));
  CHECK(is_wire<IdentifyController>(4096));
  CHECK(is_wire<IdentifyNamespace>(4096));
  CHECK(is_wire<IdentifyNamespaceNvm>(4096));
  CHECK(is_wire<IdentifyControllerNvm>(4096));
  CHECK(is_wire<IdentifyNamespaceIndependent>(4096));
  CHECK(is_wire<NamespaceList>(4096));
  CHECK(is_wire<ControllerList>(4096));
  CHECK(is_wire<IoCommandSetCombinations>(4096));
  CHECK(is_wire<NamespaceIdDescriptor>(4));
  CHECK(is_wire<SupportedLogPages>(1024));
  CHECK(is_wire<ErrorLogEntry>(64));
  CHECK(is_wire<SmartLog>(512));
  CHECK(is_wire<FirmwareSlotLog>(512));
  CHECK(is_wire<EffectsLog>(4096));
  CHECK(is_wire<ChangedNamespaceList>(4096));
  CHECK(is_wire<SanitizeLog>(512));
  CHECK(is_wire<AnaLogHeader>(16));
  CHECK(is_wire<AnaGroupDescriptor>(32));
  CHECK(is_wire<HostBehavior>(512));
  CHECK(is_wire<TimestampData>(8));
  CHECK(is_wire<ApstTable>(256));
}

TEST_CASE("spec layout: queue entries") {
  check(std::array{
      AT(SubmissionEntry, opc, 0, 1),    AT(SubmissionEntry, flags, 1, 1),  AT(SubmissionEntry, cid, 2, 2),
      AT(SubmissionEntry, nsid, 4, 4),   AT(SubmissionEntry, cdw2, 8, 4),   AT(SubmissionEntry, cdw3, 12, 4),
      AT(SubmissionEntry, mptr, 16, 8),  AT(SubmissionEntry, prp1, 24, 8),  AT(SubmissionEntry, prp2, 32, 8),
      AT(SubmissionEntry, cdw10, 40, 4), AT(SubmissionEntry, cdw11, 44, 4), AT(SubmissionEntry, cdw12, 48, 4),
      AT(SubmissionEntry, cdw13, 52, 4), AT(SubmissionEntry, cdw14, 56, 4), AT(SubmissionEntry, cdw15, 60, 4),
      AT(CompletionEntry, dw0, 0, 4),    AT(CompletionEntry, dw1, 4, 4),    AT(CompletionEntry, sqhd, 8, 2),
      AT(CompletionEntry, sqid, 10, 2),  AT(CompletionEntry, cid, 12, 2),   AT(CompletionEntry, status_word, 14, 2),
      AT(SglDescriptor, address, 0, 8),  AT(SglDescriptor, length, 8, 4),   AT(SglDescriptor, id, 15, 1),
      AT(DsmRange, cattr, 0, 4),         AT(DsmRange, length, 4, 4),        AT(DsmRange, slba, 8, 8),
      AT(CopyRange, snsid, 0, 4),        AT(CopyRange, slba, 8, 8),         AT(CopyRange, nlb, 16, 2),
      AT(CopyRange, sopt, 22, 2),        AT(CopyRange, eilbrt, 24, 4),      AT(CopyRange, elbat, 28, 2),
      AT(CopyRange, elbatm, 30, 2),
  });
}

TEST_CASE("spec layout: Identify Controller") {
  check(std::array{
      AT(IdentifyController, vid, 0, 2),         AT(IdentifyController, ssvid, 2, 2),
      AT(IdentifyController, sn, 4, 20),         AT(IdentifyController, mn, 24, 40),
      AT(IdentifyController, fr, 64, 8),         AT(IdentifyController, rab, 72, 1),
      AT(IdentifyController, ieee, 73, 3),       AT(IdentifyController, cmic, 76, 1),
      AT(IdentifyController, mdts, 77, 1),       AT(IdentifyController, cntlid, 78, 2),
      AT(IdentifyController, ver, 80, 4),        AT(IdentifyController, rtd3r, 84, 4),
      AT(IdentifyController, rtd3e, 88, 4),      AT(IdentifyController, oaes, 92, 4),
      AT(IdentifyController, ctratt, 96, 4),     AT(IdentifyController, rrls, 100, 2),
      AT(IdentifyController, bpcap, 102, 1),     AT(IdentifyController, nssl, 104, 4),
      AT(IdentifyController, plsi, 110, 1),      AT(IdentifyController, cntrltype, 111, 1),
      AT(IdentifyController, fguid, 112, 16),    AT(IdentifyController, crdt1, 128, 2),
      AT(IdentifyController, crdt2, 130, 2),     AT(IdentifyController, crdt3, 132, 2),
      AT(IdentifyController, crcap, 134, 1),     AT(IdentifyController, nvmsr, 253, 1),
      AT(IdentifyController, vwci, 254, 1),      AT(IdentifyController, mec, 255, 1),
      AT(IdentifyController, oacs, 256, 2),      AT(IdentifyController, acl, 258, 1),
      AT(IdentifyController, aerl, 259, 1),      AT(IdentifyController, frmw, 260, 1),
      AT(IdentifyController, lpa, 261, 1),       AT(IdentifyController, elpe, 262, 1),
      AT(IdentifyController, npss, 263, 1),      AT(IdentifyController, avscc, 264, 1),
      AT(IdentifyController, apsta, 265, 1),     AT(IdentifyController, wctemp, 266, 2),
      AT(IdentifyController, cctemp, 268, 2),    AT(IdentifyController, mtfa, 270, 2),
      AT(IdentifyController, hmpre, 272, 4),     AT(IdentifyController, hmmin, 276, 4),
      AT(IdentifyController, tnvmcap, 280, 16),  AT(IdentifyController, unvmcap, 296, 16),
      AT(IdentifyController, rpmbs, 312, 4),     AT(IdentifyController, edstt, 316, 2),
      AT(IdentifyController, dsto, 318, 1),      AT(IdentifyController, fwug, 319, 1),
      AT(IdentifyController, kas, 320, 2),       AT(IdentifyController, hctma, 322, 2),
      AT(IdentifyController, mntmt, 324, 2),     AT(IdentifyController, mxtmt, 326, 2),
      AT(IdentifyController, sanicap, 328, 4),   AT(IdentifyController, hmminds, 332, 4),
      AT(IdentifyController, hmmaxd, 336, 2),    AT(IdentifyController, nsetidmax, 338, 2),
      AT(IdentifyController, endgidmax, 340, 2), AT(IdentifyController, anatt, 342, 1),
      AT(IdentifyController, anacap, 343, 1),    AT(IdentifyController, anagrpmax, 344, 4),
      AT(IdentifyController, nanagrpid, 348, 4), AT(IdentifyController, pels, 352, 4),
      AT(IdentifyController, domainid, 356, 2),  AT(IdentifyController, kpioc, 358, 1),
      AT(IdentifyController, mptfawr, 360, 2),   AT(IdentifyController, megcap, 368, 16),
      AT(IdentifyController, tmpthha, 384, 1),   AT(IdentifyController, cqt, 386, 2),
      AT(IdentifyController, sqes, 512, 1),      AT(IdentifyController, cqes, 513, 1),
      AT(IdentifyController, maxcmd, 514, 2),    AT(IdentifyController, nn, 516, 4),
      AT(IdentifyController, oncs, 520, 2),      AT(IdentifyController, fuses, 522, 2),
      AT(IdentifyController, fna, 524, 1),       AT(IdentifyController, vwc, 525, 1),
      AT(IdentifyController, awun, 526, 2),      AT(IdentifyController, awupf, 528, 2),
      AT(IdentifyController, icsvscc, 530, 1),   AT(IdentifyController, nwpc, 531, 1),
      AT(IdentifyController, acwu, 532, 2),      AT(IdentifyController, ocfs, 534, 2),
      AT(IdentifyController, sgls, 536, 4),      AT(IdentifyController, mnan, 540, 4),
      AT(IdentifyController, maxdna, 544, 16),   AT(IdentifyController, maxcna, 560, 4),
      AT(IdentifyController, oaqd, 564, 4),      AT(IdentifyController, subnqn, 768, 256),
      AT(IdentifyController, ioccsz, 1792, 4),   AT(IdentifyController, iorcsz, 1796, 4),
      AT(IdentifyController, icdoff, 1800, 2),   AT(IdentifyController, fcatt, 1802, 1),
      AT(IdentifyController, msdbd, 1803, 1),    AT(IdentifyController, ofcs, 1804, 2),
      AT(IdentifyController, dctype, 1806, 1),   AT(IdentifyController, psd, 2048, 1024),
      AT(IdentifyController, vs, 3072, 1024),
  });
}

TEST_CASE("spec layout: power state descriptor") {
  check(std::array{
      AT(PowerStateDescriptor, mp, 0, 2),
      AT(PowerStateDescriptor, flags, 3, 1),
      AT(PowerStateDescriptor, enlat, 4, 4),
      AT(PowerStateDescriptor, exlat, 8, 4),
      AT(PowerStateDescriptor, rrt, 12, 1),
      AT(PowerStateDescriptor, rrl, 13, 1),
      AT(PowerStateDescriptor, rwt, 14, 1),
      AT(PowerStateDescriptor, rwl, 15, 1),
      AT(PowerStateDescriptor, idlp, 16, 2),
      AT(PowerStateDescriptor, ips, 18, 1),
      AT(PowerStateDescriptor, actp, 20, 2),
      AT(PowerStateDescriptor, apws, 22, 1),
  });
}

TEST_CASE("spec layout: Identify Namespace") {
  check(std::array{
      AT(IdentifyNamespace, nsze, 0, 8),
      AT(IdentifyNamespace, ncap, 8, 8),
      AT(IdentifyNamespace, nuse, 16, 8),
      AT(IdentifyNamespace, nsfeat, 24, 1),
      AT(IdentifyNamespace, nlbaf, 25, 1),
      AT(IdentifyNamespace, flbas, 26, 1),
      AT(IdentifyNamespace, mc, 27, 1),
      AT(IdentifyNamespace, dpc, 28, 1),
      AT(IdentifyNamespace, dps, 29, 1),
      AT(IdentifyNamespace, nmic, 30, 1),
      AT(IdentifyNamespace, rescap, 31, 1),
      AT(IdentifyNamespace, fpi, 32, 1),
      AT(IdentifyNamespace, dlfeat, 33, 1),
      AT(IdentifyNamespace, nawun, 34, 2),
      AT(IdentifyNamespace, nawupf, 36, 2),
      AT(IdentifyNamespace, nacwu, 38, 2),
      AT(IdentifyNamespace, nabsn, 40, 2),
      AT(IdentifyNamespace, nabo, 42, 2),
      AT(IdentifyNamespace, nabspf, 44, 2),
      AT(IdentifyNamespace, noiob, 46, 2),
      AT(IdentifyNamespace, nvmcap, 48, 16),
      AT(IdentifyNamespace, npwg, 64, 2),
      AT(IdentifyNamespace, npwa, 66, 2),
      AT(IdentifyNamespace, npdg, 68, 2),
      AT(IdentifyNamespace, npda, 70, 2),
      AT(IdentifyNamespace, nows, 72, 2),
      AT(IdentifyNamespace, mssrl, 74, 2),
      AT(IdentifyNamespace, mcl, 76, 4),
      AT(IdentifyNamespace, msrc, 80, 1),
      AT(IdentifyNamespace, kpios, 81, 1),
      AT(IdentifyNamespace, nulbaf, 82, 1),
      AT(IdentifyNamespace, kpiodaag, 84, 4),
      AT(IdentifyNamespace, anagrpid, 92, 4),
      AT(IdentifyNamespace, nsattr, 99, 1),
      AT(IdentifyNamespace, nvmsetid, 100, 2),
      AT(IdentifyNamespace, endgid, 102, 2),
      AT(IdentifyNamespace, nguid, 104, 16),
      AT(IdentifyNamespace, eui64, 120, 8),
      AT(IdentifyNamespace, lbaf, 128, 256),
      AT(IdentifyNamespace, vs, 384, 3712),
      AT(LbaFormat, ms, 0, 2),
      AT(LbaFormat, lbads, 2, 1),
      AT(LbaFormat, rp, 3, 1),
  });
}

TEST_CASE("spec layout: Identify by command set and independent of it") {
  check(std::array{
      AT(IdentifyNamespaceNvm, lbstm, 0, 8),
      AT(IdentifyNamespaceNvm, pic, 8, 1),
      AT(IdentifyNamespaceNvm, pifa, 9, 1),
      AT(IdentifyNamespaceNvm, elbaf, 12, 256),
      AT(IdentifyNamespaceNvm, npdgl, 268, 4),
      AT(IdentifyNamespaceNvm, nprg, 272, 4),
      AT(IdentifyNamespaceNvm, npra, 276, 4),
      AT(IdentifyNamespaceNvm, nors, 280, 4),
      AT(IdentifyNamespaceNvm, npdal, 284, 4),
      AT(IdentifyNamespaceNvm, lbapss, 288, 4),
      AT(IdentifyNamespaceNvm, tlbaag, 292, 4),
      AT(IdentifyControllerNvm, vsl, 0, 1),
      AT(IdentifyControllerNvm, wzsl, 1, 1),
      AT(IdentifyControllerNvm, wusl, 2, 1),
      AT(IdentifyControllerNvm, dmrl, 3, 1),
      AT(IdentifyControllerNvm, dmrsl, 4, 4),
      AT(IdentifyControllerNvm, dmsl, 8, 8),
      AT(IdentifyControllerNvm, kpiocap, 16, 1),
      AT(IdentifyControllerNvm, wzdsl, 17, 1),
      AT(IdentifyControllerNvm, aocs, 18, 2),
      AT(IdentifyControllerNvm, ver, 20, 4),
      AT(IdentifyControllerNvm, lbamqf, 24, 1),
      AT(IdentifyNamespaceIndependent, nsfeat, 0, 1),
      AT(IdentifyNamespaceIndependent, nmic, 1, 1),
      AT(IdentifyNamespaceIndependent, rescap, 2, 1),
      AT(IdentifyNamespaceIndependent, fpi, 3, 1),
      AT(IdentifyNamespaceIndependent, anagrpid, 4, 4),
      AT(IdentifyNamespaceIndependent, nsattr, 8, 1),
      AT(IdentifyNamespaceIndependent, nvmsetid, 10, 2),
      AT(IdentifyNamespaceIndependent, endgid, 12, 2),
      AT(IdentifyNamespaceIndependent, nstat, 14, 1),
      AT(IdentifyNamespaceIndependent, kpios, 15, 1),
      AT(IdentifyNamespaceIndependent, maxkt, 16, 2),
      AT(IdentifyNamespaceIndependent, rgrpid, 20, 4),
      AT(NamespaceIdDescriptor, nidt, 0, 1),
      AT(NamespaceIdDescriptor, nidl, 1, 1),
      AT(ControllerList, numid, 0, 2),
      AT(ControllerList, cntlid, 2, 4094),
  });
}

TEST_CASE("spec layout: log pages") {
  check(std::array{
      AT(ErrorLogEntry, error_count, 0, 8),
      AT(ErrorLogEntry, sqid, 8, 2),
      AT(ErrorLogEntry, cid, 10, 2),
      AT(ErrorLogEntry, status_word, 12, 2),
      AT(ErrorLogEntry, pel, 14, 2),
      AT(ErrorLogEntry, lba, 16, 8),
      AT(ErrorLogEntry, nsid, 24, 4),
      AT(ErrorLogEntry, vsia, 28, 1),
      AT(ErrorLogEntry, trtype, 29, 1),
      AT(ErrorLogEntry, csi, 30, 1),
      AT(ErrorLogEntry, opc, 31, 1),
      AT(ErrorLogEntry, csinfo, 32, 8),
      AT(ErrorLogEntry, ttsi, 40, 2),
      AT(ErrorLogEntry, lpver, 63, 1),
      AT(SmartLog, cw, 0, 1),
      AT(SmartLog, ctemp, 1, 2),
      AT(SmartLog, avsp, 3, 1),
      AT(SmartLog, avspt, 4, 1),
      AT(SmartLog, pused, 5, 1),
      AT(SmartLog, egcws, 6, 1),
      AT(SmartLog, dur, 32, 16),
      AT(SmartLog, duw, 48, 16),
      AT(SmartLog, hrc, 64, 16),
      AT(SmartLog, hwc, 80, 16),
      AT(SmartLog, cbt, 96, 16),
      AT(SmartLog, pwrc, 112, 16),
      AT(SmartLog, poh, 128, 16),
      AT(SmartLog, upl, 144, 16),
      AT(SmartLog, mdie, 160, 16),
      AT(SmartLog, neile, 176, 16),
      AT(SmartLog, wctt, 192, 4),
      AT(SmartLog, cctt, 196, 4),
      AT(SmartLog, tsen, 200, 16),
      AT(SmartLog, tmttc1, 216, 4),
      AT(SmartLog, tmttc2, 220, 4),
      AT(SmartLog, ttftmt1, 224, 4),
      AT(SmartLog, ttftmt2, 228, 4),
      AT(FirmwareSlotLog, afi, 0, 1),
      AT(FirmwareSlotLog, frs, 8, 56),
      AT(EffectsLog, acs, 0, 1024),
      AT(EffectsLog, iocs, 1024, 1024),
      AT(SanitizeLog, sprog, 0, 2),
      AT(SanitizeLog, sstat, 2, 2),
      AT(SanitizeLog, scdw10, 4, 4),
      AT(SanitizeLog, eto, 8, 4),
      AT(AnaLogHeader, chgcnt, 0, 8),
      AT(AnaLogHeader, ngrps, 8, 2),
      AT(AnaGroupDescriptor, agid, 0, 4),
      AT(AnaGroupDescriptor, nnsid, 4, 4),
      AT(AnaGroupDescriptor, chgcnt, 8, 8),
      AT(AnaGroupDescriptor, state, 16, 1),
      AT(HostBehavior, acre, 0, 1),
      AT(HostBehavior, etdas, 1, 1),
      AT(HostBehavior, lbafee, 2, 1),
      AT(HostBehavior, hdisns, 3, 1),
      AT(HostBehavior, cdfe, 4, 2),
      AT(TimestampData, timestamp, 0, 6),
      AT(TimestampData, attributes, 6, 1),
  });
}

TEST_CASE("spec layout: a default structure is all zeros") {
  const IdentifyController controller;
  const IdentifyNamespace ns;
  const std::array<unsigned char, 4096> zeros{};
  CHECK(std::memcmp(&controller, zeros.data(), zeros.size()) == 0);
  CHECK(std::memcmp(&ns, zeros.data(), zeros.size()) == 0);
}
