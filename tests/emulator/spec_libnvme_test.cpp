// SPDX-License-Identifier: GPL-2.0-only
// Offsets, sizes and numbers against libnvme's own header, where it is installed (Debian: libnvme-dev). Fields that
// libnvme 1.3 does not declare are left to spec_layout_test.cpp, and so are three on which it differs from the fact
// sheet: it keeps LBSTM in Identify Namespace (bytes 391:384, vendor specific now) and has ELBAT and ELBATM of a Copy
// range the other way round.
#if __has_include(<nvme/types.h>)

#include <nvme/types.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <string_view>

#include "emulator/spec/command.hpp"
#include "emulator/spec/feature.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"
#include "emulator/spec/registers.hpp"

namespace spec = flushlab::spec;

namespace {

struct Row {
  std::string_view name;
  std::size_t offset, size, peer_offset, peer_size;
};

// Our field beside theirs.
#define SAME(type, field, peer_type, peer_field)                                                                      \
  Row {                                                                                                               \
#type "." #field, offsetof(spec::type, field), sizeof(spec::type::field), offsetof(struct peer_type, peer_field), \
        sizeof(static_cast <peer_type*>(nullptr)->peer_field)                                                         \
  }

template <std::size_t N>
void check(const std::array<Row, N>& rows) {
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(row.offset == row.peer_offset);
    CHECK(row.size == row.peer_size);
  }
}

}  // namespace

TEST_CASE("spec libnvme: sizes") {
  CHECK(sizeof(spec::IdentifyController) == sizeof(nvme_id_ctrl));
  CHECK(sizeof(spec::IdentifyNamespace) == sizeof(nvme_id_ns));
  CHECK(sizeof(spec::PowerStateDescriptor) == sizeof(nvme_id_psd));
  CHECK(sizeof(spec::LbaFormat) == sizeof(nvme_lbaf));
  CHECK(sizeof(spec::IdentifyNamespaceNvm) == sizeof(nvme_nvm_id_ns));
  CHECK(sizeof(spec::IdentifyControllerNvm) == sizeof(nvme_id_ctrl_nvm));
  CHECK(sizeof(spec::IdentifyNamespaceIndependent) == sizeof(nvme_id_independent_id_ns));
  CHECK(sizeof(spec::NamespaceList) == sizeof(nvme_ns_list));
  CHECK(sizeof(spec::ControllerList) == sizeof(nvme_ctrl_list));
  CHECK(sizeof(spec::ErrorLogEntry) == sizeof(nvme_error_log_page));
  CHECK(sizeof(spec::SmartLog) == sizeof(nvme_smart_log));
  CHECK(sizeof(spec::FirmwareSlotLog) == sizeof(nvme_firmware_slot));
  CHECK(sizeof(spec::EffectsLog) == sizeof(nvme_cmd_effects_log));
  CHECK(sizeof(spec::SupportedLogPages) == sizeof(nvme_supported_log_pages));
  CHECK(sizeof(spec::SanitizeLog) == sizeof(nvme_sanitize_log_page));
  CHECK(sizeof(spec::DsmRange) == sizeof(nvme_dsm_range));
  CHECK(sizeof(spec::CopyRange) == sizeof(nvme_copy_range));
  CHECK(sizeof(spec::HostBehavior) == sizeof(nvme_feat_host_behavior));
  CHECK(sizeof(spec::TimestampData) == sizeof(nvme_timestamp));
}

