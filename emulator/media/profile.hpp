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
  std::uint32_t ieee = 0;          // OUI, 24 bits
  std::uint32_t ver = 0x00010400;  // also VS
  std::uint8_t mdts = 5;
  std::uint16_t cntlid = 0;
  std::uint32_t oaes = 0x100;
  std::uint32_t ctratt = 0;
  std::uint16_t crdt1 = 0, crdt2 = 0, crdt3 = 0;  // 100 ms
  std::uint16_t oacs = 0;
  std::uint8_t frmw = 0x03;  // one slot, read-only
  std::uint8_t lpa = 0x06;
  std::uint8_t elpe = 63;  // 0's based
  std::uint8_t avscc = 1;
  std::uint16_t wctemp = 343, cctemp = 353;  // K
  std::uint8_t fwug = 0xFF;
  std::uint16_t kas = 0;  // keep alive granularity, 100 ms; 0: not supported
  std::uint32_t sanicap = 0;
  std::uint16_t oncs = 0x000C;  // Dataset Management, Write Zeroes
  std::uint16_t fuses = 0;
  std::uint8_t fna = 0;
  std::uint8_t vwc = 0x07;
  std::uint16_t awun = 0;
  std::uint16_t awupf = 0;
  std::uint8_t icsvscc = 1;
  std::uint8_t nwpc = 0;
  std::uint16_t ocfs = 0;
  std::uint32_t sgls = 0;
  std::uint16_t psd0_mp = 0;                     // 0.01 W
  std::uint32_t psd0_enlat = 0, psd0_exlat = 0;  // us
  std::uint8_t apsta = 0;
  std::uint8_t aerl = 3;  // 0's based
  std::uint8_t acl = 3;   // 0's based
  std::uint32_t rtd3e_us = 0;
  std::uint32_t nn = 1;
  // CNS 06h: limits; 0 is none.
  std::uint8_t vsl = 0, wzsl = 0, wusl = 0;  // 2^n pages
  std::uint8_t dmrl = 0;
  std::uint32_t dmrsl = 0;
  // Namespace 1, and what further namespaces share with it.
  std::uint64_t size_bytes = std::uint64_t{1} << 30;
  std::uint32_t lba_bytes = 512;  // of the format in use
  // The formats on offer, "512, 512+8, 4096": bytes of a block and of its metadata. Empty: the one in use.
  std::string lba_formats;
  std::uint8_t nsfeat = 0;
  std::uint8_t mc = 0, dpc = 0;
  std::uint8_t dlfeat = 0x09;
  std::uint16_t nawun = 0, nawupf = 0, nabsn = 0, nabo = 0, nabspf = 0, noiob = 0;
  std::uint16_t npwg = 0, npwa = 0, npdg = 0, npda = 0, nows = 0;
  std::uint16_t mssrl = 0;
  std::uint32_t mcl = 0;
  std::uint8_t msrc = 0;
  std::string eui64 = "020000fffe000001";  // 16 hexadecimal digits; the last byte but one counts the namespaces up
  bool vwcnp = false;                      // CNS 08h NSFEAT bit 5: this namespace has no volatile write cache
  // Further namespaces, attached, from NSID 2 on: their sizes, "128MiB, 1GiB".
  std::string more_namespaces;
  // Controller properties.
  std::uint16_t mqes = 1023;          // CAP.MQES, 0's based
  std::uint16_t io_queue_pairs = 64;  // what Set Features 07h grants at most
  bool css_all = false;               // CAP.CSS bit 43: CC.CSS = 110b may be used; CNS 1Ch and feature 19h exist
  std::uint8_t to = 20;               // CAP.TO, 500 ms units
  // Answers on which drives differ. The defaults are the specification's; each other one is some implementation's.
  bool accepts_feature_nsid = false;          // Set Features of a controller feature takes an NSID (some drives)
  bool unknown_log_is_invalid_field = false;  // an unknown log page is 0/02h (Linux target, QEMU), not 1/09h
  bool delete_cq_without_dnr = false;         // 1/0Ch comes without DNR
  bool absent_cqid_is_invalid_qid = false;    // Create SQ for a CQ out of range is 1/01h, not 1/00h
  bool answers_unlisted_logs = false;         // Get Log Page 05h works although LPA does not offer it
  std::vector<std::uint16_t>
      unlisted_commands;  // I/O opcodes that work although ONCS does not offer them (QEMU: Verify)
  std::vector<std::uint16_t> missing_commands;  // admin opcodes that do not exist although OACS offers them (QEMU: 0Dh)
  bool lists_controllers = true;                // CNS 12h and 13h are answered (QEMU: only in a subsystem of several)
  bool grants_all_queues = false;               // Set Features 07h grants all queues even when fewer are asked for
  std::vector<std::uint16_t> fixed_features;    // Set Features fails with Feature Not Changeable
};

// How feature 06h answers Get Features. Four things that real drives get wrong are independent settings: what VWC
// advertises (identify.vwc), what Get Features answers, what Set Features does, whether the cache is really volatile.
enum class GetFeatures06h : std::uint8_t { kActual, kAlways0, kAlways1, kError };
enum class SetFeatures06h : std::uint8_t { kSwitches, kIgnored, kError, kUnsupported };

struct WriteCacheProfile {
  bool wce_default = true;             // WCE after power on
  bool wce_saveable = false;           // Set Features SV=1 accepted, kept over resets
  bool wce_survives_reset = false;     // a controller reset leaves WCE as it is (QEMU); the spec wants saved or default
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
  Parameter rmw_idle_after_ns;       // the drive is idle when its last write has been complete for this long
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
  std::uint8_t opcode = 0;
  std::uint32_t effects = 0;
  bool io = false;  // an I/O command's; otherwise an admin command's
  bool operator==(const EffectsOverride&) const = default;
};

// Something that goes wrong on purpose: commands of one opcode, from the first-th that arrives (1-based) on.
struct Fault {
  bool admin = false;
  std::uint8_t opcode = 0;
  std::uint64_t first = 1;
  std::uint64_t count = 1;
  std::uint16_t status_word =
      0;  // bytes 15:14 of a completion entry, phase 0; 0: the command never completes by itself
};

struct DeviceProfile {
  std::string name;
  std::string description;
  IdentifyFields identify;
  WriteCacheProfile cache;
  TimingProfile timing;
  std::vector<EffectsOverride> effects;
  std::vector<Fault> faults;
  // The same two as a profile's file has them: "09h=10001h, io 00h=3", "io 00h 2 800Ch; io 01h 5+3 hang".
  std::string effects_text;
  std::string faults_text;
  bool keep_image = false;  // keep what every block holds (memory grows with the blocks written)
};

}  // namespace flushlab::media
