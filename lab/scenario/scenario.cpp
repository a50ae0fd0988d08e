// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "emulator/media/profile_text.hpp"
#include "hostmodel/fio/job_file.hpp"
#include "lab/scenario/profiles.hpp"
#include "lab/scenario/resolve.hpp"
#include "lab/scenario/tables.hpp"
#include "lab/scenario/units.hpp"
#include "lab/scenario/validate.hpp"

namespace flushlab::lab {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string_view> kScenarioKeys = {"name", "description", "seed",  "device",  "kernel",
                                                     "host", "array",       "setup", "workload"};
const std::vector<std::string_view> kWorkloadKeys = {"fio", "fio_job", "fio_file", "fio_version", "nvme_cli"};

// Reads the parts of a scenario out of its resolved document.
class Reader {
 public:
  Reader(const ConfigRoot& root, const Document& document, fs::path folder, std::vector<std::string> fio_options)
      : root_(root), document_(document), folder_(std::move(folder)), fio_options_(std::move(fio_options)) {}

  Scenario read() {
    const Json& tree = document_.tree;
    for (const auto& [key, unused] : tree.items()) {
      if (std::find(kScenarioKeys.begin(), kScenarioKeys.end(), key) == kScenarioKeys.end()) {
        fail(at(pointer_step(key)), "unknown key", suggest(key, kScenarioKeys));
      }
    }
    Scenario scenario;
    scenario.name = text("/name", "unnamed");
    scenario.description = text("/description", "");
    if (tree.contains("seed")) scenario.seed = number("/seed", 0, ~std::uint64_t{0});
    read_struct(device_table(), &scenario.device, document_, "/device");
    validate_device(scenario.device, document_, "/device");
    read_struct(kernel_table(), &scenario.kernel, document_, "/kernel");
    read_struct(host_table(), &scenario.host, document_, "/host");
    validate_host(scenario.host, document_, "/host");
    cpus_ = scenario.host.cpus;
    lba_bytes_ = scenario.device.identify.lba_bytes;
    std::string error;
    if (const auto more = media::parse_namespace_sizes(scenario.device.identify.more_namespaces, error))
      namespaces_ = static_cast<std::uint32_t>(more->size()) + 1;
    if (tree.contains("array")) scenario.array = array(scenario.device);
    if (tree.contains("setup")) scenario.setup = setup();
    if (!tree.contains("workload"))
      fail(at(""), "\"workload\" is missing",
           R"(give one, such as {"fio": "--name=a --rw=randwrite --fsync=1 --size=1g"})");
    scenario.workload = workload();
    return scenario;
  }

 private:
  [[nodiscard]] Place at(const std::string& pointer) const { return document_.places.at(pointer); }
  [[nodiscard]] const Json& node(const std::string& pointer) const {
    return document_.tree.at(Json::json_pointer(pointer));
  }
  [[nodiscard]] bool has(const std::string& pointer) const {
    return document_.tree.contains(Json::json_pointer(pointer));
  }

  std::string text(const std::string& pointer, const char* otherwise) const {
    if (!has(pointer)) return otherwise;
    if (!node(pointer).is_string()) fail(at(pointer), "expected a text, not " + describe(node(pointer)));
    return node(pointer).get<std::string>();
  }
  std::uint64_t number(const std::string& pointer, std::uint64_t least, std::uint64_t most) const {
    const Json& value = node(pointer);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most) {
      fail(at(pointer), "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                            ", not " + describe(value));
    }
    return value.get<std::uint64_t>();
  }
  // An object with these keys and no others.
  void keys_of(const std::string& pointer, const std::vector<std::string_view>& keys) const {
    if (!node(pointer).is_object()) fail(at(pointer), "expected an object, not " + describe(node(pointer)));
    for (const auto& [key, unused] : node(pointer).items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        fail(at(pointer + pointer_step(key)), "unknown key", suggest(key, keys));
    }
  }

