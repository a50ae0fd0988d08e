// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace flushlab::lab::oracle {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

// Reads members of one JSON object; what is wrong is reported with the place.
class Fields {
 public:
  Fields(const json& object, std::string place) : object_(&object), place_(std::move(place)) {
    if (!object.is_object()) throw RecordingError(fmt::format("{}: expected a JSON object", place_));
  }

  [[nodiscard]] bool has(const char* key) const { return object_->contains(key); }
  [[nodiscard]] const json& at(const char* key) const {
    const auto it = object_->find(key);
    if (it == object_->end()) throw RecordingError(fmt::format("{}: \"{}\" is missing", place_, key));
    return *it;
  }
  [[nodiscard]] std::string text(const char* key) const {
    const json& value = at(key);
    if (!value.is_string()) throw RecordingError(fmt::format("{}: \"{}\" is a string", place_, key));
    return value.get<std::string>();
  }
  [[nodiscard]] std::string text_or(const char* key, const std::string& fallback) const {
    return has(key) ? text(key) : fallback;
  }
  template <typename T>
  [[nodiscard]] T number(const char* key) const {
    const json& value = at(key);
    if (!value.is_number_integer() || (value.is_number_integer() && !value.is_number_unsigned() && value < 0))
      throw RecordingError(fmt::format("{}: \"{}\" is a number from 0", place_, key));
    const auto wide = value.get<std::uint64_t>();
    if (wide > std::numeric_limits<T>::max())
      throw RecordingError(fmt::format("{}: \"{}\": {} is too large", place_, key, wide));
    return static_cast<T>(wide);
  }
  template <typename T>
  [[nodiscard]] T number_or(const char* key, T fallback) const {
    return has(key) ? number<T>(key) : fallback;
  }
  [[nodiscard]] const std::string& place() const { return place_; }

 private:
  const json* object_;
  std::string place_;
};

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw RecordingError(fmt::format("{}: cannot be read", path.string()));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

template <typename F>
void for_each_line(const fs::path& path, F&& take) {
  const std::string text = read_file(path);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', begin);
    const std::string place = fmt::format("{}:{}", path.string(), number);
    if (end == std::string::npos)
      throw RecordingError(fmt::format("{}: the last line has no end; the recording was cut off", place));
    const json line = json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                  text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (line.is_discarded()) throw RecordingError(fmt::format("{}: not a JSON object", place));
    take(Fields(line, place));
    begin = end + 1;
  }
}

RecordedCommand command_of(const Fields& f, std::size_t expected_seq) {
  RecordedCommand c;
  c.seq = f.number<std::uint64_t>("seq");
  if (c.seq != expected_seq)
    throw RecordingError(fmt::format("{}: seq {} where {} comes next; lines are missing or out of order", f.place(),
                                     c.seq, expected_seq));
  c.ev = f.number<std::uint64_t>("ev");
  if (f.has("cev")) c.cev = f.number<std::uint64_t>("cev");
  c.disk = f.text("disk");
  c.qid = f.number<std::uint16_t>("qid");
  c.op = f.text("op");
  c.args = f.text_or("args", "");
  c.task = f.text("task");
  c.rwbs = f.text_or("rwbs", "");
  c.slba = f.number_or<std::uint64_t>("slba", 0);
  c.nlb = f.number_or<std::uint64_t>("nlb", 0);
  c.bytes = f.number_or<std::uint64_t>("bytes", 0);
  c.nsid = f.number<std::uint32_t>("nsid");
  c.cpu = f.number<std::uint16_t>("cpu");
  c.fua = f.number_or<std::uint32_t>("fua", 0) != 0;
  c.status = f.number_or<std::uint32_t>("status", 0);
  if (f.has("res")) {
    const std::string text = f.text("res");
    const char* digits = text.c_str() + (text.starts_with("0x") ? 2 : 0);
    const char* end = text.c_str() + text.size();
    const auto [stop, error] = std::from_chars(digits, end, c.result, 16);
    if (error != std::errc() || stop != end)
      throw RecordingError(fmt::format("{}: \"res\": '{}' is not a hexadecimal number", f.place(), text));
  }
  return c;
}

