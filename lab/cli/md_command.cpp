// SPDX-License-Identifier: GPL-2.0-only
// flushlab md examine: an array's on-disk arithmetic, without running it.
#include <fmt/format.h>

#include <charconv>

#include "lab/cli/command.hpp"
#include "lab/report/limits_report.hpp"
#include "lab/report/md_report.hpp"
#include "lab/scenario/identify_dump.hpp"
#include "lab/scenario/profiles.hpp"
#include "lab/scenario/scenario.hpp"

namespace flushlab::cli {

namespace {

// Options as mdadm names them; texts until it is known what they have to be.
struct ExamineOptions {
  std::string scenario;
  std::vector<std::string> sets;
  std::string level = "10", layout, size, chunk, bitmap_chunk, metadata = "1.2", bitmap = "internal";
  std::uint32_t raid_devices = 0, nodes = 4;
  std::string data_offset, bitmap_offset, device_size, bits;
  std::uint32_t logical_block_size = 512, io_opt = 0;
  std::string kernel = "linux-6.12";
  bool json = false;
};

template <typename Number>
Number number(const char* option, const std::string& text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw UsageError(fmt::format("{} {}: not a whole number", option, text),
                     "write sectors of 512 bytes, such as 264192");
  return value;
}

// mdadm's sizes: KiB, or with K, M, G or T.
std::uint64_t size_sectors(const char* option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const unsigned shift = unit.empty() || unit == "K" ? 1 : unit == "M" ? 11 : unit == "G" ? 21 : unit == "T" ? 31 : 0;
  if (error != std::errc() || shift == 0 || value == 0 || value > (std::uint64_t{1} << (62 - shift)))
    throw UsageError(fmt::format("{} {}: not a size", option, text), "write it as mdadm takes it: 512K, 64M, 1G");
  return value << shift;
}

std::uint32_t power_of_two(const char* option, std::uint32_t value, std::uint32_t least, std::uint32_t most) {
  if (value < least || value > most || (value & (value - 1)) != 0)
    throw UsageError(fmt::format("{} {}", option, value),
                     fmt::format("it is a power of two from {} to {}", least, most));
  return value;
}

md::CreateOptions create_options(const ExamineOptions& options) {
  md::CreateOptions create;
  const std::string level = options.level.starts_with("raid") ? options.level.substr(4) : options.level;
  const auto known = md::level_of(level == "mirror" ? 1 : number<std::uint64_t>("--level", level));
  if (!known) throw UsageError("--level " + options.level, "levels with a bitmap are 1, 4, 5, 6 and 10");
  create.level = *known;
  if (!options.layout.empty() && create.level == md::Level::kRaid10) {
    const auto layout = md::parse_raid10_layout(options.layout);
    if (!layout)
      throw UsageError("--layout " + options.layout, "write n2, f2, o2 or another number of copies up to 16");
    create.layout = *layout;
  }
  const auto metadata = md::parse_metadata(options.metadata);
  if (!metadata) throw UsageError("--metadata " + options.metadata, "write 0.90, 1.0, 1.1 or 1.2");
  create.metadata = *metadata;
  const auto bitmap = md::parse_bitmap_kind(options.bitmap);
  if (!bitmap) throw UsageError("--bitmap " + options.bitmap, "write internal, none, external or clustered");
  create.bitmap = *bitmap;
  create.nodes = options.nodes;
  create.raid_devices = options.raid_devices;
  if (!options.chunk.empty()) create.chunk_sectors = size_sectors("--chunk", options.chunk);
  if (!options.bitmap_chunk.empty()) create.bitmap_chunk_sectors = size_sectors("--bitmap-chunk", options.bitmap_chunk);
  if (!options.size.empty()) create.size_sectors = number<std::uint64_t>("--size", options.size);
  if (!options.data_offset.empty()) create.data_offset = number<std::uint64_t>("--data-offset", options.data_offset);
  if (!options.bitmap_offset.empty())
    create.bitmap_offset = number<std::int64_t>("--bitmap-offset", options.bitmap_offset);
  return create;
}

// A device that is just large enough for what is asked for.
std::uint64_t smallest_device(const md::CreateOptions& create) {
  const std::uint64_t rounded = (create.size_sectors + 127) / 128 * 128;
  switch (create.metadata) {
    case md::Metadata::k0_90:
      return rounded + 128;
    case md::Metadata::k1_0:
      return rounded + 256 + 8 + 16;
    default:
      return create.data_offset ? *create.data_offset + create.size_sectors : 0;
  }
}

lab::MdExamination examine(const Program& program, const ExamineOptions& options) {
  const lab::ConfigRoot root = program.root();
  if (!options.scenario.empty()) {
    const lab::Scenario scenario = lab::load_scenario(root, options.scenario, options.sets);
    if (!scenario.array)
      throw UsageError(fmt::format("{}: this scenario has no array", options.scenario), R"(write "array": {} into it)");
    std::string error;
    const md::CreateOptions create = scenario.array->options(error);
    std::vector<md::MemberDevice> members = lab::members_of(*scenario.array, scenario.device);
    const block::QueueLimits limits =
        lab::explain_limits(scenario.kernel, lab::identify_of(scenario.device).view(), scenario.host.cpus).limits;
    for (md::MemberDevice& member : members) member.io_opt = limits.io_opt;
    return lab::examine_array(scenario.kernel, create, members);
  }
  if (!options.sets.empty()) throw UsageError("--set without a scenario", "name one, or use mdadm's options");
  const kernel::KernelProfile kernel = lab::load_kernel(root, options.kernel);
  const std::uint32_t lbs = power_of_two("--logical-block-size", options.logical_block_size, 512, 65536);
  if (options.io_opt % 512 != 0)
    throw UsageError(fmt::format("--io-opt {}", options.io_opt), "a multiple of 512 bytes");
  md::CreateOptions create = create_options(options);
  if (!options.bits.empty()) {
    if (!options.size.empty()) throw UsageError("--bits and --size at once", "give one of them");
    md::MemberLayout member;
    const std::uint64_t bits = number<std::uint64_t>("--bits", options.bits);
    if (bits == 0 || bits > std::uint64_t{1} << 36) throw UsageError("--bits " + options.bits, "1 to 2^36");
    member.logical_block_size = lbs;
    member.io_opt = options.io_opt;
    member.superblock_bytes = create.metadata == md::Metadata::k0_90 ? 4096 : std::max<std::uint32_t>(512, lbs);
    const md::BitmapShape shape{bits, 0};
    const std::int64_t sectors = std::int64_t{shape.pages()} * md::kBitmapPageSectors;
    const bool behind = create.metadata == md::Metadata::k1_0 || create.metadata == md::Metadata::k0_90;
    std::uint64_t device = std::uint64_t{1} << 32;
    if (!options.device_size.empty()) device = number<std::uint64_t>("--device-size", options.device_size);
    member.sb_start = create.metadata == md::Metadata::k1_2   ? 8
                      : create.metadata == md::Metadata::k1_1 ? 0
                      : create.metadata == md::Metadata::k1_0 ? (device - 16) & ~std::uint64_t{7}
                                                              : (device & ~std::uint64_t{127}) - 128;
    member.bitmap_offset = create.bitmap_offset.value_or(create.metadata == md::Metadata::k1_0 ? -sectors - 8 : 8);
    member.data_offset = behind ? 0 : create.data_offset.value_or(264192);
    member.bitmap_sectors = static_cast<std::uint32_t>(sectors);
    member.bad_block_log_offset = create.metadata == md::Metadata::k0_90  ? 0
                                  : create.metadata == md::Metadata::k1_0 ? -8
                                                                          : member.bitmap_offset + sectors;
    return lab::examine_bits(kernel, bits, member);
  }
  if (create.raid_devices == 0)
    throw UsageError("no array", "give --raid-devices and --size, or --bits, or a scenario");
  std::uint64_t device = 0;
  if (!options.device_size.empty()) {
    device = number<std::uint64_t>("--device-size", options.device_size);
  } else {
    if (create.size_sectors == 0) throw UsageError("no size", "give --size SECTORS, or --device-size SECTORS");
    device = smallest_device(create);
    // Room in front depends on the device, which is not known: the smallest that gives this size.
    for (std::uint64_t guess = create.size_sectors; device == 0; guess += 2048) {
      md::CreateOptions trial = create;
      trial.bitmap = md::BitmapKind::kNone;
      trial.size_sectors = 0;
      const auto made = md::create_layout(trial, std::vector<md::MemberDevice>(create.raid_devices, {guess, lbs, 0}));
      if (made.layout && guess - made.layout->members[0].data_offset >= create.size_sectors) device = guess;
      if (guess > create.size_sectors + (std::uint64_t{1} << 20)) break;
    }
  }
  return lab::examine_array(kernel, create,
                            std::vector<md::MemberDevice>(create.raid_devices, {device, lbs, options.io_opt}));
}

int run_examine(const Program& program, const ExamineOptions& options) {
  const lab::MdExamination examination = examine(program, options);
  print(options.json ? lab::to_json(examination).dump(2) + "\n" : lab::to_text(examination));
  return examination.error.empty() ? kHolds : kBadInput;
}

}  // namespace

void add_md_command(CLI::App& app, Program& program) {
  CLI::App* command = app.add_subcommand("md", "Arrays of Linux md");
  command->require_subcommand(1);
  auto options = std::make_shared<ExamineOptions>();
  CLI::App* examine =
      command->add_subcommand("examine", "An array's on-disk arithmetic: superblock, bitmap, and each page's write");
  examine->add_option("SCENARIO", options->scenario, "A scenario with an array; or none, and the options below");
  examine->add_option("--set", options->sets, "Change one value of the scenario (repeatable)")
      ->take_all()
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  examine->add_option("--level", options->level, "1, 4, 5, 6 or 10")->capture_default_str();
  examine->add_option("--layout", options->layout, "RAID10: n2, f2, o2, ... (default n2)");
  examine->add_option("--raid-devices", options->raid_devices, "Number of devices")->check(CLI::Range(1, 384));
  examine->add_option("--size", options->size, "What is used of each device, sectors of 512 bytes")
      ->type_name("SECTORS");
  examine->add_option("--device-size", options->device_size, "Size of each device (default: as small as possible)")
      ->type_name("SECTORS");
  examine->add_option("--chunk", options->chunk, "RAID chunk, as mdadm takes it: 512K, 64M (default 512K)");
  examine->add_option("--bitmap", options->bitmap, "internal, none, external or clustered")->capture_default_str();
  examine->add_option("--bitmap-chunk", options->bitmap_chunk, "Bitmap chunk (default: as mdadm chooses)");
  examine->add_option("--nodes", options->nodes, "Nodes of a clustered bitmap")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  examine->add_option("--metadata", options->metadata, "0.90, 1.0, 1.1 or 1.2")->capture_default_str();
  examine->add_option("--data-offset", options->data_offset, "Where data begins")->type_name("SECTORS");
  examine->add_option("--bitmap-offset", options->bitmap_offset, "From the superblock; negative: before it")
      ->type_name("SECTORS");
  examine->add_option("--bits", options->bits, "Bits of the bitmap, in place of sizes")->type_name("N");
  examine->add_option("--logical-block-size", options->logical_block_size, "Of the members")->capture_default_str();
  examine->add_option("--io-opt", options->io_opt, "optimal_io_size of the members, bytes")->capture_default_str();
  examine->add_option("--kernel", options->kernel, "Kernel profile")->capture_default_str();
  examine->add_flag("--json", options->json, "Print JSON");
  examine->footer("Exit code 2 when mdadm would not make the array; \"error\" says why.");
  examine->callback(
      [options, &program] { program.action = [options, &program] { return run_examine(program, *options); }; });
}

}  // namespace flushlab::cli
