// SPDX-License-Identifier: GPL-2.0-only
// When a command is done: the drive's timing, from a profile's parameters.
//
// Rules:
//   M1  A write takes a drawn latency in one of `write_slots` lanes; a write that finds none free waits for the first.
//   M2  A write that arrives while a Flush is queued or being answered is held `write_hold_behind_flush` longer. A bare
//       recovery does not hold it.
//   M3  A write that covers its first or last internal unit in part is charged one read-modify-write, in arrival order
//   at
//       `rmw_servers`, unless every such unit is still in the buffer.
//   M4  The flush engine takes Flushes first in, first out. It answers after `flush_answer` (and `flush_drain_per_unit`
//       for each unit that the Flush makes durable), and is then unavailable for `flush_recovery`. So a Flush at gap g
//       behind the last answer is done after answer + max(0, recovery - g).
//   M5  With WCE=0 and `flush_short_circuit_if_wce0` a Flush does not visit the engine.
//   M6  Durability is not this file's business: an early answer still means that everything which the Flush covers is
//       durable when it is given (write_cache.hpp). Recovery is unavailability only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/media/profile.hpp"
#include "emulator/sim/distribution.hpp"
#include "emulator/sim/event_queue.hpp"
#include "emulator/sim/random.hpp"

namespace flushlab::media {

// A Flush on its way through the engine. The owner keeps it until `answered` is called.
struct FlushTicket {
  void (*answered)(void* object, FlushTicket& ticket) = nullptr;
  void* object = nullptr;
  std::uint64_t argument = 0;     // the owner's
  std::uint64_t dirty_units = 0;  // what it will make durable
  FlushTicket* next = nullptr;
};

class TimingModel {
 public:
  TimingModel(sim::EventQueue& events, std::uint64_t seed, const DeviceProfile& profile);
  TimingModel(const TimingModel&) = delete;
  TimingModel& operator=(const TimingModel&) = delete;

  struct Write {
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    bool fua = false;            // FUA with the cache on
    bool write_through = false;  // the cache is off
  };
  // The time at which a write that arrives now is done.
  [[nodiscard]] sim::TimeNs write_done_ns(const Write& write);
  [[nodiscard]] sim::TimeNs read_done_ns();
  [[nodiscard]] sim::TimeNs deallocate_done_ns() const { return events_->now() + deallocate_ns_; }
  [[nodiscard]] sim::TimeNs admin_done_ns() const { return events_->now() + admin_ns_; }
  // How long writing back takes outside a Flush (WCE switched off, shutdown).
  [[nodiscard]] sim::TimeNs write_back_ns(std::uint64_t units) const { return units * drain_per_unit_ns_; }
  [[nodiscard]] sim::TimeNs reset_ready_ns() const { return events_->now() + reset_ready_ns_; }

  // A Flush that does not visit the engine (M5) is done at this time; kNever: it does.
  [[nodiscard]] sim::TimeNs short_circuit_done_ns(bool wce) const {
    return !wce && short_circuit_ ? events_->now() + short_circuit_ns_ : sim::kNever;
  }
  // A Flush that arrives at the engine now; ticket.answered is called when it is done.
  void flush(FlushTicket& ticket);
  // Forgets queued Flushes (controller reset); none of their tickets is answered any more.
  void reset();

  [[nodiscard]] std::uint32_t flushes_waiting() const { return waiting_; }
  [[nodiscard]] bool flush_waiting_or_answering() const { return waiting_ != 0 || answering_ != 0; }

 private:
  TimingModel(sim::EventQueue& events, std::uint64_t seed, const TimingProfile& profile, const std::string& serial);

  struct Lanes {
    std::vector<sim::TimeNs> free_at_ns;
    // The start of service for a command that arrives now and holds a lane for `busy_ns`. At least one lane.
    sim::TimeNs take(sim::TimeNs now_ns, sim::TimeNs busy_ns);
  };

  [[nodiscard]] sim::TimeNs rmw_ns(const Write& write, sim::TimeNs ready_ns);
  [[nodiscard]] bool resident(std::uint64_t unit) const;
  void start_flush(std::size_t server);
  static void flush_event(void* self, std::uint64_t argument);

  sim::EventQueue* events_;
  sim::Distribution write_lat_;
  sim::RandomStream write_random_;
  sim::TimeNs read_ns_;
  sim::TimeNs deallocate_ns_;
  sim::TimeNs admin_ns_;
  sim::TimeNs reset_ready_ns_;
  sim::TimeNs fua_extra_ns_;
  sim::TimeNs write_through_extra_ns_;
  sim::TimeNs hold_ns_;
  Lanes write_lanes_;
  Lanes read_lanes_;

  // Flush engine.
  sim::TimeNs answer_ns_;
  sim::TimeNs recovery_ns_;
  sim::TimeNs drain_per_unit_ns_;
  sim::TimeNs short_circuit_ns_;
  bool merge_;
  bool short_circuit_;
  FlushTicket* queue_head_ = nullptr;
  FlushTicket* queue_tail_ = nullptr;
  struct Server {
    bool busy = false;               // answering or recovering
    FlushTicket* serving = nullptr;  // what it will answer, through FlushTicket::next
  };
  std::vector<Server> flush_servers_;
  std::uint32_t waiting_ = 0;
  std::uint32_t answering_ = 0;   // servers
  std::uint64_t generation_ = 0;  // events of before a reset are ignored

  // Read-modify-write.
  std::uint64_t unit_bytes_;
  sim::Distribution rmw_extra_;
  sim::Distribution rmw_load_extra_;
  sim::TimeNs idle_after_ns_;
  sim::RandomStream rmw_random_;
  Lanes rmw_lanes_;
  sim::TimeNs resident_ns_;
  std::uint64_t resident_hit_ppm_;
  struct Resident {
    std::uint64_t unit = ~std::uint64_t{0};
    sim::TimeNs until_ns = 0;
  };
  std::vector<Resident> resident_;  // direct-mapped: the newest whole unit of each slot
  sim::TimeNs busy_until_ns_ = 0;   // the drive was last idle before this
  std::uint32_t writes_since_idle_ = 0;
};

}  // namespace flushlab::media
