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
  log.ctemp = 313;
  log.avsp = 100;
  log.avspt = 10;
  log.dur = units(sectors_read_);
  log.duw = units(sectors_written_);
  log.hrc = spec::Le128{host_reads_, 0};
  log.hwc = spec::Le128{host_writes_, 0};
  log.pwrc = spec::Le128{1, 0};
  log.poh = spec::Le128{simulator_->now() / (3600 * sim::kSecond), 0};
  log.neile = spec::Le128{error_count_, 0};
  return log;
}

spec::EffectsLog Controller::effects_log() const {
  namespace fx = spec::effects;
  spec::EffectsLog log{};
  const std::array<bool, 256> exists = admin_opcodes();
  for (std::size_t opcode = 0; opcode < exists.size(); ++opcode) {
    if (exists[opcode]) log.acs[opcode] = fx::kCSUPP.put();
  }
  if (!spec::oacs::kDoorbellBuffer.in(profile_->identify.oacs)) {
    log.acs[static_cast<std::size_t>(spec::AdminOpcode::kDoorbellBufferConfig)] = 0;
  }
  for (const media::EffectsOverride& entry : profile_->effects) log.acs[entry.opcode] = entry.effects;
  const auto io = [&](spec::IoOpcode opcode, std::uint32_t effects) {
    log.iocs[static_cast<std::size_t>(opcode)] = effects;
  };
  const std::uint16_t oncs = profile_->identify.oncs;
  io(spec::IoOpcode::kFlush, fx::kCSUPP.put());
  io(spec::IoOpcode::kRead, fx::kCSUPP.put());
  io(spec::IoOpcode::kWrite, fx::kCSUPP.put() | fx::kLBCC.put());
  if (spec::oncs::kWriteZeroes.in(oncs)) io(spec::IoOpcode::kWriteZeroes, fx::kCSUPP.put() | fx::kLBCC.put());
  if (spec::oncs::kDatasetManagement.in(oncs))
    io(spec::IoOpcode::kDatasetManagement, fx::kCSUPP.put() | fx::kLBCC.put());
  return log;
}

spec::Status Controller::get_log_page(Command& command) {
  const auto& sqe = command.sqe;
  const std::uint64_t size = spec::log_page_bytes(sqe);
  const std::uint64_t offset = spec::log_page_offset(sqe);
  const auto lid = static_cast<LogPageId>(spec::log_cdw::kLID.get(sqe.cdw10));
  const bool retain = spec::log_cdw::kRAE.in(sqe.cdw10);
  if (offset % 4 != 0) return st::kInvalidFieldInCommand;
  std::vector<std::byte> page;
  const auto use = [&](const auto& structure) {
    page.resize(sizeof structure);
    std::memcpy(page.data(), &structure, sizeof structure);
  };
  switch (lid) {
    case LogPageId::kErrorInformation:
      page.resize(64 * sizeof(spec::ErrorLogEntry));
      break;
    case LogPageId::kSmart:
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
      for (std::size_t i = 0; i < changed_namespaces_.size() && i < list.nsid.size(); ++i)
        list.nsid[i] = changed_namespaces_[i];
      if (!retain) changed_namespaces_.clear();
      use(list);
      break;
    }
    case LogPageId::kCommandsSupportedAndEffects:
      if (!spec::lpa::kEffectsLog.in(profile_->identify.lpa) && !profile_->identify.answers_unlisted_logs)
        return st::kInvalidLogPage;
      use(effects_log());
      break;
    default:
      return st::kInvalidLogPage;
  }
  if (offset > page.size()) return st::kInvalidFieldInCommand;
  // What lies behind the end of the page reads as zeroes. A host cannot ask for more than its MDTS in one command.
  if (mdts_bytes_ != 0 && size > mdts_bytes_) return st::kInvalidFieldInCommand;
  std::vector<std::byte> out(size);
  std::memcpy(out.data(), page.data() + offset, std::min<std::uint64_t>(size, page.size() - offset));
  const spec::Status status = to_host(sqe, out.data(), size);
  if (status.ok() && !retain) {  // the event that pointed here may come again
    if (lid == LogPageId::kChangedNamespaceList) {
      masked_event_types_ = static_cast<std::uint8_t>(masked_event_types_ &
                                                      ~(1U << static_cast<unsigned>(spec::AsyncEventType::kNotice)));
      deliver_events();
    }
  }
  return status;
}

}  // namespace flushlab::controller
