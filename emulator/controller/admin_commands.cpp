// SPDX-License-Identifier: GPL-2.0-only
// The admin commands (NVMe Base 2.1 sec. 5). Each returns the status of its completion; a command that is parked frees
// its slot instead.
#include <algorithm>

#include "emulator/controller/controller.hpp"
#include "emulator/spec/identify.hpp"

namespace flushlab::controller {

namespace st = spec::status;
namespace qc = spec::queue_cdw;
using spec::AdminOpcode;
using spec::FeatureId;

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
  at(AdminOpcode::kDoorbellBufferConfig) = &Controller::doorbell_buffer_config;
  return table;
}

std::array<bool, 256> Controller::admin_opcodes() {
  static constexpr auto kHandlers = admin_handlers();
  std::array<bool, 256> exists{};
  for (std::size_t i = 0; i < exists.size(); ++i) exists[i] = kHandlers[i] != nullptr;
  return exists;
}

void Controller::execute(Command& command) {
  if (command.sqid != 0) {
    ++counters_.fetched;
    ++io_outstanding_;
    const spec::Status status = start_io(command);
    if (!status.ok()) done_now(command, status);
    return;
  }
  static constexpr auto kHandlers = admin_handlers();
  const Handler handler = kHandlers[command.sqe.opc];
  if (handler == nullptr) {
    done_now(command, st::kInvalidCommandOpcode);
    return;
  }
  if (command.sqe.fuse() != spec::Fuse::kNormal || command.sqe.psdt() != spec::Psdt::kPrp) {  // Base 2.1 sec. 4.1.1
    done_now(command, st::kInvalidFieldInCommand);
    return;
  }
  admin_extra_ns_ = 0;
  command.status = (this->*handler)(command);
  if (command.in_use) done_at(command, timing_.admin_done_ns() + admin_extra_ns_);  // else it is parked
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
  }
  --cqs_[sq.cqid].users;
  sq.exists = false;
  ++sq.generation;
  return st::kSuccess;
}

spec::Status Controller::delete_io_cq(Command& command) {
  const std::uint32_t qid = qc::kQID.get(command.sqe.cdw10);
  if (qid == 0 || qid >= cqs_.size() || !cqs_[qid].exists) return st::kInvalidQueueIdentifier;
  if (cqs_[qid].users != 0) return st::kInvalidQueueDeletion;
  cqs_[qid] = {};
  return st::kSuccess;
}

// ---- features (sec. 5.1.11, 5.1.25) ----

spec::Status Controller::feature_nsid_status(std::uint8_t fid, std::uint32_t nsid) const {
  if (features_.info(fid).namespace_specific) {
    if (nsid == spec::kBroadcastNsid) return st::kSuccess;
    if (nsid == 0 || nsid > profile_->identify.nn) return st::kInvalidNamespaceOrFormat;
    return namespace_active(nsid) ? st::kSuccess : st::kInvalidFieldInCommand;
  }
  return nsid == 0 || nsid == spec::kBroadcastNsid ? st::kSuccess : st::kFeatureNotNamespaceSpecific;
}

spec::Status Controller::set_features(Command& command) {
  const auto& sqe = command.sqe;
  const auto fid = static_cast<std::uint8_t>(spec::feature_cdw::kFID.get(sqe.cdw10));
  const bool save = spec::feature_cdw::kSV.in(sqe.cdw10);
  const std::uint32_t cdw11 = sqe.cdw11;
  const Features::Info& info = features_.info(fid);
  if (!info.supported) return st::kInvalidFieldInCommand;
  if (save && !info.saveable) return st::kFeatureIdentifierNotSaveable;
  if (const spec::Status status = feature_nsid_status(fid, sqe.nsid); !status.ok()) return status;
  if (!info.changeable) return st::kFeatureNotChangeable;
  if (const spec::Status status = features_.check_value(fid, cdw11); !status.ok()) return status;
  if (info.data_bytes != 0) {
    if (const spec::Status status = from_host(sqe, features_.data(fid).data(), info.data_bytes); !status.ok())
      return status;
  }
  switch (static_cast<FeatureId>(fid)) {
    case FeatureId::kVolatileWriteCache: {
      const bool wce = spec::volatile_write_cache::kWCE.in(cdw11);
      switch (profile_->cache.set_features) {
        case media::SetFeatures06h::kError:
          return st::kFeatureNotChangeable;
        case media::SetFeatures06h::kIgnored:
          return st::kSuccess;  // says yes and changes nothing
        case media::SetFeatures06h::kSwitches:
          break;
      }
      set_wce(wce);
      features_.set(fid, wce ? 1 : 0, save);
      return st::kSuccess;
    }
    case FeatureId::kNumberOfQueues: {
      for (std::size_t q = 1; q < cqs_.size(); ++q) {
        if (cqs_[q].exists || sqs_[q].exists) return st::kCommandSequenceError;
      }
      const std::uint32_t most = profile_->identify.io_queue_pairs - 1U;
      const bool all = profile_->identify.grants_all_queues;
      const std::uint32_t sqs = all ? most : std::min(spec::number_of_queues::kNSQR.get(cdw11), most);
      const std::uint32_t cqs = all ? most : std::min(spec::number_of_queues::kNCQR.get(cdw11), most);
      command.result = sqs | cqs << 16;
      features_.set(fid, command.result, false);
      return st::kSuccess;
    }
    default:
      break;
  }
  features_.set(fid, cdw11, save);
  if (static_cast<FeatureId>(fid) == FeatureId::kAsynchronousEventConfiguration) deliver_events();
  return st::kSuccess;
}