std::vector<std::string> strings(const json& array, const std::string& place) {
  std::vector<std::string> all;
  if (!array.is_array()) throw RecordingError(fmt::format("{}: expected a list of lines", place));
  for (const json& line : array) {
    if (!line.is_string()) throw RecordingError(fmt::format("{}: expected a list of lines", place));
    all.push_back(line.get<std::string>());
  }
  return all;
}

// The output of each command: from "+ command" up to "rc=".
void assign_output(const json& output, std::vector<GuestLine>& lines, const std::string& place) {
  std::size_t next = 0;
  GuestLine* open = nullptr;
  for (const std::string& line : strings(output, place + ": output")) {
    if (open == nullptr) {
      if (next < lines.size() && line == "+ " + lines[next].text) {
        open = &lines[next++];
        open->output.emplace();
      }
    } else if (line.starts_with("rc=")) {
      open = nullptr;
    } else {
      open->output->push_back(line);
    }
  }
}

}  // namespace

std::optional<std::uint16_t> Recording::hctx_of(const std::string& device, std::uint16_t cpu) const {
  for (const json* limits : {&queue_limits, &queue_limits_after}) {
    const auto found = limits->find(device);
    if (found == limits->end() || !found->is_object()) continue;
    for (const auto& [key, value] : found->items()) {
      if (!key.starts_with("hctx") || !key.ends_with("_cpus") || !value.is_string()) continue;
      std::istringstream cpus(value.get<std::string>());
      for (std::string one; std::getline(cpus, one, ',');) {
        if (std::strtoul(one.c_str(), nullptr, 10) == cpu)
          return static_cast<std::uint16_t>(std::strtoul(key.c_str() + 4, nullptr, 10));
      }
    }
  }
  return std::nullopt;
}

Recording load_recording(const fs::path& header) {
  const json tree = json::parse(read_file(header), nullptr, false);
  if (tree.is_discarded()) throw RecordingError(fmt::format("{}: not JSON; the header was cut off", header.string()));
  const Fields f(tree, header.string());
  Recording r;
  r.header_path = header;
  r.group = header.parent_path().filename().string();
  r.name = f.text("scenario");
  r.kernel = f.text("kernel");
  r.driver = f.text_or("driver", "");
  r.vcpus = f.number<std::uint16_t>("vcpus");
  if (r.vcpus == 0 || r.vcpus > 1024) throw RecordingError(fmt::format("{}: \"vcpus\" is 1 to 1024", header.string()));
  r.drives = f.at("drives");
  if (!r.drives.is_array() || r.drives.empty())
    throw RecordingError(fmt::format("{}: \"drives\" is a list of drives", header.string()));
  r.emulator_edit = f.text_or("emulator_edit", "");
  r.qemu_extra = f.text_or("qemu_extra", "");
  if (f.has("setup")) r.setup = strings(f.at("setup"), header.string() + ": setup");
  for (const std::string& line : strings(f.at("commands"), header.string() + ": commands"))
    r.lines.push_back({line, std::nullopt});
  if (f.has("output")) assign_output(f.at("output"), r.lines, header.string());
  r.queue_limits = f.has("queue_limits") ? f.at("queue_limits") : json::object();
  r.queue_limits_after = f.has("queue_limits_after") ? f.at("queue_limits_after") : json::object();
  r.lost_events = f.has("trace_lost_events") && f.at("trace_lost_events") == true;
  if (f.has("marks")) {
    for (const json& mark : f.at("marks")) {
      const Fields m(mark, header.string() + ": marks");
      r.marks.push_back({m.number_or<std::uint64_t>("ev", 0), m.number_or<std::uint64_t>("at_seq", 0), m.text("mark")});
    }
  }
  const fs::path stem = header.parent_path() / header.stem();
  for_each_line(stem.string() + ".jsonl",
                [&](const Fields& line) { r.commands.push_back(command_of(line, r.commands.size())); });
  for_each_line(stem.string() + ".bio.jsonl", [&](const Fields& line) {
    r.bios.push_back({line.number<std::uint64_t>("ev"), line.text("dev"), line.text("rwbs"), line.text("task"),
                      line.number<std::uint64_t>("sector"), line.number<std::uint32_t>("sectors"),
                      line.number<std::uint16_t>("cpu")});
  });
  const fs::path fsync_path = stem.string() + ".fsync.jsonl";
  if (fs::exists(fsync_path)) {
    for_each_line(fsync_path, [&](const Fields& line) {
      RecordedFsync call;
      call.enter_ev = line.number<std::uint64_t>("ev");
      if (line.has("xev")) call.exit_ev = line.number<std::uint64_t>("xev");
      call.flush = line.number_or<std::uint32_t>("flush", 0) != 0;
      call.device = line.text_or("dev", "");
      r.fsyncs.push_back(call);
    });
  }
  if (tree.contains("counts") && tree["counts"].is_object() && tree["counts"].contains("total")) {
    const json& total = tree["counts"]["total"];
    std::uint64_t expected = 0;
    for (const char* kind : {"writes", "reads", "flushes", "dsm", "write_zeroes", "other"})
      expected += total.value(kind, std::uint64_t{0});
    if (expected != r.commands.size()) {
      throw RecordingError(fmt::format("{}.jsonl: {} commands, the header counts {}; the recording was cut off",
                                       stem.string(), r.commands.size(), expected));
    }
  }
  return r;
}

