// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/controller/features.hpp"

#include "emulator/spec/identify.hpp"

namespace flushlab::controller {

using spec::FeatureId;
namespace st = spec::status;

namespace {

constexpr std::uint8_t id(FeatureId fid) {
  return static_cast<std::uint8_t>(fid);
}

constexpr std::uint16_t kNoThreshold = 0xFFFF;

}  // namespace

Features::Features(const media::DeviceProfile& profile) : profile_(&profile) {
  const media::IdentifyFields& identify = profile.identify;
  const auto add = [&](FeatureId fid, std::uint32_t default_value, Info info = {}) {
    info.supported = true;
    info_[id(fid)] = info;
    default_[id(fid)] = default_value;
  };
  constexpr Info kOfNamespace{true, false, true, true, 0};
  const auto with_data = [](std::uint16_t bytes, bool of_namespace = false) {
    return Info{true, false, true, of_namespace, bytes};
  };
  add(FeatureId::kArbitration, spec::arbitration::kNoLimit);
  add(FeatureId::kPowerManagement, 0);
  add(FeatureId::kTemperatureThreshold, identify.wctemp);
  add(FeatureId::kErrorRecovery, 0, kOfNamespace);
  add(FeatureId::kNumberOfQueues, 0);
  add(FeatureId::kInterruptCoalescing, 0);
  add(FeatureId::kInterruptVectorConfiguration, 0);
  add(FeatureId::kWriteAtomicityNormal, 0);
  add(FeatureId::kAsynchronousEventConfiguration, 0);
  add(FeatureId::kHostBehaviorSupport, 0, with_data(512));
  if (spec::oncs::kTimestamp.in(identify.oncs)) add(FeatureId::kTimestamp, 0, with_data(8));
  if (identify.apsta != 0) add(FeatureId::kAutonomousPowerStateTransition, 0, with_data(256));
  if (identify.kas != 0) add(FeatureId::kKeepAliveTimer, 0);
  if (identify.sanicap != 0) add(FeatureId::kSanitizeConfig, 0);
  if (identify.css_all) add(FeatureId::kIoCommandSetProfile, 0);
  if (identify.nwpc != 0) add(FeatureId::kNamespaceWriteProtectionConfig, 0, kOfNamespace);
  if (identify.ctratt % 2 != 0) add(FeatureId::kHostIdentifier, 0, with_data(16));  // CTRATT bit 0: 128-bit identifier
  // Base 2.1 sec. 5.1.25.1.4: only with a volatile write cache present.
  const bool has_cache = spec::vwc::kVWCP.in(identify.vwc) || profile.cache.feature_without_cache;
  if (has_cache && profile.cache.set_features != media::SetFeatures06h::kUnsupported) {
    Info info;
    info.saveable = profile.cache.wce_saveable;
    add(FeatureId::kVolatileWriteCache, profile.cache.wce_default ? 1 : 0, info);
  } else if (has_cache) {  // Get answers, Set does not: see feature_commands.cpp
    add(FeatureId::kVolatileWriteCache, profile.cache.wce_default ? 1 : 0);
  }
  for (const std::uint16_t fid : identify.fixed_features) info_[fid & 0xFFU].changeable = false;
  saved_ = default_;
  current_ = default_;
  default_thresholds();
}

// Over: WCTEMP for the composite temperature and no limit for a sensor; under: 0.
void Features::default_thresholds() {
  for (auto& sensor : thresholds_) sensor = {kNoThreshold, 0};
  thresholds_[0][0] = profile_->identify.wctemp;
}

std::uint32_t Features::capabilities(std::uint8_t fid) const {
  namespace cap = spec::feature_capability;
  const Info& i = info_[fid];
  return cap::kSaveable.put(i.saveable ? 1U : 0U) | cap::kNamespaceSpecific.put(i.namespace_specific ? 1U : 0U) |
         cap::kChangeable.put(i.changeable ? 1U : 0U);
}

spec::Status Features::check_value(std::uint8_t fid, std::uint32_t cdw11) const {
  const auto when = [](bool legal) { return legal ? st::kSuccess : st::kInvalidFieldInCommand; };
  switch (static_cast<FeatureId>(fid)) {
    case FeatureId::kPowerManagement:
      return when(spec::power_management::kPS.get(cdw11) == 0);  // NPSS 0
    case FeatureId::kTemperatureThreshold: {
      const std::uint32_t sensor = spec::temperature_threshold::kTMPSEL.get(cdw11);
      return when(spec::temperature_threshold::kTHSEL.get(cdw11) <= 1 &&
                  (sensor <= 8 || sensor == spec::temperature_threshold::kAllSensors));
    }
    case FeatureId::kErrorRecovery:
      return when(!spec::error_recovery::kDULBE.in(cdw11) || spec::nsfeat::kDAE.in(profile_->identify.nsfeat));
    case FeatureId::kNumberOfQueues:
      return when((cdw11 & 0xFFFFU) != spec::number_of_queues::kIllegal &&
                  cdw11 >> 16 != spec::number_of_queues::kIllegal);
    case FeatureId::kInterruptVectorConfiguration:
      return when((cdw11 & 0xFFFFU) <= profile_->identify.io_queue_pairs);
    case FeatureId::kIoCommandSetProfile:
      return spec::io_command_set_profile::kIOCSCI.get(cdw11) == 0 ? st::kSuccess
                                                                   : st::kIoCommandSetCombinationRejected;
    case FeatureId::kNamespaceWriteProtectionConfig: {
      const std::uint32_t wps = spec::write_protection::kWPS.get(cdw11);
      const std::uint8_t nwpc = profile_->identify.nwpc;
      return when(wps <= spec::write_protection::kWriteProtect ||
                  (wps == spec::write_protection::kUntilPowerCycle && spec::nwpc::kUntilPowerCycle.in(nwpc)) ||
                  (wps == spec::write_protection::kPermanent && spec::nwpc::kPermanent.in(nwpc)));
    }
    case FeatureId::kHostIdentifier:
      return when(spec::host_identifier::kEXHID.in(cdw11));
    default:
      return st::kSuccess;
  }
}

// Host behaviour (sec. 5.1.25.1.14): each of the first four bytes is 0 or 1.
spec::Status Features::check_data(std::uint8_t fid, std::uint32_t, const std::array<std::byte, 512>& data) const {
  if (static_cast<FeatureId>(fid) != FeatureId::kHostBehaviorSupport) return st::kSuccess;
  for (std::size_t i = 0; i < 4; ++i) {
    if (data[i] > std::byte{1}) return st::kInvalidFieldInCommand;
  }
  return st::kSuccess;
}

void Features::set_threshold(std::uint32_t cdw11) {
  namespace tt = spec::temperature_threshold;
  const std::uint32_t sensor = tt::kTMPSEL.get(cdw11);
  const auto value = static_cast<std::uint16_t>(tt::kTMPTH.get(cdw11));
  for (std::size_t i = 0; i < thresholds_.size(); ++i) {
    if (sensor == tt::kAllSensors || sensor == i) thresholds_[i][tt::kTHSEL.get(cdw11) & 1U] = value;
  }
}

std::array<std::byte, 512>& Features::data(std::uint8_t fid) {
  switch (static_cast<FeatureId>(fid)) {
    case FeatureId::kTimestamp:
      return timestamp_;
    case FeatureId::kHostBehaviorSupport:
      return host_behavior_;
    case FeatureId::kHostIdentifier:
      return host_identifier_;
    case FeatureId::kLbaRangeType:
      return range_type_;
    default:
      return apst_;
  }
}

void Features::reset() {
  for (std::size_t fid = 0; fid < info_.size(); ++fid) current_[fid] = saved(static_cast<std::uint8_t>(fid));
  default_thresholds();
  host_behavior_ = {};
  host_identifier_ = {};
}

}  // namespace flushlab::controller
