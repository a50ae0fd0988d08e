// SPDX-License-Identifier: GPL-2.0-only
// The guest of a recording, rebuilt from the model: its drives, its kernel, and its programs run in virtual time.
//
// What is built comes from the header: the kernel profile from the kernel's version and driver, the drives from the
// `qemu-7.2` profile and the settings that the header names, the state before the first command from the queue limits
// and from what the drive answers in the recording. A program, option or setting that is not modelled is a NotModelled
// that names it; nothing is left out silently.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emulator/controller/controller.hpp"
#include "emulator/queue/door.hpp"
#include "hostmodel/dm/mapped_device.hpp"
#include "hostmodel/fio/job.hpp"
#include "hostmodel/kernel/machine.hpp"
#include "hostmodel/md/array.hpp"
#include "hostmodel/nvme/core.hpp"
#include "hostmodel/nvme/passthru.hpp"
#include "hostmodel/vfs/block_file.hpp"
#include "lab/check/oracle/recording.hpp"
#include "lab/check/oracle/shell.hpp"
#include "lab/scenario/scenario.hpp"

namespace flushlab::lab::oracle {

class NotModelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A command that the model sent, in the recordings' words.
struct ModelCommand {
  std::string disk;
  std::string op;
  std::string args;
  std::string task;
  std::uint64_t slba = 0;
  std::uint64_t nlb = 0;
  std::uint32_t nsid = 0;
  std::uint32_t status = 0;
  std::uint32_t result = 0;
  std::uint16_t qid = 0;
  bool fua = false;
  bool completed = false;
  bool meta = false;  // REQ_META: md's superblocks and bitmap pages
  std::uint64_t log_seq = 0;

  [[nodiscard]] bool has_range() const { return nlb != 0; }
};

// A fio command line of the recording, and what is certain of it.
struct FioRun {
  std::vector<fio::JobOptions> jobs;
  std::string device;  // the block device's name
  bool background = false;
};

// An array as a `mdadm --create` line asks for it.
struct ArrayCommand {
  std::string array;                 // "/dev/md0"
  std::vector<std::string> members;  // by slot
  md::CreateOptions options;
};

// What an array writes of its own to one member, "16+8" in the member's blocks.
struct MemberMetadata {
  std::set<std::string> units;  // pages of the bitmap and the superblock
  std::string superblock;
};

class Programs;

class Guest {
 public:
  // Throws NotModelled, ConfigError.
  // `group`: what earlier scenarios of the same boot set up.
  Guest(const ConfigRoot& root, const Recording& recording, const GroupSetup& group);
  ~Guest();
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  // Runs the recorded lines. Throws NotModelled, RunError.
  void run();

  [[nodiscard]] const std::vector<ModelCommand>& commands() const { return commands_; }
  // What each line printed, where the model knows it (cat of sysfs attributes, nvmeadm's state lines).
  [[nodiscard]] const std::deque<std::optional<std::vector<std::string>>>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<FioRun>& fio_runs() const { return fio_runs_; }
  // Of the fio runs that the recording covers.
  [[nodiscard]] std::vector<fio::JobResult> job_results() const;
  // Whether a direct I/O was larger than what is sure to fit one request, so that where it is cut depends on the
  // guest's memory.
  [[nodiscard]] bool has_large_direct_io() const { return large_direct_io_; }
  void note_direct_io(std::uint64_t size_bytes) {
    constexpr std::uint64_t kSegmentsOfOnePage = 127 * 4096;
    if (size_bytes > kSegmentsOfOnePage) large_direct_io_ = true;
  }
  [[nodiscard]] bool has_background() const { return has_background_; }
  // Queue limits as sysfs shows them, by block device: those attributes that the model has.
  [[nodiscard]] nlohmann::json queue_limits() const;
  [[nodiscard]] const nlohmann::json& queue_limits_before() const { return limits_before_; }
  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] block::BlockDevice* find_device(const std::string& name);
  [[nodiscard]] block::RequestQueue* find_queue(const std::string& name);  // of a drive's namespace
  // Whether the recording has an array, and the one that runs, by "/dev/md0".
  [[nodiscard]] bool has_arrays() const { return last_array_.has_value(); }
  [[nodiscard]] md::Array* find_array(const std::string& path);
  // What the arrays write of their own to a member; and what of the recorded writes to an array belongs on a member, as
  // ranges of blocks.
  [[nodiscard]] MemberMetadata metadata_of(const std::string& disk) const;
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> copies_of(const std::vector<RecordedBio>& bios,
                                                                               const std::string& disk) const;
  sim::FramePool& frames() { return simulator_->frames(); }