  std::vector<SetupStep> setup() const {
    const Json& list = node("/setup");
    if (!list.is_array()) fail(at("/setup"), "expected a list of steps, not " + describe(list));
    std::vector<SetupStep> steps;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string step = "/setup/" + std::to_string(i);
      keys_of(step, {"set_feature", "write_cache"});
      if (node(step).size() != 1)
        fail(at(step), "a step does one thing",
             R"(write {"set_feature": {"fid": 6, "value": 1}} or {"write_cache": "write through"})");
      if (has(step + "/set_feature")) {
        const std::string feature = step + "/set_feature";
        keys_of(feature, {"fid", "value"});
        if (!has(feature + "/fid") || !has(feature + "/value"))
          fail(at(feature), "\"fid\" and \"value\" are both needed");
        steps.emplace_back(SetFeature{static_cast<std::uint8_t>(number(feature + "/fid", 1, 255)),
                                      static_cast<std::uint32_t>(number(feature + "/value", 0, 0xFFFFFFFF))});
      } else {
        const std::string value = text(step + "/write_cache", "");
        if (value != "write back" && value != "write through") {
          fail(at(step + "/write_cache"), "\"" + value + "\" is not a write cache mode",
               R"(write "write back" or "write through")");
        }
        steps.emplace_back(SysfsWriteCache{value});
      }
    }
    return steps;
  }

  ArrayConfig array(const media::DeviceProfile& device) const {
    ArrayConfig config;
    read_struct(array_table(), &config, document_, "/array");
    std::string error;
    const md::CreateOptions options = config.options(error);
    if (!error.empty()) fail(at("/array"), error);
    if (options.level != md::Level::kRaid1 && options.level != md::Level::kRaid10)
      fail(at("/array/level"), fmt::format("an array of level {} is not run", config.level), "1 or 10");
    if (options.bitmap == md::BitmapKind::kExternal || options.bitmap == md::BitmapKind::kClustered)
      fail(at("/array/bitmap"), "an array with this bitmap is not run", "internal or none");
    const md::LayoutResult made = md::create_layout(options, members_of(config, device));
    if (!made.layout) fail(at("/array"), made.error, made.remedy);
    return config;
  }

  Workload workload() const {
    keys_of("/workload", kWorkloadKeys);
    int kinds = 0;
    for (const char* kind : {"/workload/fio", "/workload/fio_job", "/workload/fio_file", "/workload/nvme_cli"})
      kinds += has(kind) ? 1 : 0;
    if (kinds != 1) fail(at("/workload"), "expected exactly one of \"fio\", \"fio_job\", \"fio_file\", \"nvme_cli\"");
    if (has("/workload/nvme_cli")) {
      if (!fio_options_.empty())
        fail(Place{"--set workload.fio." + fio_options_.front(), "", true}, "the workload is not a fio job");
      return nvme_cli();
    }
    return fio_workload();
  }

