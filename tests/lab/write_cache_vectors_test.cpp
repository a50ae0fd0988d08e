// SPDX-License-Identifier: GPL-2.0-only
// The vectors of Linux's write-cache behaviour, each a test of its own: what programs on chosen CPUs do, and exactly
// what goes on the wire. V33 to V38 are file systems' and not here.
#include <algorithm>
#include <array>
#include <utility>

#include "tests/lab/write_cache_rig.hpp"

using namespace flushlab;
using block::REQ_FUA;
using block::REQ_PREFLUSH;
using test::Rig;

namespace {

constexpr sim::TimeNs kUs = sim::kMicrosecond, kMs = sim::kMillisecond, kS = sim::kSecond;

// A function, or a lambda that captures nothing; the lambda lives somewhere, since its coroutine refers to it.
struct Script {
  sim::Task<void> (*call)(Rig&);
  Script(sim::Task<void> (*function)(Rig&)) : call(function) {}
  template <typename Lambda>
  Script(Lambda)
      : call(+[](Rig& rig) {
          static const Lambda lambda;
          return lambda(rig);
        }) {}
};

struct Vector {
  const char* name;
  std::vector<const char*> kernels;
  std::vector<std::string> sets;
  Script script;
  const char* wire;
};

const std::vector<const char*> kAll = {"linux-6.1", "linux-6.8", "linux-6.12",
                                       "linux-7.1", "nvme-7.4",  "nvme-7.4+honor-wce"};
const std::vector<const char*> kOld = {"linux-6.1", "linux-6.8"};
const std::vector<const char*> kNew = {"linux-6.12", "linux-7.1"};
const std::string kNoCache = "device.identify.vwc=0x06";
const std::string kCacheOff = "device.write_cache.wce_default=false";

// A pwrite of 4 KiB at 0 on CPU 0, then fsync.
sim::Task<void> write_fsync(Rig& r, vfs::BlockFile& file) {
  r.returned(co_await file.pwrite(0, 4096, r.buffer(4096), Rig::on(0)));
  r.returned(co_await file.fsync(0, file.size_bytes() - 1, Rig::on(0)));
}
sim::Task<void> v1(Rig& r) {
  co_await write_fsync(r, r.direct());
}
sim::Task<void> write_only(Rig& r, vfs::BlockFile& file, std::uint32_t size_bytes = 4096) {
  r.returned(co_await file.pwrite(0, size_bytes, r.buffer(size_bytes), Rig::on(0)));
}
sim::Task<void> v3(Rig& r) {
  co_await write_only(r, r.direct_dsync());
}
sim::Task<void> fio_dsync(Rig& r, const char* engine) {
  co_await r.fio(fmt::format("--name=a --ioengine={} --direct=1 --sync=dsync --rw=write --bs=4k --size=4k", engine));
}
sim::Task<void> v4_io_uring(Rig& r) {
  co_await fio_dsync(r, "io_uring");
}
sim::Task<void> v4_libaio(Rig& r) {
  co_await fio_dsync(r, "libaio");
}
sim::Task<void> store(Rig& r, const char* text) {
  r.returned(co_await block::store_write_cache(r.queue(), text));
}
// V15's commit, and an fsync on `cpu` while its data is out.
sim::Task<void> commit_and_fsync(Rig& r, std::uint16_t cpu) {
  r.spawn(r.bio_at(0, 0, REQ_PREFLUSH | REQ_FUA, 100, 8));
  r.spawn(r.fsync_at(1500 * kUs, cpu));  // the Flush takes 1 ms, the data 2 ms
  co_return;
}
// Three requests with gaps, in one plug.
sim::Task<void> plugged(Rig& r, std::array<std::pair<std::uint64_t, bool>, 3> writes, std::size_t count) {
  block::Plug plug(r.queue().kernel());
  block::BioGroup group(r.sim(), 0);
  std::array<block::Bio, 3> bios;
  for (std::size_t i = 0; i < count; ++i) {
    bios[i].sector = writes[i].first;
    bios[i].sectors = 8;
    bios[i].flags = writes[i].second ? REQ_FUA : 0;
    bios[i].task = "task";
    bios[i].buffer = r.buffer(4096);
    bios[i].plug = &plug;
    group.submit(r.queue(), bios[i]);
  }
  plug.finish();
  r.returned(block::errno_of(co_await group));
}
// The one namespace as two halves.
sim::Task<void> two_halves(Rig& r) {
  auto& first = r.map("first", "0 1000000 linear /dev/nvme0n1 0");
  auto& second = r.map("second", "0 1000000 linear /dev/nvme0n1 1000000");
  r.spawn(r.fsync_at(0, 0, &first));
  r.spawn(r.fsync_at(100 * kUs, 0, &second));
  co_return;
}

const std::vector<std::string> kSlowData = {"device.timing.fua_extra=2ms"};

const Vector kVectors[] = {
    {"V1 psync direct write, then fsync", kAll, {}, v1, "W(0,8) q1 -> F q1; 0 0"},
    {"V2 V1 after 'write through' in sysfs",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write through");
       co_await v1(r);
     },
     "W(0,8) q1; 0 0 0"},
    {"V2 V1 on a drive without a cache", kAll, {kNoCache}, v1, "W(0,8) q1; 0 0"},
    {"V3 psync direct O_DSYNC write: FUA and a Flush", kAll, {}, v3, "W!(0,8) q1 -> F q1; 0"},
    {"V4 io_uring direct O_DSYNC write: FUA only", kAll, {}, v4_io_uring, "W!(0,8) q1"},
    {"V4 libaio direct O_DSYNC write: FUA only", kAll, {}, v4_libaio, "W!(0,8) q1"},
    {"V5 V3 on a drive without a cache: no FUA", kAll, {kNoCache}, v3, "W(0,8) q1; 0"},
    {"V5 V4 on a drive without a cache: no FUA", kAll, {kNoCache}, v4_io_uring, "W(0,8) q1"},
    {"V5 V3 and V4 after 'write through' in sysfs: no FUA although queue/fua reads 1",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write through");
       r.note(r.queue().limits().fua() ? "fua=1" : "fua=0");
       co_await v3(r);
       co_await v4_io_uring(r);
     },
     "W(0,8) q1 -> W(0,8) q1; 0 fua=1 0"},
    {"V6 buffered O_DSYNC write",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await write_only(r, r.open({false, true}));
     },
     "W(0,8) q1 -> F q1; 0"},
    {"V7 buffered write and fdatasync",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> { co_await write_fsync(r, r.buffered()); },
     "W(0,8) q1 -> F q1; 0 0"},
    {"V8 fsync with nothing dirty", kAll, {}, [](Rig& r) -> sim::Task<void> { co_await r.fsync_at(0, 0); }, "F q1; 0"},
    {"V9 buffered write and sync_file_range with all flags",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       auto& file = r.buffered();
       co_await write_only(r, file);
       r.returned(co_await file.sync_file_range(
           0, file.size_bytes() - 1,
           vfs::kSyncFileRangeWaitBefore | vfs::kSyncFileRangeWrite | vfs::kSyncFileRangeWaitAfter, Rig::on(0)));
     },
     "W(0,8) q1; 0 0"},
    {"V9 buffered write and BLKFLSBUF, close or sync(2)",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       auto& file = r.buffered();
       co_await write_only(r, file);
       r.returned(co_await file.flush_buffers(Rig::on(0)));
     },
     "W(0,8) q1; 0 0"},
    {"V10 four fsyncs on four CPUs at once",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       for (std::uint16_t cpu = 0; cpu < 4; ++cpu) r.spawn(r.fsync_at(0, cpu));
       co_return;
     },
     "F q1, F q2, F q3, F q4; 0 0 0 0"},
    {"V11 three fsyncs on one CPU: the first alone, the others share",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       r.spawn(r.fsync_at(0, 0));
       r.spawn(r.fsync_at(100 * kUs, 0));
       r.spawn(r.fsync_at(200 * kUs, 0));
       co_return;
     },
     "F q1 -> F q1; 0 0 0"},
    {"V12 an fsync before the first one's Flush is on the queue",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       r.spawn(r.fsync_at(0, 0));
       r.spawn(r.fsync_at(0, 0));
       co_return;
     },
     "F q1 -> F q1; 0 0"},
    {"V13 V11 from two CPUs of one hardware queue",
     kAll,
     {"device.identify.io_queue_pairs=2"},
     [](Rig& r) -> sim::Task<void> {
       const std::uint16_t other = r.queue().hctx_of(1) == r.queue().hctx_of(0) ? 1 : 2;
       r.note(r.queue().hctx_of(other) == r.queue().hctx_of(0) ? "same queue" : "other queue");
       r.spawn(r.fsync_at(0, 0));
       r.spawn(r.fsync_at(100 * kUs, other));
       r.spawn(r.fsync_at(200 * kUs, other));
       co_return;
     },
     "F q1 -> F q1; same queue 0 0 0"},
    {"V14 two namespaces share nothing",
     kAll,
     {"device.identify.nn=2", "device.identify.more_namespaces=128MiB"},
     [](Rig& r) -> sim::Task<void> {
       r.spawn(r.fsync_at(0, 0));
       r.spawn(r.fsync_at(0, 0, &r.queue(2)));
       co_return;
     },
     "F q1, F ns2 q1; 0 0"},
    {"V14 two devices on one namespace: the second waits", kAll, {}, two_halves, "F q1 -> F q1; 0 0"},
    {"V15 PREFLUSH and FUA in one bio: one tag for both commands",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await r.bio_at(0, 0, REQ_PREFLUSH | REQ_FUA, 100, 8);
       r.note(r.tags().size() == 2 && r.tags()[0] == r.tags()[1] ? "same tag" : "other tags");
     },
     "F q1 -> W!(100,8) q1; 0 same tag"},
    {"V16 an fsync waits for the data of a sequence on its queue", kAll, kSlowData,
     [](Rig& r) -> sim::Task<void> { co_await commit_and_fsync(r, 0); }, "F q1 -> W!(100,8) q1 -> F q1; 0 0"},
    {"V17 an fsync on another queue does not", kAll, kSlowData,
     [](Rig& r) -> sim::Task<void> { co_await commit_and_fsync(r, 1); }, "F q1 -> W!(100,8) q1, F q2; 0 0"},
    {"V18 a deferred Flush goes out when something looks after 5 s",
     kAll,
     {"device.timing.fua_extra=9s"},
     [](Rig& r) -> sim::Task<void> {
       r.spawn(r.bio_at(0, 0, REQ_PREFLUSH | REQ_FUA, 100, 8));
       r.spawn(r.fsync_at(100 * kMs, 0));
       r.spawn(r.fsync_at(6100 * kMs, 0));
       co_await r.at(20 * kS);
       const auto& times = r.times();
       r.note(times.size() == 3 && times[2] >= 6100 * kMs && times[2] < 6101 * kMs ? "at 6 s" : "at another time");
     },
     "F q1 -> W!(100,8) q1, F q1; 0 0 0 at 6 s"},
    {"V19 a plain FUA write holds no Flush back", kAll, kSlowData,
     [](Rig& r) -> sim::Task<void> {
       r.spawn(r.bio_at(0, 0, REQ_FUA, 0, 8));
       r.spawn(r.fsync_at(100 * kUs, 0));
       co_return;
     },
     "W!(0,8) q1, F q1; 0 0"},
    {"V20 nor does a plain write",
     kAll,
     {"device.timing.write_lat_floor=2ms"},
     [](Rig& r) -> sim::Task<void> {
       r.spawn(r.bio_at(0, 0, 0, 0, 8));
       r.spawn(r.fsync_at(100 * kUs, 0));
       co_return;
     },
     "W(0,8) q1, F q1; 0 0"},
    {"V21 a batch of an fsync and a sequence, one more waiting: the Flush goes before the data", kAll, kSlowData,
     [](Rig& r) -> sim::Task<void> {
       r.spawn(r.fsync_at(0, 0));
       r.spawn(r.fsync_at(100 * kUs, 0));                      // B
       r.spawn(r.bio_at(200 * kUs, 0, REQ_PREFLUSH, 100, 8));  // A
       r.spawn(r.fsync_at(1500 * kUs, 0));                     // C
       co_return;
     },
     "F q1 -> F q1 -> F q1, W(100,8) q1; 0 0 0 0"},
    {"V22 a 1 MiB O_DSYNC write over MDTS, asynchronous",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await r.fio("--name=a --ioengine=io_uring --direct=1 --sync=dsync --rw=write --bs=1m --size=1m");
     },
     "W!(0,256) q1, W!(256,256) q1, W!(512,256) q1, W!(768,256) q1, W!(1024,256) q1, W!(1280,256) q1, "
     "W!(1536,256) q1, W!(1792,256) q1"},
    {"V22 the same, synchronous",
     kNew,
     {},
     [](Rig& r) -> sim::Task<void> { co_await write_only(r, r.direct_dsync(), 1U << 20); },
     "W!(0,256) q1, W!(256,256) q1, W!(512,256) q1, W!(768,256) q1, W!(1024,256) q1, W!(1280,256) q1, "
     "W!(1536,256) q1, W!(1792,256) q1 -> F q1; 0"},
    {"V23 a PREFLUSH and FUA bio of twice the limit: two sequences, one after the other",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> { co_await r.bio_at(0, 0, REQ_PREFLUSH | REQ_FUA, 0, 512); },
     "F q1 -> W!(0,256) q1 -> F q1 -> W!(256,256) q1; 0"},
    {"V24 a plug's order, last in first out",
     kOld,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await plugged(r, {{{0, false}, {16, false}, {32, false}}}, 3);
     },
     "W(32,8) q1, W(16,8) q1, W(0,8) q1; 0"},
    {"V24 a plug's order, as submitted",
     kNew,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await plugged(r, {{{0, false}, {16, false}, {32, false}}}, 3);
     },
     "W(0,8) q1, W(16,8) q1, W(32,8) q1; 0"},
    {"V24 adjacent writes merge",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await plugged(r, {{{0, false}, {8, false}, {16, false}}}, 3);
     },
     "W(0,24) q1; 0"},
    {"V25 a FUA write passes the plug",
     {"linux-6.1"},
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await plugged(r, {{{0, false}, {800, true}, {0, false}}}, 2);
     },
     "W!(800,8) q1, W(0,8) q1; 0"},
    {"V25 a FUA write keeps its place in the plug",
     kNew,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await plugged(r, {{{0, false}, {800, true}, {0, false}}}, 2);
     },
     "W(0,8) q1, W!(800,8) q1; 0"},
    {"V26 'write back' on a drive without a cache: EINVAL",
     {"linux-6.1"},
     {kNoCache},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write back");
       r.note(r.queue().write_cache_show());
       co_await r.fsync_at(0, 0);
     },
     "; -22 write through 0"},
    {"V26 'write back' on a drive without a cache: accepted, and nothing follows",
     kNew,
     {kNoCache},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write back");
       r.note(r.queue().write_cache_show());
       co_await r.fsync_at(0, 0);
     },
     "; 0 write through 0"},
    {"V27 'write through' is lost at a rescan",
     kOld,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write through");
       co_await r.rescan();
       co_await r.fsync_at(0, 0);
     },
     "F q1; 0 0"},
    {"V27 'write through' is lost at a reset",
     kOld,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write through");
       r.returned(co_await r.host().reset());
       co_await r.host().flush_scan();
       co_await r.fsync_at(0, 0);
     },
     "F q1; 0 0 0"},
    {"V27 'write through' outlives a rescan and a reset",
     kNew,
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write through");
       co_await r.rescan();
       r.returned(co_await r.host().reset());
       co_await r.host().flush_scan();
       co_await r.fsync_at(0, 0);
     },
     "; 0 0 0"},
    {"V28 a Flush that ends as an invalid opcode: fsync of a raw device succeeds, a bio says not supported",
     kAll,
     {"device.faults=io 00h 1+9 8002h"},
     [](Rig& r) -> sim::Task<void> {
       co_await r.fsync_at(0, 0);
       co_await r.bio_at(0, 0, REQ_PREFLUSH, 0, 0);
     },
     "F q1 -> F q1; 0 -95"},
    {"V29 an internal error without DNR: five more attempts, then EIO",
     kAll,
     {"device.faults=io 00h 1+99 000Ch"},
     [](Rig& r) -> sim::Task<void> { co_await r.fsync_at(0, 0); },
     "F q1 -> F q1 -> F q1 -> F q1 -> F q1 -> F q1; -5"},
    {"V29 with CRD 1 and CRDT1 of 1 s: a second between attempts",
     kAll,
     {"device.faults=io 00h 1+99 100Ch", "device.identify.crdt1=10"},
     [](Rig& r) -> sim::Task<void> {
       co_await r.fsync_at(0, 0);
       for (std::size_t i = 1; i < r.times().size(); ++i) {
         const sim::TimeNs gap = r.times()[i] - r.times()[i - 1];
         r.note(gap >= kS && gap < kS + 10 * kMs ? "1s" : fmt::format("{}ns", gap));
       }
     },
     "F q1 -> F q1 -> F q1 -> F q1 -> F q1 -> F q1; -5 1s 1s 1s 1s 1s"},
    {"V30 the Flush before a commit fails: no data is sent",
     kAll,
     {"device.faults=io 00h 1+9 800Ch"},
     [](Rig& r) -> sim::Task<void> { co_await r.bio_at(0, 0, REQ_PREFLUSH | REQ_FUA, 100, 8); },
     "F q1; -5"},
    {"V31 a Flush that does not complete is aborted after 30 s and sent again",
     kAll,
     {"device.faults=io 00h 1 hang"},
     [](Rig& r) -> sim::Task<void> {
       r.show_admin();
       co_await r.fsync_at(0, 0);
       r.note(r.elapsed() > 30 * kS && r.elapsed() < 33 * kS ? "after 30 s" : "at another time");
     },
     "F q1, abort q1, F q1; 0 after 30 s"},
    {"V31 an Abort that does not help: a reset after 30 s more, then the Flush again",
     {"linux-6.12"},
     {"device.faults=io 00h 1 hang; admin 08h 1+9 800Ch"},
     [](Rig& r) -> sim::Task<void> {
       co_await r.fsync_at(0, 0);
       r.note(r.elapsed() > 60 * kS && r.elapsed() < 65 * kS ? "after 60 s" : fmt::format("after {} ns", r.elapsed()));
       r.note(r.host().state() == nvme::Ctrl::State::kLive ? "live" : "not live");
     },
     "F q1 -> F q1; 0 after 60 s live"},
    {"V32 32 fsyncs of workers on 8 CPUs: Flushes on 8 queues at once, each queue's later fsyncs sharing one",
     {"linux-7.1"},
     {"host.cpus=8"},
     [](Rig& r) -> sim::Task<void> {
       for (std::uint16_t i = 0; i < 32; ++i) r.spawn(r.fsync_at(0, i % 8));
       co_return;
     },
     "F q1, F q2, F q3, F q4, F q5, F q6, F q7, F q8, F q1, F q2, F q3, F q4, F q5, F q6, F q7, F q8; "
     "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"},
    {"V32 32 fsyncs queued from one CPU: the first alone, 31 share the second",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       for (int i = 0; i < 32; ++i) r.spawn(r.fsync_at(0, 0));
       co_return;
     },
     "F q1 -> F q1; 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"},
    {"V39 dm-linear over a namespace that sysfs calls write through",
     kNew,
     {},
     [](Rig& r) -> sim::Task<void> {
       auto& linear = r.map("linear", "0 1000000 linear /dev/nvme0n1 0");
       co_await store(r, "write through");
       r.note(linear.limits().write_cache() ? "top: write back" : "top: write through");
       co_await r.fsync_at(0, 0, &linear);
     },
     "; 0 top: write back 0"},
    {"V40 BLKDISCARD of 1 MiB, then fsync",
     kAll,
     {},
     [](Rig& r) -> sim::Task<void> {
       auto& file = r.direct();
       r.returned(co_await file.discard(0, 1U << 20, Rig::on(0)));
       r.returned(co_await file.fsync(0, file.size_bytes() - 1, Rig::on(0)));
     },
     "D(0,2048) q1 -> F q1; 0 0"},
    {"V41 a cache that is switched off, unpatched: as if it were on",
     {"linux-6.1", "linux-6.8", "linux-6.12", "linux-7.1", "nvme-7.4"},
     {kCacheOff},
     [](Rig& r) -> sim::Task<void> {
       co_await v1(r);
       co_await v3(r);
       co_await v4_io_uring(r);
     },
     "W(0,8) q1 -> F q1 -> W!(0,8) q1 -> F q1 -> W!(0,8) q1; 0 0 0"},
    {"V42 the same drive, patched: no Flush and no FUA",
     {"nvme-7.4+honor-wce", "linux-6.12+honor-wce"},
     {kCacheOff},
     [](Rig& r) -> sim::Task<void> {
       co_await v1(r);
       co_await v4_io_uring(r);
     },
     "W(0,8) q1 -> W(0,8) q1; 0 0"},
    {"V43 patched, Get Features 06h fails: write back",
     {"nvme-7.4+honor-wce", "linux-6.12+honor-wce"},
     {kCacheOff, "device.write_cache.get_features=error"},
     v1,
     "W(0,8) q1 -> F q1; 0 0"},
    {"V44 patched, Set Features 06h on by ioctl: Flushes when it returns",
     {"nvme-7.4+honor-wce"},
     {kCacheOff},
     [](Rig& r) -> sim::Task<void> {
       r.show_admin();
       co_await r.set_features(1);
       co_await v1(r);
     },
     "set6 -> get6 -> id6 -> id2 -> id3 -> id0 -> id0 -> id5 -> W(0,8) q1 -> F q1; 0 0"},
    {"V45 patched, without an effects log: nothing is refreshed",
     {"nvme-7.4+honor-wce"},
     {kCacheOff, "device.identify.lpa=0x00"},
     [](Rig& r) -> sim::Task<void> {
       r.show_admin();
       co_await r.set_features(1);
       co_await v1(r);
       r.note(r.stack().drive().cache().wce() ? "cache on" : "cache off");
     },
     "set6 -> W(0,8) q1; 0 0 cache on"},
    {"V45 patched, by io_uring command: nothing is refreshed",
     {"nvme-7.4+honor-wce"},
     {kCacheOff},
     [](Rig& r) -> sim::Task<void> {
       r.show_admin();
       co_await nvme::admin_uring_cmd(r.host(), spec::make_set_features(spec::FeatureId::kVolatileWriteCache, 1), {},
                                      {"nvme", 0});
       co_await v1(r);
       r.note(r.stack().drive().cache().wce() ? "cache on" : "cache off");
     },
     "set6 -> W(0,8) q1; 0 0 cache on"},
    {"V46 patched, switched off: a Flush may still go out until the namespaces are updated, then none",
     {"nvme-7.4+honor-wce"},
     {},
     [](Rig& r) -> sim::Task<void> {
       co_await r.set_features(0);
       co_await r.fsync_at(0, 0);  // races with the scan, which the ioctl has not waited for
       co_await r.host().flush_scan();
       co_await r.fsync_at(0, 0);
     },
     "F q1; 0 0"},
    {"V47 patched, 'write through' in sysfs outlives switching the cache on",
     {"nvme-7.4+honor-wce"},
     {kCacheOff},
     [](Rig& r) -> sim::Task<void> {
       co_await store(r, "write through");
       co_await r.set_features(1);
       r.note(r.queue().write_cache_show());
       co_await r.fsync_at(0, 0);
     },
     "; 0 write through 0"},
    {"V48 VWCNP: this namespace has no cache",
     {"linux-7.1"},
     {"device.identify.ver=2.0.0", "device.identify.vwcnp=true"},
     [](Rig& r) -> sim::Task<void> {
       co_await v1(r);
       co_await v4_io_uring(r);
     },
     "W(0,8) q1 -> W(0,8) q1; 0 0"},
    {"V48 VWCNP, not looked at",
     {"linux-6.12"},
     {"device.identify.ver=2.0.0", "device.identify.vwcnp=true"},
     v1,
     "W(0,8) q1 -> F q1; 0 0"},
};

template <std::size_t I>
void run_vector() {
  const Vector& vector = kVectors[I];
  for (const char* kernel : vector.kernels) {
    INFO(vector.name << ", " << kernel);
    Rig rig(kernel, vector.sets);
    rig.spawn(vector.script.call(rig));
    rig.run();
    CHECK(rig.wire() == vector.wire);
  }
}

// One test case a row, so that each is found and run by its name.
template <std::size_t... I>
std::vector<std::unique_ptr<Catch::AutoReg>> register_all(std::index_sequence<I...>) {
  std::vector<std::unique_ptr<Catch::AutoReg>> all;
  (all.push_back(std::make_unique<Catch::AutoReg>(Catch::makeTestInvoker(&run_vector<I>), CATCH_INTERNAL_LINEINFO,
                                                  Catch::StringRef(),
                                                  Catch::NameAndTags{std::string("write cache: ") + kVectors[I].name})),
   ...);
  return all;
}
const auto kRegistered = register_all(std::make_index_sequence<std::size(kVectors)>());

}  // namespace