std::vector<fs::path> find_recordings(const fs::path& directory) {
  if (!fs::is_directory(directory))
    throw RecordingError(fmt::format("{}: not a folder; name a folder of recordings", directory.string()));
  std::vector<fs::path> found;
  const auto add = [&](const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".json" || !entry.is_regular_file()) continue;
      if (fs::exists(folder / (entry.path().stem().string() + ".jsonl")) ||
          fs::exists(folder / (entry.path().stem().string() + ".bio.jsonl")))
        found.push_back(entry.path());
    }
  };
  add(directory);
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_directory()) add(entry.path());
  }
  if (found.empty())
    throw RecordingError(fmt::format(
        "{}: no recording in it; one is NAME.json with NAME.jsonl and NAME.bio.jsonl beside it", directory.string()));
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

// Names that do not follow the drives' order (/dev/d0) are told from the order in which mdadm writes.
std::vector<std::string> disks_of_mdadm(const fs::path& header) {
  std::vector<std::string> disks;
  std::ifstream in(fs::path(header).replace_extension(".jsonl"));
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"mdadm\"") == std::string::npos || line.find("\"write\"") == std::string::npos) continue;
    const json command = json::parse(line, nullptr, false);
    if (!command.is_object() || command.value("task", "") != "mdadm" || command.value("op", "") != "write") continue;
    const std::string disk = command.value("disk", "");
    if (std::find(disks.begin(), disks.end(), disk) == disks.end()) disks.push_back(disk);
  }
  return disks;
}

}  // namespace

GroupSetup setup_of_group(const fs::path& directory) {
  std::vector<fs::path> headers;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".json") headers.push_back(entry.path());
  }
  std::sort(headers.begin(), headers.end());
  GroupSetup group;
  for (const fs::path& header : headers) {
    const json tree = json::parse(read_file(header), nullptr, false);
    if (!tree.is_object()) continue;
    for (const char* key : {"setup", "commands"}) {
      if (!tree.contains(key) || !tree[key].is_array()) continue;
      for (const json& line : tree[key]) {
        if (!line.is_string()) continue;
        const std::string text = line.get<std::string>();
        if (text.starts_with("mdadm --create")) {
          const bool in_setup = std::string_view(key) == "setup";
          group.arrays.push_back({header.stem().string(), text, in_setup, disks_of_mdadm(header)});
        } else if (std::string_view(key) == "setup") {
          group.setup.push_back(text);
        }
      }
    }
  }
  return group;
}

}  // namespace flushlab::lab::oracle