  NvmeCliWorkload nvme_cli() const {
    const std::string base = "/workload/nvme_cli";
    keys_of(base, {"verb", "count", "start_block", "block_count", "data_size", "fua"});
    NvmeCliWorkload cli;
    const std::string verb = text(base + "/verb", "");
    if (verb != "flush" && verb != "write")
      fail(at(has(base + "/verb") ? base + "/verb" : base), "expected the verb \"flush\" or \"write\"");
    cli.verb = verb == "flush" ? NvmeCliWorkload::Verb::kFlush : NvmeCliWorkload::Verb::kWrite;
    if (has(base + "/count")) cli.count = number(base + "/count", 1, 1'000'000'000);
    if (has(base + "/start_block")) cli.start_block = number(base + "/start_block", 0, ~std::uint64_t{0});
    if (has(base + "/block_count"))
      cli.block_count = static_cast<std::uint16_t>(number(base + "/block_count", 0, 65535));
    if (has(base + "/data_size")) {
      try {
        cli.data_size_bytes = parse_size_bytes(text(base + "/data_size", ""));
      } catch (const UnitError& error) {
        fail(at(base + "/data_size"), error.message, error.remedy);
      }
    }
    if (has(base + "/fua")) {
      if (!node(base + "/fua").is_boolean())
        fail(at(base + "/fua"), "expected true or false, not " + describe(node(base + "/fua")));
      cli.fua = node(base + "/fua").get<bool>();
    }
    return cli;
  }

  FioWorkload fio_workload() const {
    FioWorkload workload;
    const std::string version = text("/workload/fio_version", "new");
    if (version != "new" && version != "3.33")
      fail(at("/workload/fio_version"), "unknown fio version \"" + version + "\"", R"(use "new" or "3.33")");
    workload.version = version == "new" ? fio::FioVersion::kNew : fio::FioVersion::k3_33;
    fio::JobFileContext context;
    context.settings.version = workload.version;
    context.settings.online_cpus = cpus_;
    context.lookup_variable = root_.lookup_variable;
    context.read_file = [this](const std::string& path) {
      return root_.read_file(fs::path(path).is_absolute() ? fs::path(path) : folder_ / path);
    };
    std::string where = "/workload/fio";
    try {
      if (has(where)) {
        std::vector<std::string> arguments = with_options(fio_arguments());
        workload.is_command_line = true;
        for (const std::string& argument : arguments) workload.text += (workload.text.empty() ? "" : " ") + argument;
        workload.jobs = fio::parse_command_line(arguments, context).jobs;
      } else {
        std::string file = at("/workload/fio_job").file;
        if (has("/workload/fio_job")) {
          where = "/workload/fio_job";
          workload.text = text(where, "");
        } else {
          where = "/workload/fio_file";
          file = text(where, "");
          const std::optional<std::string> found = context.read_file(file);
          if (!found) fail(at(where), "cannot read the file \"" + file + "\"", "name a job file that exists");
          workload.text = *found;
        }
        if (!fio_options_.empty()) {
          fail(Place{"--set workload.fio." + fio_options_.front(), "", true},
               "the workload is a job file, not a command line", "change the job file");
        }
        workload.jobs = fio::parse_job_file(workload.text, file, context);
      }
    } catch (const fio::JobFileError& error) {
      const Place place = at(where);
      throw ConfigError(
          place.file, place.pointer,
          error.error().where.empty() ? error.error().message : error.error().where + ": " + error.error().message,
          error.error().remedy);
    }
    if (workload.jobs.empty()) fail(at(where), "no job", "name one with --name=NAME");
    for (const fio::JobOptions& job : workload.jobs) check_job(job, at(where));
    workload.nsid = device_of(workload.jobs, at(where));
    return workload;
  }

  // The namespace that the jobs' filename names; without one, the first.
  std::uint32_t device_of(const std::vector<fio::JobOptions>& jobs, const Place& place) const {
    const std::string first = jobs.front().filename;
    std::vector<std::string> names;
    if (has("/array")) {
      names.emplace_back("/dev/md0");
    } else {
      for (std::uint32_t nsid = 1; nsid <= namespaces_; ++nsid) names.push_back(fmt::format("/dev/nvme0n{}", nsid));
    }
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    for (const fio::JobOptions& job : jobs) {
      if (job.filename != first)
        fail(place, "jobs on several devices (" + first + " and " + job.filename + ") are not modelled",
             "give all of them the same filename");
    }
    if (first.empty()) return 1;
    const auto it = std::find(names.begin(), names.end(), first);
    if (it == names.end())
      fail(place, "filename=" + first + ": there is no such device in this scenario", "it has " + known);
    return static_cast<std::uint32_t>(it - names.begin()) + 1;
  }

  // What fio, or the kernel under it, would refuse on this machine and drive, and what is not modelled.
  void check_job(const fio::JobOptions& job, const Place& place) const {
    const auto any = [](const auto& per_direction) {
      return std::any_of(per_direction.value.begin(), per_direction.value.end(), [](auto value) { return value != 0; });
    };
    if ((any(job.rate_bytes_per_s) || any(job.rate_iops)) && fio::is_mixed(job.rw)) {
      fail(place, "rate in a mixed job is not modelled: fio then also switches the direction",
           "split it into a reading and a writing job");
    }
    for (const std::uint32_t cpu : job.cpus_allowed) {
      if (cpu >= cpus_) {
        fail(place, fmt::format("cpus_allowed={}: the host has the CPUs 0 to {}", cpu, cpus_ - 1),
             "name CPUs that it has, or set host.cpus");
      }
    }
    if (!job.direct) return;
    const auto whole_blocks = [&](const char* option, std::uint64_t bytes) {
      if (bytes % lba_bytes_ != 0) {
        fail(place,
             fmt::format("{} {} with direct=1: not whole logical blocks of {} bytes (the kernel answers EINVAL)",
                         option, bytes, lba_bytes_),
             "use a multiple, or direct=0");
      }
    };
    for (const std::uint64_t bytes : job.bs_min_bytes.value) whole_blocks("bs", bytes);
    for (const std::uint64_t bytes : job.bs_max_bytes.value) whole_blocks("bs", bytes);
    for (const std::uint64_t bytes : job.blockalign_bytes.value) whole_blocks("blockalign", bytes);
    for (const auto& split : job.bssplit.value) {
      for (const fio::BsSplitEntry& entry : split) whole_blocks("bssplit", entry.bytes);
    }
    if (!job.offset.is_percent) whole_blocks("offset", job.offset.value);
    if (!job.offset_increment.is_percent) whole_blocks("offset_increment", job.offset_increment.value);
  }

  // A text is split at blanks; an argument in quotes may hold blanks.
  std::vector<std::string> fio_arguments() const {
    const Json& value = node("/workload/fio");
    std::vector<std::string> arguments;
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (!value[i].is_string())
          fail(at("/workload/fio/" + std::to_string(i)), "expected a text, not " + describe(value[i]));
        arguments.push_back(value[i].get<std::string>());
      }
      return arguments;
    }
    const std::string line = text("/workload/fio", "");
    std::string word;
    char quote = 0;
    bool any = false;
    for (const char c : line) {
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word += c;
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        any = true;
      } else if (c == ' ' || c == '\t' || c == '\n') {
        if (any || !word.empty()) arguments.push_back(word);
        word.clear();
        any = false;
      } else {
        word += c;
      }
    }
    if (quote != 0) fail(at("/workload/fio"), "a quote is not closed");
    if (any || !word.empty()) arguments.push_back(word);
    return arguments;
  }

  // Options of --set workload.fio.X=Y, at the end of every job.
  std::vector<std::string> with_options(std::vector<std::string> arguments) const {
    if (fio_options_.empty()) return arguments;
    std::vector<std::string> out;
    bool in_job = false;
    const auto add = [&] {
      for (const std::string& option : fio_options_) out.push_back("--" + option);
    };
    for (std::string& argument : arguments) {
      if (argument.starts_with("--name")) {
        if (in_job) add();
        in_job = true;
      }
      out.push_back(std::move(argument));
    }
    add();
    return out;
  }

  const ConfigRoot& root_;
  const Document& document_;
  fs::path folder_;
  std::vector<std::string> fio_options_;
  std::uint16_t cpus_ = 1;
  std::uint32_t lba_bytes_ = 512;
  std::uint32_t namespaces_ = 1;
};

