// SPDX-License-Identifier: GPL-2.0-only
// Properties, and the bits inside the fields of Identify, features and log pages, as words that the fact sheet spells
// out.
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/spec/feature.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"
#include "emulator/spec/registers.hpp"

using namespace flushlab::spec;

TEST_CASE("spec registers: offsets") {
  CHECK(reg::kCAP == 0x00);
  CHECK(reg::kVS == 0x08);
  CHECK(reg::kINTMS == 0x0C);
  CHECK(reg::kINTMC == 0x10);
  CHECK(reg::kCC == 0x14);
  CHECK(reg::kCSTS == 0x1C);
  CHECK(reg::kNSSR == 0x20);
  CHECK(reg::kAQA == 0x24);
  CHECK(reg::kASQ == 0x28);
  CHECK(reg::kACQ == 0x30);
  CHECK(reg::kCMBLOC == 0x38);
  CHECK(reg::kCMBSZ == 0x3C);
  CHECK(reg::kBPINFO == 0x40);
  CHECK(reg::kBPRSEL == 0x44);
  CHECK(reg::kBPMBL == 0x48);
  CHECK(reg::kCMBMSC == 0x50);
  CHECK(reg::kCMBSTS == 0x58);
  CHECK(reg::kCMBEBS == 0x5C);
  CHECK(reg::kCMBSWTP == 0x60);
  CHECK(reg::kNSSD == 0x64);
  CHECK(reg::kCRTO == 0x68);
  CHECK(reg::kPMRCAP == 0xE00);
  CHECK(reg::kPMRMSCU == 0xE18);
  CHECK(reg::sq_tail_doorbell(0, 0) == 0x1000);
  CHECK(reg::cq_head_doorbell(0, 0) == 0x1004);
  CHECK(reg::sq_tail_doorbell(3, 0) == 0x1018);
  CHECK(reg::cq_head_doorbell(3, 2) == 0x1070);
}

TEST_CASE("spec registers: words") {
  CHECK(vs::k1_4_0 == 0x00010400u);
  CHECK(vs::k2_0_0 == 0x00020000u);
  CHECK(vs::k2_1_0 == 0x00020100u);

  // What Linux writes.
  CHECK(cc::make(false) == 0x00460000u);
  CHECK(cc::make(true) == 0x00460001u);
  CHECK(cc::make(false, cc::kCssAll) == 0x00460060u);
  CHECK(cc::make(true, cc::kCssAll) == 0x00460061u);
  CHECK((cc::make(true) | cc::kSHN.put(cc::kShnNormal)) == 0x00464001u);

  // A working CAP on TCP: 128 entries, contiguous queues, TO 7.5 s, NVM command set.
  constexpr std::uint64_t cap = cap::kMQES.put(127) | cap::kCQR.put() | cap::kTO.put(15) | cap::kCssNvm.put();
  CHECK(cap == 0x000000200F01007Fu);
  CHECK(cap::kCSS.get(cap) == 1);
  CHECK(cap::kCssIoCs.mask() == (std::uint64_t{1} << 43));
  CHECK(cap::kCssNoIo.mask() == (std::uint64_t{1} << 44));
  CHECK(cap::kDSTRD.mask() == 0x0000000F00000000u);
  CHECK(cap::kMPSMIN.mask() == 0x000F000000000000u);
  CHECK(cap::kMPSMAX.mask() == 0x00F0000000000000u);
  CHECK(cap::kCRMS.mask() == 0x1800000000000000u);

  CHECK(aqa::make(32, 64) == 0x003F001Fu);
  CHECK(aqa::sq_entries(0x003F001F) == 32);
  CHECK(aqa::cq_entries(0x003F001F) == 64);
  CHECK(csts::kSHST.put(csts::kShstComplete) == 0x8u);
  CHECK(csts::kNSSRO.mask() == 0x10u);
  CHECK(reg::kNssrReset == 0x4E564D65u);
}

