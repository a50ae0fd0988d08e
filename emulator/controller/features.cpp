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
}  // namespace

Features::Features(const media::DeviceProfile& profile) : profile_(&profile) {
  const auto add = [&](FeatureId fid, std::uint32_t default_value, Info info = {}) {
    info.supported = true;
    info_[id(fid)] = info;
    default_[id(fid)] = default_value;
  };
  const Info plain;
  add(FeatureId::kArbitration, spec::arbitration::kNoLimit);
  add(FeatureId::kPowerManagement, 0);
  add(FeatureId::kTemperatureThreshold, 343);
  add(FeatureId::kErrorRecovery, 0, {true, false, true, true, 0});
  add(FeatureId::kNumberOfQueues, 0);
  add(FeatureId::kInterruptCoalescing, 0);
  add(FeatureId::kInterruptVectorConfiguration, 0);
  add(FeatureId::kWriteAtomicityNormal, 0);
  add(FeatureId::kAsynchronousEventConfiguration, 0);
  add(FeatureId::kHostBehaviorSupport, 0, {true, false, true, false, 512});
  if (spec::oncs::kTimestamp.in(profile.identify.oncs)) add(FeatureId::kTimestamp, 0, {true, false, true, false, 8});
  if (profile.identify.apsta != 0) add(FeatureId::kAutonomousPowerStateTransition, 0, {true, false, true, false, 256});
  // Base 2.1 sec. 5.1.25.1.4: only with a volatile write cache present.
  if (spec::vwc::kVWCP.in(profile.identify.vwc) || profile.cache.feature_without_cache) {
    Info info = plain;
    info.saveable = profile.cache.wce_saveable;
    add(FeatureId::kVolatileWriteCache, profile.cache.wce_default ? 1 : 0, info);
  }
  for (const std::uint16_t fid : profile.identify.fixed_features) info_[fid & 0xFFU].changeable = false;
  saved_ = default_;
  current_ = default_;
}

std::uint32_t Features::capabilities(std::uint8_t fid) const {
  namespace cap = spec::feature_capability;
  const Info& i = info_[fid];
  return cap::kSaveable.put(i.saveable ? 1U : 0U) | cap::kNamespaceSpecific.put(i.namespace_specific ? 1U : 0U) |
         cap::kChangeable.put(i.changeable ? 1U : 0U);
}

spec::Status Features::check_value(std::uint8_t fid, std::uint32_t cdw11) const {
  switch (static_cast<FeatureId>(fid)) {
    case FeatureId::kPowerManagement:
      return spec::power_management::kPS.get(cdw11) == 0 ? st::kSuccess : st::kInvalidFieldInCommand;  // NPSS 0
    case FeatureId::kTemperatureThreshold:
      return spec::temperature_threshold::kTHSEL.get(cdw11) <= 1 ? st::kSuccess : st::kInvalidFieldInCommand;
    case FeatureId::kErrorRecovery:
      return spec::error_recovery::kDULBE.in(cdw11) && !spec::nsfeat::kDAE.in(profile_->identify.nsfeat)
                 ? st::kInvalidFieldInCommand
                 : st::kSuccess;
    case FeatureId::kNumberOfQueues:
      return (cdw11 & 0xFFFFU) == spec::number_of_queues::kIllegal || cdw11 >> 16 == spec::number_of_queues::kIllegal
                 ? st::kInvalidFieldInCommand
                 : st::kSuccess;
    case FeatureId::kInterruptVectorConfiguration:
      return (cdw11 & 0xFFFFU) <= profile_->identify.io_queue_pairs ? st::kSuccess : st::kInvalidFieldInCommand;
    default:
      return st::kSuccess;
  }
}

void Features::reset() {
  for (std::size_t fid = 0; fid < info_.size(); ++fid) current_[fid] = saved(static_cast<std::uint8_t>(fid));
  host_behavior_ = {};
}

}  // namespace flushlab::controller