TEST_CASE("spec libnvme: Identify Controller") {
  check(std::array{
      SAME(IdentifyController, vid, nvme_id_ctrl, vid),
      SAME(IdentifyController, ssvid, nvme_id_ctrl, ssvid),
      SAME(IdentifyController, sn, nvme_id_ctrl, sn),
      SAME(IdentifyController, mn, nvme_id_ctrl, mn),
      SAME(IdentifyController, fr, nvme_id_ctrl, fr),
      SAME(IdentifyController, rab, nvme_id_ctrl, rab),
      SAME(IdentifyController, ieee, nvme_id_ctrl, ieee),
      SAME(IdentifyController, cmic, nvme_id_ctrl, cmic),
      SAME(IdentifyController, mdts, nvme_id_ctrl, mdts),
      SAME(IdentifyController, cntlid, nvme_id_ctrl, cntlid),
      SAME(IdentifyController, ver, nvme_id_ctrl, ver),
      SAME(IdentifyController, rtd3r, nvme_id_ctrl, rtd3r),
      SAME(IdentifyController, rtd3e, nvme_id_ctrl, rtd3e),
      SAME(IdentifyController, oaes, nvme_id_ctrl, oaes),
      SAME(IdentifyController, ctratt, nvme_id_ctrl, ctratt),
      SAME(IdentifyController, rrls, nvme_id_ctrl, rrls),
      SAME(IdentifyController, cntrltype, nvme_id_ctrl, cntrltype),
      SAME(IdentifyController, fguid, nvme_id_ctrl, fguid),
      SAME(IdentifyController, crdt1, nvme_id_ctrl, crdt1),
      SAME(IdentifyController, crdt2, nvme_id_ctrl, crdt2),
      SAME(IdentifyController, crdt3, nvme_id_ctrl, crdt3),
      SAME(IdentifyController, nvmsr, nvme_id_ctrl, nvmsr),
      SAME(IdentifyController, vwci, nvme_id_ctrl, vwci),
      SAME(IdentifyController, mec, nvme_id_ctrl, mec),
      SAME(IdentifyController, oacs, nvme_id_ctrl, oacs),
      SAME(IdentifyController, acl, nvme_id_ctrl, acl),
      SAME(IdentifyController, aerl, nvme_id_ctrl, aerl),
      SAME(IdentifyController, frmw, nvme_id_ctrl, frmw),
      SAME(IdentifyController, lpa, nvme_id_ctrl, lpa),
      SAME(IdentifyController, elpe, nvme_id_ctrl, elpe),
      SAME(IdentifyController, npss, nvme_id_ctrl, npss),
      SAME(IdentifyController, avscc, nvme_id_ctrl, avscc),
      SAME(IdentifyController, apsta, nvme_id_ctrl, apsta),
      SAME(IdentifyController, wctemp, nvme_id_ctrl, wctemp),
      SAME(IdentifyController, cctemp, nvme_id_ctrl, cctemp),
      SAME(IdentifyController, mtfa, nvme_id_ctrl, mtfa),
      SAME(IdentifyController, hmpre, nvme_id_ctrl, hmpre),
      SAME(IdentifyController, hmmin, nvme_id_ctrl, hmmin),
      SAME(IdentifyController, tnvmcap, nvme_id_ctrl, tnvmcap),
      SAME(IdentifyController, unvmcap, nvme_id_ctrl, unvmcap),
      SAME(IdentifyController, rpmbs, nvme_id_ctrl, rpmbs),
      SAME(IdentifyController, edstt, nvme_id_ctrl, edstt),
      SAME(IdentifyController, dsto, nvme_id_ctrl, dsto),
      SAME(IdentifyController, fwug, nvme_id_ctrl, fwug),
      SAME(IdentifyController, kas, nvme_id_ctrl, kas),
      SAME(IdentifyController, hctma, nvme_id_ctrl, hctma),
      SAME(IdentifyController, mntmt, nvme_id_ctrl, mntmt),
      SAME(IdentifyController, mxtmt, nvme_id_ctrl, mxtmt),
      SAME(IdentifyController, sanicap, nvme_id_ctrl, sanicap),
      SAME(IdentifyController, hmminds, nvme_id_ctrl, hmminds),
      SAME(IdentifyController, hmmaxd, nvme_id_ctrl, hmmaxd),
      SAME(IdentifyController, nsetidmax, nvme_id_ctrl, nsetidmax),
      SAME(IdentifyController, endgidmax, nvme_id_ctrl, endgidmax),
      SAME(IdentifyController, anatt, nvme_id_ctrl, anatt),
      SAME(IdentifyController, anacap, nvme_id_ctrl, anacap),
      SAME(IdentifyController, anagrpmax, nvme_id_ctrl, anagrpmax),
      SAME(IdentifyController, nanagrpid, nvme_id_ctrl, nanagrpid),
      SAME(IdentifyController, pels, nvme_id_ctrl, pels),
      SAME(IdentifyController, domainid, nvme_id_ctrl, domainid),
      SAME(IdentifyController, megcap, nvme_id_ctrl, megcap),
      SAME(IdentifyController, sqes, nvme_id_ctrl, sqes),
      SAME(IdentifyController, cqes, nvme_id_ctrl, cqes),
      SAME(IdentifyController, maxcmd, nvme_id_ctrl, maxcmd),
      SAME(IdentifyController, nn, nvme_id_ctrl, nn),
      SAME(IdentifyController, oncs, nvme_id_ctrl, oncs),
      SAME(IdentifyController, fuses, nvme_id_ctrl, fuses),
      SAME(IdentifyController, fna, nvme_id_ctrl, fna),
      SAME(IdentifyController, vwc, nvme_id_ctrl, vwc),
      SAME(IdentifyController, awun, nvme_id_ctrl, awun),
      SAME(IdentifyController, awupf, nvme_id_ctrl, awupf),
      SAME(IdentifyController, icsvscc, nvme_id_ctrl, icsvscc),
      SAME(IdentifyController, nwpc, nvme_id_ctrl, nwpc),
      SAME(IdentifyController, acwu, nvme_id_ctrl, acwu),
      SAME(IdentifyController, ocfs, nvme_id_ctrl, ocfs),
      SAME(IdentifyController, sgls, nvme_id_ctrl, sgls),
      SAME(IdentifyController, mnan, nvme_id_ctrl, mnan),
      SAME(IdentifyController, maxdna, nvme_id_ctrl, maxdna),
      SAME(IdentifyController, maxcna, nvme_id_ctrl, maxcna),
      SAME(IdentifyController, subnqn, nvme_id_ctrl, subnqn),
      SAME(IdentifyController, ioccsz, nvme_id_ctrl, ioccsz),
      SAME(IdentifyController, iorcsz, nvme_id_ctrl, iorcsz),
      SAME(IdentifyController, icdoff, nvme_id_ctrl, icdoff),
      SAME(IdentifyController, fcatt, nvme_id_ctrl, fcatt),
      SAME(IdentifyController, msdbd, nvme_id_ctrl, msdbd),
      SAME(IdentifyController, ofcs, nvme_id_ctrl, ofcs),
      SAME(IdentifyController, dctype, nvme_id_ctrl, dctype),
      SAME(IdentifyController, psd, nvme_id_ctrl, psd),
      SAME(IdentifyController, vs, nvme_id_ctrl, vs),
  });
}

