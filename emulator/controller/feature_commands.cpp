// SPDX-License-Identifier: GPL-2.0-only
// Set Features and Get Features (NVMe Base 2.1 sec. 5.1.25, 5.1.11). Set checks in this order: supported, SV, NSID,
// changeable, value, data.
#include <algorithm>
#include <cstring>

#include "emulator/controller/controller.hpp"

namespace flushlab::controller {

namespace st = spec::status;
using spec::FeatureId;

spec::Status Controller::feature_nsid_status(std::uint8_t fid, std::uint32_t nsid, bool set) const {
  if (features_.info(fid).namespace_specific) {
    if (nsid == spec::kBroadcastNsid) return set ? st::kSuccess : st::kInvalidNamespaceOrFormat;
    if (nsid == 0 || nsid > profile_->identify.nn) return st::kInvalidNamespaceOrFormat;
    const NamespaceState* ns = find_namespace(nsid);
    return ns != nullptr && ns->attached ? st::kSuccess : st::kInvalidFieldInCommand;
  }
  if (!set || nsid == 0 || nsid == spec::kBroadcastNsid || profile_->identify.accepts_feature_nsid) return st::kSuccess;
  return st::kFeatureNotNamespaceSpecific;
}

spec::Status Controller::set_features(Command& command) {
  const auto& sqe = command.sqe;
  const auto fid = static_cast<std::uint8_t>(spec::feature_cdw::kFID.get(sqe.cdw10));
  const bool save = spec::feature_cdw::kSV.in(sqe.cdw10);
  const std::uint32_t cdw11 = sqe.cdw11;
  const Features::Info& info = features_.info(fid);
  if (!info.supported) return st::kInvalidFieldInCommand;
  if (save && !info.saveable) return st::kFeatureIdentifierNotSaveable;
  if (const spec::Status status = feature_nsid_status(fid, sqe.nsid, true); !status.ok()) return status;
  if (!info.changeable) return st::kFeatureNotChangeable;
  if (const spec::Status status = features_.check_value(fid, cdw11); !status.ok()) return status;
  if (info.data_bytes != 0) {
    std::array<std::byte, 512> data{};
    if (const spec::Status status = from_host(sqe, data.data(), info.data_bytes); !status.ok()) return status;
    if (const spec::Status status = features_.check_data(fid, cdw11, data); !status.ok()) return status;
    features_.data(fid) = data;
  }
  const auto each_namespace = [&](auto&& f) {
    for_each_namespace([&](NamespaceState& ns) {
      if (ns.attached && (sqe.nsid.value() == spec::kBroadcastNsid || sqe.nsid.value() == ns.nsid)) f(ns);
    });
  };
  switch (static_cast<FeatureId>(fid)) {
    case FeatureId::kVolatileWriteCache: {
      const bool wce = spec::volatile_write_cache::kWCE.in(cdw11);
      switch (profile_->cache.set_features) {
        case media::SetFeatures06h::kError:  // a drive that cannot do without: any other value than the current one
          return wce == (features_.current(fid) != 0) ? st::kSuccess : st::kFeatureNotChangeable;
        case media::SetFeatures06h::kUnsupported:
          return st::kInvalidFieldInCommand;
        case media::SetFeatures06h::kIgnored:
          return st::kSuccess;  // says yes and changes nothing
        case media::SetFeatures06h::kSwitches:
          break;
      }
      set_wce(wce);
      features_.set(fid, wce ? 1 : 0, save);
      return st::kSuccess;
    }
    case FeatureId::kNumberOfQueues:
      return set_number_of_queues(command);
    case FeatureId::kTemperatureThreshold:
      features_.set_threshold(cdw11);
      set_temperature(temperature_);
      return st::kSuccess;
    case FeatureId::kErrorRecovery:
      each_namespace([&](NamespaceState& ns) {
        ns.dulbe = spec::error_recovery::kDULBE.in(cdw11);
        ns.tler = static_cast<std::uint16_t>(spec::error_recovery::kTLER.get(cdw11));
      });
      return st::kSuccess;
    case FeatureId::kNamespaceWriteProtectionConfig: {
      spec::Status status = st::kSuccess;
      each_namespace([&](NamespaceState& ns) {
        const spec::Status one = set_write_protection(ns, spec::write_protection::kWPS.get(cdw11));
        if (!one.ok()) status = one;
      });
      return status;
    }
    case FeatureId::kTimestamp:
      store_timestamp();
      return st::kSuccess;
    case FeatureId::kKeepAliveTimer: {  // rounded up to KAS
      const std::uint64_t granularity_ms = std::uint64_t{profile_->identify.kas} * 100;
      const std::uint64_t rounded = (cdw11 + granularity_ms - 1) / granularity_ms * granularity_ms;
      features_.set(fid, static_cast<std::uint32_t>(std::min<std::uint64_t>(rounded, 0xFFFFFFFF)), save);
      arm_keep_alive();
      return st::kSuccess;
    }
    default:
      break;
  }
  features_.set(fid, cdw11, save);
  if (static_cast<FeatureId>(fid) == FeatureId::kAsynchronousEventConfiguration) deliver_events();
  return st::kSuccess;
}

spec::Status Controller::set_number_of_queues(Command& command) {
  const std::uint32_t cdw11 = command.sqe.cdw11;
  for (std::size_t q = 1; q < cqs_.size(); ++q) {
    if (cqs_[q].exists || sqs_[q].exists) return st::kCommandSequenceError;
  }
  const std::uint32_t most = profile_->identify.io_queue_pairs - 1U;
  const bool all = profile_->identify.grants_all_queues;
  const std::uint32_t sqs = all ? most : std::min(spec::number_of_queues::kNSQR.get(cdw11), most);
  const std::uint32_t cqs = all ? most : std::min(spec::number_of_queues::kNCQR.get(cdw11), most);
  command.result = sqs | cqs << 16;
  features_.set(static_cast<std::uint8_t>(FeatureId::kNumberOfQueues), command.result, false);
  return st::kSuccess;
}

// Sec. 5.1.25.1.32 (feature 84h): what is cached of the namespace is committed before the command completes. The last
// two states are left by a power cycle, or never.
spec::Status Controller::set_write_protection(NamespaceState& ns, std::uint32_t wps) {
  namespace wp = spec::write_protection;
  if (ns.wps >= wp::kUntilPowerCycle && wps != ns.wps) return st::kFeatureNotChangeable;
  if (wps != wp::kNone && ns.wps == wp::kNone) {
    const std::uint64_t units = ns.cache->persist_all();
    admin_extra_ns_ += timing_.write_back_ns(units);
    if (units != 0) simulator_->record(sim::EventKind::kPersist, ns.cache->snapshot(), units, 3);
  }
  ns.wps = static_cast<std::uint8_t>(wps);
  ns.identify.nsattr = spec::nsattr::kWriteProtected.put(wps != wp::kNone ? 1U : 0U);
  return st::kSuccess;
}

// Base 2.1 sec. 5.1.25.1.4: what is cached becomes durable before the Set Features completes.
void Controller::set_wce(bool wce) {
  for_each_namespace([&](NamespaceState& ns) {
    const std::uint64_t units = ns.cache->set_wce(wce);
    admin_extra_ns_ += timing_.write_back_ns(units);
    if (units != 0) simulator_->record(sim::EventKind::kPersist, ns.cache->snapshot(), units, 1);
  });
}

void Controller::store_timestamp() {
  const auto& data = features_.data(static_cast<std::uint8_t>(FeatureId::kTimestamp));
  timestamp_set_ms_ = 0;
  for (std::size_t i = 6; i-- > 0;)
    timestamp_set_ms_ = timestamp_set_ms_ << 8 | std::to_integer<std::uint64_t>(data[i]);
  timestamp_set_ns_ = simulator_->now();
  timestamp_origin_ = spec::timestamp_attributes::kOriginSet;
}

std::uint32_t Controller::current_feature(std::uint8_t fid, std::uint32_t cdw11, const NamespaceState* ns) const {
  switch (static_cast<FeatureId>(fid)) {
    case FeatureId::kTemperatureThreshold: {
      namespace tt = spec::temperature_threshold;
      return features_.threshold(tt::kTMPSEL.get(cdw11), tt::kTHSEL.get(cdw11));
    }
    case FeatureId::kErrorRecovery:
      return ns == nullptr
                 ? 0U
                 : spec::error_recovery::kDULBE.put(ns->dulbe ? 1U : 0U) | spec::error_recovery::kTLER.put(ns->tler);
    case FeatureId::kNamespaceWriteProtectionConfig:
      return ns == nullptr ? 0U : ns->wps;
    case FeatureId::kInterruptVectorConfiguration: {  // the admin queue's vector is never coalesced
      const std::uint32_t vector = spec::interrupt_vector::kIV.get(cdw11);
      const std::uint32_t set = features_.current(fid);
      if (vector == 0) return spec::interrupt_vector::kCD.put();
      return spec::interrupt_vector::kIV.get(set) == vector ? set : vector;
    }
    default:
      return features_.current(fid);
  }
}

spec::Status Controller::get_features(Command& command) {
  const auto& sqe = command.sqe;
  const auto fid = static_cast<std::uint8_t>(spec::feature_cdw::kFID.get(sqe.cdw10));
  const std::uint32_t select = spec::feature_cdw::kSEL.get(sqe.cdw10);
  const Features::Info& info = features_.info(fid);
  if (!info.supported || select > static_cast<std::uint32_t>(spec::Select::kSupportedCapabilities))
    return st::kInvalidFieldInCommand;
  if (select != 0 && !spec::oncs::kSaveSelect.in(profile_->identify.oncs)) return st::kInvalidFieldInCommand;
  if (const spec::Status status = feature_nsid_status(fid, sqe.nsid, false); !status.ok()) return status;
  const NamespaceState* ns = info.namespace_specific ? find_namespace(sqe.nsid) : nullptr;
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
  if (static_cast<FeatureId>(fid) == FeatureId::kInterruptVectorConfiguration) {
    if (const spec::Status status = features_.check_value(fid, sqe.cdw11); !status.ok()) return status;
  }
  switch (sel) {
    case spec::Select::kCurrent:
      command.result = current_feature(fid, sqe.cdw11, ns);
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
  if (info.data_bytes == 0) return st::kSuccess;
  if (static_cast<FeatureId>(fid) == FeatureId::kTimestamp) {  // it runs
    const std::uint64_t ms = timestamp_set_ms_ + (simulator_->now() - timestamp_set_ns_) / sim::kMillisecond;
    std::array<std::byte, 8> data{};
    for (std::size_t i = 0; i < 6; ++i) data[i] = static_cast<std::byte>(ms >> (8 * i));
    data[6] = static_cast<std::byte>(spec::timestamp_attributes::kORIGIN.put(timestamp_origin_));
    return to_host(sqe, data.data(), data.size());
  }
  return to_host(sqe, features_.data(fid).data(), info.data_bytes);
}

// ---- keep alive (sec. 5.1.14, 3.9) ----

spec::Status Controller::keep_alive(Command&) {
  constexpr auto kFid = static_cast<std::uint8_t>(FeatureId::kKeepAliveTimer);
  if (features_.current(kFid) == 0) return st::kKeepAliveTimeoutInvalid;
  arm_keep_alive();
  return st::kSuccess;
}

void Controller::arm_keep_alive() {
  const std::uint32_t kato_ms = features_.current(static_cast<std::uint8_t>(FeatureId::kKeepAliveTimer));
  ++keep_alive_generation_;
  if (kato_ms == 0) return;
  simulator_->events().schedule_after(std::uint64_t{kato_ms} * sim::kMillisecond, &on_keep_alive_over, this,
                                      keep_alive_generation_);
}

// A host that is silent for KATO is gone: the controller stops and says so.
void Controller::on_keep_alive_over(void* object, std::uint64_t generation) {
  auto& self = *static_cast<Controller*>(object);
  if (generation != self.keep_alive_generation_ || !spec::csts::kRDY.in(self.csts_)) return;
  self.reset();
  self.csts_ |= spec::csts::kCFS.put();
}

}  // namespace flushlab::controller
