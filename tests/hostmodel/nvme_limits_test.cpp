// SPDX-License-Identifier: GPL-2.0-only
// Identify to queue limits, kernel by kernel, and the write-cache truth table.
#include <catch2/catch.hpp>

#include "emulator/spec/registers.hpp"
#include "hostmodel/nvme/limits.hpp"

using namespace flushlab;
using kernel::AtomicWriteUnit;
using kernel::IoOptWithoutNows;
using kernel::KernelProfile;
using kernel::VwcPolicy;

namespace {

KernelProfile v6_1() {
  KernelProfile k;
  k.atomic_write_unit = AtomicWriteUnit::kNawupfOrAwupf;
  k.io_opt_without_nows = IoOptWithoutNows::kBlockSize;
  k.rejects_odd_physical_block_size = false;
  k.transport_max_sectors = 8192;
  k.default_max_sectors = 2560;
  k.max_segments = 127;
  return k;
}
KernelProfile v6_12() {
  KernelProfile k = v6_1();
  k.io_opt_without_nows = IoOptWithoutNows::kZero;
  k.transport_max_sectors = 16384;
  k.max_segments = 128;
  return k;
}
KernelProfile v7_1() {
  return {};
}

}  // namespace

TEST_CASE("nvme limits: write cache truth table") {
  struct Row {
    VwcPolicy policy;
    bool present, wce, vwcnp;
    bool write_cache;
  };
  const Row row = GENERATE(values<Row>({
      {VwcPolicy::kVwc, false, false, false, false},
      {VwcPolicy::kVwc, false, true, false, false},
      {VwcPolicy::kVwc, true, false, false, true},  // the behaviour that the patch changes
      {VwcPolicy::kVwc, true, true, false, true},
      {VwcPolicy::kVwc, true, true, true, false},
      {VwcPolicy::kVwcWce, false, false, false, false},
      {VwcPolicy::kVwcWce, false, true, false, false},
      {VwcPolicy::kVwcWce, true, false, false, false},
      {VwcPolicy::kVwcWce, true, true, false, true},
      {VwcPolicy::kVwcWce, true, true, true, false},
  }));
  KernelProfile k;
  k.vwc_policy = row.policy;
  CHECK(nvme::namespace_write_cache(k, {row.present, row.wce}, row.vwcnp) == row.write_cache);
  k.honours_vwcnp = false;
  if (row.vwcnp) CHECK(nvme::namespace_write_cache(k, {row.present, row.wce}, true));
}