TEST_CASE("spec libnvme: Identify Namespace") {
  check(std::array{
      SAME(IdentifyNamespace, nsze, nvme_id_ns, nsze),
      SAME(IdentifyNamespace, ncap, nvme_id_ns, ncap),
      SAME(IdentifyNamespace, nuse, nvme_id_ns, nuse),
      SAME(IdentifyNamespace, nsfeat, nvme_id_ns, nsfeat),
      SAME(IdentifyNamespace, nlbaf, nvme_id_ns, nlbaf),
      SAME(IdentifyNamespace, flbas, nvme_id_ns, flbas),
      SAME(IdentifyNamespace, mc, nvme_id_ns, mc),
      SAME(IdentifyNamespace, dpc, nvme_id_ns, dpc),
      SAME(IdentifyNamespace, dps, nvme_id_ns, dps),
      SAME(IdentifyNamespace, nmic, nvme_id_ns, nmic),
      SAME(IdentifyNamespace, rescap, nvme_id_ns, rescap),
      SAME(IdentifyNamespace, fpi, nvme_id_ns, fpi),
      SAME(IdentifyNamespace, dlfeat, nvme_id_ns, dlfeat),
      SAME(IdentifyNamespace, nawun, nvme_id_ns, nawun),
      SAME(IdentifyNamespace, nawupf, nvme_id_ns, nawupf),
      SAME(IdentifyNamespace, nacwu, nvme_id_ns, nacwu),
      SAME(IdentifyNamespace, nabsn, nvme_id_ns, nabsn),
      SAME(IdentifyNamespace, nabo, nvme_id_ns, nabo),
      SAME(IdentifyNamespace, nabspf, nvme_id_ns, nabspf),
      SAME(IdentifyNamespace, noiob, nvme_id_ns, noiob),
      SAME(IdentifyNamespace, nvmcap, nvme_id_ns, nvmcap),
      SAME(IdentifyNamespace, npwg, nvme_id_ns, npwg),
      SAME(IdentifyNamespace, npwa, nvme_id_ns, npwa),
      SAME(IdentifyNamespace, npdg, nvme_id_ns, npdg),
      SAME(IdentifyNamespace, npda, nvme_id_ns, npda),
      SAME(IdentifyNamespace, nows, nvme_id_ns, nows),
      SAME(IdentifyNamespace, mssrl, nvme_id_ns, mssrl),
      SAME(IdentifyNamespace, mcl, nvme_id_ns, mcl),
      SAME(IdentifyNamespace, msrc, nvme_id_ns, msrc),
      SAME(IdentifyNamespace, nulbaf, nvme_id_ns, nulbaf),
      SAME(IdentifyNamespace, anagrpid, nvme_id_ns, anagrpid),
      SAME(IdentifyNamespace, nsattr, nvme_id_ns, nsattr),
      SAME(IdentifyNamespace, nvmsetid, nvme_id_ns, nvmsetid),
      SAME(IdentifyNamespace, endgid, nvme_id_ns, endgid),
      SAME(IdentifyNamespace, nguid, nvme_id_ns, nguid),
      SAME(IdentifyNamespace, eui64, nvme_id_ns, eui64),
      SAME(IdentifyNamespace, lbaf, nvme_id_ns, lbaf),
  });
}

