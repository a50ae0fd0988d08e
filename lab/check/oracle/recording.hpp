// SPDX-License-Identifier: GPL-2.0-only
// Recordings of a real kernel: what it sent to its drives, command by command, while a guest ran some programs.
//
// A scenario NAME is three files of one folder: NAME.json (the header: kernel, drives, guest commands, queue limits,
// marks), NAME.jsonl (the NVMe commands in issue order) and NAME.bio.jsonl (the bios that were queued to any block
// device). NAME.fsync.jsonl (the fsync calls) is optional. `ev` and `cev` are places in one order that commands,
// completions and bios share; times are not read, for they mean nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace flushlab::lab::oracle {

// A file that is missing, cut off or not in the format: names the file, the line and what was expected.
class RecordingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RecordedCommand {
  std::uint64_t seq = 0;
  std::uint64_t ev = 0;
  std::optional<std::uint64_t> cev;  // no completion was seen
  std::string disk;                  // nvme0n1, or nvme0 for admin commands
  std::string op;                    // write, read, flush, dsm, write_zeroes, ..., nvme_admin_identify, ...
  std::string args;                  // what the trace shows of a command without slba
  std::string task;
  std::string rwbs;  // empty: a passthrough command of old kernels, or none recorded
  std::uint64_t slba = 0;
  std::uint64_t nlb = 0;  // not 0's based
  std::uint64_t bytes = 0;
  std::uint32_t nsid = 0;
  std::uint32_t status = 0;  // SCT, SC and DNR, without the phase
  std::uint64_t result = 0;  // DW0; of a Fabrics Property Get DW0 and DW1
  std::uint16_t qid = 0;
  std::uint16_t cpu = 0;
  bool fua = false;

  [[nodiscard]] bool admin() const { return qid == 0; }
  [[nodiscard]] bool has_range() const { return nlb != 0; }
};

struct RecordedBio {
  std::uint64_t ev = 0;
  std::string device;
  std::string rwbs;
  std::string task;
  std::uint64_t sector = 0;
  std::uint32_t sectors = 0;
  std::uint16_t cpu = 0;

  [[nodiscard]] bool preflush() const { return !rwbs.empty() && rwbs.front() == 'F'; }
  [[nodiscard]] char op() const { return rwbs.empty() ? '?' : rwbs[preflush() ? 1 : 0]; }
  [[nodiscard]] bool fua() const { return rwbs.find('F', preflush() ? 2 : 1) != std::string::npos; }
};

struct RecordedFsync {
  std::uint64_t enter_ev = 0;
  std::optional<std::uint64_t> exit_ev;
  bool flush = false;  // it queued a flush bio
  std::string device;
};

struct RecordedMark {
  std::uint64_t ev = 0;
  std::uint64_t at_seq = 0;
  std::string text;
};

// A line of the guest's shell, and what it printed where the header keeps that.
struct GuestLine {
  std::string text;
  std::optional<std::vector<std::string>> output;
};

struct Recording {
  std::string group;
  std::string name;
  std::filesystem::path header_path;
  std::string kernel;  // uname -r
  std::string driver;  // empty: the kernel's own
  std::uint16_t vcpus = 2;
  nlohmann::json drives;  // array of objects
  std::string emulator_edit;
  std::string qemu_extra;
  std::vector<std::string> setup;
  std::vector<GuestLine> lines;
  nlohmann::json queue_limits;        // by block device, before
  nlohmann::json queue_limits_after;  // the same, where it changed
  std::vector<RecordedMark> marks;
  std::vector<RecordedCommand> commands;
  std::vector<RecordedBio> bios;
  std::vector<RecordedFsync> fsyncs;
  bool lost_events = false;

  // hctx of a CPU for a block device, from the header; nullopt: the header does not say.
  [[nodiscard]] std::optional<std::uint16_t> hctx_of(const std::string& device, std::uint16_t cpu) const;
};

// One scenario. Throws RecordingError.
[[nodiscard]] Recording load_recording(const std::filesystem::path& header);

// The headers below a folder: of the folder itself, or of the folders in it, by group and name. Throws RecordingError
// when there is none.
[[nodiscard]] std::vector<std::filesystem::path> find_recordings(const std::filesystem::path& directory);

// What one boot of the guest keeps over its scenarios, by scenario name: the setup lines (dmsetup) of every scenario in
// the folder, and the `mdadm --create` lines among their commands.
struct ArrayLine {
  std::string scenario;
  std::string text;
  bool in_setup = false;           // ran before the scenario's own commands
  std::vector<std::string> disks;  // nvme3n1, ...: those that mdadm wrote to, in order, which is by slot
};
struct GroupSetup {
  std::vector<std::string> setup;
  std::vector<ArrayLine> arrays;
};
[[nodiscard]] GroupSetup setup_of_group(const std::filesystem::path& directory);

}  // namespace flushlab::lab::oracle
