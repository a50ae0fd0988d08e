// SPDX-License-Identifier: GPL-2.0-only
// The I/O commands (NVM Command Set 1.1 sec. 3.3). A command is checked when it is fetched and has its effect when it
// completes. Checks in order: opcode, FUSE and PSDT, namespace, size, range, data pointer.
#include <algorithm>
#include <cstring>

#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;
using spec::IoOpcode;

spec::Status Controller::start_io(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  const IoOpcode opcode = sqe.io_opcode();
  const std::uint16_t oncs = profile_->identify.oncs;
  switch (opcode) {
    case IoOpcode::kFlush:
    case IoOpcode::kWrite:
    case IoOpcode::kRead:
      break;
    case IoOpcode::kWriteZeroes:
      if (!spec::oncs::kWriteZeroes.in(oncs)) return st::kInvalidCommandOpcode;
      break;
    case IoOpcode::kDatasetManagement:
      if (!spec::oncs::kDatasetManagement.in(oncs)) return st::kInvalidCommandOpcode;
      break;
    default:
      return st::kInvalidCommandOpcode;
  }
  if (sqe.fuse() != spec::Fuse::kNormal || sqe.psdt() != spec::Psdt::kPrp) return st::kInvalidFieldInCommand;
  const std::uint32_t nsid = sqe.nsid;
  const bool broadcast_flush = opcode == IoOpcode::kFlush && nsid == spec::kBroadcastNsid &&
                               spec::vwc::kFB.get(profile_->identify.vwc) == spec::vwc::kFbSupported;
  if (!broadcast_flush) {
    if (nsid == 0 || nsid > profile_->identify.nn) return st::kInvalidNamespaceOrFormat;
    if (!namespace_active(nsid)) return st::kInvalidFieldInCommand;
  }
  switch (opcode) {
    case IoOpcode::kFlush:
      return start_flush(command);
    case IoOpcode::kWrite:
      return start_write(command);
    case IoOpcode::kRead:
      return start_read(command);
    case IoOpcode::kWriteZeroes:
      return start_write_zeroes(command);
    default:
      return start_dsm(command);
  }
}

spec::Status Controller::check_range(const spec::SubmissionEntry& sqe) const {
  const std::uint64_t slba = sqe.slba();
  const std::uint64_t blocks = spec::block_count(sqe);
  return slba < nsze_ && blocks <= nsze_ - slba ? st::kSuccess : st::kLbaOutOfRange;
}

// Base 2.1 sec. 7.2. Covers what has completed by now (K3); with WCE=0, or without a cache, it has nothing to do and
// still takes its time, as real drives' firmware does.
spec::Status Controller::start_flush(Command& command) {
  command.snapshot = cache_.snapshot();
  if (const sim::TimeNs done = timing_.short_circuit_done_ns(cache_.wce()); done != sim::kNever) {
    done_at(command, done);
    return st::kSuccess;
  }
  command.ticket.answered = &on_flush_answered;
  command.ticket.object = this;
  command.ticket.argument = index_of(command);
  command.ticket.dirty_units = cache_.dirty_units() == 0 ? 0 : cache_.dirty_units_up_to(command.snapshot);
  timing_.flush(command.ticket);
  return st::kSuccess;
}

spec::Status Controller::start_write(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  const std::uint64_t bytes = std::uint64_t{spec::block_count(sqe)} << lba_shift_;
  if (mdts_bytes_ != 0 && bytes > mdts_bytes_) return st::kInvalidFieldInCommand;
  if (const spec::Status status = check_range(sqe); !status.ok()) return status;
  if (const spec::Status status = check_prps(sqe, bytes); !status.ok()) return status;
  media::TimingModel::Write write;
  write.offset_bytes = sqe.slba() << lba_shift_;
  write.size_bytes = bytes;
  write.write_through = !cache_.wce();
  write.fua = spec::fua(sqe);
  sim::TimeNs done = timing_.write_done_ns(write);
  if (cache_.wce() && !write.fua) {  // it will be dirty, and needs room
    command.reserved_units = cache_.units_of(sqe.slba(), spec::block_count(sqe));
    done = std::max(done, cache_.reserve(command.reserved_units));
  }
  done_at(command, done);
  return st::kSuccess;
}

