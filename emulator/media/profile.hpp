// SPDX-License-Identifier: GPL-2.0-only
// A device profile: what a drive says of itself, what it really does, and how long that takes. Data only; the loader is
// in lab/scenario. Every timing parameter carries where its value comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/sim/time.hpp"

namespace flushlab::media {

// A parameter's value and its origin: "measured: ...", "fitted to <row>: ...", "assumed: ...", "set: <by whom>".
struct Parameter {
  std::uint64_t value = 0;
  std::string origin;
};

// What the Identify structures, CAP and the feature table say. Field names are the spec's; a field that the profile
// does not name keeps the default here. NVMe Base 2.1 sec. 5.1.13, NVM Command Set 1.1 sec. 4.1.5.
struct IdentifyFields {
  std::string mn = "flushlab emulated drive";
  std::string sn = "FL0000000001";
  std::string fr = "1.0";
  std::string subnqn = "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-0000-0000-000000000001";
  std::uint16_t vid = 0x1b36;
  std::uint16_t ssvid = 0x1af4;
  std::uint32_t ver = 0x00010400;  // also VS
  std::uint8_t mdts = 5;
  std::uint16_t cntlid = 0;
  std::uint32_t oaes = 0x100;
  std::uint32_t ctratt = 0;
  std::uint16_t oacs = 0;
  std::uint8_t lpa = 0x06;
  std::uint16_t oncs = 0x000C;  // Dataset Management, Write Zeroes
  std::uint8_t vwc = 0x07;
  std::uint16_t awun = 0;
  std::uint16_t awupf = 0;
  std::uint8_t apsta = 0;
  std::uint8_t aerl = 3;  // 0's based
  std::uint8_t acl = 3;   // 0's based
  std::uint32_t rtd3e_us = 0;
  std::uint32_t nn = 1;
  std::uint32_t dmrsl = 0;  // CNS 06h: most blocks of one Dataset Management range, 0: not reported
  // Namespace 1.
  std::uint64_t size_bytes = std::uint64_t{1} << 30;
  std::uint32_t lba_bytes = 512;
  std::uint8_t nsfeat = 0;
  std::uint8_t dlfeat = 0x09;
  std::uint16_t nawun = 0, nawupf = 0, nabsn = 0, nabo = 0, nabspf = 0, noiob = 0;
  std::uint16_t npwg = 0, npwa = 0, npdg = 0, npda = 0, nows = 0;
  bool vwcnp = false;  // CNS 08h NSFEAT bit 5: this namespace has no volatile write cache
  // Controller properties.
  std::uint16_t mqes = 1023;                  // CAP.MQES, 0's based
  std::uint16_t io_queue_pairs = 64;          // what Set Features 07h grants at most
  bool answers_unlisted_logs = false;         // Get Log Page 05h works although LPA does not offer it
  std::vector<std::uint16_t> fixed_features;  // Set Features fails with Feature Not Changeable
  bool grants_all_queues = false;             // ... and always, even when fewer are asked for
  std::uint8_t to = 20;                       // CAP.TO, 500 ms units
};

// How feature 06h answers Get Features. Four things that real drives get wrong are independent settings: what VWC
// advertises (identify.vwc), what Get Features answers, what Set Features does, whether the cache is really volatile.
enum class GetFeatures06h : std::uint8_t { kActual, kAlways0, kAlways1, kError };
enum class SetFeatures06h : std::uint8_t { kSwitches, kIgnored, kError };

struct WriteCacheProfile {
  bool wce_default = true;          // WCE after power on
  bool wce_saveable = false;        // Set Features SV=1 accepted, kept over resets
  bool wce_survives_reset = false;  // a controller reset leaves WCE as it is (QEMU); the spec wants saved or default
  bool feature_without_cache = false;  // feature 06h works although VWC reports no cache (QEMU); the spec wants 0/02h
  GetFeatures06h get_features = GetFeatures06h::kActual;
  SetFeatures06h set_features = SetFeatures06h::kSwitches;
  bool is_volatile = true;  // what a power cut does to the cache's contents; false: power-loss protected
  std::uint64_t capacity_bytes = std::uint64_t{256} << 20;
};

// Timing: the device model of the timing study, one parameter each. Times in ns unless named otherwise.
struct TimingProfile {
  // Write into the buffer: floor + lognormal(median, sigma).
  Parameter write_lat_floor_ns, write_lat_median_ns, write_lat_sigma_ppm;
  Parameter read_lat_ns;
  Parameter write_slots;  // writes served in parallel
  Parameter read_slots;
  // Flush engine.
  Parameter flush_answer_ns;              // from start of service to the completion
  Parameter flush_recovery_ns;            // engine unavailable after the answer
  Parameter flush_servers;                // Flushes served at once
  Parameter flush_merge;                  // 1: a starting service takes every waiting Flush with it
  Parameter flush_drain_per_unit_ns;      // added for each dirty unit that the Flush makes durable
  Parameter flush_short_circuit_if_wce0;  // 1: a Flush with WCE=0 bypasses the engine
  Parameter flush_short_circuit_ns;       // what it then costs
  Parameter write_hold_behind_flush_ns;   // added to a write that arrives while a Flush is queued or being answered
  // Durable writes.
  Parameter fua_extra_ns;            // a FUA write with the cache on
  Parameter write_through_extra_ns;  // any write with the cache off
  // Partial units: read-modify-write.
  Parameter unit_bytes;  // internal indirection unit
  Parameter rmw_extra_mean_ns, rmw_extra_sd_ns;
  Parameter rmw_load_extra_mean_ns;  // exponential, only when the drive got other writes since it was last idle
  Parameter rmw_servers;
  Parameter
      unit_resident_after_full_write_ns;  // a unit written whole stays in the buffer this long: no read-modify-write
  Parameter unit_resident_hit_ppm;        // chance that a partial write finds its unit resident anyway
  // Background destage.
  Parameter destage_per_unit_ns;    // one unit from cache to media; 0: instantly
  Parameter destage_idle_delay_ns;  // a dirty unit is left alone this long before it is destaged
  // Other commands.
  Parameter admin_lat_ns;
  Parameter deallocate_lat_ns;  // Dataset Management, Write Zeroes
  Parameter reset_ready_ns;     // CC.EN 0 to 1 until CSTS.RDY
};

// An entry of the Commands Supported and Effects log (05h) that differs from what the drive would say by itself.
struct EffectsOverride {
  std::uint8_t opcode = 0;  // admin command
  std::uint32_t effects = 0;
  bool operator==(const EffectsOverride&) const = default;
};

struct DeviceProfile {
  std::string name;
  std::string description;
  IdentifyFields identify;
  WriteCacheProfile cache;
  TimingProfile timing;
  std::vector<EffectsOverride> effects;
  bool keep_image = false;  // keep what every block holds (memory grows with the blocks written)
};

}  // namespace flushlab::media
