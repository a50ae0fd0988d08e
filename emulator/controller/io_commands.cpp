// SPDX-License-Identifier: GPL-2.0-only
// The I/O commands (NVM Command Set 1.1 sec. 3.3). A command is checked when it is fetched and has its effect when it
// completes. Checks in order: opcode, PSDT and FUSE, namespace, readiness and write protection, size, range,
// readability, data pointer.
#include <algorithm>
#include <cstring>

#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;
using spec::IoOpcode;

namespace {

bool offered(IoOpcode opcode, std::uint16_t oncs) {
  switch (opcode) {
    case IoOpcode::kFlush:
    case IoOpcode::kWrite:
    case IoOpcode::kRead:
      return true;
    case IoOpcode::kCompare:
      return spec::oncs::kCompare.in(oncs);
    case IoOpcode::kWriteUncorrectable:
      return spec::oncs::kWriteUncorrectable.in(oncs);
    case IoOpcode::kDatasetManagement:
      return spec::oncs::kDatasetManagement.in(oncs);
    case IoOpcode::kWriteZeroes:
      return spec::oncs::kWriteZeroes.in(oncs);
    case IoOpcode::kVerify:
      return spec::oncs::kVerify.in(oncs);
    case IoOpcode::kCopy:
      return spec::oncs::kCopy.in(oncs);
    default:
      return false;
  }
}

bool changes_blocks(IoOpcode opcode) {
  switch (opcode) {
    case IoOpcode::kWrite:
    case IoOpcode::kWriteUncorrectable:
    case IoOpcode::kWriteZeroes:
    case IoOpcode::kDatasetManagement:
    case IoOpcode::kCopy:
      return true;
    default:
      return false;
  }
}

}  // namespace

spec::Status Controller::start_io(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  const IoOpcode opcode = sqe.io_opcode();
  if (!offered(opcode, profile_->identify.oncs)) [[unlikely]] {
    const auto& unlisted = profile_->identify.unlisted_commands;
    if (std::find(unlisted.begin(), unlisted.end(), sqe.opc) == unlisted.end() || !offered(opcode, 0xFFFF))
      return st::kInvalidCommandOpcode;
  }
  if (sqe.flags != 0) [[unlikely]] {
    if (sqe.fuse() != spec::Fuse::kNormal) return st::kInvalidFieldInCommand;  // FUSES offers no fused pair
    if (sqe.psdt() != spec::Psdt::kPrp && spec::sgls::kSupport.get(profile_->identify.sgls) == 0)
      return st::kInvalidFieldInCommand;
  }
  const std::uint32_t nsid = sqe.nsid;
  const bool broadcast_flush = opcode == IoOpcode::kFlush && nsid == spec::kBroadcastNsid &&
                               spec::vwc::kFB.get(profile_->identify.vwc) == spec::vwc::kFbSupported;
  if (!broadcast_flush) {
    if (nsid == 0 || nsid > profile_->identify.nn) return st::kInvalidNamespaceOrFormat;
    NamespaceState* ns = find_namespace(nsid);
    if (ns == nullptr || !ns->attached) return st::kInvalidFieldInCommand;
    command.ns = ns;
    command.ns_generation = ns->generation;
    if (ns->formatting) [[unlikely]]
      return st::kFormatInProgress;
    if (ns->wps != 0 && changes_blocks(opcode)) [[unlikely]]
      return st::kNamespaceIsWriteProtected;
  }
  if (sanitizing_.running) [[unlikely]]
    return st::kSanitizeInProgress;
  switch (opcode) {
    case IoOpcode::kFlush:
      return start_flush(command);
    case IoOpcode::kWrite:
      return start_write(command);
    case IoOpcode::kRead:
      return start_read(command);
    case IoOpcode::kCompare:
      return start_compare(command);
    case IoOpcode::kVerify:
      return start_verify(command);
    case IoOpcode::kWriteUncorrectable:
      return start_write_uncorrectable(command);
    case IoOpcode::kWriteZeroes:
      return start_write_zeroes(command);
    case IoOpcode::kCopy:
      return start_copy(command);
    default:
      return start_dsm(command);
  }
}