spec::Status Controller::start_read(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  const std::uint64_t bytes = std::uint64_t{spec::block_count(sqe)} << lba_shift_;
  if (mdts_bytes_ != 0 && bytes > mdts_bytes_) return st::kInvalidFieldInCommand;
  if (const spec::Status status = check_range(sqe); !status.ok()) return status;
  if (const spec::Status status = check_prps(sqe, bytes); !status.ok()) return status;
  done_at(command, timing_.read_done_ns());
  return st::kSuccess;
}

spec::Status Controller::start_write_zeroes(Command& command) {  // no data, so MDTS does not apply; WZSL is 0
  if (const spec::Status status = check_range(command.sqe); !status.ok()) return status;
  done_at(command, timing_.deallocate_done_ns());
  return st::kSuccess;
}

spec::Status Controller::start_dsm(Command& command) {
  const std::uint32_t ranges = spec::dsm::kNR.get(command.sqe.cdw10) + 1;
  std::array<spec::DsmRange, spec::dsm::kMaxRanges> list;
  if (const spec::Status status = from_host(command.sqe, list.data(), ranges * sizeof(spec::DsmRange)); !status.ok())
    return status;
  for (std::uint32_t i = 0; i < ranges; ++i) {
    if (list[i].length.value() != 0 &&
        (list[i].slba.value() >= nsze_ || list[i].length.value() > nsze_ - list[i].slba.value())) {
      return st::kLbaOutOfRange;
    }
  }
  done_at(command, timing_.deallocate_done_ns());
  return st::kSuccess;
}

void Controller::finish_io(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  switch (sqe.io_opcode()) {
    case IoOpcode::kFlush: {
      const std::uint64_t units = cache_.dirty_units() == 0 ? 0 : cache_.persist_up_to(command.snapshot);
      if (units != 0) {
        ++counters_.flushes_with_effect;
        simulator_->record(sim::EventKind::kPersist, command.snapshot, units, 0);
      }
      return;
    }
    case IoOpcode::kWrite: {
      const std::uint32_t blocks = spec::block_count(sqe);
      ++host_writes_;
      sectors_written_ += std::uint64_t{blocks} << (lba_shift_ - 9);
      const queue::WriteId* ids = nullptr;
      if (image_ != nullptr) {
        copy_ids_from_host(sqe, std::uint64_t{blocks} << lba_shift_);
        ids = id_buffer_.data();
      }
      cache_.write_completed(sqe.slba(), blocks, ids, spec::fua(sqe));
      return;
    }
    case IoOpcode::kRead: {
      const std::uint32_t blocks = spec::block_count(sqe);
      ++host_reads_;
      sectors_read_ += std::uint64_t{blocks} << (lba_shift_ - 9);
      if (spec::fua(sqe)) cache_.persist_range(sqe.slba(), blocks);  // NVM CS 1.1 sec. 3.3.4: commit, then read
      if (image_ != nullptr) copy_ids_to_host(sqe, std::uint64_t{blocks} << lba_shift_);
      return;
    }
    case IoOpcode::kWriteZeroes:
      cache_.zeroed(sqe.slba(), spec::block_count(sqe), spec::fua(sqe));
      return;
    case IoOpcode::kDatasetManagement: {
      if (!spec::dsm::kAD.in(sqe.cdw11)) return;
      const std::uint32_t ranges = spec::dsm::kNR.get(sqe.cdw10) + 1;
      std::array<spec::DsmRange, spec::dsm::kMaxRanges> list;
      if (!from_host(sqe, list.data(), ranges * sizeof(spec::DsmRange)).ok()) return;
      for (std::uint32_t i = 0; i < ranges; ++i) {
        const std::uint64_t slba = list[i].slba;
        if (slba < nsze_) cache_.zeroed(slba, std::min<std::uint64_t>(list[i].length, nsze_ - slba), false);
      }
      return;
    }
    default:
      return;
  }
}

}  // namespace flushlab::controller
