// SPDX-License-Identifier: GPL-2.0-only
// Sanitize (NVMe Base 2.1 sec. 5.1.22, 8.1.24): in the background, over media and caches of every namespace. While it
// runs no I/O command is carried out; resets and power cuts do not stop it.
#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;

spec::Status Controller::sanitize(Command& command) {
  namespace sc = spec::sanitize_cdw10;
  const std::uint32_t cdw10 = command.sqe.cdw10;
  const std::uint32_t action = sc::kSANACT.get(cdw10);
  const std::uint32_t sanicap = profile_->identify.sanicap;
  const bool offered = (action == sc::kBlockErase && spec::sanicap::kBES.in(sanicap)) ||
                       (action == sc::kOverwrite && spec::sanicap::kOWS.in(sanicap)) ||
                       (action == sc::kCryptoErase && spec::sanicap::kCES.in(sanicap));
  if (sanitizing_.running) return st::kSanitizeInProgress;
  if (action == sc::kExitFailureMode) return st::kSuccess;  // nothing here ever fails
  if (!offered) return st::kInvalidFieldInCommand;
  bool protected_namespace = false;
  for_each_namespace([&](const NamespaceState& ns) { protected_namespace = protected_namespace || ns.wps != 0; });
  if (protected_namespace) return st::kNamespaceIsWriteProtected;
  constexpr sim::TimeNs kDuration = 2 * sim::kSecond;
  sanitizing_.running = sanitizing_.ever = true;
  sanitizing_.cdw10 = cdw10;
  sanitizing_.begin_ns = simulator_->now();
  sanitizing_.end_ns = simulator_->now() + kDuration;
  sanitizing_.deallocated = !sc::kNDAS.in(cdw10);
  simulator_->events().schedule_at(sanitizing_.end_ns, &on_sanitized, this);
  return st::kSuccess;
}

void Controller::on_sanitized(void* object, std::uint64_t) {
  auto& self = *static_cast<Controller*>(object);
  self.sanitizing_.running = false;
  self.for_each_namespace([&](NamespaceState& ns) {
    self.apply_format(ns, static_cast<std::uint8_t>(spec::flbas::index(ns.identify.flbas)));
  });
  constexpr auto kType = spec::AsyncEventType::kIoCommandSet;
  const std::uint8_t information =
      self.sanitizing_.deallocated ? spec::aer_io::kSanitizeCompletedDeallocation : spec::aer_io::kSanitizeCompleted;
  self.raise(
      {spec::aer_dw0::make(kType, information, spec::LogPageId::kSanitizeStatus), static_cast<std::uint8_t>(kType), 0});
}

}  // namespace flushlab::controller
