// SPDX-License-Identifier: GPL-2.0-only
#include "emulator/media/timing.hpp"

#include <algorithm>

namespace flushlab::media {

namespace {

constexpr std::size_t kResidentSlots = 1024;

std::size_t lanes_of(const Parameter& parameter) {
  return std::max<std::size_t>(1, parameter.value);
}

}  // namespace

TimingModel::TimingModel(sim::EventQueue& events, std::uint64_t seed, const DeviceProfile& profile)
    : TimingModel(events, seed, profile.timing, profile.identify.sn) {}

// The serial number is in the streams' names, so that two drives of one seed draw different numbers.
TimingModel::TimingModel(sim::EventQueue& events, std::uint64_t seed, const TimingProfile& p, const std::string& serial)
    : events_(&events),
      write_lat_(p.write_lat_median_ns.value == 0
                     ? sim::Distribution::constant(p.write_lat_floor_ns.value)
                     : sim::Distribution::shifted_lognormal(p.write_lat_floor_ns.value, p.write_lat_median_ns.value,
                                                            p.write_lat_sigma_ppm.value)),
      write_random_(seed, serial + "/write_lat"),
      read_ns_(p.read_lat_ns.value),
      deallocate_ns_(p.deallocate_lat_ns.value),
      admin_ns_(p.admin_lat_ns.value),
      reset_ready_ns_(p.reset_ready_ns.value),
      fua_extra_ns_(p.fua_extra_ns.value),
      write_through_extra_ns_(p.write_through_extra_ns.value),
      hold_ns_(p.write_hold_behind_flush_ns.value),
      write_lanes_{std::vector<sim::TimeNs>(lanes_of(p.write_slots))},
      read_lanes_{std::vector<sim::TimeNs>(lanes_of(p.read_slots))},
      answer_ns_(p.flush_answer_ns.value),
      recovery_ns_(p.flush_recovery_ns.value),
      drain_per_unit_ns_(p.flush_drain_per_unit_ns.value),
      short_circuit_ns_(p.flush_short_circuit_ns.value),
      merge_(p.flush_merge.value != 0),
      short_circuit_(p.flush_short_circuit_if_wce0.value != 0),
      flush_servers_(lanes_of(p.flush_servers)),
      unit_bytes_(std::max<std::uint64_t>(512, p.unit_bytes.value)),
      rmw_extra_(sim::Distribution::normal(p.rmw_extra_mean_ns.value, p.rmw_extra_sd_ns.value)),
      rmw_load_extra_(sim::Distribution::exponential(p.rmw_load_extra_mean_ns.value)),
      idle_after_ns_(p.rmw_idle_after_ns.value),
      rmw_random_(seed, serial + "/rmw"),
      rmw_lanes_{std::vector<sim::TimeNs>(lanes_of(p.rmw_servers))},
      resident_ns_(p.unit_resident_after_full_write_ns.value),
      resident_hit_ppm_(p.unit_resident_hit_ppm.value) {
  if (resident_ns_ != 0) resident_.resize(kResidentSlots);
}

sim::TimeNs TimingModel::Lanes::take(sim::TimeNs now_ns, sim::TimeNs busy_ns) {
  const auto lane = std::min_element(free_at_ns.begin(), free_at_ns.end());
  const sim::TimeNs start = std::max(*lane, now_ns);
  *lane = start + busy_ns;
  return start;
}

sim::TimeNs TimingModel::write_done_ns(const Write& write) {
  const sim::TimeNs now = events_->now();
  sim::TimeNs service = write_lat_.sample(write_random_);
  if (write.write_through) {
    service += write_through_extra_ns_;
  } else if (write.fua) {
    service += fua_extra_ns_;
  }
  sim::TimeNs done = write_lanes_.take(now, service) + service;         // M1
  if (hold_ns_ != 0 && flush_waiting_or_answering()) done += hold_ns_;  // M2
  done = std::max(done, rmw_ns(write, done));                           // M3
  if (now >= busy_until_ns_) writes_since_idle_ = 0;
  ++writes_since_idle_;
  busy_until_ns_ = std::max(busy_until_ns_, done + idle_after_ns_);
  return done;
}

// When the read-modify-write of a write whose own part is done at `ready_ns` is done; `ready_ns` without one.
sim::TimeNs TimingModel::rmw_ns(const Write& write, sim::TimeNs ready_ns) {
  const std::uint64_t end = write.offset_bytes + write.size_bytes;
  const bool partial_first = write.offset_bytes % unit_bytes_ != 0;
  const bool partial_last = end % unit_bytes_ != 0;
  if (!partial_first && !partial_last) {
    if (resident_ns_ != 0) {
      for (std::uint64_t unit = write.offset_bytes / unit_bytes_; unit < end / unit_bytes_; ++unit) {
        resident_[unit % kResidentSlots] = {unit, events_->now() + resident_ns_};
      }
    }
    return ready_ns;
  }
  if ((!partial_first || resident(write.offset_bytes / unit_bytes_)) && (!partial_last || resident(end / unit_bytes_)))
    return ready_ns;
  if (resident_hit_ppm_ != 0 && rmw_random_.chance_ppm(resident_hit_ppm_)) return ready_ns;
  sim::TimeNs extra = rmw_extra_.sample(rmw_random_);
  if (events_->now() < busy_until_ns_ && writes_since_idle_ != 0) extra += rmw_load_extra_.sample(rmw_random_);
  return rmw_lanes_.take(ready_ns, extra) + extra;
}

bool TimingModel::resident(std::uint64_t unit) const {
  if (resident_ns_ == 0) return false;
  const Resident& slot = resident_[unit % kResidentSlots];
  return slot.unit == unit && slot.until_ns >= events_->now();
}

sim::TimeNs TimingModel::read_done_ns() {
  return read_lanes_.take(events_->now(), read_ns_) + read_ns_;
}

void TimingModel::flush(FlushTicket& ticket) {
  ticket.next = nullptr;
  (queue_head_ == nullptr ? queue_head_ : queue_tail_->next) = &ticket;
  queue_tail_ = &ticket;
  ++waiting_;
  const auto idle =
      std::find_if(flush_servers_.begin(), flush_servers_.end(), [](const Server& server) { return !server.busy; });
  if (idle != flush_servers_.end()) start_flush(static_cast<std::size_t>(idle - flush_servers_.begin()));
}

// M4. An event's argument: generation << 32 | server << 1 | 1 at the end of the recovery.
void TimingModel::start_flush(std::size_t server) {
  Server& s = flush_servers_[server];
  s.busy = true;
  s.serving = queue_head_;
  FlushTicket* last = queue_head_;
  std::uint64_t units = last->dirty_units;
  --waiting_;
  while (merge_ && last->next != nullptr) {
    last = last->next;
    units += last->dirty_units;
    --waiting_;
  }
  queue_head_ = last->next;
  last->next = nullptr;
  ++answering_;
  events_->schedule_after(answer_ns_ + units * drain_per_unit_ns_, &flush_event, this, generation_ << 32 | server << 1);
}

void TimingModel::flush_event(void* object, std::uint64_t argument) {
  auto& self = *static_cast<TimingModel*>(object);
  if (argument >> 32 != self.generation_) return;
  const std::size_t server = (argument & 0xFFFFFFFFU) >> 1;
  Server& s = self.flush_servers_[server];
  if ((argument & 1U) != 0) {
    s.busy = false;
    if (self.queue_head_ != nullptr) self.start_flush(server);
    return;
  }
  self.events_->schedule_after(self.recovery_ns_, &flush_event, &self, argument | 1U);
  --self.answering_;
  FlushTicket* ticket = s.serving;
  s.serving = nullptr;
  while (ticket != nullptr) {
    FlushTicket* const next = ticket->next;
    ticket->answered(ticket->object, *ticket);
    ticket = next;
  }
}

void TimingModel::reset() {
  ++generation_;
  queue_head_ = nullptr;
  for (Server& server : flush_servers_) server = {};
  waiting_ = answering_ = 0;
}

}  // namespace flushlab::media
