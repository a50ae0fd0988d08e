// SPDX-License-Identifier: GPL-2.0-only
// Arrays that run: the vectors of md's write path, as what is in flight together on all members.
//
// "4@16+8 | 2@264192+8": four commands of 8 sectors at sector 16, and when all are complete, two at 264192.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "hostmodel/block/bio_wait.hpp"
#include "hostmodel/vfs/block_file.hpp"
#include "lab/scenario/stack.hpp"

using namespace flushlab;

namespace {

constexpr std::uint64_t kPage1 = 4037516648;  // an array sector whose bit is in page 1

class ArrayRig {
 public:
  ArrayRig(const std::string& kernel, const std::vector<std::string>& sets, const char* array = "{}") {
    const lab::ConfigRoot root(std::string(FLUSHLAB_SOURCE_DIR) + "/configs");
    const nlohmann::ordered_json tree = {{"name", "array"},
                                         {"device", "solidigm-p5520"},
                                         {"kernel", kernel},
                                         {"host", "p5520-host"},
                                         {"array", nlohmann::json::parse(array)},
                                         {"workload", {{"fio", "--name=a --rw=write --size=1M"}}}};
    scenario_ = lab::parse_scenario(root, tree.dump(), "array", sets).scenario;
    stack_ = std::make_unique<lab::Stack>(scenario_);
    for (lab::Stack::Drive& drive : stack_->drives()) drive.host.pci().log().add_observer({this, &issued, &completed});
    stack_->bring_up();
    sim().events().run_until(sim().now() + sim::kMillisecond);
    shown_.clear();
  }
  sim::Simulator& sim() { return stack_->simulator(); }
  sim::FramePool& frames() { return sim().frames(); }
  md::Array& array() { return *stack_->array(); }

  // Bios to the array, all at once; until they are done.
  struct Io {
    std::uint64_t sector = 0;
    std::uint32_t sectors = 8;
    std::uint16_t flags = 0;
  };
  std::string run(const std::vector<Io>& ios) {
    shown_.clear();
    stack_->run_to_end(submit(*this, ios));
    return shown();
  }
  std::string wait(sim::TimeNs ns) {
    shown_.clear();
    sim().events().run_until(sim().now() + ns);
    return shown();
  }

 private:
  static sim::Task<void> submit(ArrayRig& rig, std::vector<Io> ios) {
    block::BioGroup group(rig.sim(), 0);
    block::Plug plug(rig.scenario_.kernel);
    std::vector<block::Bio> bios(ios.size());
    for (std::size_t i = 0; i < ios.size(); ++i) {
      bios[i].flags = ios[i].flags;
      bios[i].sector = ios[i].sector;
      bios[i].sectors = ios[i].sectors;
      bios[i].task = "task";
      bios[i].plug = ios.size() > 1 ? &plug : nullptr;
      if (ios[i].sectors != 0)
        bios[i].buffer =
            rig.stack_->memory().allocate(std::uint64_t{ios[i].sectors} * 512, queue::HostMemory::Kind::kWriteIds);
      group.submit(rig.array(), bios[i]);
    }
    plug.finish();
    co_await group;
  }
  static void issued(void* object, const nvme::IssuedCommand& command) {
    auto& rig = *static_cast<ArrayRig*>(object);
    if (command.qid == 0) return;
    if (rig.in_flight_++ == 0 || rig.shown_.empty()) rig.shown_.emplace_back();
    const block::Request& request = *command.request;
    const bool flush = request.kind == block::Request::Kind::kFlush;
    const bool fua = (request.flags & block::REQ_FUA) != 0;
    ++rig.shown_.back()[flush ? "F" : fmt::format("{}+{}{}", request.sector, request.sectors, fua ? "!" : "")];
  }
  static void completed(void* object, const nvme::CompletedCommand& command) {
    if (command.qid != 0) --static_cast<ArrayRig*>(object)->in_flight_;
  }
  [[nodiscard]] std::string shown() const {
    std::string out;
    for (const auto& flight : shown_) {
      std::string group;
      for (const auto& [what, count] : flight) group += fmt::format("{}{}@{}", group.empty() ? "" : " ", count, what);
      out += (out.empty() ? "" : " | ") + group;
    }
    return out;
  }