TEST_CASE("spec identify: the values that devices report") {
  CHECK((vwc::kVWCP.put() | vwc::kFB.put(vwc::kFbSupported)) == 0x07);
  CHECK((vwc::kVWCP.put() | vwc::kFB.put(vwc::kFbNotSupported)) == 0x05);
  CHECK(vwc::kFB.put(vwc::kFbSupported) == 0x06);
  const std::uint16_t oncs = oncs::kCompare | oncs::kWriteUncorrectable | oncs::kDatasetManagement |
                             oncs::kWriteZeroes | oncs::kSaveSelect | oncs::kVerify | oncs::kCopy;
  CHECK(oncs == 0x019F);
  CHECK((dlfeat::kDRB.put(dlfeat::kRead00) | dlfeat::kWZDS.put()) == 0x09);
  CHECK((lpa::kEffectsLog | lpa::kExtendedData) == 0x06);
  CHECK(oaes::kNamespaceAttribute.mask() == 0x00000100u);
  CHECK((entry_size::kRequired.put(6) | entry_size::kMaximum.put(6)) == 0x66);
  CHECK((frmw::kSlot1ReadOnly.put() | frmw::kSlots.put(1)) == 0x03);
  CHECK((sgls::kSupport.put(1) | sgls::kAddressAsOffset.put()) == 0x00100001u);
  CHECK((sanicap::kCES | sanicap::kBES) == 3u);
  CHECK(nsfeat::kOPTPERF.put(optperf::kShort) == 0x10);
  CHECK(nsfeat::kNSABP.mask() == 0x02);
  CHECK(nsfeat::kDAE.mask() == 0x04);
  CHECK(nsfeat::kOPTRPERF.mask() == 0x80);
  CHECK(independent_nsfeat::kVWCNP.mask() == 0x20);
  CHECK(independent_nsfeat::kRMEDIA.mask() == 0x10);
  CHECK(nstat::kNRDY.mask() == 0x01);
  CHECK(flbas::make(0x2A, true) == 0x5A);
  CHECK(flbas::index(0x5A) == 0x2A);
  CHECK(ctratt::kFDPS.mask() == 0x00080000u);
  CHECK(ctratt::kELBAS.mask() == 0x00008000u);
  CHECK(oacs::kLiveMigration.mask() == 0x0800);
}

TEST_CASE("spec identify: ASCII fields") {
  IdentifyController id;
  set_text(id.sn, "S1");
  CHECK(id.sn[1] == '1');
  CHECK(id.sn[2] == ' ');
  CHECK(id.sn[19] == ' ');
  CHECK(text(id.sn) == "S1");
  set_text(id.fr, "longer than eight");
  CHECK(text(id.fr) == "longer t");
  set_text(id.subnqn, "nqn.2014-08.org.nvmexpress:x", '\0');
  CHECK(id.subnqn[255] == '\0');
  CHECK(text(id.subnqn) == "nqn.2014-08.org.nvmexpress:x");
  CHECK(text(IdentifyController{}.mn).empty());
}

TEST_CASE("spec identify: LBA format is one dword") {
  LbaFormat format;
  format.ms = 8;
  format.lbads = 12;
  format.rp = 1;
  CHECK(std::bit_cast<Le32>(format) == 0x010C0008u);
}

TEST_CASE("spec identify: namespace identification descriptors") {
  std::vector<std::uint8_t> page(32, 0xEE);
  const std::array<std::uint8_t, 8> eui64 = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::array<std::uint8_t, 1> csi = {0};
  std::span<std::uint8_t> rest = page;
  rest = put_descriptor(rest, Nidt::kEui64, eui64);
  rest = put_descriptor(rest, Nidt::kCsi, csi);
  CHECK(rest.size() == 32 - 12 - 5);
  const std::vector<std::uint8_t> want = {1, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 4, 1, 0, 0, 0};
  CHECK(std::vector<std::uint8_t>(page.begin(), page.begin() + 17) == want);
  CHECK(page[17] == 0xEE);
}

