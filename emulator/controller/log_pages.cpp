// SPDX-License-Identifier: GPL-2.0-only
// Get Log Page (NVMe Base 2.1 sec. 5.1.12) and what the pages say.
#include <algorithm>
#include <cstring>

#include "emulator/controller/controller.hpp"
#include "emulator/spec/identify.hpp"

namespace flushlab::controller {

namespace st = spec::status;
using spec::LogPageId;

spec::SmartLog Controller::smart_log() const {
  spec::SmartLog log{};
  // Data units are thousands of 512 bytes, rounded up.
  const auto units = [](std::uint64_t sectors) { return spec::Le128{(sectors + 999) / 1000, 0}; };
  log.cw = critical_warning();
  log.ctemp = temperature_;
  log.avsp = 100;
  log.avspt = 10;
  log.dur = units(sectors_read_);
  log.duw = units(sectors_written_);
  log.hrc = spec::Le128{host_reads_, 0};
  log.hwc = spec::Le128{host_writes_, 0};
  log.pwrc = spec::Le128{power_cycles_, 0};
  log.poh = spec::Le128{simulator_->now() / (3600 * sim::kSecond), 0};
  log.upl = spec::Le128{unsafe_shutdowns_, 0};
  log.neile = spec::Le128{error_count_, 0};
  return log;
}

spec::EffectsLog Controller::effects_log() const {
  namespace fx = spec::effects;
  using spec::AdminOpcode;
  using spec::IoOpcode;
  spec::EffectsLog log{};
  for (std::size_t opcode = 0; opcode < log.acs.size(); ++opcode) {
    if (has_admin_command(static_cast<std::uint8_t>(opcode))) log.acs[opcode] = fx::kCSUPP.put();
  }
  const auto admin = [&](AdminOpcode opcode, std::uint32_t effects) {
    if (has_admin_command(static_cast<std::uint8_t>(opcode)))
      log.acs[static_cast<std::size_t>(opcode)] = fx::kCSUPP.put() | effects;
  };
  constexpr std::uint32_t kOnePerController = 2;
  admin(AdminOpcode::kFormatNvm, fx::kLBCC.put() | fx::kNCC.put() | fx::kCSE.put(kOnePerController));
  admin(AdminOpcode::kSanitize, fx::kLBCC.put() | fx::kCSE.put(kOnePerController));
  admin(AdminOpcode::kNamespaceManagement, fx::kNCC.put() | fx::kNIC.put());
  admin(AdminOpcode::kNamespaceAttachment, fx::kNCC.put() | fx::kNIC.put());
  const auto io = [&](IoOpcode opcode, bool offered, std::uint32_t effects) {
    if (offered) log.iocs[static_cast<std::size_t>(opcode)] = fx::kCSUPP.put() | effects;
  };
  const std::uint16_t oncs = profile_->identify.oncs;
  const std::uint32_t changes = fx::kLBCC.put();
  io(IoOpcode::kFlush, true, 0);
  io(IoOpcode::kRead, true, 0);
  io(IoOpcode::kWrite, true, changes);
  io(IoOpcode::kWriteUncorrectable, spec::oncs::kWriteUncorrectable.in(oncs), changes);
  io(IoOpcode::kCompare, spec::oncs::kCompare.in(oncs), 0);
  io(IoOpcode::kWriteZeroes, spec::oncs::kWriteZeroes.in(oncs), changes);
  io(IoOpcode::kDatasetManagement, spec::oncs::kDatasetManagement.in(oncs), changes);
  io(IoOpcode::kVerify, spec::oncs::kVerify.in(oncs), 0);
  io(IoOpcode::kCopy, spec::oncs::kCopy.in(oncs), changes);
  for (const std::uint16_t opcode : profile_->identify.unlisted_commands)
    log.iocs[opcode] = log.iocs[opcode] | fx::kCSUPP.put();
  for (const media::EffectsOverride& entry : profile_->effects)
    (entry.io ? log.iocs : log.acs)[entry.opcode] = entry.effects;
  return log;
}

spec::Status Controller::get_log_page(Command& command) {
  const auto& sqe = command.sqe;
  const bool extended = spec::lpa::kExtendedData.in(profile_->identify.lpa);
  const std::uint64_t size = extended ? spec::log_page_bytes(sqe) : (spec::log_cdw::kNUMDL.get(sqe.cdw10) + 1ULL) * 4;
  const std::uint64_t offset = extended ? spec::log_page_offset(sqe) : 0;
  const auto lid = static_cast<LogPageId>(spec::log_cdw::kLID.get(sqe.cdw10));
  const bool retain = spec::log_cdw::kRAE.in(sqe.cdw10);
  const spec::Status unknown =
      profile_->identify.unknown_log_is_invalid_field ? st::kInvalidFieldInCommand : st::kInvalidLogPage;
  if (offset % 4 != 0) return st::kInvalidFieldInCommand;
  std::vector<std::byte> page;
  const auto use = [&](const auto& structure) {
    page.resize(sizeof structure);
    std::memcpy(page.data(), &structure, sizeof structure);
  };
  switch (lid) {
    case LogPageId::kSupportedLogPages: {
      if (!spec::lpa::kSupportedPages.in(profile_->identify.lpa)) return unknown;
      std::array<spec::Le32, 256> pages{};
      for (const LogPageId known : {LogPageId::kSupportedLogPages, LogPageId::kErrorInformation, LogPageId::kSmart,
                                    LogPageId::kFirmwareSlot, LogPageId::kChangedNamespaceList})
        pages[static_cast<std::size_t>(known)] = 1;
      if (spec::lpa::kEffectsLog.in(profile_->identify.lpa))
        pages[static_cast<std::size_t>(LogPageId::kCommandsSupportedAndEffects)] = 1;
      if (profile_->identify.sanicap != 0) pages[static_cast<std::size_t>(LogPageId::kSanitizeStatus)] = 1;
      use(pages);
      break;
    }
    case LogPageId::kErrorInformation: {  // newest first
      const std::size_t most = profile_->identify.elpe + std::size_t{1};
      page.resize(most * sizeof(spec::ErrorLogEntry));
      for (std::size_t i = 0; i < errors_.size() && i < most; ++i)
        std::memcpy(page.data() + i * sizeof(spec::ErrorLogEntry), &errors_[errors_.size() - 1 - i],
                    sizeof(spec::ErrorLogEntry));
      break;
    }
    case LogPageId::kSmart:
      if (sqe.nsid.value() != 0 && sqe.nsid.value() != spec::kBroadcastNsid &&
          !spec::lpa::kSmartPerNamespace.in(profile_->identify.lpa))
        return st::kInvalidFieldInCommand;
      use(smart_log());
      break;
    case LogPageId::kFirmwareSlot: {
      spec::FirmwareSlotLog log{};
      log.afi = spec::afi::kActiveSlot.put(1);
      std::memcpy(&log.frs[0], identify_.fr.data(), sizeof identify_.fr);
      use(log);
      break;
    }
    case LogPageId::kChangedNamespaceList: {
      spec::NamespaceList list{};
      std::sort(changed_namespaces_.begin(), changed_namespaces_.end());
      if (changed_namespaces_.size() > list.nsid.size()) {
        list.nsid[0] = spec::kBroadcastNsid;  // more than the page holds
      } else {
        for (std::size_t i = 0; i < changed_namespaces_.size(); ++i) list.nsid[i] = changed_namespaces_[i];
      }
      if (!retain) changed_namespaces_.clear();
      use(list);
      break;
    }
    case LogPageId::kCommandsSupportedAndEffects:
      if (!spec::lpa::kEffectsLog.in(profile_->identify.lpa) && !profile_->identify.answers_unlisted_logs)
        return unknown;
      use(effects_log());
      break;
    case LogPageId::kSanitizeStatus: {
      if (profile_->identify.sanicap == 0) return unknown;
      spec::SanitizeLog log{};
      log.sprog = 0xFFFF;
      log.sstat = spec::sstat::kSOS.put(!sanitizing_.ever         ? spec::sstat::kNeverSanitized
                                        : sanitizing_.running     ? spec::sstat::kInProgress
                                        : sanitizing_.deallocated ? spec::sstat::kSucceededDeallocated
                                                                  : spec::sstat::kSucceeded);
      if (sanitizing_.running) {
        const std::uint64_t done = simulator_->now() - sanitizing_.begin_ns;
        log.sprog = static_cast<std::uint16_t>(done * 0xFFFF / (sanitizing_.end_ns - sanitizing_.begin_ns));
      }
      log.scdw10 = sanitizing_.cdw10;
      log.eto = log.etbe = log.etce = log.etond = log.etbend = log.etcend = 0xFFFFFFFF;
      use(log);
      break;
    }
    default:
      return unknown;
  }
  if (offset > page.size()) return st::kInvalidFieldInCommand;
  // What lies behind the end of the page reads as zeroes. A host cannot ask for more than its MDTS in one command.
  if (mdts_bytes_ != 0 && size > mdts_bytes_) return st::kInvalidFieldInCommand;
  std::vector<std::byte> out(size);
  std::memcpy(out.data(), page.data() + offset, std::min<std::uint64_t>(size, page.size() - offset));
  const spec::Status status = to_host(sqe, out.data(), size);
  if (!status.ok() || retain) return status;
  switch (lid) {  // the event that pointed here may come again
    case LogPageId::kErrorInformation:
      event_log_read(spec::AsyncEventType::kError);
      break;
    case LogPageId::kSmart:
      event_log_read(spec::AsyncEventType::kSmart);
      break;
    case LogPageId::kChangedNamespaceList:
    case LogPageId::kFirmwareSlot:
      event_log_read(spec::AsyncEventType::kNotice);
      break;
    case LogPageId::kSanitizeStatus:
      event_log_read(spec::AsyncEventType::kIoCommandSet);
      break;
    default:
      break;
  }
  return status;
}

}  // namespace flushlab::controller
