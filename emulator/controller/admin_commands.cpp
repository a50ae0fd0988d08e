// SPDX-License-Identifier: GPL-2.0-only
// The admin commands (NVMe Base 2.1 sec. 5): the table, and the queue commands. Each returns the status of its
// completion; a command that is parked frees its slot instead.
#include <algorithm>

#include "emulator/controller/controller.hpp"
#include "emulator/spec/identify.hpp"

namespace flushlab::controller {

namespace st = spec::status;
namespace qc = spec::queue_cdw;
using spec::AdminOpcode;

constexpr std::array<Controller::Handler, 256> Controller::admin_handlers() {
  std::array<Handler, 256> table{};
  const auto at = [&](AdminOpcode opcode) -> Handler& { return table[static_cast<std::size_t>(opcode)]; };
  at(AdminOpcode::kDeleteIoSq) = &Controller::delete_io_sq;
  at(AdminOpcode::kCreateIoSq) = &Controller::create_io_sq;
  at(AdminOpcode::kGetLogPage) = &Controller::get_log_page;
  at(AdminOpcode::kDeleteIoCq) = &Controller::delete_io_cq;
  at(AdminOpcode::kCreateIoCq) = &Controller::create_io_cq;
  at(AdminOpcode::kIdentify) = &Controller::identify;
  at(AdminOpcode::kAbort) = &Controller::abort;
  at(AdminOpcode::kSetFeatures) = &Controller::set_features;
  at(AdminOpcode::kGetFeatures) = &Controller::get_features;
  at(AdminOpcode::kAsynchronousEventRequest) = &Controller::async_event_request;
  at(AdminOpcode::kKeepAlive) = &Controller::keep_alive;
  at(AdminOpcode::kNamespaceManagement) = &Controller::namespace_management;
  at(AdminOpcode::kNamespaceAttachment) = &Controller::namespace_attachment;
  at(AdminOpcode::kDoorbellBufferConfig) = &Controller::doorbell_buffer_config;
  at(AdminOpcode::kFormatNvm) = &Controller::format_nvm;
  at(AdminOpcode::kSanitize) = &Controller::sanitize;
  return table;
}

bool Controller::has_admin_command(std::uint8_t opcode) const {
  static constexpr auto kHandlers = admin_handlers();
  const std::uint16_t oacs = profile_->identify.oacs;
  const auto& missing = profile_->identify.missing_commands;
  if (std::find(missing.begin(), missing.end(), opcode) != missing.end()) return false;
  switch (static_cast<AdminOpcode>(opcode)) {
    case AdminOpcode::kNamespaceManagement:
    case AdminOpcode::kNamespaceAttachment:
      return spec::oacs::kNamespaceManagement.in(oacs);
    case AdminOpcode::kDoorbellBufferConfig:
      return spec::oacs::kDoorbellBuffer.in(oacs);
    case AdminOpcode::kFormatNvm:
      return spec::oacs::kFormat.in(oacs);
    case AdminOpcode::kSanitize:
      return profile_->identify.sanicap != 0;
    case AdminOpcode::kKeepAlive:
      return profile_->identify.kas != 0;
    default:
      return kHandlers[opcode] != nullptr;
  }
}

void Controller::execute(Command& command) {
  if (command.sqid != 0) {
    ++counters_.fetched;
    ++io_outstanding_;
    if (!fault_counts_.empty() && take_fault(command)) [[unlikely]]
      return;
    const spec::Status status = start_io(command);
    if (!status.ok()) done_now(command, status);
    return;
  }
  if (!fault_counts_.empty() && take_fault(command)) [[unlikely]]
    return;
  if (!has_admin_command(command.sqe.opc)) {
    done_now(command, st::kInvalidCommandOpcode);
    return;
  }
  if (command.sqe.fuse() != spec::Fuse::kNormal || command.sqe.psdt() != spec::Psdt::kPrp) {  // Base 2.1 sec. 4.1.1
    done_now(command, st::kInvalidFieldInCommand);
    return;
  }
  static constexpr auto kHandlers = admin_handlers();
  admin_extra_ns_ = 0;
  command.status = (this->*kHandlers[command.sqe.opc])(command);
  if (command.in_use) done_at(command, timing_.admin_done_ns() + admin_extra_ns_);  // else it is parked
}

bool Controller::take_fault(Command& command) {
  for (std::size_t i = 0; i < fault_counts_.size(); ++i) {
    const media::Fault& fault = profile_->faults[i];
    if (fault.admin != (command.sqid == 0) || fault.opcode != command.sqe.opc) continue;
    const std::uint64_t number = ++fault_counts_[i];
    if (number < fault.first || number - fault.first >= fault.count) continue;
    if (fault.status_word == 0) {
      command.hung = true;
    } else {
      done_now(command, spec::Status::from_word(fault.status_word));
    }
    return true;
  }
  return false;
}

// ---- queues (sec. 5.2.1 to 5.2.4) ----

spec::Status Controller::create_io_cq(Command& command) {
  const auto& sqe = command.sqe;
  const std::uint32_t qid = qc::kQID.get(sqe.cdw10);
  const std::uint32_t qsize = qc::kQSIZE.get(sqe.cdw10);
  const std::uint32_t vector = qc::kIV.get(sqe.cdw11);
  if (qid == 0 || qid >= cqs_.size() || cqs_[qid].exists) return st::kInvalidQueueIdentifier;
  if (qsize == 0 || qsize > profile_->identify.mqes) return st::kInvalidQueueSize;
  if (!qc::kPC.in(sqe.cdw11)) return st::kInvalidFieldInCommand;
  if (vector > profile_->identify.io_queue_pairs) return st::kInvalidInterruptVector;
  if (sqe.prp1.value() % queue::kPageBytes != 0) return st::kPrpOffsetInvalid;
  auto* base = door_->memory().bytes(sqe.prp1, (qsize + 1ULL) * sizeof(spec::CompletionEntry));
  if (base == nullptr) return st::kDataTransferError;
  CompletionQueue& cq = cqs_[qid];
  cq = {};
  cq.exists = true;
  cq.ring = {reinterpret_cast<spec::CompletionEntry*>(base), static_cast<std::uint16_t>(qsize + 1)};
  cq.interrupts = qc::kIEN.in(sqe.cdw11);
  cq.vector = static_cast<std::uint16_t>(vector);
  return st::kSuccess;
}

spec::Status Controller::create_io_sq(Command& command) {
  const auto& sqe = command.sqe;
  const std::uint32_t qid = qc::kQID.get(sqe.cdw10);
  const std::uint32_t qsize = qc::kQSIZE.get(sqe.cdw10);
  const std::uint32_t cqid = qc::kCQID.get(sqe.cdw11);
  if (cqid >= cqs_.size() && profile_->identify.absent_cqid_is_invalid_qid) return st::kInvalidQueueIdentifier;
  if (cqid == 0 || cqid >= cqs_.size() || !cqs_[cqid].exists) return st::kCompletionQueueInvalid;
  if (qid == 0 || qid >= sqs_.size() || sqs_[qid].exists) return st::kInvalidQueueIdentifier;
  if (qsize == 0 || qsize > profile_->identify.mqes) return st::kInvalidQueueSize;
  if (!qc::kPC.in(sqe.cdw11)) return st::kInvalidFieldInCommand;
  if (sqe.prp1.value() % queue::kPageBytes != 0) return st::kPrpOffsetInvalid;
  const auto* base = door_->memory().bytes(sqe.prp1, (qsize + 1ULL) * sizeof(spec::SubmissionEntry));
  if (base == nullptr) return st::kDataTransferError;
  SubmissionQueue& sq = sqs_[qid];
  const std::uint32_t generation = sq.generation + 1;
  sq = {};
  sq.exists = true;
  sq.generation = generation;
  sq.cqid = static_cast<std::uint16_t>(cqid);
  sq.ring = {reinterpret_cast<const spec::SubmissionEntry*>(base), static_cast<std::uint16_t>(qsize + 1)};
  ++cqs_[cqid].users;
  return st::kSuccess;
}

// Outstanding commands end with Aborted due to SQ Deletion before the Delete completes.
spec::Status Controller::delete_io_sq(Command& command) {
  const std::uint32_t qid = qc::kQID.get(command.sqe.cdw10);
  if (qid == 0 || qid >= sqs_.size() || !sqs_[qid].exists) return st::kInvalidQueueIdentifier;
  SubmissionQueue& sq = sqs_[qid];
  for (Command& other : slots_) {
    if (!other.in_use || other.sqid != qid || other.sq_generation != sq.generation) continue;
    spec::CompletionEntry cqe;
    cqe.cid = other.sqe.cid;
    cqe.status_word = st::kAbortedDueToSqDeletion.word(false);
    post(static_cast<std::uint16_t>(qid), cqe);
    if (other.hung) {  // no event will come for it
      --io_outstanding_;
      free_slot(other);
    }
  }
  --cqs_[sq.cqid].users;
  sq.exists = false;
  ++sq.generation;
  return st::kSuccess;
}

spec::Status Controller::delete_io_cq(Command& command) {
  const std::uint32_t qid = qc::kQID.get(command.sqe.cdw10);
  if (qid == 0 || qid >= cqs_.size() || !cqs_[qid].exists) return st::kInvalidQueueIdentifier;
  if (cqs_[qid].users != 0) {
    return profile_->identify.delete_cq_without_dnr ? st::kInvalidQueueDeletion.with_dnr(false)
                                                    : st::kInvalidQueueDeletion;
  }
  cqs_[qid] = {};
  return st::kSuccess;
}

// ---- the rest ----

// Sec. 5.1.1: best effort. A command that hangs, and a parked event request, can be taken back; one that is waiting for
// its time on the media cannot. More than ACL + 1 at a time are too many.
spec::Status Controller::abort(Command& command) {
  const std::uint32_t sqid = spec::abort_cdw::kSQID.get(command.sqe.cdw10);
  const auto cid = static_cast<std::uint16_t>(spec::abort_cdw::kCID.get(command.sqe.cdw10));
  const auto under_way = std::count_if(slots_.begin(), slots_.end(), [](const Command& c) {
    return c.in_use && c.sqid == 0 && c.sqe.admin_opcode() == AdminOpcode::kAbort;
  });
  if (static_cast<std::uint64_t>(under_way) > profile_->identify.acl + 1ULL) return st::kAbortCommandLimitExceeded;
  command.result = 1;  // not aborted
  if (sqid == 0) {
    const auto parked = std::find(parked_aers_.begin(), parked_aers_.end(), cid);
    if (parked != parked_aers_.end()) {
      parked_aers_.erase(parked);
      spec::CompletionEntry cqe;
      cqe.cid = cid;
      cqe.status_word = st::kCommandAbortRequested.word(false);
      post(0, cqe);
      command.result = 0;
      return st::kSuccess;
    }
  }
  for (Command& other : slots_) {
    if (!other.in_use || !other.hung || other.sqid != sqid || other.sqe.cid.value() != cid) continue;
    other.hung = false;
    other.status = st::kCommandAbortRequested;
    complete(other);
    command.result = 0;
    break;
  }
  return st::kSuccess;
}

// Sec. 5.2.5: shadow doorbells are a hint for emulated drives; this one goes on looking at the real doorbells.
spec::Status Controller::doorbell_buffer_config(Command& command) {
  const std::uint64_t shadow = command.sqe.prp1;
  const std::uint64_t event_index = command.sqe.prp2;
  if (shadow % queue::kPageBytes != 0 || event_index % queue::kPageBytes != 0) return st::kInvalidFieldInCommand;
  return st::kSuccess;
}

}  // namespace flushlab::controller