spec::Status Controller::check_range(const NamespaceState& ns, const spec::SubmissionEntry& sqe) {
  const std::uint64_t slba = sqe.slba();
  const std::uint64_t blocks = spec::block_count(sqe);
  return slba < ns.nsze && blocks <= ns.nsze - slba ? st::kSuccess : st::kLbaOutOfRange;
}

spec::Status Controller::check_readable(Command& command, std::uint64_t slba, std::uint64_t blocks) {
  const NamespaceState& ns = *command.ns;
  if (!ns.uncorrectable.empty()) [[unlikely]] {
    if (const auto lba = ns.uncorrectable.first_in(slba, slba + blocks)) {
      error_lba_ = *lba;
      return st::kUnrecoveredReadError;
    }
  }
  if (ns.dulbe) [[unlikely]] {
    media::BlockRanges missing;
    missing.add(slba, slba + blocks);
    std::uint64_t at = slba;
    while (const auto first = ns.written.first_in(at, slba + blocks)) {  // blocks that hold data are no error
      missing.remove(*first, *first + 1);
      at = *first + 1;
    }
    if (const auto lba = missing.first_in(slba, slba + blocks)) {
      error_lba_ = *lba;
      return st::kDeallocatedOrUnwrittenLogicalBlock;
    }
  }
  return st::kSuccess;
}

// Base 2.1 sec. 7.2. Covers what has completed by now (K3); with WCE=0, or without a cache, it has nothing to do and
// still takes its time, as real drives' firmware does.
spec::Status Controller::start_flush(Command& command) {
  bool wce = false;
  std::uint64_t dirty = 0;
  if (command.ns != nullptr) [[likely]] {
    const media::WriteCache& cache = *command.ns->cache;
    command.snapshot = cache.snapshot();
    wce = cache.wce();
    dirty = cache.dirty_units() == 0 ? 0 : cache.dirty_units_up_to(command.snapshot);
  } else {  // every namespace that is attached
    broadcast_snapshots_.resize(slots_.size());
    auto& snapshots = broadcast_snapshots_[index_of(command)];
    snapshots.assign(namespaces_.size(), 0);
    for_each_namespace([&](const NamespaceState& ns) {
      if (!ns.attached) return;
      snapshots[ns.nsid - 1] = ns.cache->snapshot();
      wce = wce || ns.cache->wce();
      dirty += ns.cache->dirty_units();
    });
  }
  if (const sim::TimeNs done = timing_.short_circuit_done_ns(wce); done != sim::kNever) {
    done_at(command, done);
    return st::kSuccess;
  }
  command.ticket.answered = &on_flush_answered;
  command.ticket.object = this;
  command.ticket.argument = index_of(command);
  command.ticket.dirty_units = dirty;
  timing_.flush(command.ticket);
  return st::kSuccess;
}

spec::Status Controller::start_write(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  NamespaceState& ns = *command.ns;
  const std::uint64_t bytes = std::uint64_t{spec::block_count(sqe)} << ns.lba_shift;
  if (mdts_bytes_ != 0 && bytes > mdts_bytes_) return st::kInvalidFieldInCommand;
  if (const spec::Status status = check_range(ns, sqe); !status.ok()) return status;
  if (const spec::Status status = check_prps(sqe, bytes); !status.ok()) return status;
  media::TimingModel::Write write;
  write.offset_bytes = sqe.slba() << ns.lba_shift;
  write.size_bytes = bytes;
  write.write_through = !ns.cache->wce();
  write.fua = spec::fua(sqe);
  sim::TimeNs done = timing_.write_done_ns(write);
  if (!write.write_through && !write.fua) {  // it will be dirty, and needs room
    command.reserved_units = ns.cache->units_of(sqe.slba(), spec::block_count(sqe));
    done = std::max(done, ns.cache->reserve(command.reserved_units));
  }
  done_at(command, done);
  return st::kSuccess;
}

