// SPDX-License-Identifier: GPL-2.0-only
// From Identify fields to queue limits, through the kernel profiles that users name: the vectors V49 to V52, what real
// kernels showed in sysfs, the warnings, and the JSON's shape.
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "lab/report/limits_report.hpp"
#include "lab/scenario/identify_dump.hpp"
#include "lab/scenario/profiles.hpp"

using namespace flushlab;

namespace {

const lab::ConfigRoot& root() {
  static const lab::ConfigRoot configs(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
  return configs;
}

lab::LimitsReport report(const std::string& kernel, const std::string& device, const std::vector<std::string>& sets,
                         std::uint16_t cpus = 2, std::uint16_t nows = 0) {
  lab::IdentifyDump identify = lab::identify_of(lab::load_device(root(), device, sets));
  if (nows != 0) identify.ns.nows = nows;
  return lab::explain_limits(lab::load_kernel(root(), kernel), identify.view(), cpus);
}

std::string value(const lab::LimitsReport& report, const std::string& name) {
  for (const lab::LimitLine& line : report.lines) {
    if (line.name == name) return line.value;
  }
  return "(none)";
}

struct Want {
  std::vector<const char*> kernels;
  const char *physical, *minimum, *optimal;
};
struct Vector {
  const char* name;
  std::vector<std::string> sets;
  std::vector<Want> want;
  std::uint16_t nows = 0;  // one that a profile may not have, for it is no multiple of NPWG
};

const Vector kVectors[] = {
    {"V49 OPTPERF, NPWG 8, NOWS 256 blocks of 512, AWUPF 8 and no NAWUPF",
     {"identify.nsfeat=0x10", "identify.npwg=7", "identify.nows=255", "identify.awun=7", "identify.awupf=7"},
     {{{"linux-6.1", "linux-6.8", "linux-6.12"}, "4096", "4096", "131072"}, {{"linux-7.1"}, "512", "4096", "131072"}}},
    {"V50 OPTPERF, NPWG 8, no NOWS, NAWUPF 8",
     {"identify.nsfeat=0x12", "identify.npwg=7", "identify.nows=0", "identify.nawun=7", "identify.nawupf=7"},
     {{{"linux-6.1", "linux-6.8"}, "4096", "4096", "512"}, {{"linux-6.12", "linux-7.1"}, "4096", "4096", "0"}}},
    {"V51 4 KiB blocks, NPWG 32 KiB, NAWUPF 20 KiB",
     {"identify.lba_size=4KiB", "identify.nsfeat=0x12", "identify.npwg=7", "identify.nows=0", "identify.nawun=4",
      "identify.nawupf=4"},
     {{{"linux-6.1", "linux-6.12"}, "20480", "32768", nullptr}, {{"linux-7.1"}, nullptr, nullptr, nullptr}}},
    {"V52 4 KiB blocks, NPWG 16 KiB, NAWUPF 16 KiB, NOWS 20 KiB",
     {"identify.lba_size=4KiB", "identify.nsfeat=0x12", "identify.npwg=3", "identify.nawun=3", "identify.nawupf=3"},
     {{{"linux-6.1", "linux-6.8"}, "16384", "16384", "20480"},
      {{"linux-6.12", "linux-7.1"}, "16384", "16384", "16384"}},
     4},
};

}  // namespace

TEST_CASE("limits: V49 to V52") {
  for (const Vector& vector : kVectors) {
    for (const Want& want : vector.want) {
      for (const char* kernel : want.kernels) {
        CAPTURE(vector.name, kernel);
        const lab::LimitsReport got = report(kernel, "generic-plp", vector.sets, 2, vector.nows);
        if (want.physical == nullptr) {
          CHECK(got.rejected.find("20480") != std::string::npos);
          CHECK(lab::to_json(got)["limits"].is_null());
          continue;
        }
        CHECK(got.rejected.empty());
        CHECK(value(got, "physical_block_size") == want.physical);
        CHECK(value(got, "minimum_io_size") == want.minimum);
        if (want.optimal != nullptr) CHECK(value(got, "optimal_io_size") == want.optimal);
      }
    }
  }
}

TEST_CASE("limits: what the warnings are about") {
  struct Row {
    const char* name;
    const char* kernel;
    std::vector<std::string> sets;
    std::vector<const char*> says;  // all in one warning; empty: no warning at all
  };
  const std::vector<Row> rows = {
      {"a plain drive", "linux-6.12", {}, {}},
      {"an optimal size far above MDTS",
       "linux-6.12",
       {"identify.nsfeat=0x10", "identify.npwg=7", "identify.nows=4095", "identify.awun=7", "identify.awupf=7"},
       {"MDTS", "NOWS"}},
      {"a physical block size that 7.1 refuses, on an older kernel",
       "linux-6.12",
       {"identify.lba_size=4KiB", "identify.nsfeat=0x12", "identify.npwg=7", "identify.nows=7", "identify.nawun=4",
        "identify.nawupf=4"},
       {"20480", "7.1"}},
      {"the same on 7.1",
       "linux-7.1",
       {"identify.lba_size=4KiB", "identify.nsfeat=0x12", "identify.npwg=7", "identify.nows=7", "identify.nawun=4",
        "identify.nawupf=4"},
       {"20480", "power of two"}},
      {"no optimal size beside OPTPERF", "linux-6.12", {"identify.nsfeat=0x10", "identify.npwg=7"}, {"NOWS"}},
      {"write units that no atomic unit backs",
       "linux-7.1",
       {"identify.nsfeat=0x10", "identify.npwg=7", "identify.nows=7", "identify.awupf=0"},
       {"physical_block_size"}},
  };
  for (const Row& row : rows) {
    const lab::LimitsReport got = report(row.kernel, "generic-plp", row.sets);
    std::string all;
    bool found = row.says.empty();
    for (const std::string& warning : got.warnings) {
      all += warning + "\n";
      bool here = !row.says.empty();
      for (const char* words : row.says) here = here && warning.find(words) != std::string::npos;
      found = found || here;
    }
    CAPTURE(row.name, all);
    CHECK(found);
    if (row.says.empty()) CHECK(got.warnings.empty());
  }
}

TEST_CASE("limits: JSON has sysfs's names and units") {
  const nlohmann::ordered_json tree = lab::to_json(report("linux-6.1", "qemu-7.2", {}));
  CHECK(tree["kernel"] == "linux-6.1");
  const auto& limits = tree["limits"];
  const std::map<std::string, nlohmann::json> recorded = {// /sys/block/nvme0n1/queue of the recordings, 6.1
                                                          {"logical_block_size", 512},   {"physical_block_size", 512},
                                                          {"minimum_io_size", 512},      {"optimal_io_size", 512},
                                                          {"max_hw_sectors_kb", 512},    {"max_sectors_kb", 512},
                                                          {"read_ahead_kb", 128},        {"max_segments", 127},
                                                          {"write_cache", "write back"}, {"fua", 1},
                                                          {"nr_requests", 1023},         {"virt_boundary_mask", 4095},
                                                          {"discard_granularity", 512}};
  for (const auto& [name, want] : recorded) {
    CAPTURE(name);
    REQUIRE(limits.contains(name));
    CHECK(nlohmann::json(limits[name]) == want);
  }
  CHECK(tree["warnings"].is_array());
}

TEST_CASE("limits: every kernel explains every limit, with a formula") {
  std::set<std::string> names;
  for (const std::string& kernel : lab::list_profiles(root(), lab::ConfigKind::kKernel)) {
    for (const std::string& device : lab::list_profiles(root(), lab::ConfigKind::kDevice)) {
      CAPTURE(kernel, device);
      const lab::LimitsReport got = report(kernel, device, {}, 16);
      CHECK(got.rejected.empty());
      for (const lab::LimitLine& line : got.lines) {
        CHECK_FALSE(line.value.empty());
        CHECK_FALSE(line.formula.empty());
        names.insert(line.name);
      }
      CHECK(names.size() == got.lines.size());  // the same attributes for all
    }
  }
}

TEST_CASE("limits: dumps that no profile may have") {
  lab::IdentifyDump dump = lab::identify_of(lab::load_device(root(), "qemu-7.2", {}));
  const auto of = [&](const char* kernel) {
    return lab::explain_limits(lab::load_kernel(root(), kernel), dump.view(), 2);
  };
  SECTION("a block that MDTS does not carry, with preferred sizes") {
    dump.controller.mdts = 1;
    dump.ns.lbaf[0].lbads = 14;
    dump.ns.flbas = 0;
    dump.ns.nsfeat = 0x14;
    dump.ns.nows = 7;
    const lab::LimitsReport got = of("linux-7.1");
    CHECK_FALSE(got.rejected.empty());
    CHECK(got.warnings.front().find("MDTS") != std::string::npos);
  }
  SECTION("without DMRSL a deallocate may be 2^32 sectors less one, as recorded of such a drive") {
    dump.dmrsl = 0;
    for (const char* kernel : {"linux-6.1", "linux-6.12"})
      CHECK(value(of(kernel), "discard_max_bytes") == "2199023255040");
  }
  SECTION("io_opt is cut down by a mask, whatever the physical block size is") {
    dump.ns.flbas = 0;
    dump.ns.lbaf[0].lbads = 12;
    dump.ns.nsfeat = 0x12;
    dump.ns.npwg = 7;
    dump.ns.nawupf = 4;
    dump.ns.nows = 31;
    CHECK(value(of("linux-6.12"), "physical_block_size") == "20480");
    CHECK(value(of("linux-6.12"), "optimal_io_size") == "131072");
  }
  SECTION("CNS 08h of a drive before 2.0 is not looked at") {
    dump.ns_independent.emplace();
    dump.ns_independent->nsfeat = 0x20;
    CHECK(value(of("linux-7.1"), "write_cache") == "write back");
  }
}