 private:
  friend class Programs;
  struct Drive {
    std::string name;  // "nvme0"
    media::DeviceProfile profile;
    std::unique_ptr<queue::Door> door;
    std::unique_ptr<controller::Controller> controller;
    std::unique_ptr<nvme::Ctrl> host;  // null: no driver loaded
    bool present = true;               // on the bus
  };
  struct Observer {
    Guest* guest;
    Drive* drive;
  };

  void build_drives(const ConfigRoot& root);
  void load_driver(Drive& drive);
  [[nodiscard]] std::vector<std::uint32_t> instances_of(const Drive& drive) const;
  void restore_state(const GroupSetup& group);
  void restore_array(const GroupSetup& group);
  void follow_names(std::vector<media::DeviceProfile>& profiles) const;
  [[nodiscard]] std::string with_sizes(std::string line);
  void retire_array(const std::string& path);
  [[nodiscard]] md::LayoutResult layout_of(const ArrayCommand& command);
  void check_setup() const;
  void check_devices() const;
  void create_mapped(const std::string& name, const std::string& table);
  void run_task(sim::Task<void> task, const char* what);
  void settle(sim::TimeNs for_ns);
  vfs::PageCache& page_cache(block::BlockDevice& device);
  static void on_issued(void* observer, const nvme::IssuedCommand& command);
  static void on_completed(void* observer, const nvme::CompletedCommand& command);

  const Recording* recording_;
  Scenario scenario_;  // of the first drive; kernel and host serve all
  std::unique_ptr<sim::Simulator> simulator_;
  queue::HostMemory memory_;
  std::unique_ptr<kernel::Machine> machine_;
  std::vector<std::unique_ptr<Drive>> drives_;
  std::vector<std::unique_ptr<nvme::Ctrl>>
      unloaded_;  // drivers that were removed; their objects may still be referred to
  std::deque<Observer> observers_;
  std::vector<std::unique_ptr<dm::MappedDevice>> mapped_;
  std::vector<std::unique_ptr<md::Array>> arrays_;
  std::vector<std::unique_ptr<md::Array>> stopped_;  // their threads may still end
  std::optional<ArrayCommand> last_array_;
  std::vector<std::string> own_disks_;  // what /dev/d0, /dev/d1, ... of the next mdadm line are called, by slot
  struct Cached {
    block::BlockDevice* device;
    std::unique_ptr<vfs::PageCache> cache;
  };
  std::vector<Cached> caches_;                // in the order in which the devices were opened first
  std::map<std::string, std::string> files_;  // small text files that the guest wrote
  std::vector<std::unique_ptr<fio::JobSet>> job_sets_;
  std::vector<ModelCommand> commands_;
  std::deque<std::optional<std::vector<std::string>>> outputs_;
  std::vector<FioRun> fio_runs_;
  nlohmann::json limits_before_;
  std::unique_ptr<Programs> programs_;  // background programs refer to it
  bool recording_now_ = false;
  bool has_background_ = false;
  bool large_direct_io_ = false;
  bool idle_ = true;
};

// The kernel profile's name for a kernel's version and driver. Throws NotModelled.
[[nodiscard]] std::string kernel_profile_of(const std::string& kernel, const std::string& driver);

}  // namespace flushlab::lab::oracle