spec::Status Controller::start_read(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  const NamespaceState& ns = *command.ns;
  const std::uint64_t bytes = std::uint64_t{spec::block_count(sqe)} << ns.lba_shift;
  if (mdts_bytes_ != 0 && bytes > mdts_bytes_) return st::kInvalidFieldInCommand;
  if (const spec::Status status = check_range(ns, sqe); !status.ok()) return status;
  if (const spec::Status status = check_readable(command, sqe.slba(), spec::block_count(sqe)); !status.ok())
    return status;
  if (const spec::Status status = check_prps(sqe, bytes); !status.ok()) return status;
  done_at(command, timing_.read_done_ns());
  return st::kSuccess;
}

spec::Status Controller::start_compare(Command& command) {  // the same checks; data goes the other way
  return start_read(command);
}

spec::Status Controller::start_verify(Command& command) {  // no data, so MDTS does not apply
  const spec::SubmissionEntry& sqe = command.sqe;
  const std::uint64_t blocks = spec::block_count(sqe);
  if (beyond(blocks << command.ns->lba_shift, profile_->identify.vsl)) return st::kInvalidFieldInCommand;
  if (const spec::Status status = check_range(*command.ns, sqe); !status.ok()) return status;
  if (const spec::Status status = check_readable(command, sqe.slba(), blocks); !status.ok()) return status;
  done_at(command, timing_.read_done_ns());
  return st::kSuccess;
}

spec::Status Controller::start_write_uncorrectable(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  if (beyond(std::uint64_t{spec::block_count(sqe)} << command.ns->lba_shift, profile_->identify.wusl))
    return st::kInvalidFieldInCommand;
  if (const spec::Status status = check_range(*command.ns, sqe); !status.ok()) return status;
  done_at(command, timing_.deallocate_done_ns());
  return st::kSuccess;
}

spec::Status Controller::start_write_zeroes(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  if (beyond(std::uint64_t{spec::block_count(sqe)} << command.ns->lba_shift, profile_->identify.wzsl))
    return st::kInvalidFieldInCommand;
  if (const spec::Status status = check_range(*command.ns, sqe); !status.ok()) return status;
  done_at(command, timing_.deallocate_done_ns());
  return st::kSuccess;
}

spec::Status Controller::start_dsm(Command& command) {
  const std::uint32_t ranges = spec::dsm::kNR.get(command.sqe.cdw10) + 1;
  const std::uint64_t nsze = command.ns->nsze;
  std::array<spec::DsmRange, spec::dsm::kMaxRanges> list;
  if (const spec::Status status = from_host(command.sqe, list.data(), ranges * sizeof(spec::DsmRange)); !status.ok())
    return status;
  for (std::uint32_t i = 0; i < ranges; ++i) {
    if (list[i].length.value() != 0 &&
        (list[i].slba.value() >= nsze || list[i].length.value() > nsze - list[i].slba.value())) {
      return st::kLbaOutOfRange;
    }
  }
  done_at(command, timing_.deallocate_done_ns());
  return st::kSuccess;
}

// NVM CS 1.1 sec. 3.3.2, descriptor format 0h. On failure DW0 names the first range that was not copied.
spec::Status Controller::start_copy(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  NamespaceState& ns = *command.ns;
  const media::IdentifyFields& limits = profile_->identify;
  const std::uint32_t ranges = spec::copy_cdw12::kNR.get(sqe.cdw12) + 1;
  const std::uint32_t format = spec::copy_cdw12::kDESFMT.get(sqe.cdw12);
  if (format != 0 || (limits.ocfs & 1U) == 0) return st::kInvalidFieldInCommand;
  if (ranges > limits.msrc + 1U) return st::kCommandSizeLimitExceeded;
  std::array<spec::CopyRange, 256> list;
  if (const spec::Status status = from_host(sqe, list.data(), ranges * sizeof(spec::CopyRange)); !status.ok())
    return status;
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < ranges; ++i) {
    command.result = i;
    const std::uint64_t slba = list[i].slba;
    const std::uint64_t blocks = list[i].nlb.value() + 1ULL;
    if (limits.mssrl != 0 && blocks > limits.mssrl) return st::kCommandSizeLimitExceeded;
    total += blocks;
    if (limits.mcl != 0 && total > limits.mcl) return st::kCommandSizeLimitExceeded;
    if (slba >= ns.nsze || blocks > ns.nsze - slba) return st::kLbaOutOfRange;
    if (const spec::Status status = check_readable(command, slba, blocks); !status.ok()) return status;
  }
  if (sqe.slba() >= ns.nsze || total > ns.nsze - sqe.slba()) {
    command.result = 0;
    return st::kLbaOutOfRange;
  }
  command.result = 0;
  media::TimingModel::Write write;
  write.offset_bytes = sqe.slba() << ns.lba_shift;
  write.size_bytes = total << ns.lba_shift;
  write.write_through = !ns.cache->wce();
  write.fua = spec::fua(sqe);
  done_at(command, std::max(timing_.read_done_ns(), timing_.write_done_ns(write)));
  return st::kSuccess;
}