// Puts the document of a profile in the place of its name, path or object.
void put_profile(const ConfigRoot& root, ConfigKind kind, Document& document, const fs::path& folder) {
  const std::string pointer = "/" + std::string(name_of(kind));
  if (!document.tree.contains(std::string(name_of(kind)))) {
    fail(document.places.at(""), "\"" + std::string(name_of(kind)) + "\" is missing",
         "name a " + std::string(name_of(kind)) + " profile");
  }
  const Json& value = document.tree.at(Json::json_pointer(pointer));
  const Place place = document.places.at(pointer);
  Document profile{Json(), Places(place)};
  if (value.is_string()) {
    profile = resolve_profile(root, kind, value.get<std::string>(), folder, place);
  } else if (value.is_object()) {
    Document inner{value, Places(place)};
    inner.places.graft("", document.places, pointer);
    profile = extend_profile(root, kind, std::move(inner), folder);
  } else {
    fail(place, "expected a profile's name, a path or an object, not " + describe(value));
  }
  document.tree[std::string(name_of(kind))] = profile.tree;
  document.places.graft(pointer, profile.places, "");
}

ResolvedScenario resolve_document(const ConfigRoot& root, Document document, const fs::path& folder,
                                  std::span<const std::string> sets) {
  if (!document.tree.is_object())
    fail(document.places.at(""), "expected an object (a scenario), not " + describe(document.tree));
  document.tree.erase("$schema");
  std::vector<Override> later;
  std::vector<std::string> fio_options;
  for (const std::string& set : sets) {
    Override change = parse_override(set);
    if (change.path == "device" || change.path == "kernel" || change.path == "host") {
      document.tree[change.path] = change.value;
      document.places.set("/" + change.path, Place{"--set " + change.whole, "", true});
    } else {
      later.push_back(std::move(change));
    }
  }
  for (const ConfigKind kind : {ConfigKind::kDevice, ConfigKind::kKernel, ConfigKind::kHost})
    put_profile(root, kind, document, folder);
  if (document.tree.contains("array") && !document.tree["array"].is_object())
    fail(document.places.at("/array"), "expected an object (an array), not " + describe(document.tree["array"]));
  for (const Override& change : later) {
    const auto dot = change.path.find('.');
    const std::string top = change.path.substr(0, dot);
    const Place place{"--set " + change.whole, "", true};
    if (dot == std::string::npos) {
      if (top != "seed" && top != "name" && top != "description") {
        const std::vector<std::string_view> tops = {"seed", "device",     "kernel", "host", "workload.fio.OPTION",
                                                    "name", "description"};
        fail(place, "\"" + top + "\" cannot be set as a whole", suggest(top, tops));
      }
      const Json number = Json::parse(change.value, nullptr, false);
      document.tree[top] = top == "seed" && number.is_number_unsigned() ? number : Json(change.value);
      document.places.set("/" + top, place);
    } else if (change.path.starts_with("workload.fio.")) {
      fio_options.push_back(change.path.substr(std::string("workload.fio.").size()) + "=" + change.value);
    } else if (top == "device" || top == "kernel" || top == "host" || top == "array") {
      if (top == "array" && !document.tree.contains("array"))
        fail(place, "this scenario has no array", R"(write "array": {} into it)");
      const StructTable& table = top == "device"   ? device_table()
                                 : top == "kernel" ? kernel_table()
                                 : top == "host"   ? host_table()
                                                   : array_table();
      apply_override(table, document, "/" + top, std::string_view(change.path).substr(dot + 1), change.value,
                     change.whole);
    } else {
      fail(place, "unknown path \"" + change.path + "\"",
           suggest(top, {"device", "kernel", "host", "array", "workload", "seed"}));
    }
  }
  ResolvedScenario resolved;
  resolved.scenario = Reader(root, document, folder, fio_options).read();
  const Scenario& s = resolved.scenario;
  Json& tree = resolved.tree;
  tree["name"] = s.name;
  tree["description"] = s.description;
  tree["seed"] = s.seed;
  tree["device"] = to_json(s.device);
  tree["kernel"] = to_json(s.kernel);
  tree["host"] = to_json(s.host);
  if (s.array) tree["array"] = write_struct(array_table(), &*s.array);
  if (document.tree.contains("setup")) tree["setup"] = document.tree["setup"];
  if (const auto* fio_workload = std::get_if<FioWorkload>(&s.workload)) {
    tree["workload"][fio_workload->is_command_line ? "fio" : "fio_job"] = fio_workload->text;
    if (fio_workload->version == fio::FioVersion::k3_33) tree["workload"]["fio_version"] = "3.33";
  } else {
    tree["workload"] = document.tree["workload"];
  }
  return resolved;
}

}  // namespace

ResolvedScenario resolve_scenario(const ConfigRoot& root, const std::string& name_or_path,
                                  std::span<const std::string> sets) {
  const Found found =
      find_config(root, ConfigKind::kScenario, name_or_path, fs::current_path(), Place{name_or_path, "", true});
  return resolve_document(root, parse_document(found.text, shown_path(root, found.path)), found.path.parent_path(),
                          sets);
}

Scenario load_scenario(const ConfigRoot& root, const std::string& name_or_path, std::span<const std::string> sets) {
  return resolve_scenario(root, name_or_path, sets).scenario;
}

ResolvedScenario parse_scenario(const ConfigRoot& root, std::string_view text, const std::string& file,
                                std::span<const std::string> sets) {
  return resolve_document(root, parse_document(text, file), fs::path(file).parent_path(), sets);
}

}  // namespace flushlab::lab