  lab::Scenario scenario_;
  std::unique_ptr<lab::Stack> stack_;
  std::vector<std::map<std::string, int>> shown_;
  std::uint64_t in_flight_ = 0;
};

const std::string kRound = "4@16+8 | 4@8+1 | ";  // the events round of the first write

}  // namespace

TEST_CASE("md array: one write at a time, by bit and by copy (vectors 1 to 5, 9, 11)") {
  for (const char* kernel : {"linux-6.1", "linux-6.8", "linux-6.12", "nvme-7.4"}) {
    CAPTURE(kernel);
    ArrayRig rig(kernel, {"device.identify.nows=0", "device.identify.nsfeat=0"});
    CHECK(rig.run({{0}}) == kRound + "4@16+8 | 2@264192+8");  // vector 14: the round does not hold the new bit
    CHECK(rig.run({{0}}) == "2@264192+8");
    CHECK(rig.run({{1024}}) == "2@264192+8");
    CHECK(rig.run({{230164560}}) == "4@16+8 | 2@115346512+8");
    CHECK(rig.run({{kPage1}}) == "4@24+7 | 2@2019022184+8");
    CHECK(rig.run({{4026531832}}) == "4@16+8 | 2@2013530104+8");
    CHECK(rig.run({{4026531840}}) == "4@24+7 | 2@2013530112+8");
    CHECK(rig.run({{7500967928}}) == "4@24+7 | 2@3750748152+8");
    CHECK(rig.array().bitmap()->bit(57227));
  }
}

TEST_CASE("md array: the last page's write in each kernel (vectors 6, 7)") {
  struct Row {
    const char* kernel;
    unsigned nows;
    const char* write;
  };
  for (const Row& row :
       {Row{"linux-6.1", 7, "4@24+7"}, Row{"linux-6.1+md-optimal-v2", 7, "4@24+8"}, Row{"linux-6.8", 7, "4@24+8"},
        Row{"linux-6.12", 7, "4@24+8"}, Row{"linux-6.8", 31, "4@24+32"}, Row{"linux-6.12", 31, "4@24+8"}}) {
    CAPTURE(row.kernel, row.nows);
    ArrayRig rig(row.kernel, {fmt::format("device.identify.nows={}", row.nows)});
    CHECK(rig.run({{kPage1}}) == kRound + row.write + " | 2@2019022184+8");
  }
}

TEST_CASE("md array: writes of one plug share a barrier (vectors 10, 12, 13)") {
  for (const char* kernel : {"linux-6.1", "linux-6.12"}) {
    CAPTURE(kernel);
    ArrayRig rig(kernel, {"device.identify.nows=0", "device.identify.nsfeat=0"});
    rig.run({{2048}});
    CHECK(rig.run({{131072}, {262144}}) == "4@16+8 | 2@329728+8 2@395264+8");
    // Both pages: one command on a member without a volatile cache, where the submitter's plug holds them.
    CHECK(rig.run({{1310720}, {kPage1}}) == "4@16+15 | 2@2019022184+8 2@919552+8");
  }
}

TEST_CASE("md array: idle, the daemon's passes (vectors 15, 16)") {
  for (const char* kernel : {"linux-6.1", "linux-6.12"}) {
    CAPTURE(kernel);
    ArrayRig rig(kernel, {"device.identify.nows=0", "device.identify.nsfeat=0"});
    rig.run({{0}});
    CHECK(rig.wait(500 * sim::kMillisecond) == "4@16+8 | 4@8+1");  // clean again
    CHECK(rig.array().clean());
    CHECK(rig.wait(5300 * sim::kMillisecond) == "4@16+8");  // events_cleared
    CHECK(rig.wait(5120 * sim::kMillisecond) == "");        // 1 to 0, in memory
    CHECK(rig.wait(5120 * sim::kMillisecond) == "4@16+8");  // the cleared bit
    CHECK(rig.wait(100 * sim::kSecond) == "");
    CHECK(rig.array().bitmap()->bits_set() == 0);
    rig.run({{kPage1}});
    CHECK(rig.wait(500 * sim::kMillisecond) == "4@16+8 | 4@8+1");
    CHECK(rig.wait(5300 * sim::kMillisecond) == "4@16+8");
    CHECK(rig.wait(5120 * sim::kMillisecond) == "");
    CHECK(rig.wait(5120 * sim::kMillisecond) == "4@24+7");
  }
}

