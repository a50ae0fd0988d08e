// SPDX-License-Identifier: GPL-2.0-only
// Format NVM (NVMe Base 2.1 sec. 5.1.10), Namespace Management and Attachment (sec. 5.1.21, 5.1.20).
#include <algorithm>

#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;

namespace {

// Metadata and protection information have to fit the format (NVM CS 1.1 sec. 4.1.2).
bool settings_fit(const spec::IdentifyNamespace& n, std::uint32_t format, bool interleaved, std::uint32_t pi,
                  bool first) {
  const std::uint16_t metadata = n.lbaf[format].ms;
  if (pi > 3) return false;
  if (metadata == 0) return pi == 0;  // MSET means nothing without metadata
  if (interleaved && !spec::mc::kInterleaved.in(n.mc)) return false;
  if (!interleaved && !spec::mc::kSeparate.in(n.mc)) return false;
  if (pi == 0) return true;
  if (metadata < 8 || (n.dpc >> (pi - 1) & 1U) == 0) return false;
  return (n.dpc >> (first ? 3 : 4) & 1U) != 0;
}

}  // namespace

// All data, cached data included, is gone. NSID FFFFFFFFh formats every namespace of the controller.
spec::Status Controller::format_nvm(Command& command) {
  namespace fmt = spec::format_cdw10;
  const auto& sqe = command.sqe;
  const std::uint32_t nsid = sqe.nsid;
  const std::uint32_t cdw10 = sqe.cdw10;
  const bool all = nsid == spec::kBroadcastNsid;
  if (all && spec::fna::kBroadcastProhibited.in(profile_->identify.fna)) return st::kInvalidFieldInCommand;
  if (!all) {
    if (nsid == 0 || nsid > profile_->identify.nn) return st::kInvalidNamespaceOrFormat;
    const NamespaceState* ns = find_namespace(nsid);
    if (ns == nullptr || !ns->attached) return st::kInvalidFieldInCommand;
  }
  const std::uint32_t format = fmt::kLBAFL.get(cdw10) | fmt::kLBAFU.get(cdw10) << 4;
  const std::uint32_t erase = fmt::kSES.get(cdw10);
  const auto targets = [&](auto&& f) {
    const bool every = all || spec::fna::kFormatAll.in(profile_->identify.fna);
    for_each_namespace([&](NamespaceState& ns) {
      if (ns.attached && (every || ns.nsid == nsid)) f(ns);
    });
  };
  if (erase > 2 || (erase == 2 && !spec::fna::kCryptoErase.in(profile_->identify.fna)))
    return st::kInvalidFieldInCommand;
  spec::Status status = st::kSuccess;
  targets([&](const NamespaceState& ns) {
    if (format > ns.identify.nlbaf || ns.identify.lbaf[format].lbads == 0 ||
        !settings_fit(ns.identify, format, fmt::kMSET.in(cdw10), fmt::kPI.get(cdw10), fmt::kPIL.in(cdw10))) {
      status = st::kInvalidFormat;
    } else if (ns.wps != 0) {
      status = st::kNamespaceIsWriteProtected;
    }
  });
  if (!status.ok()) return status;
  if (sanitizing_.running) return st::kSanitizeInProgress;
  targets([&](NamespaceState& ns) {
    apply_format(ns, static_cast<std::uint8_t>(format));
    ns.identify.flbas =
        static_cast<std::uint8_t>(ns.identify.flbas | spec::flbas::kInterleaved.put(fmt::kMSET.in(cdw10) ? 1U : 0U));
    ns.identify.dps = static_cast<std::uint8_t>(fmt::kPI.get(cdw10) | (fmt::kPIL.in(cdw10) ? 8U : 0U));
  });
  return st::kSuccess;
}