TEST_CASE("nvme limits: block sizes, granularity and transfer limits of each kernel") {
  struct Drive {
    unsigned lbads;
    std::uint8_t nsfeat;
    std::uint16_t npwg, nows, nawupf, awupf, nabo;
    std::uint8_t mdts;
  };
  struct Want {
    const char* kernel;
    std::uint32_t physical, io_min, io_opt, max_hw_kb, max_kb;
  };
  struct Row {
    const char* name;
    Drive drive;
    std::vector<Want> want;
  };
  const std::vector<Row> rows = {
      {"nothing preferred",
       {9, 0, 0, 0, 0, 0, 0, 7},
       {{"6.1", 512, 512, 0, 512, 512}, {"6.12", 512, 512, 0, 512, 512}, {"7.1", 512, 512, 0, 512, 512}}},
      {"unedited emulated drive: OPTPERF with NPWG = NOWS = 0",
       {9, 0x14, 0, 0, 0, 0, 0, 7},
       {{"6.1", 512, 512, 512, 512, 512}, {"6.12", 512, 512, 0, 512, 512}}},
      {"V49",
       {9, 0x10, 7, 255, 0, 7, 0, 5},
       {{"6.1", 4096, 4096, 131072, 128, 128},
        {"6.12", 4096, 4096, 131072, 128, 128},
        {"7.1", 512, 4096, 131072, 128, 128}}},
      {"V50",
       {9, 0x12, 7, 0, 7, 0, 0, 5},
       {{"6.1", 4096, 4096, 512, 128, 128}, {"6.12", 4096, 4096, 0, 128, 128}, {"7.1", 4096, 4096, 0, 128, 128}}},
      {"V52",
       {12, 0x12, 3, 4, 3, 0, 0, 5},
       {{"6.12", 16384, 16384, 16384, 128, 128}, {"7.1", 16384, 16384, 16384, 128, 128}}},
      {"NABO set: one block",
       {9, 0x12, 7, 7, 7, 0, 8, 5},
       {{"6.12", 512, 4096, 4096, 128, 128}, {"7.1", 512, 4096, 4096, 128, 128}}},
      {"no MDTS: the transport's cap, default max_sectors",
       {9, 0, 0, 0, 0, 0, 0, 0},
       {{"6.1", 512, 512, 0, 4096, 1280}, {"6.12", 512, 512, 0, 8192, 1280}, {"7.1", 512, 512, 0, 8192, 4096}}},
      {"io_opt beyond the default raises max_sectors",
       {12, 0x10, 0, 511, 0, 0, 0, 0},
       {{"6.12", 4096, 4096, 2097152, 8192, 2048}}},
  };
  for (const Row& row : rows) {
    for (const Want& want : row.want) {
      CAPTURE(row.name, want.kernel);
      const KernelProfile k = std::string(want.kernel) == "6.1"    ? v6_1()
                              : std::string(want.kernel) == "6.12" ? v6_12()
                                                                   : v7_1();
      spec::IdentifyController controller;
      controller.mdts = row.drive.mdts;
      controller.awupf = row.drive.awupf;
      spec::IdentifyNamespace ns;
      ns.lbaf[0].lbads = static_cast<std::uint8_t>(row.drive.lbads);
      ns.nsfeat = row.drive.nsfeat;
      ns.npwg = row.drive.npwg;
      ns.nows = row.drive.nows;
      ns.nawupf = row.drive.nawupf;
      ns.nabo = row.drive.nabo;
      nvme::IdentifyView view;
      view.controller = &controller;
      view.ns = &ns;
      view.vs = spec::vs::k1_4_0;
      block::QueueLimits limits = nvme::namespace_limits(k, view, {true, true});
      // v6.1 stores io_opt as it is, later kernels round it to the physical block size.
      const std::uint32_t raw_io_opt = limits.io_opt;
      REQUIRE(block::validate_limits(limits, k).empty());
      CHECK(limits.physical_block_size == want.physical);
      CHECK(limits.io_min == want.io_min);
      CHECK((std::string(want.kernel) == "6.1" ? raw_io_opt : limits.io_opt) == want.io_opt);
      CHECK(limits.max_hw_sectors / 2 == want.max_hw_kb);
      CHECK(limits.max_sectors / 2 == want.max_kb);
    }
  }
}

TEST_CASE("nvme limits: a physical block size that is no power of two (V51)") {
  spec::IdentifyController controller;
  spec::IdentifyNamespace ns;
  ns.lbaf[0].lbads = 12;
  ns.nsfeat = 0x12;
  ns.npwg = 7;
  ns.nawupf = 4;
  nvme::IdentifyView view;
  view.controller = &controller;
  view.ns = &ns;
  view.vs = spec::vs::k1_4_0;
  block::QueueLimits limits = nvme::namespace_limits(v7_1(), view, {true, true});
  CHECK(block::validate_limits(limits, v7_1()) == "physical_block_size 20480 is not a power of two");
  limits = nvme::namespace_limits(v6_12(), view, {true, true});
  CHECK(block::validate_limits(limits, v6_12()).empty());
  CHECK(limits.physical_block_size == 20480);
}

TEST_CASE("nvme limits: without the write cache there is no FUA") {
  block::QueueLimits limits;
  limits.max_hw_sectors = 1024;
  limits.feature_fua = true;
  REQUIRE(block::validate_limits(limits, v7_1()).empty());
  CHECK_FALSE(limits.fua());
}