// ---- effects ----

void Controller::finish_io(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  if (command.ns == nullptr) {
    finish_flush(command);
    return;
  }
  NamespaceState& ns = *command.ns;
  if (ns.generation != command.ns_generation) return;  // it was formatted or deleted meanwhile
  switch (sqe.io_opcode()) {
    case IoOpcode::kFlush:
      finish_flush(command);
      return;
    case IoOpcode::kWrite: {
      const std::uint32_t blocks = spec::block_count(sqe);
      ++host_writes_;
      sectors_written_ += std::uint64_t{blocks} << (ns.lba_shift - 9);
      const queue::WriteId* ids = nullptr;
      if (ns.image != nullptr) {
        copy_ids_from_host(sqe, std::uint64_t{blocks} << ns.lba_shift);
        ids = id_buffer_.data();
      }
      ns.cache->write_completed(sqe.slba(), blocks, ids, spec::fua(sqe));
      now_written(ns, sqe.slba(), blocks);
      return;
    }
    case IoOpcode::kRead: {
      const std::uint32_t blocks = spec::block_count(sqe);
      ++host_reads_;
      sectors_read_ += std::uint64_t{blocks} << (ns.lba_shift - 9);
      if (spec::fua(sqe)) ns.cache->persist_range(sqe.slba(), blocks);  // NVM CS 1.1 sec. 3.3.4: commit, then read
      if (ns.image != nullptr) copy_ids_to_host(ns, sqe, std::uint64_t{blocks} << ns.lba_shift);
      return;
    }
    case IoOpcode::kCompare:
      finish_compare(command);
      return;
    case IoOpcode::kVerify: {
      const std::uint32_t blocks = spec::block_count(sqe);
      ++host_reads_;
      sectors_read_ += std::uint64_t{blocks} << (ns.lba_shift - 9);
      if (spec::fua(sqe)) ns.cache->persist_range(sqe.slba(), blocks);
      return;
    }
    case IoOpcode::kWriteUncorrectable:
      ns.uncorrectable.add(sqe.slba(), sqe.slba() + spec::block_count(sqe));
      return;
    case IoOpcode::kWriteZeroes: {
      const std::uint32_t blocks = spec::block_count(sqe);
      const std::uint8_t dlfeat = ns.identify.dlfeat;
      const bool deac = spec::io_cdw12::kDEAC.in(sqe.cdw12) && (dlfeat & 0x8U) != 0 && (dlfeat & 0x7U) == 1;
      ns.cache->zeroed(sqe.slba(), blocks, spec::fua(sqe));
      now_written(ns, sqe.slba(), blocks);
      if (deac) deallocate(ns, sqe.slba(), blocks);
      return;
    }
    case IoOpcode::kDatasetManagement:
      finish_dsm(command);
      return;
    case IoOpcode::kCopy:
      finish_copy(command);
      return;
    default:
      return;
  }
}

