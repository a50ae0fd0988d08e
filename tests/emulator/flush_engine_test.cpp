// SPDX-License-Identifier: GPL-2.0-only
// The drive's timing, rule by rule (M1 to M5 of emulator/media/timing.hpp), and the write cache's (C1 to C7).
#include <catch2/catch.hpp>

#include "emulator/media/timing.hpp"
#include "emulator/media/write_cache.hpp"

using namespace flushlab;
using media::DeviceProfile;
using media::FlushTicket;
using media::TimingModel;

namespace {

DeviceProfile drive() {
  DeviceProfile profile;
  auto& t = profile.timing;
  t.write_lat_floor_ns.value = 10'000;
  t.write_slots.value = 2;
  t.read_lat_ns.value = 70'000;
  t.read_slots.value = 1;
  t.flush_answer_ns.value = 193'200;
  t.flush_recovery_ns.value = 61'500;
  t.flush_servers.value = 1;
  t.unit_bytes.value = 4096;
  t.rmw_extra_mean_ns.value = 400'000;
  t.rmw_servers.value = 1;
  return profile;
}

struct Engine {
  sim::EventQueue events;
  DeviceProfile profile;
  TimingModel timing;
  std::vector<FlushTicket> tickets{64};
  std::vector<sim::TimeNs> answered = std::vector<sim::TimeNs>(64, sim::kNever);

  explicit Engine(const DeviceProfile& p) : profile(p), timing(events, 1, profile) {
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      tickets[i].object = this;
      tickets[i].argument = i;
      tickets[i].answered = [](void* self, FlushTicket& ticket) {
        auto& engine = *static_cast<Engine*>(self);
        engine.answered[ticket.argument] = engine.events.now();
      };
    }
  }
  void flush_at(sim::TimeNs at_ns, std::size_t ticket) {
    events.run_until(at_ns);
    timing.flush(tickets[ticket]);
  }
  sim::TimeNs write(std::uint64_t offset, std::uint64_t bytes, bool fua = false, bool through = false) {
    TimingModel::Write w;
    w.offset_bytes = offset;
    w.size_bytes = bytes;
    w.fua = fua;
    w.write_through = through;
    return timing.write_done_ns(w) - events.now();
  }
};

}  // namespace

