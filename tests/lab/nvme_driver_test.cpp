// SPDX-License-Identifier: GPL-2.0-only
// The driver against the drive: the admin commands of a probe, and what a passthrough Set Features 06h sets off, in the
// order in which a real kernel sent them (6.12, stock and with the patch; a drive with timestamp and ELBAS).
#include <catch2/catch.hpp>
#include <sstream>

#include "hostmodel/nvme/passthru.hpp"
#include "lab/scenario/stack.hpp"
#include "lab/trace/jsonl.hpp"

using namespace flushlab;

namespace {

struct Rig {
  std::string trace;
  lab::Scenario scenario;
  std::unique_ptr<lab::Stack> stack;
  std::unique_ptr<lab::JsonlTrace> writer;

  Rig(const std::string& kernel, std::vector<std::string> sets) {
    const lab::ConfigRoot root(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
    const nlohmann::ordered_json tree = {{"name", "driver"},
                                         {"device", "generic-plp"},
                                         {"kernel", kernel},
                                         {"host", "cd6-v-host"},
                                         {"workload", {{"fio", "--name=a --rw=write --size=1M"}}}};
    for (const char* set : {"host.cpus=2", "device.identify.oncs=0x5c", "device.identify.ctratt=0x8000",
                            "device.identify.vwc=0x07", "device.write_cache.wce_default=true"}) {
      sets.insert(sets.begin(), set);
    }
    scenario = lab::parse_scenario(root, tree.dump(), "driver", sets).scenario;
    stack = std::make_unique<lab::Stack>(scenario);
    writer = std::make_unique<lab::JsonlTrace>([this](std::string_view lines) { trace += lines; });
    writer->attach(stack->host().pci().log(), "nvme0");
    writer->begin(0);
    stack->bring_up();
  }

  // The admin commands since the last call, in a short form: "id1", "log5", "get6", "set6=1", "cq1", "sq1".
  std::string admin() {
    writer->finish();
    std::string out;
    std::istringstream in(trace);
    for (std::string line; std::getline(in, line);) {
      const auto c = nlohmann::json::parse(line);
      if (c.at("qid") != 0) continue;
      const std::string op = c.at("op");
      const std::string args = c.at("args");
      const auto number = [&](const std::string& key) {
        return std::stoul(args.substr(args.find(key) + key.size()), nullptr, 0);
      };
      std::string word = op;
      if (op == "nvme_admin_identify") word = "id" + std::to_string(number("cns="));
      if (op == "nvme_admin_get_log_page") word = "log" + args.substr(args.find('=') + 2, 1);
      if (op == "nvme_admin_get_features") word = "get" + std::to_string(number("fid="));
      if (op == "nvme_admin_set_features") {
        word = "set" + std::to_string(number("fid="));
        if (number("fid=") == 6) word += "=" + std::to_string(number("cdw11="));
      }
      if (op == "nvme_admin_create_cq") word = "cq" + std::to_string(number("cqid="));
      if (op == "nvme_admin_create_sq") word = "sq" + std::to_string(number("sqid="));
      out += (out.empty() ? "" : " ") + word;
    }
    trace.clear();
    return out;
  }
  std::string mode() { return stack->ns().queue->write_cache_show(); }

  // Set Features 06h by ioctl. At its return: the mode, then everything that was still going on ends.
  std::string set_wce(std::uint32_t value) {
    std::string at_return;
    stack->run_to_end(toggle(*this, value, at_return));
    stack->simulator().events().run_until(stack->simulator().now() + sim::kSecond);
    return at_return;
  }
  static sim::Task<void> toggle(Rig& rig, std::uint32_t value, std::string& at_return) {
    co_await nvme::admin_ioctl(rig.stack->host(), spec::make_set_features(spec::FeatureId::kVolatileWriteCache, value),
                               {}, {"nvme", 1});
    at_return = rig.mode();
  }
};

const std::string kScan = "id6 id2 id3 id0 id0 id5";

}  // namespace

TEST_CASE("driver: the probe's admin commands, and the one that the patch adds") {
  Rig stock("nvme-7.4", {});
  CHECK(stock.admin() == "id1 log5 set14 set22 log2 set7 cq1 sq1 cq2 sq2 set11 " + kScan);
  CHECK(stock.mode() == "write back");
  Rig patched("nvme-7.4+honor-wce", {});
  CHECK(patched.admin() == "id1 log5 get6 set14 set22 log2 set7 cq1 sq1 cq2 sq2 set11 " + kScan);
  CHECK(patched.mode() == "write back");
  Rig no_cache("nvme-7.4+honor-wce", {"device.identify.vwc=0x06"});
  CHECK(no_cache.admin().find("get6") == std::string::npos);
  CHECK(no_cache.mode() == "write through");
  Rig no_log("nvme-7.4", {"device.identify.lpa=0x00"});
  CHECK(no_log.admin().find("log5") == std::string::npos);
  Rig newer("nvme-7.4", {"device.identify.ver=2.0.0"});
  CHECK(newer.admin().find("id6 id2 id3 id8 id0 id5") != std::string::npos);
}

TEST_CASE("driver: Get Features that fails is taken for an enabled cache, with a message") {
  Rig rig("nvme-7.4+honor-wce", {"device.write_cache.get_features=error", "device.write_cache.wce_default=false"});
  CHECK(rig.mode() == "write back");
  REQUIRE(rig.stack->host().messages().size() == 1);
  CHECK(rig.stack->host().messages()[0].find("assuming it is enabled") != std::string::npos);
}

TEST_CASE("driver: Set Features 06h by ioctl re-reads the feature and rescans; only enabling waits for the rescan") {
  Rig rig("nvme-7.4+honor-wce", {});
  rig.admin();
  CHECK(rig.set_wce(0) == "write back");  // returns before the scan has switched the namespace
  CHECK(rig.admin() == "set6=0 get6 " + kScan);
  CHECK(rig.mode() == "write through");
  CHECK(rig.set_wce(1) == "write back");  // returns after it
  CHECK(rig.admin() == "set6=1 get6 " + kScan);
  CHECK(rig.set_wce(1) == "write back");  // no shortcut without a change
  CHECK(rig.admin() == "set6=1 get6 " + kScan);
}

TEST_CASE("driver: what does not refresh the write-cache state") {
  SECTION("the unpatched kernel") {
    Rig rig("nvme-7.4", {});
    rig.admin();
    CHECK(rig.set_wce(0) == "write back");
    CHECK(rig.admin() == "set6=0");
    CHECK(rig.mode() == "write back");
  }
  SECTION("a drive without an effects log: the end hook does not run") {
    Rig rig("nvme-7.4+honor-wce", {"device.identify.lpa=0x00"});
    rig.admin();
    CHECK(rig.set_wce(0) == "write back");
    CHECK(rig.admin() == "set6=0");
    CHECK(rig.mode() == "write back");
  }
  SECTION("a Set Features that fails") {
    Rig rig("nvme-7.4+honor-wce", {"device.write_cache.set_features=error"});
    rig.admin();
    rig.set_wce(0);
    CHECK(rig.admin() == "set6=0");
  }
}

TEST_CASE("driver: a drive that lies about feature 06h is believed") {
  Rig always_off("nvme-7.4+honor-wce", {"device.write_cache.get_features=always_0"});
  CHECK(always_off.mode() == "write through");
  CHECK(always_off.stack->drive().cache().wce());  // the cache is on all the same
  Rig ignores("nvme-7.4+honor-wce", {"device.write_cache.set_features=ignored"});
  ignores.set_wce(0);
  CHECK(ignores.mode() == "write back");
}

TEST_CASE("driver: VWCNP, queue/write_cache and the rescan") {
  Rig vwcnp("nvme-7.4", {"device.identify.ver=2.0.0", "device.identify.vwcnp=true"});
  CHECK(vwcnp.mode() == "write through");
  Rig older("linux-6.12", {"device.identify.ver=2.0.0", "device.identify.vwcnp=true"});
  CHECK(older.mode() == "write back");
  Rig sysfs("nvme-7.4+honor-wce", {});
  CHECK(sysfs.stack->ns().queue->write_cache_store("write through") == 0);
  sysfs.set_wce(1);  // a rescan
  CHECK(sysfs.mode() == "write through");
  CHECK(sysfs.stack->ns().queue->limits().fua());
  sysfs.set_wce(0);
  CHECK(sysfs.stack->ns().queue->write_cache_store("write back") == 0);
  CHECK(sysfs.mode() == "write through");  // accepted, and nothing to switch on
}

TEST_CASE("driver: an admin command that hangs fails the probe, after its timeout") {
  for (const char* fault : {"admin 06h 1 hang", "admin 09h 1 hang", "admin 05h 2 hang", "admin 01h 1 hang"}) {
    CAPTURE(fault);
    CHECK_THROWS_AS(Rig("linux-6.12", {std::string("device.faults=") + fault}), lab::RunError);
  }
}
