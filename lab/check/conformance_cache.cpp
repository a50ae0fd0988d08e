// SPDX-License-Identifier: GPL-2.0-only
// Vectors 1 to 34: feature 06h, Flush, and what survives power loss, shutdown and reset.
#include <array>

#include "lab/check/conformance_bench.hpp"

namespace flushlab::lab::conformance {

namespace {

constexpr std::uint8_t kGet = 0x0A, kSet = 0x09, kFlush = 0x00;
constexpr const char* kFeature = "Base 2.1 sec. 5.1.25.1.4, volatile write cache";
constexpr const char* kFlushSection = "Base 2.1 sec. 7.2, Flush";
constexpr const char* kDurability = "NVM CS 1.1 sec. 2.1.4, 3.3; Base 2.1 sec. 7.2: what survives a power cut";
constexpr const char* kShutdown = "Base 2.1 sec. 3.6, 3.7: shutdown, reset, write protection";
constexpr std::uint64_t kOld = 1, kNew = 2, kNewer = 3;

const char* no_cache(const Bench& b) {
  return b.has_cache() ? nullptr : "VWC says that there is no volatile write cache";
}

std::uint32_t default_wce(const Bench& b) {
  return b.profile.cache.wce_default ? 1 : 0;
}

// The current WCE is what Get Features 06h says.
Check get_wce(Bench& b, std::uint32_t cdw10, std::uint32_t dw0) {
  if (const char* reason = no_cache(b)) return Bench::not_applicable(reason);
  const bool selects = (cdw10 & 0x700U) != 0;
  if (selects && !spec::oncs::kSaveSelect.in(b.profile.identify.oncs))  // SEL is offered by ONCS bit 4
    return Bench::status(b.host().admin(Bench::command(kGet, 0, cdw10)), {0x8004});
  return Bench::result(b.host().admin(Bench::command(kGet, 0, cdw10)), dw0)
      .unless(b.profile.cache.get_features != media::GetFeatures06h::kActual, "write_cache.get_features");
}

// Why Set Features 06h cannot be asked for: drives may refuse it (SPDK's and Linux's targets do).
const char* fixed_cache(const Bench& b) {
  if (const char* reason = no_cache(b)) return reason;
  const bool refuses = b.profile.cache.set_features == media::SetFeatures06h::kError ||
                       b.profile.cache.set_features == media::SetFeatures06h::kUnsupported;
  return refuses ? "this drive refuses to switch its cache" : nullptr;
}

// Feature 06h says or does something else than the cache.
bool lies(const Bench& b) {
  return b.profile.cache.get_features != media::GetFeatures06h::kActual ||
         b.profile.cache.set_features == media::SetFeatures06h::kIgnored;
}

// A drive with its cache on, block 5 durably holding kOld.
RawHost& cached(Bench& b) {
  b.profile.cache.wce_default = true;
  b.profile.cache.is_volatile = true;
  RawHost& host = b.host();
  host.write(5, kOld, 1, true);
  return host;
}

Check after_cut(RawHost& host, std::initializer_list<std::uint64_t> accepted, const char* what) {
  host.controller.power_cut();
  return Bench::block_is(host.newest(5), accepted, what);
}

spec::CompletionEntry write_blocks_in_flight(RawHost& host, std::uint64_t slba, std::uint32_t blocks) {
  auto sqe = spec::make_write(1, slba, blocks);
  sqe.prp1 = host.ids;
  sqe.prp2 = host.ids + queue::kPageBytes;
  host.send(1, sqe);
  host.controller.power_cut();  // before any time has passed
  return {};
}

Check in_flight_atomic(Bench& b, std::uint64_t slba, bool mix_allowed) {
  RawHost& host = cached(b);
  for (std::uint64_t lba = slba; lba < slba + 8; ++lba) host.write(lba, kOld, 1, true);
  for (std::uint32_t i = 0; i < 8; ++i) host.door.memory().write_ids(host.ids, RawHost::kDataBytes)[i] = kNew;
  write_blocks_in_flight(host, slba, 8);
  std::uint32_t is_new = 0;
  for (std::uint64_t lba = slba; lba < slba + 8; ++lba) {
    const std::uint64_t id = host.newest(lba);
    if (id != kOld && id != kNew) return Bench::block_is(id, {kOld, kNew}, "each block old or new");
    is_new += id == kNew ? 1U : 0U;
  }
  const bool whole = is_new == 0 || is_new == 8;
  return Bench::holds(whole || mix_allowed, mix_allowed ? "each block old or new" : "all old or all new",
                      fmt::format("{} of 8 new", is_new));
}

constexpr std::array kVectors = {
    Vector{1, kFeature, "Get Features 06h, current", [](Bench& b) { return get_wce(b, 0x006, default_wce(b)); }},
    Vector{2, kFeature, "Get Features 06h, default", [](Bench& b) { return get_wce(b, 0x106, default_wce(b)); }},
    Vector{3, kFeature, "Get Features 06h, saved", [](Bench& b) { return get_wce(b, 0x206, default_wce(b)); }},
    Vector{4, kFeature, "Get Features 06h, capabilities",
           [](Bench& b) { return get_wce(b, 0x306, b.profile.cache.wce_saveable ? 5 : 4); }},
    Vector{5, kFeature, "Get Features 06h, reserved select",
           [](Bench& b) { return Bench::status(b.host().admin(Bench::command(kGet, 0, 0x406)), {0x8004}); }},
    Vector{6, kFeature, "Set WCE to 0: dirty data is on the media",
           [](Bench& b) {
             if (const char* reason = no_cache(b)) return Bench::not_applicable(reason);
             if (b.profile.cache.set_features == media::SetFeatures06h::kError && b.profile.cache.wce_default)
               return Bench::status(b.host().admin(Bench::command(kSet, 0, 6, 0)), {0x821C});
             if (b.profile.cache.set_features == media::SetFeatures06h::kUnsupported)
               return Bench::status(b.host().admin(Bench::command(kSet, 0, 6, 0)), {0x8004});
             if (const char* reason = fixed_cache(b)) return Bench::not_applicable(reason);
             RawHost& host = cached(b);
             host.write(5, kNew);
             const auto set = host.admin(Bench::command(kSet, 0, 6, 0));
             const auto get = host.admin(Bench::command(kGet, 0, 6));
             return Bench::all({Bench::status(set, {0}), Bench::result(get, 0),
                                Bench::block_is(host.durable(5), {kNew}, "block 5 durable")})
                 .unless(lies(b), "write_cache.get_features, set_features");
           }},
    Vector{7, kFeature, "Set Features with SV, not saveable",
           [](Bench& b) {
             if (const char* reason = fixed_cache(b)) return Bench::not_applicable(reason);
             b.profile.cache.wce_saveable = false;
             const auto set = b.host().admin(Bench::command(kSet, 0, 0x80000006, 0));
             return Bench::all({Bench::status(set, {0x821A}), get_wce(b, 6, default_wce(b))});
           }},
    Vector{8, kFeature, "Set Features with SV, saveable: kept over a reset",
           [](Bench& b) {
             if (const char* reason = fixed_cache(b)) return Bench::not_applicable(reason);
             b.profile.cache.wce_saveable = true;
             RawHost& host = b.host();
             const auto set = host.admin(Bench::command(kSet, 0, 0x80000006, 0));
             host.stop();
             host.start();
             return Bench::all({Bench::status(set, {0}), Bench::result(host.admin(Bench::command(kGet, 0, 6)), 0)})
                 .unless(lies(b), "write_cache.get_features, set_features");
           }},
    Vector{9, kFeature, "WCE 0, reset: the default again",
           [](Bench& b) {
             if (const char* reason = fixed_cache(b)) return Bench::not_applicable(reason);
             b.profile.cache.wce_saveable = false;
             RawHost& host = b.host();
             host.admin(Bench::command(kSet, 0, 6, 0));
             host.stop();
             host.start();
             return Bench::result(host.admin(Bench::command(kGet, 0, 6)), default_wce(b))
                 .unless(b.profile.cache.wce_survives_reset, "write_cache.wce_survives_reset")
                 .unless(lies(b), "write_cache.get_features, set_features");
           }},
    Vector{10, kFeature, "Set Features 06h with a namespace's NSID",
           [](Bench& b) {
             if (const char* reason = fixed_cache(b)) return Bench::not_applicable(reason);
             const std::uint16_t word = b.profile.identify.accepts_feature_nsid ? 0 : 0x821E;
             return Bench::status(b.host().admin(Bench::command(kSet, 1, 6, default_wce(b))), {word});
           }},
    Vector{11, kFeature, "VWC 06h: Set Features 06h",
           [](Bench& b) {
             b.profile.identify.vwc = 0x06;
             return Bench::status(b.host().admin(Bench::command(kSet, 0, 6, 1)), {0x8004})
                 .unless(b.profile.cache.feature_without_cache, "write_cache.feature_without_cache");
           }},
    Vector{12, kFeature, "VWC 06h: Get Features 06h",
           [](Bench& b) {
             b.profile.identify.vwc = 0x06;
             return Bench::status(b.host().admin(Bench::command(kGet, 0, 6)), {0x8004})
                 .unless(b.profile.cache.feature_without_cache, "write_cache.feature_without_cache");
           }},
    Vector{13, kFlushSection, "VWC 06h: Flush",
           [](Bench& b) {
             b.profile.identify.vwc = 0x06;
             b.profile.cache.wce_default = false;
             const auto cqe = b.host().io(Bench::command(kFlush, 1));
             return Bench::all(
                 {Bench::status(cqe, {0}),
                  Bench::holds(b.host().controller.counters().flushes_with_effect == 0, "no effect", "no effect")});
           }},
    Vector{14, kDurability, "Write, Flush, cut",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew);
             const auto flush = host.io(spec::make_flush(1));
             return Bench::all({Bench::status(flush, {0}), after_cut(host, {kNew}, "block 5 new")});
           }},
    Vector{15, kDurability, "Write completed, cut",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew);
             return after_cut(host, {kOld, kNew}, "block 5 old or new");
           }},
    Vector{16, kDurability, "FUA Write completed, cut",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew, 1, true);
             return after_cut(host, {kNew}, "block 5 new");
           }},
    Vector{17, kDurability, "WCE 0: Write completed, cut",
           [](Bench& b) {
             b.profile.cache.wce_default = false;
             RawHost& host = b.host();
             host.write(5, kNew);
             return after_cut(host, {kNew}, "block 5 new");
           }},
    Vector{18, kFlushSection, "WCE 0: Flush has nothing to do",
           [](Bench& b) {
             b.profile.cache.wce_default = false;
             RawHost& host = b.host();
             host.write(5, kNew);
             const auto flush = host.io(spec::make_flush(1));
             return Bench::all(
                 {Bench::status(flush, {0}),
                  Bench::holds(host.controller.counters().flushes_with_effect == 0, "no media activity",
                               fmt::format("{} flushes with effect", host.controller.counters().flushes_with_effect))});
           }},
    Vector{
        19, kFlushSection, "VWC.FB 11b: Flush of all namespaces",
        [](Bench& b) {
          b.profile.identify.vwc = 0x07;
          RawHost& host = cached(b);
          host.write(5, kNew);
          const auto flush = host.io(spec::make_flush(spec::kBroadcastNsid));
          return Bench::all({Bench::status(flush, {0}), Bench::block_is(host.durable(5), {kNew}, "block 5 durable")});
        }},
    Vector{20, kFlushSection, "VWC.FB 10b: Flush of all namespaces",
           [](Bench& b) {
             b.profile.identify.vwc = 0x05;
             return Bench::status(b.host().io(spec::make_flush(spec::kBroadcastNsid)), {0x8016});
           }},
    Vector{21, kFlushSection, "Flush of NSID 0",
           [](Bench& b) { return Bench::status(b.host().io(spec::make_flush(0)), {0x8016}); }},
    Vector{22, kFlushSection, "Flush of an NSID above NN",
           [](Bench& b) { return Bench::status(b.host().io(spec::make_flush(b.profile.identify.nn + 1)), {0x8016}); }},
    Vector{23, kFlushSection, "Flush of an inactive NSID",
           [](Bench& b) {
             if (b.profile.identify.nn < 2) return Bench::not_applicable("NN is 1: every valid NSID is active");
             b.profile.identify.more_namespaces.clear();
             return Bench::status(b.host().io(spec::make_flush(2)), {0x8004});
           }},
    Vector{24, kDurability, "Flush submitted while the Write is in flight",
           [](Bench& b) {
             RawHost& host = cached(b);
             for (std::uint32_t i = 0; i < 8; ++i)
               host.door.memory().write_ids(host.ids, RawHost::kDataBytes)[i] = kNew;
             auto write = spec::make_write(1, 5, 1);
             write.prp1 = host.ids;
             host.send(1, write);
             host.send(1, spec::make_flush(1));
             host.simulator.events().run_until(host.simulator.now() + sim::kMillisecond);
             host.reap(1);
             return after_cut(host, {kOld, kNew}, "block 5 old or new");
           }},
    Vector{25, kDurability, "two Writes of one block completed, cut",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew);
             host.write(5, kNewer);
             return after_cut(host, {kOld, kNew, kNewer}, "block 5 old, first or second");
           }},
    Vector{26, kDurability, "8 blocks in flight, AWUPF 7, cut",
           [](Bench& b) {
             b.profile.identify.awupf = b.profile.identify.awun = 7;
             return in_flight_atomic(b, 0, false);
           }},
    Vector{27, kDurability, "8 blocks in flight, AWUPF 0, cut",
           [](Bench& b) {
             b.profile.identify.awupf = b.profile.identify.awun = 0;
             return in_flight_atomic(b, 0, true);
           }},
    Vector{28, kDurability, "8 blocks in flight over a NABSPF boundary, cut",
           [](Bench& b) {
             b.profile.identify.nsfeat |= 0x02;
             b.profile.identify.nawupf = b.profile.identify.nawun = b.profile.identify.nabspf = 7;
             return in_flight_atomic(b, 4, true);
           }},
    Vector{29, kDurability, "FUA Read of a dirty block, cut",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew);
             const auto read = host.io(spec::make_read(1, 5, 1, true));
             const std::uint64_t seen = host.door.memory().write_ids(host.ids, 512)[0];
             return Bench::all({Bench::status(read, {0}), Bench::block_is(seen, {kNew}, "read new"),
                                after_cut(host, {kNew}, "block 5 new")});
           }},
    Vector{30, kShutdown, "normal shutdown, SHST complete, cut",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew);
             host.door.write32(spec::reg::kCC,
                               spec::cc::kSHN.set(host.door.read32(spec::reg::kCC), spec::cc::kShnNormal));
             host.simulator.events().run_until(host.simulator.now() + sim::kSecond);
             const bool complete = spec::csts::kSHST.get(host.csts()) == spec::csts::kShstComplete;
             const Check block = after_cut(host, {kNew}, "block 5 new");
             host.start();
             host.admin(Bench::command(0x02, spec::kBroadcastNsid, 0x007F0002));
             spec::SmartLog smart;
             std::memcpy(&smart, host.bytes(), sizeof smart);
             return Bench::all({Bench::holds(complete, "SHST 10b", complete ? "SHST 10b" : "not complete"), block,
                                Bench::holds(smart.upl.low.value() == 0, "unsafe shutdowns 0",
                                             fmt::format("unsafe shutdowns {}", smart.upl.low.value()))});
           }},
    Vector{31, kShutdown, "cut without a shutdown",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew);
             host.controller.power_cut();
             host.start();
             host.admin(Bench::command(0x02, spec::kBroadcastNsid, 0x007F0002));
             spec::SmartLog smart;
             std::memcpy(&smart, host.bytes(), sizeof smart);
             return Bench::holds(smart.upl.low.value() == 1, "unsafe shutdowns 1",
                                 fmt::format("unsafe shutdowns {}", smart.upl.low.value()));
           }},
    Vector{32, kShutdown, "controller reset: cached data stays",
           [](Bench& b) {
             RawHost& host = cached(b);
             host.write(5, kNew);
             host.stop();
             host.start();
             return Bench::block_is(host.newest(5), {kNew}, "block 5 new");
           }},
    Vector{33, kShutdown, "write protection commits the cache, refuses writes, lets Flush pass",
           [](Bench& b) {
             if (b.profile.identify.nwpc == 0) return Bench::not_applicable("NWPC 0: no write protection");
             RawHost& host = cached(b);
             host.write(5, kNew);
             const auto set = host.admin(Bench::command(kSet, 1, 0x84, 1));
             const Check durable = Bench::block_is(host.durable(5), {kNew}, "block 5 durable");
             const auto write = host.write(6, kNew);
             const auto flush = host.io(spec::make_flush(1));
             return Bench::all(
                 {Bench::status(set, {0}), durable, Bench::status(write, {0x8040}), Bench::status(flush, {0})});
           }},
    Vector{34, kFlushSection, "a namespace without a volatile cache (VWCNP): Flush",
           [](Bench& b) {
             b.profile.identify.ver = spec::vs::k2_0_0;
             b.profile.identify.vwcnp = true;
             b.profile.cache.wce_default = false;
             const auto flush = b.host().io(spec::make_flush(1));
             return Bench::all(
                 {Bench::status(flush, {0}),
                  Bench::holds(b.host().controller.counters().flushes_with_effect == 0, "no effect", "no effect")});
           }},
};

}  // namespace

std::span<const Vector> cache_vectors() {
  return kVectors;
}

}  // namespace flushlab::lab::conformance