TEST_CASE("spec libnvme: other structures") {
  check(std::array{
      SAME(PowerStateDescriptor, mp, nvme_id_psd, mp),
      SAME(PowerStateDescriptor, flags, nvme_id_psd, flags),
      SAME(PowerStateDescriptor, enlat, nvme_id_psd, enlat),
      SAME(PowerStateDescriptor, exlat, nvme_id_psd, exlat),
      SAME(PowerStateDescriptor, rrt, nvme_id_psd, rrt),
      SAME(PowerStateDescriptor, rrl, nvme_id_psd, rrl),
      SAME(PowerStateDescriptor, rwt, nvme_id_psd, rwt),
      SAME(PowerStateDescriptor, rwl, nvme_id_psd, rwl),
      SAME(PowerStateDescriptor, idlp, nvme_id_psd, idlp),
      SAME(PowerStateDescriptor, ips, nvme_id_psd, ips),
      SAME(PowerStateDescriptor, actp, nvme_id_psd, actp),
      SAME(PowerStateDescriptor, apws, nvme_id_psd, apws),
      SAME(IdentifyControllerNvm, vsl, nvme_id_ctrl_nvm, vsl),
      SAME(IdentifyControllerNvm, wzsl, nvme_id_ctrl_nvm, wzsl),
      SAME(IdentifyControllerNvm, wusl, nvme_id_ctrl_nvm, wusl),
      SAME(IdentifyControllerNvm, dmrl, nvme_id_ctrl_nvm, dmrl),
      SAME(IdentifyControllerNvm, dmrsl, nvme_id_ctrl_nvm, dmrsl),
      SAME(IdentifyControllerNvm, dmsl, nvme_id_ctrl_nvm, dmsl),
      SAME(IdentifyNamespaceNvm, lbstm, nvme_nvm_id_ns, lbstm),
      SAME(IdentifyNamespaceNvm, pic, nvme_nvm_id_ns, pic),
      SAME(IdentifyNamespaceNvm, elbaf, nvme_nvm_id_ns, elbaf),
      SAME(IdentifyNamespaceIndependent, nsfeat, nvme_id_independent_id_ns, nsfeat),
      SAME(IdentifyNamespaceIndependent, nmic, nvme_id_independent_id_ns, nmic),
      SAME(IdentifyNamespaceIndependent, rescap, nvme_id_independent_id_ns, rescap),
      SAME(IdentifyNamespaceIndependent, fpi, nvme_id_independent_id_ns, fpi),
      SAME(IdentifyNamespaceIndependent, anagrpid, nvme_id_independent_id_ns, anagrpid),
      SAME(IdentifyNamespaceIndependent, nsattr, nvme_id_independent_id_ns, nsattr),
      SAME(IdentifyNamespaceIndependent, nvmsetid, nvme_id_independent_id_ns, nvmsetid),
      SAME(IdentifyNamespaceIndependent, endgid, nvme_id_independent_id_ns, endgid),
      SAME(IdentifyNamespaceIndependent, nstat, nvme_id_independent_id_ns, nstat),
      SAME(SanitizeLog, sprog, nvme_sanitize_log_page, sprog),
      SAME(SanitizeLog, sstat, nvme_sanitize_log_page, sstat),
      SAME(SanitizeLog, scdw10, nvme_sanitize_log_page, scdw10),
      SAME(SanitizeLog, eto, nvme_sanitize_log_page, eto),
      SAME(SanitizeLog, etbe, nvme_sanitize_log_page, etbe),
      SAME(SanitizeLog, etce, nvme_sanitize_log_page, etce),
      SAME(SanitizeLog, etond, nvme_sanitize_log_page, etond),
      SAME(SanitizeLog, etbend, nvme_sanitize_log_page, etbend),
      SAME(SanitizeLog, etcend, nvme_sanitize_log_page, etcend),
      SAME(EffectsLog, acs, nvme_cmd_effects_log, acs),
      SAME(EffectsLog, iocs, nvme_cmd_effects_log, iocs),
      SAME(HostBehavior, acre, nvme_feat_host_behavior, acre),
      SAME(LbaFormat, ms, nvme_lbaf, ms),
      SAME(LbaFormat, rp, nvme_lbaf, rp),
      SAME(LbaFormat, lbads, nvme_lbaf, ds),
      SAME(ErrorLogEntry, error_count, nvme_error_log_page, error_count),
      SAME(ErrorLogEntry, sqid, nvme_error_log_page, sqid),
      SAME(ErrorLogEntry, lba, nvme_error_log_page, lba),
      SAME(ErrorLogEntry, nsid, nvme_error_log_page, nsid),
      SAME(ErrorLogEntry, trtype, nvme_error_log_page, trtype),
      SAME(ErrorLogEntry, cid, nvme_error_log_page, cmdid),
      SAME(ErrorLogEntry, status_word, nvme_error_log_page, status_field),
      SAME(ErrorLogEntry, pel, nvme_error_log_page, parm_error_location),
      SAME(ErrorLogEntry, vsia, nvme_error_log_page, vs),
      SAME(ErrorLogEntry, csinfo, nvme_error_log_page, cs),
      SAME(ErrorLogEntry, ttsi, nvme_error_log_page, trtype_spec_info),
      SAME(SmartLog, cw, nvme_smart_log, critical_warning),
      SAME(SmartLog, ctemp, nvme_smart_log, temperature),
      SAME(SmartLog, avsp, nvme_smart_log, avail_spare),
      SAME(SmartLog, avspt, nvme_smart_log, spare_thresh),
      SAME(SmartLog, pused, nvme_smart_log, percent_used),
      SAME(SmartLog, egcws, nvme_smart_log, endu_grp_crit_warn_sumry),
      SAME(SmartLog, dur, nvme_smart_log, data_units_read),
      SAME(SmartLog, duw, nvme_smart_log, data_units_written),
      SAME(SmartLog, hrc, nvme_smart_log, host_reads),
      SAME(SmartLog, hwc, nvme_smart_log, host_writes),
      SAME(SmartLog, cbt, nvme_smart_log, ctrl_busy_time),
      SAME(SmartLog, pwrc, nvme_smart_log, power_cycles),
      SAME(SmartLog, poh, nvme_smart_log, power_on_hours),
      SAME(SmartLog, upl, nvme_smart_log, unsafe_shutdowns),
      SAME(SmartLog, mdie, nvme_smart_log, media_errors),
      SAME(SmartLog, neile, nvme_smart_log, num_err_log_entries),
      SAME(SmartLog, wctt, nvme_smart_log, warning_temp_time),
      SAME(SmartLog, cctt, nvme_smart_log, critical_comp_time),
      SAME(SmartLog, tsen, nvme_smart_log, temp_sensor),
      SAME(SmartLog, tmttc1, nvme_smart_log, thm_temp1_trans_count),
      SAME(SmartLog, tmttc2, nvme_smart_log, thm_temp2_trans_count),
      SAME(SmartLog, ttftmt1, nvme_smart_log, thm_temp1_total_time),
      SAME(SmartLog, ttftmt2, nvme_smart_log, thm_temp2_total_time),
      SAME(DsmRange, cattr, nvme_dsm_range, cattr),
      SAME(DsmRange, length, nvme_dsm_range, nlb),
      SAME(DsmRange, slba, nvme_dsm_range, slba),
      SAME(CopyRange, slba, nvme_copy_range, slba),
      SAME(CopyRange, nlb, nvme_copy_range, nlb),
      SAME(CopyRange, eilbrt, nvme_copy_range, eilbrt),
      SAME(FirmwareSlotLog, afi, nvme_firmware_slot, afi),
      SAME(FirmwareSlotLog, frs, nvme_firmware_slot, frs),
  });
}