void Controller::finish_flush(Command& command) {
  std::uint64_t units = 0;
  if (command.ns != nullptr) [[likely]] {
    media::WriteCache& cache = *command.ns->cache;
    units = cache.dirty_units() == 0 ? 0 : cache.persist_up_to(command.snapshot);
  } else {
    const auto& snapshots = broadcast_snapshots_[index_of(command)];
    for_each_namespace([&](NamespaceState& ns) {
      if (ns.attached && ns.nsid <= snapshots.size()) units += ns.cache->persist_up_to(snapshots[ns.nsid - 1]);
    });
  }
  if (units == 0) return;
  ++counters_.flushes_with_effect;
  simulator_->record(sim::EventKind::kPersist, command.snapshot, units, 0);
}

// Block by block against what the drive would give a read. Without an image every block compares equal.
void Controller::finish_compare(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  NamespaceState& ns = *command.ns;
  const std::uint32_t blocks = spec::block_count(sqe);
  ++host_reads_;
  sectors_read_ += std::uint64_t{blocks} << (ns.lba_shift - 9);
  if (spec::fua(sqe)) ns.cache->persist_range(sqe.slba(), blocks);
  if (ns.image == nullptr) return;
  copy_ids_from_host(sqe, std::uint64_t{blocks} << ns.lba_shift);
  const std::uint64_t sectors = (std::uint64_t{1} << ns.lba_shift) / queue::kSectorBytes;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    if (id_buffer_[i * sectors] == ns.image->at(sqe.slba() + i).newest) continue;
    error_lba_ = sqe.slba() + i;
    command.status = st::kCompareFailure;
    return;
  }
}

void Controller::deallocate(NamespaceState& ns, std::uint64_t slba, std::uint64_t blocks) {
  if (ns.tracks_written) ns.written.remove(slba, slba + blocks);
}

void Controller::finish_dsm(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  NamespaceState& ns = *command.ns;
  if (!spec::dsm::kAD.in(sqe.cdw11)) return;
  const std::uint32_t ranges = spec::dsm::kNR.get(sqe.cdw10) + 1;
  std::array<spec::DsmRange, spec::dsm::kMaxRanges> list;
  if (!from_host(sqe, list.data(), ranges * sizeof(spec::DsmRange)).ok()) return;
  for (std::uint32_t i = 0; i < ranges; ++i) {
    const std::uint64_t slba = list[i].slba;
    if (slba >= ns.nsze) continue;
    const std::uint64_t blocks = std::min<std::uint64_t>(list[i].length, ns.nsze - slba);
    ns.cache->zeroed(slba, blocks, false);
    if (!ns.uncorrectable.empty()) ns.uncorrectable.remove(slba, slba + blocks);
    deallocate(ns, slba, blocks);
  }
}

void Controller::finish_copy(Command& command) {
  const spec::SubmissionEntry& sqe = command.sqe;
  NamespaceState& ns = *command.ns;
  const std::uint32_t ranges = spec::copy_cdw12::kNR.get(sqe.cdw12) + 1;
  std::array<spec::CopyRange, 256> list;
  if (!from_host(sqe, list.data(), ranges * sizeof(spec::CopyRange)).ok()) return;
  const std::uint64_t sectors = (std::uint64_t{1} << ns.lba_shift) / queue::kSectorBytes;
  std::uint64_t to = sqe.slba();
  for (std::uint32_t i = 0; i < ranges; ++i) {
    const std::uint32_t blocks = list[i].nlb.value() + 1U;
    const queue::WriteId* ids = nullptr;
    if (ns.image != nullptr) {
      id_buffer_.assign(std::size_t{blocks} * sectors, 0);
      for (std::uint32_t b = 0; b < blocks; ++b)
        std::fill_n(id_buffer_.begin() + static_cast<std::ptrdiff_t>(b * sectors), sectors,
                    ns.image->at(list[i].slba.value() + b).newest);
      ids = id_buffer_.data();
    }
    ns.cache->write_completed(to, blocks, ids, spec::fua(sqe));
    now_written(ns, to, blocks);
    sectors_read_ += std::uint64_t{blocks} << (ns.lba_shift - 9);
    to += blocks;
  }
}

}  // namespace flushlab::controller