TEST_CASE("spec feature: identifiers, words and capabilities") {
  constexpr std::array<std::uint8_t, 33> known = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B,
                                                  0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
                                                  0x17, 0x18, 0x19, 0x1D, 0x1E, 0x80, 0x81, 0x82, 0x83, 0x84, 0x1A};
  for (const std::uint8_t fid : known) {
    INFO(unsigned{fid});
    CHECK(name(static_cast<FeatureId>(fid)) != "Unknown");
  }
  CHECK(name(FeatureId::kVolatileWriteCache) == "Volatile Write Cache");
  CHECK(static_cast<unsigned>(FeatureId::kVolatileWriteCache) == 0x06);
  CHECK(static_cast<unsigned>(FeatureId::kTimestamp) == 0x0E);
  CHECK(static_cast<unsigned>(FeatureId::kHostBehaviorSupport) == 0x16);
  CHECK(static_cast<unsigned>(FeatureId::kNamespaceWriteProtectionConfig) == 0x84);
  CHECK(name(static_cast<FeatureId>(0x00)) == "Unknown");
  CHECK(name(static_cast<FeatureId>(0xFE)) == "Vendor Specific");

  CHECK(feature_capability::kChangeable.put() == 4u);  // vector #4: changeable alone
  CHECK(volatile_write_cache::kWCE.mask() == 1u);
  CHECK((volatile_write_cache::kWCE | volatile_write_cache::kReserved) == 0xFFFFFFFFu);
  CHECK(number_of_queues::make(8, 8) == 0x00070007u);
  CHECK(error_recovery::kDULBE.mask() == 0x00010000u);
  CHECK(temperature_threshold::kTMPSEL.mask() == 0x000F0000u);
  CHECK(temperature_threshold::kTHSEL.mask() == 0x00300000u);
  CHECK(interrupt_vector::kCD.mask() == 0x00010000u);
  CHECK(arbitration::kHPW.mask() == 0xFF000000u);

  TimestampData timestamp;
  timestamp.set_milliseconds(0x0000123456789ABCu);
  CHECK(timestamp.timestamp == std::array<std::uint8_t, 6>{0xBC, 0x9A, 0x78, 0x56, 0x34, 0x12});
  CHECK(timestamp.milliseconds() == 0x0000123456789ABCu);
}

TEST_CASE("spec log page: effects, events and warnings") {
  CHECK(effects::kCSUPP.mask() == 0x1u);
  CHECK((effects::kCSUPP | effects::kLBCC) == 0x3u);
  CHECK((effects::kCSUPP | effects::kNCC | effects::kNIC) == 0xDu);
  // Format NVM: content changes, and no other command to the controller meanwhile.
  CHECK(((effects::kCSUPP | effects::kLBCC | effects::kNCC) | effects::kCSE.put(effects::kCseController)) ==
        0x00020007u);
  CHECK(aer_dw0::make(AsyncEventType::kNotice, aer_notice::kNamespaceAttributeChanged,
                      LogPageId::kChangedNamespaceList) == 0x00040002u);
  CHECK(aer_dw0::make(AsyncEventType::kError, aer_error::kInvalidDoorbellValue, LogPageId::kErrorInformation) ==
        0x00010100u);
  CHECK(aer_dw0::make(AsyncEventType::kIoCommandSet, aer_io::kSanitizeCompleted, LogPageId::kSanitizeStatus) ==
        0x00810106u);
  CHECK(smart_warning::kVolatileBackup.mask() == 0x10);
  CHECK(name(LogPageId::kSmart) == "SMART / Health Information");
  CHECK(name(static_cast<LogPageId>(0xBE)) == "Unknown");
  CHECK(name(static_cast<LogPageId>(0xC0)) == "Vendor Specific");
  CHECK(name(Cns::kIndependentNamespace) == "I/O Command Set Independent Identify Namespace");
  CHECK(name(static_cast<Cns>(0x40)) == "Unknown");
}

TEST_CASE("spec builders: enumerators in place of numbers") {
  CHECK(make_identify(Cns::kIoCommandSetNamespace, 1) == make_identify(std::uint8_t{0x05}, 1));
  CHECK(make_set_features(FeatureId::kVolatileWriteCache, 1).cdw10 == 0x00000006u);
  CHECK(make_get_features(FeatureId::kVolatileWriteCache, Select::kSupportedCapabilities).cdw10 == 0x00000306u);
  CHECK(make_get_log_page(LogPageId::kSmart, 512).cdw10 == 0x007F0002u);
}