TEST_CASE("spec libnvme: numbers") {
  CHECK(spec::reg::kCAP == NVME_REG_CAP);
  CHECK(spec::reg::kVS == NVME_REG_VS);
  CHECK(spec::reg::kCC == NVME_REG_CC);
  CHECK(spec::reg::kCSTS == NVME_REG_CSTS);
  CHECK(spec::reg::kNSSR == NVME_REG_NSSR);
  CHECK(spec::reg::kAQA == NVME_REG_AQA);
  CHECK(spec::reg::kASQ == NVME_REG_ASQ);
  CHECK(spec::reg::kACQ == NVME_REG_ACQ);
  CHECK(spec::reg::kCRTO == NVME_REG_CRTO);
  CHECK(spec::reg::kPMRMSCU == NVME_REG_PMRMSCU);

  const auto word = [](spec::Status status) { return static_cast<int>((status.word(false) & 0x0FFE) >> 1); };
  namespace st = spec::status;
  CHECK(word(st::kInvalidFieldInCommand) == NVME_SC_INVALID_FIELD);
  CHECK(word(st::kInvalidNamespaceOrFormat) == NVME_SC_INVALID_NS);
  CHECK(word(st::kSanitizeInProgress) == NVME_SC_SANITIZE_IN_PROGRESS);
  CHECK(word(st::kNamespaceIsWriteProtected) == NVME_SC_NS_WRITE_PROTECTED);
  CHECK(word(st::kAdminCommandMediaNotReady) == NVME_SC_ADMIN_CMD_MEDIA_NOT_READY);
  CHECK(word(st::kLbaOutOfRange) == NVME_SC_LBA_RANGE);
  CHECK(word(st::kFormatInProgress) == NVME_SC_FORMAT_IN_PROGRESS);
  // From here on libnvme keeps the status code type apart.
  const auto code = [](spec::Status status) { return static_cast<int>(status.sc()); };
  CHECK(code(st::kFeatureIdentifierNotSaveable) == NVME_SC_FEATURE_NOT_SAVEABLE);
  CHECK(code(st::kFeatureNotChangeable) == NVME_SC_FEATURE_NOT_CHANGEABLE);
  CHECK(code(st::kFeatureNotNamespaceSpecific) == NVME_SC_FEATURE_NOT_PER_NS);
  CHECK(code(st::kIoCommandSetNotSupported) == NVME_SC_IOCS_NOT_SUPPORTED);
  CHECK(code(st::kConnectInvalidHost) == NVME_SC_CONNECT_INVALID_HOST);
  CHECK(code(st::kDiscoveryRestart) == NVME_SC_DISCOVERY_RESTART);
  CHECK(code(st::kAuthenticationRequired) == NVME_SC_AUTH_REQUIRED);
  CHECK(code(st::kCommandSizeLimitExceeded) == NVME_SC_CMD_SIZE_LIMIT_EXCEEDED);
  CHECK(code(st::kUnrecoveredReadError) == NVME_SC_READ_ERROR);
  CHECK(code(st::kDeallocatedOrUnwrittenLogicalBlock) == NVME_SC_UNWRITTEN_BLOCK);
  CHECK(code(st::kAsymmetricAccessTransition) == NVME_SC_ANA_TRANSITION);
  CHECK(code(st::kHostPathingError) == NVME_SC_HOST_PATH_ERROR);

  const auto fid = [](spec::FeatureId id) { return static_cast<int>(id); };
  CHECK(fid(spec::FeatureId::kArbitration) == NVME_FEAT_FID_ARBITRATION);
  CHECK(fid(spec::FeatureId::kVolatileWriteCache) == NVME_FEAT_FID_VOLATILE_WC);
  CHECK(fid(spec::FeatureId::kNumberOfQueues) == NVME_FEAT_FID_NUM_QUEUES);
  CHECK(fid(spec::FeatureId::kWriteAtomicityNormal) == NVME_FEAT_FID_WRITE_ATOMIC);
  CHECK(fid(spec::FeatureId::kAsynchronousEventConfiguration) == NVME_FEAT_FID_ASYNC_EVENT);
  CHECK(fid(spec::FeatureId::kAutonomousPowerStateTransition) == NVME_FEAT_FID_AUTO_PST);
  CHECK(fid(spec::FeatureId::kHostMemoryBuffer) == NVME_FEAT_FID_HOST_MEM_BUF);
  CHECK(fid(spec::FeatureId::kTimestamp) == NVME_FEAT_FID_TIMESTAMP);
  CHECK(fid(spec::FeatureId::kKeepAliveTimer) == NVME_FEAT_FID_KATO);
  CHECK(fid(spec::FeatureId::kHostControlledThermalManagement) == NVME_FEAT_FID_HCTM);
  CHECK(fid(spec::FeatureId::kNonOperationalPowerStateConfig) == NVME_FEAT_FID_NOPSC);
  CHECK(fid(spec::FeatureId::kReadRecoveryLevelConfig) == NVME_FEAT_FID_RRL);
  CHECK(fid(spec::FeatureId::kPredictableLatencyModeConfig) == NVME_FEAT_FID_PLM_CONFIG);
  CHECK(fid(spec::FeatureId::kPredictableLatencyModeWindow) == NVME_FEAT_FID_PLM_WINDOW);
  CHECK(fid(spec::FeatureId::kLbaStatusInformationReportInterval) == NVME_FEAT_FID_LBA_STS_INTERVAL);
  CHECK(fid(spec::FeatureId::kHostBehaviorSupport) == NVME_FEAT_FID_HOST_BEHAVIOR);
  CHECK(fid(spec::FeatureId::kSanitizeConfig) == NVME_FEAT_FID_SANITIZE);
  CHECK(fid(spec::FeatureId::kEnduranceGroupEventConfiguration) == NVME_FEAT_FID_ENDURANCE_EVT_CFG);
  CHECK(fid(spec::FeatureId::kIoCommandSetProfile) == NVME_FEAT_FID_IOCS_PROFILE);
  CHECK(fid(spec::FeatureId::kSpinupControl) == NVME_FEAT_FID_SPINUP_CONTROL);
  CHECK(fid(spec::FeatureId::kHostIdentifier) == NVME_FEAT_FID_HOST_ID);
  CHECK(fid(spec::FeatureId::kNamespaceWriteProtectionConfig) == NVME_FEAT_FID_WRITE_PROTECT);

  const auto lid = [](spec::LogPageId id) { return static_cast<int>(id); };
  CHECK(lid(spec::LogPageId::kSmart) == NVME_LOG_LID_SMART);
  CHECK(lid(spec::LogPageId::kTelemetryControllerInitiated) == NVME_LOG_LID_TELEMETRY_CTRL);
  CHECK(lid(spec::LogPageId::kPredictableLatencyAggregate) == NVME_LOG_LID_PREDICTABLE_LAT_AGG);
  CHECK(lid(spec::LogPageId::kAsymmetricNamespaceAccess) == NVME_LOG_LID_ANA);
  CHECK(lid(spec::LogPageId::kPersistentEvent) == NVME_LOG_LID_PERSISTENT_EVENT);
  CHECK(lid(spec::LogPageId::kLbaStatus) == NVME_LOG_LID_LBA_STATUS);
  CHECK(lid(spec::LogPageId::kEnduranceGroupAggregate) == NVME_LOG_LID_ENDURANCE_GRP_EVT);
  CHECK(lid(spec::LogPageId::kDiscovery) == NVME_LOG_LID_DISCOVER);
  CHECK(lid(spec::LogPageId::kSanitizeStatus) == NVME_LOG_LID_SANITIZE);
}

#endif
