// SPDX-License-Identifier: GPL-2.0-only
// Asynchronous events (NVMe Base 2.1 sec. 5.1.2) and what raises them.
//
// Rules:
//   V1  An event is reported only if feature 0Bh asks for it; errors always are.
//   V2  After one was reported, its type stays masked until the log page that it names is read with RAE clear.
//   V3  Without a parked request an event waits. A controller reset forgets events and requests.
#include <algorithm>

#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;

spec::Status Controller::async_event_request(Command& command) {
  if (parked_aers_.size() > profile_->identify.aerl) return st::kAsynchronousEventRequestLimitExceeded;
  parked_aers_.push_back(command.sqe.cid);
  free_slot(command);
  deliver_events();
  return st::kSuccess;
}

void Controller::raise(const Event& event) {
  pending_events_.push_back(event);
  deliver_events();
}

void Controller::namespace_changed(std::uint32_t nsid) {
  if (std::find(changed_namespaces_.begin(), changed_namespaces_.end(), nsid) == changed_namespaces_.end()) {
    changed_namespaces_.push_back(nsid);
  }
  constexpr auto kNotice = spec::AsyncEventType::kNotice;
  constexpr std::uint32_t kNamespaceAttribute = 1U << 8;
  raise({spec::aer_dw0::make(kNotice, spec::aer_notice::kNamespaceAttributeChanged,
                             spec::LogPageId::kChangedNamespaceList),
         static_cast<std::uint8_t>(kNotice), kNamespaceAttribute});
}

// SMART critical warnings (sec. 5.1.12.1.3): bit 1 is the temperature.
std::uint8_t Controller::critical_warning() const {
  constexpr std::uint32_t kComposite = spec::temperature_threshold::kComposite;
  const std::uint16_t over = features_.threshold(kComposite, spec::temperature_threshold::kOver);
  const std::uint16_t under = features_.threshold(kComposite, spec::temperature_threshold::kUnder);
  const bool outside = temperature_ >= over || (under != 0 && temperature_ <= under);
  return outside ? std::uint8_t{1U << 1} : std::uint8_t{0};
}

void Controller::set_temperature(std::uint16_t kelvin) {
  const std::uint8_t before = temperature_warned_ ? 1 : 0;
  temperature_ = kelvin;
  temperature_warned_ = critical_warning() != 0;
  if (!temperature_warned_ || before != 0) return;
  constexpr auto kSmart = spec::AsyncEventType::kSmart;
  raise({spec::aer_dw0::make(kSmart, spec::aer_smart::kTemperatureThreshold, spec::LogPageId::kSmart),
         static_cast<std::uint8_t>(kSmart), 1U << 1});
}

void Controller::deliver_events() {
  const std::uint32_t wanted = features_.current(0x0B);
  for (auto event = pending_events_.begin(); event != pending_events_.end() && !parked_aers_.empty();) {
    const bool asked = event->enabled_by == 0 || (wanted & event->enabled_by) != 0;  // V1
    if (!asked || (masked_event_types_ >> event->type & 1U) != 0) {                  // V2
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

void Controller::event_log_read(spec::AsyncEventType type) {
  masked_event_types_ = static_cast<std::uint8_t>(masked_event_types_ & ~(1U << static_cast<unsigned>(type)));
  deliver_events();
}

// The newest entry last; the log page shows the newest first.
void Controller::log_error(const Command& command) {
  ++error_count_;
  spec::ErrorLogEntry entry;
  entry.error_count = error_count_;
  entry.sqid = command.sqid;
  entry.cid = command.sqe.cid;
  entry.status_word = command.status.word(false);
  entry.pel = 0xFFFF;  // no parameter is named
  entry.lba = std::exchange(error_lba_, 0);
  entry.nsid = command.sqe.nsid;
  entry.opc = command.sqe.opc;
  if (errors_.size() > profile_->identify.elpe) errors_.erase(errors_.begin());
  errors_.push_back(entry);
}

}  // namespace flushlab::controller