TEST_CASE("flush engine: at gap g behind the last answer a Flush takes answer + max(0, recovery - g)") {
  for (const sim::TimeNs gap_us : {0U, 10U, 30U, 61U, 62U, 100U, 1000U}) {
    CAPTURE(gap_us);
    Engine engine(drive());
    engine.flush_at(0, 0);
    engine.events.run();
    CHECK(engine.answered[0] == 193'200);  // rested
    const sim::TimeNs gap = gap_us * 1000;
    Engine again(drive());
    again.flush_at(0, 0);
    again.flush_at(193'200 + gap, 1);
    again.events.run();
    CHECK(again.answered[1] - (193'200 + gap) == 193'200 + (gap < 61'500 ? 61'500 - gap : 0));
  }
}

TEST_CASE("flush engine: serial, first in first out, one a period; merged or parallel where the profile says so") {
  DeviceProfile profile = drive();
  SECTION("serial") {
    Engine engine(profile);
    for (std::size_t i = 0; i < 4; ++i) engine.flush_at(0, i);
    CHECK(engine.timing.flushes_waiting() == 3);
    engine.events.run();
    for (std::size_t i = 0; i < 4; ++i) CHECK(engine.answered[i] == 193'200 + i * 254'700);
  }
  SECTION("merged: those that wait share the next service") {
    profile.timing.flush_merge.value = 1;
    Engine engine(profile);
    for (std::size_t i = 0; i < 4; ++i) engine.flush_at(0, i);
    engine.events.run();
    CHECK(engine.answered[0] == 193'200);
    for (std::size_t i = 1; i < 4; ++i) CHECK(engine.answered[i] == 193'200 + 254'700);
  }
  SECTION("two servers, each with its own drain") {
    profile.timing.flush_servers.value = 2;
    profile.timing.flush_drain_per_unit_ns.value = 1000;
    Engine engine(profile);
    engine.tickets[0].dirty_units = 500;
    engine.flush_at(0, 0);
    engine.flush_at(0, 1);
    engine.events.run();
    CHECK(engine.answered[0] == 693'200);
    CHECK(engine.answered[1] == 193'200);
  }
  SECTION("a reset forgets them") {
    Engine engine(profile);
    engine.flush_at(0, 0);
    engine.flush_at(0, 1);
    engine.timing.reset();
    engine.flush_at(1000, 2);
    engine.events.run();
    CHECK(engine.answered[0] == sim::kNever);
    CHECK(engine.answered[1] == sim::kNever);
    CHECK(engine.answered[2] == 194'200);
  }
}

TEST_CASE("write timing: lanes, hold behind a Flush, FUA, write-through") {
  DeviceProfile profile = drive();
  profile.timing.write_hold_behind_flush_ns.value = 105'000;
  profile.timing.fua_extra_ns.value = 7'000;
  profile.timing.write_through_extra_ns.value = 9'000;
  Engine engine(profile);
  CHECK(engine.write(0, 4096) == 10'000);
  CHECK(engine.write(0, 4096) == 10'000);
  CHECK(engine.write(0, 4096) == 20'000);  // two lanes
  engine.events.run_until(1'000'000);
  CHECK(engine.write(0, 4096, true, false) == 17'000);
  CHECK(engine.write(0, 4096, true, true) == 19'000);
  engine.flush_at(2'000'000, 0);
  CHECK(engine.write(0, 4096) == 115'000);  // the Flush is being answered
  engine.events.run_until(2'193'200);
  CHECK(engine.write(0, 4096) == 10'000);  // bare recovery holds nothing
  engine.flush_at(2'200'000, 1);
  CHECK(engine.write(0, 4096) == 115'000);  // queued behind the recovery
}

TEST_CASE("write timing: a partly covered unit is read, modified and written, once a command") {
  DeviceProfile profile = drive();
  Engine engine(profile);
  CHECK(engine.write(0, 4096) == 10'000);
  CHECK(engine.write(8192, 8192) == 10'000);
  engine.events.run_until(1'000'000);
  CHECK(engine.write(512, 512) == 410'000);
  engine.events.run_until(2'000'000);
  CHECK(engine.write(2048, 4096) == 410'000);        // both ends partial: one charge
  CHECK(engine.write(65536 + 512, 512) == 810'000);  // one server
  SECTION("not while the unit is still whole in the buffer") {
    profile.timing.unit_resident_after_full_write_ns.value = 5'000'000;
    Engine resident(profile);
    CHECK(resident.write(0, 4096) == 10'000);
    CHECK(resident.write(512, 512) == 10'000);
    resident.events.run_until(1'000'000);
    CHECK(resident.write(512, 4096) == 410'000);  // the last unit is not there
    resident.events.run_until(6'000'000);
    CHECK(resident.write(512, 512) == 410'000);
  }
  SECTION("nor when chance has it there") {
    profile.timing.unit_resident_hit_ppm.value = 1'000'000;
    Engine lucky(profile);
    CHECK(lucky.write(512, 512) == 10'000);
  }
}

TEST_CASE("write cache: what a Flush, FUA, a switch and the capacity make durable") {
  DeviceProfile profile = drive();
  profile.cache.wce_default = true;
  profile.cache.capacity_bytes = 8 * 4096;
  sim::EventQueue events;
  media::DurableImage image;
  media::WriteCache cache(events, profile, profile.identify.lba_bytes, &image);
  const auto write = [&](std::uint64_t lba, queue::WriteId id, bool fua = false) {
    const std::vector<queue::WriteId> ids(8, id);
    cache.write_completed(lba, 8, ids.data(), fua);
  };
  write(0, 1);
  CHECK(image.at(0).newest == 1);
  CHECK(image.at(0).durable == 0);
  const std::uint64_t snapshot = cache.snapshot();
  write(8, 2);
  write(0, 3);  // overwrites what the Flush covers: goes to the media with it
  CHECK(cache.dirty_units() == 2);
  std::vector<std::uint64_t> units;
  cache.for_each_dirty([&](std::uint64_t unit, std::uint64_t) { units.push_back(unit); });
  CHECK(units == std::vector<std::uint64_t>{0, 1});  // oldest first; an overwritten unit keeps its place
  CHECK(cache.dirty_units_up_to(snapshot) == 1);
  CHECK(cache.persist_up_to(snapshot) == 1);
  CHECK(image.at(0).durable == 3);
  CHECK(image.at(8).durable == 0);  // completed after the Flush was submitted
  write(16, 4, true);
  CHECK(image.at(16).durable == 4);
  CHECK(image.at(8).durable == 0);  // FUA flushes nothing else
  for (std::uint64_t i = 0; i < 12; ++i) write(100 * 8 + i * 8, 10 + i);
  CHECK(cache.dirty_bytes() == 8 * 4096);
  CHECK(image.at(8).durable == 2);  // the oldest made room
  cache.zeroed(800, 8, false);
  CHECK(image.at(800).newest == 0);
  cache.zeroed(0, 1 << 20, false);  // larger than the cache could hold
  CHECK(image.at(16).durable == 0);
  CHECK(cache.dirty_units() == 0);
  write(0, 50);
  CHECK(cache.set_wce(false) == 1);
  CHECK(image.at(0).durable == 50);
  write(8, 51);
  CHECK(image.at(8).durable == 51);
  CHECK(cache.dirty_units() == 0);
}

TEST_CASE("write cache: background destage, and room that has to be made costs time") {
  DeviceProfile profile = drive();
  profile.cache.wce_default = true;
  profile.cache.capacity_bytes = 4 * 4096;
  profile.timing.destage_per_unit_ns.value = 1'000'000;
  profile.timing.destage_idle_delay_ns.value = 50'000'000;
  sim::EventQueue events;
  media::WriteCache cache(events, profile, profile.identify.lba_bytes, nullptr);
  for (std::uint64_t i = 0; i < 4; ++i) {
    CHECK(cache.reserve(1) == 0);
    cache.release(1);
    cache.write_completed(i * 8, 8, nullptr, false);
  }
  CHECK(cache.reserve(2) == 2'000'000);
  cache.release(2);
  events.run_until(49'000'000);
  CHECK(cache.dirty_units() == 4);
  events.run_until(60'000'000);
  CHECK(cache.dirty_units() == 0);
  CHECK(cache.dirty_bytes_max() == 4 * 4096);
}