spec::Status Controller::namespace_management(Command& command) {
  const auto& sqe = command.sqe;
  const std::uint32_t select = spec::ns_cdw::kSEL.get(sqe.cdw10);
  if (select == spec::ns_cdw::kCreate) {
    if (spec::ns_cdw::kCSI.get(sqe.cdw11) != 0) return st::kIoCommandSetNotSupported;
    spec::IdentifyNamespace wanted;  // the fields of the data lie where Identify has them
    if (const spec::Status status = from_host(sqe, &wanted, sizeof wanted); !status.ok()) return status;
    const spec::IdentifyNamespace& model = namespaces_[0] != nullptr ? namespaces_[0]->identify : wanted;
    const unsigned format = spec::flbas::index(wanted.flbas);
    if (format > model.nlbaf) return st::kInvalidFormat;
    if (wanted.nsze.value() == 0) return st::kInvalidFieldInCommand;
    if (wanted.ncap.value() != wanted.nsze.value()) return st::kThinProvisioningNotSupported;
    const unsigned shift = model.lbaf[format].lbads;
    if (wanted.nsze.value() > (profile_->identify.size_bytes >> shift)) return st::kNamespaceInsufficientCapacity;
    const auto free = std::find(namespaces_.begin(), namespaces_.end(), nullptr);
    if (free == namespaces_.end()) return st::kNamespaceIdentifierUnavailable;
    const auto nsid = static_cast<std::uint32_t>(free - namespaces_.begin() + 1);
    *free = make_namespace(nsid, wanted.nsze.value() << shift, static_cast<std::uint8_t>(format));
    (*free)->attached = false;
    (*free)->cache->set_wce(features_.info(0x06).supported ? features_.current(0x06) != 0
                                                           : profile_->cache.wce_default);
    command.result = nsid;
    return st::kSuccess;
  }
  if (select != spec::ns_cdw::kDelete) return st::kInvalidFieldInCommand;
  const std::uint32_t nsid = sqe.nsid;
  if (nsid != spec::kBroadcastNsid && (nsid == 0 || nsid > profile_->identify.nn)) return st::kInvalidNamespaceOrFormat;
  if (nsid != spec::kBroadcastNsid && find_namespace(nsid) == nullptr) return st::kInvalidFieldInCommand;
  for (std::size_t i = 0; i < namespaces_.size(); ++i) {
    if (namespaces_[i] == nullptr || (nsid != spec::kBroadcastNsid && nsid != i + 1)) continue;
    const bool was_attached = namespaces_[i]->attached;
    ++namespaces_[i]->generation;
    namespaces_[i]->attached = false;
    deleted_.push_back(std::move(namespaces_[i]));  // commands in flight still refer to it
    if (was_attached) namespace_changed(static_cast<std::uint32_t>(i + 1));
  }
  return st::kSuccess;
}

// The data is a list of controllers; this one has to be on it, and is the only one that there is.
spec::Status Controller::namespace_attachment(Command& command) {
  const auto& sqe = command.sqe;
  const std::uint32_t select = spec::ns_cdw::kSEL.get(sqe.cdw10);
  if (select > spec::ns_cdw::kDetach) return st::kInvalidFieldInCommand;
  const std::uint32_t nsid = sqe.nsid;
  if (nsid == 0 || nsid > profile_->identify.nn) return st::kInvalidNamespaceOrFormat;
  NamespaceState* ns = find_namespace(nsid);
  if (ns == nullptr) return st::kInvalidFieldInCommand;
  std::array<spec::Le16, spec::kIdentifyDataSize / 2> list{};
  if (const spec::Status status = from_host(sqe, list.data(), sizeof list); !status.ok()) return status;
  const std::uint32_t count = list[0];
  if (count == 0 || count >= list.size()) return st::kControllerListInvalid;
  for (std::uint32_t i = 1; i <= count; ++i) {
    if (list[i].value() != profile_->identify.cntlid) return st::kControllerListInvalid;
  }
  const bool attach = select == spec::ns_cdw::kAttach;
  if (attach && ns->attached) return st::kNamespaceAlreadyAttached;
  if (!attach && !ns->attached) return st::kNamespaceNotAttached;
  ns->attached = attach;
  namespace_changed(nsid);
  return st::kSuccess;
}

}  // namespace flushlab::controller