spec::Status Controller::get_features(Command& command) {
  const auto& sqe = command.sqe;
  const auto fid = static_cast<std::uint8_t>(spec::feature_cdw::kFID.get(sqe.cdw10));
  const std::uint32_t select = spec::feature_cdw::kSEL.get(sqe.cdw10);
  const Features::Info& info = features_.info(fid);
  if (!info.supported || select > static_cast<std::uint32_t>(spec::Select::kSupportedCapabilities))
    return st::kInvalidFieldInCommand;
  if (select != 0 && !spec::oncs::kSaveSelect.in(profile_->identify.oncs)) return st::kInvalidFieldInCommand;
  if (info.namespace_specific) {
    if (const spec::Status status = feature_nsid_status(fid, sqe.nsid); !status.ok()) return status;
    if (sqe.nsid.value() == spec::kBroadcastNsid) return st::kInvalidNamespaceOrFormat;
  }
  const auto sel = static_cast<spec::Select>(select);
  if (static_cast<FeatureId>(fid) == FeatureId::kVolatileWriteCache && sel == spec::Select::kCurrent) {
    switch (profile_->cache.get_features) {
      case media::GetFeatures06h::kError:
        return st::kInvalidFieldInCommand;
      case media::GetFeatures06h::kAlways0:
        command.result = 0;
        return st::kSuccess;
      case media::GetFeatures06h::kAlways1:
        command.result = 1;
        return st::kSuccess;
      case media::GetFeatures06h::kActual:
        break;
    }
  }
  switch (sel) {
    case spec::Select::kCurrent:
      command.result = features_.current(fid);
      break;
    case spec::Select::kDefault:
      command.result = features_.default_value(fid);
      break;
    case spec::Select::kSaved:
      command.result = features_.saved(fid);
      break;
    case spec::Select::kSupportedCapabilities:
      command.result = features_.capabilities(fid);
      return st::kSuccess;
  }
  return info.data_bytes == 0 ? st::kSuccess : to_host(sqe, features_.data(fid).data(), info.data_bytes);
}

// Base 2.1 sec. 5.1.25.1.4: what is cached becomes durable before the Set Features completes.
void Controller::set_wce(bool wce) {
  const std::uint64_t units = cache_.set_wce(wce);
  admin_extra_ns_ = timing_.write_back_ns(units);
  if (units != 0) simulator_->record(sim::EventKind::kPersist, cache_.snapshot(), units, 1);
}

// ---- the rest ----

// Sec. 5.1.1: best effort. A command that is waiting for its time on the media cannot be taken back.
spec::Status Controller::abort(Command& command) {
  command.result = 1;  // not aborted
  return st::kSuccess;
}

spec::Status Controller::keep_alive(Command&) {
  return st::kKeepAliveTimeoutInvalid;
}  // KATO is 0: not supported here

// Sec. 5.2.5: shadow doorbells are a hint for emulated drives; this one goes on looking at the real doorbells.
spec::Status Controller::doorbell_buffer_config(Command& command) {
  if (!spec::oacs::kDoorbellBuffer.in(profile_->identify.oacs)) return st::kInvalidCommandOpcode;
  const std::uint64_t shadow = command.sqe.prp1;
  const std::uint64_t event_index = command.sqe.prp2;
  if (shadow % queue::kPageBytes != 0 || event_index % queue::kPageBytes != 0) return st::kInvalidFieldInCommand;
  return st::kSuccess;
}

spec::Status Controller::async_event_request(Command& command) {  // sec. 5.1.2
  if (parked_aers_.size() > profile_->identify.aerl) return st::kAsynchronousEventRequestLimitExceeded;
  parked_aers_.push_back(command.sqe.cid);
  free_slot(command);
  deliver_events();
  return st::kSuccess;
}

void Controller::namespace_changed(std::uint32_t nsid) {
  if (std::find(changed_namespaces_.begin(), changed_namespaces_.end(), nsid) == changed_namespaces_.end()) {
    changed_namespaces_.push_back(nsid);
  }
  constexpr auto kNotice = spec::AsyncEventType::kNotice;
  pending_events_.push_back({spec::aer_dw0::make(kNotice, spec::aer_notice::kNamespaceAttributeChanged,
                                                 spec::LogPageId::kChangedNamespaceList),
                             static_cast<std::uint8_t>(kNotice)});
  deliver_events();
}

// One completion an event type until its log page has been read (RAE = 0), each only if feature 0Bh asks for it.
void Controller::deliver_events() {
  constexpr std::uint32_t kNamespaceAttribute = 1U << 8;
  if ((features_.current(0x0B) & kNamespaceAttribute) == 0) return;
  for (auto event = pending_events_.begin(); event != pending_events_.end() && !parked_aers_.empty();) {
    if ((masked_event_types_ >> event->type & 1U) != 0) {
      ++event;
      continue;
    }
    masked_event_types_ = static_cast<std::uint8_t>(masked_event_types_ | 1U << event->type);
    spec::CompletionEntry cqe;
    cqe.cid = parked_aers_.front();
    cqe.dw0 = event->dw0;
    parked_aers_.erase(parked_aers_.begin());
    event = pending_events_.erase(event);
    post(0, cqe);
  }
}

}  // namespace flushlab::controller