TEST_CASE("md array: flushes and FUA (vectors 24, 25, 28)") {
  const std::vector<std::string> cached = {"device.identify.vwc=0x07", "device.write_cache.wce_default=true",
                                           "device.identify.nows=0", "device.identify.nsfeat=0"};
  for (const char* kernel : {"linux-6.1", "linux-6.12"}) {
    CAPTURE(kernel);
    ArrayRig plain(kernel, {"device.identify.nows=0", "device.identify.nsfeat=0"});
    CHECK(plain.run({{0, 0, block::REQ_PREFLUSH}}) == "");  // members without a cache: no command
    ArrayRig rig(kernel, cached);
    CHECK(rig.run({{0, 0, block::REQ_PREFLUSH}}) == "4@F");
    rig.run({{0}});
    CHECK(rig.run({{0, 8, block::REQ_FUA}}) == "2@264192+8!");
  }
  ArrayRig shared("linux-6.1", cached);
  shared.run({{1024}});
  CHECK(shared.run({{230164560, 8, block::REQ_PREFLUSH | block::REQ_FUA}}) == "4@F | 4@F | 4@16+8! | 2@115346512+8!");
}

TEST_CASE("md array: a member fails (vector 20)") {
  for (const char* kernel : {"linux-6.1", "linux-6.12"}) {
    CAPTURE(kernel);
    ArrayRig rig(kernel, {"device.identify.nows=0", "device.identify.nsfeat=0"});
    rig.run({{0}});
    rig.array().fail_member(3);
    CHECK(rig.wait(sim::kMillisecond * 3) == "3@16+8 | 3@8+1 | 3@16+8 | 3@8+1");
    CHECK(rig.run({{230165584}}) == "3@16+8 | 1@115346512+8");  // the other pair: its second copy is gone
    CHECK(rig.array().bitmap()->needed(1756));
    rig.run({{131072}});
    CHECK(rig.array().bitmap()->needed(1) ==
          (std::string(kernel) == "linux-6.12"));  // both copies written all the same
    rig.wait(60 * sim::kSecond);
    CHECK(rig.array().bitmap()->bit(1756));
    CHECK(rig.array().bitmap()->bit(1) == (std::string(kernel) == "linux-6.12"));
  }
}

TEST_CASE("md array: a new array sets no bits for ten seconds (vector 29)") {
  ArrayRig rig("linux-6.12", {"device.identify.nows=0", "device.identify.nsfeat=0"}, R"({"fresh": true})");
  CHECK(rig.run({{kPage1}}) == kRound + "2@2019022184+8");
  rig.wait(30 * sim::kSecond);
  CHECK(rig.array().bitmap()->bits_set() == 0);
}

TEST_CASE("md array: RAID1 and one page (vector 21)") {
  const char* raid1 = R"({"level": 1, "raid_devices": 2})";
  ArrayRig old("linux-6.1", {"device.identify.size=100GiB"}, raid1);
  CHECK(old.run({{0}}).starts_with("2@16+1 | 2@8+1 | 2@16+1 | 2@"));
  ArrayRig newer("linux-6.12", {"device.identify.size=100GiB"}, raid1);
  CHECK(newer.run({{0}}).starts_with("2@16+8 | 2@8+1 | 2@16+8 | 2@"));
}

TEST_CASE("md array: data never overtakes its bit, over random loads (I1 at the host)") {
  for (const char* kernel : {"linux-6.1", "linux-6.12"}) {
    ArrayRig rig(kernel, {});
    std::uint64_t state = 7;
    for (int i = 0; i < 200; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const std::uint64_t sector = (state >> 20) % 7500967000ULL / 8 * 8;
      const bool known = rig.array().bitmap()->bit(sector / 131072);
      const std::string wire = rig.run({{sector}});
      CAPTURE(kernel, wire);
      // A bit that was not set costs one flight of page writes before the data.
      CHECK((wire.find(" | 2@") != std::string::npos) == (!known || wire.starts_with(kRound)));
    }
  }
}
