// SPDX-License-Identifier: GPL-2.0-only
// Laws over the whole path, from a fio job to the drive and back, for random jobs on random machines.
#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include "lab/report/run_report.hpp"
#include "lab/scenario/run.hpp"

using namespace flushlab;

namespace {

lab::ConfigRoot shipped() {
  return lab::ConfigRoot(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
}

lab::Scenario scenario(const std::string& device, const std::string& kernel, const std::string& job,
                       const std::vector<std::string>& sets = {}) {
  const nlohmann::ordered_json tree = {
      {"name", "law"}, {"device", device}, {"kernel", kernel}, {"host", "cd6-v-host"}, {"workload", {{"fio", job}}}};
  return lab::parse_scenario(shipped(), tree.dump(), "law", sets).scenario;
}

template <typename T>
T pick(const std::vector<T>& from) {
  return from[*rc::gen::inRange<std::size_t>(0, from.size())];
}

}  // namespace

TEST_CASE("laws: random jobs on random machines keep every law of a run") {
  REQUIRE(rc::check([] {
    const std::string engine = pick<std::string>({"psync", "libaio", "io_uring"});
    const std::string device = pick<std::string>({"kioxia-cd6-v", "generic-plp", "generic-consumer"});
    const std::string kernel = pick<std::string>({"nvme-7.4", "nvme-7.4+honor-wce"});
    std::string job = "--name=a --filename=/dev/nvme0n1 --ioengine=" + engine;
    job += " --rw=" + pick<std::string>({"randwrite", "write", "randrw", "rw"});
    std::string block_size;
    job += " --bs=" + (block_size = pick<std::string>({"100", "512", "4k", "6k", "64k", "256k", "1m"}));
    const bool direct = *rc::gen::arbitrary<bool>();
    job += " --size=" + pick<std::string>({"8m", "64m"});
    job += " --iodepth=" + std::to_string(*rc::gen::inRange(1, 33));
    job += " --numjobs=" + std::to_string(*rc::gen::inRange(1, 4));
    job += " --direct=" + std::to_string(direct && block_size != "100" ? 1 : 0);
    job += " --sync=" + pick<std::string>({"none", "dsync"});
    job += " --fsync=" + std::to_string(*rc::gen::inRange(0, 5));
    job += " --end_fsync=" + std::to_string(*rc::gen::inRange(0, 2));
    job += " --number_ios=" + std::to_string(*rc::gen::inRange(1, 120));
    job += " --randrepeat=0 --randseed=" + std::to_string(*rc::gen::inRange(1, 1000));
    std::vector<std::string> sets;
    sets.push_back("host.placement.policy=" + pick<std::string>({"frozen_random", "per_wake_random", "round_robin"}));
    sets.push_back("host.cpus=" + std::to_string(*rc::gen::inRange(2, 17)));
    sets.push_back("device.identify.io_queue_pairs=" + std::to_string(*rc::gen::inRange(1, 17)));
    sets.push_back("device.identify.mqes=" + std::to_string(*rc::gen::inRange(1, 64)));
    sets.push_back("device.write_cache.wce_default=" + pick<std::string>({"true", "false"}));
    sets.push_back("device.write_cache.capacity=" + pick<std::string>({"64KiB", "1MiB", "64MiB"}));
    sets.push_back("device.timing.flush_servers=" + std::to_string(*rc::gen::inRange(1, 4)));
    sets.push_back("device.timing.flush_merge=" + pick<std::string>({"true", "false"}));
    sets.push_back("device.keep_image=true");
    RC_LOG() << device << " " << kernel << " " << job << "\n";
    for (const std::string& set : sets) RC_LOG() << "--set " << set << "\n";

    const lab::Scenario s = scenario(device, kernel, job, sets);
    const lab::RunResult result = lab::run_scenario(s);
    for (const lab::Law& law : result.laws) {
      if (!law.ok) RC_FAIL(law.name + ": " + law.detail);
    }
    for (const fio::JobResult& one : result.jobs) {
      RC_ASSERT(one.error == 0);
      RC_ASSERT(one.read.clat.count() == one.read.total_ios);
      RC_ASSERT(one.sync_lat.count() == one.syncs);
    }
    const auto& flush = result.of(nvme::CommandKind::kFlush);
    const auto& write = result.of(nvme::CommandKind::kWrite);
    if (result.write_cache == "write through") RC_ASSERT(flush.commands == 0U && write.fua == 0U);
    RC_ASSERT(flush.errors + write.errors == 0U);
    RC_ASSERT(lab::run_scenario(s).event_log_hash == result.event_log_hash);
  }));
}

TEST_CASE("laws: the flush period, from the whole path: answer while rested, one a period when not") {
  // Driver Flush = 194.2 us + max(0, 60.5 us - gap), where the gap is what passes between a Flush and the next.
  double last_cycle = 0;
  for (const int thinktime_us : {0, 5, 10, 15, 20, 25, 30, 40, 60, 100, 200, 1000}) {
    CAPTURE(thinktime_us);
    std::string job = "--name=a --filename=/dev/nvme0n1 --rw=randwrite --bs=4k --size=64m --number_ios=400 --fsync=1";
    if (thinktime_us != 0) job += " --thinktime=" + std::to_string(thinktime_us) + "us";
    const lab::RunResult result = lab::run_scenario(scenario("kioxia-cd6-v", "nvme-7.4", job));
    const auto& flush = result.of(nvme::CommandKind::kFlush);
    const double cycle_us =
        static_cast<double>(result.jobs.at(0).runtime_ns) / 1000.0 / static_cast<double>(flush.commands + 1);
    const double driver_us = lab::driver_avg_us(flush);
    const double gap_us = cycle_us - driver_us;
    CHECK(driver_us == Approx(194.2 + std::max(0.0, 60.5 - gap_us)).margin(1.0));
    CHECK(driver_us >= 194.0);
    if (gap_us < 60) CHECK(cycle_us == Approx(254.7).margin(1.0));
    CHECK(cycle_us >= last_cycle - 0.1);
    last_cycle = cycle_us;
  }
  CHECK(last_cycle > 1000);
}

TEST_CASE("laws: more hardware queues in use, fewer fsyncs share a Flush") {
  const std::string job =
      "--name=a --filename=/dev/nvme0n1 --ioengine=io_uring --direct=1 --iodepth=32 --rw=randwrite --bs=4k --size=64m "
      "--runtime=1 --time_based --fsync=1";
  double last = 0;
  for (const char* cpus : {"[1]", "[1,2,3,4]", "[1,2,3,4,5,6,7,8]", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]"}) {
    const lab::RunResult result =
        lab::run_scenario(scenario("kioxia-cd6-v", "nvme-7.4", job,
                                   {std::string("host.placement.cpus=") + cpus, "host.placement.policy=round_robin"}));
    const double flushes_per_sync = static_cast<double>(result.of(nvme::CommandKind::kFlush).commands) /
                                    static_cast<double>(result.jobs.at(0).syncs);
    CAPTURE(cpus, flushes_per_sync);
    CHECK(flushes_per_sync > last);
    CHECK(flushes_per_sync <= 1.0);
    last = flushes_per_sync;
  }
}
