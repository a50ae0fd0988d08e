// SPDX-License-Identifier: GPL-2.0-only
// One function an option that is modelled: from its text to its field. What depends on other options is resolved in
// options_finish.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <utility>

#include "hostmodel/fio/options.hpp"

namespace flushlab::fio {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

double parse_decimal(std::string_view text, std::string_view expected) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
    throw ValueError{fmt::format("'{}' is not a decimal number", text), fmt::format("write {}", expected)};
  }
  return value;
}

template <typename Enum, std::size_t N>
Enum parse_enum(std::string_view text, const std::pair<std::string_view, Enum> (&names)[N]) {
  std::string valid;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    if (!valid.empty()) valid += ", ";
    valid += name;
  }
  throw ValueError{fmt::format("'{}' is not a valid value", text), fmt::format("the valid values are {}", valid)};
}

// The values of up to three directions: a missing later one repeats the one before, an empty one keeps `current`.
template <typename T, typename Parse>
PerDirection<T> parse_per_direction(std::string_view text, PerDirection<T> current, Parse parse) {
  const std::vector<std::string_view> parts = split(text, ',');
  if (parts.size() > kDirectionCount) {
    throw ValueError{fmt::format("'{}' has more than three values", text), "write READ,WRITE,TRIM"};
  }
  if (parts.size() == 1 && text.empty()) throw ValueError{"the value is empty", "write one value or READ,WRITE,TRIM"};
  for (std::size_t i = 0; i < kDirectionCount; ++i) {
    if (i >= parts.size()) {
      current.value[i] = current.value[i - 1];
    } else if (!parts[i].empty()) {
      current.value[i] = parse(parts[i]);
    }
  }
  return current;
}

[[noreturn]] void refuse_trim(std::string_view rw) {
  throw ValueError{fmt::format("rw={} is refused: trim is not modelled", rw),
                   "use read, write, randread, randwrite, rw or randrw"};
}

// Entries of one direction of bssplit; percentages left out share what is left equally.
std::vector<BsSplitEntry> parse_bssplit(std::string_view text, std::uint64_t kb_base) {
  static constexpr std::size_t kMaxEntries = 64;
  static constexpr std::string_view kForm = "write SIZE/PERCENT:SIZE/PERCENT..., such as 4k/60:64k/40";
  std::vector<BsSplitEntry> entries;
  std::vector<std::size_t> without_percent;
  std::uint64_t sum = 0;
  for (const std::string_view part : split(text, ':')) {
    const std::size_t slash = part.find('/');
    BsSplitEntry entry{parse_size(part.substr(0, slash), kb_base), 0};
    if (entry.bytes == 0 || entry.bytes > 0xFFFF'FFFF) {
      throw ValueError{fmt::format("'{}' has a block size out of range", part), std::string(kForm)};
    }
    const std::string_view percent = slash == std::string_view::npos ? std::string_view{} : part.substr(slash + 1);
    if (percent.empty()) {
      without_percent.push_back(entries.size());
    } else {
      const std::uint64_t value = parse_size(percent);
      if (value > 100)
        throw ValueError{fmt::format("'{}' has a percentage of more than 100", part), std::string(kForm)};
      entry.percent = static_cast<std::uint32_t>(value);
      sum += value;
    }
    entries.push_back(entry);
    if (entries.size() > kMaxEntries) throw ValueError{"more than 64 entries in one bssplit", "write fewer"};
  }
  if (sum > 100) {
    throw ValueError{fmt::format("the percentages of '{}' add up to {}", text, sum), "they must not exceed 100"};
  }
  for (const std::size_t i : without_percent) {
    entries[i].percent = static_cast<std::uint32_t>((100 - sum) / without_percent.size());
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const BsSplitEntry& a, const BsSplitEntry& b) { return a.percent < b.percent; });
  return entries;
}

std::vector<RandomDistribution::Zone> parse_zones(std::string_view text) {
  std::vector<RandomDistribution::Zone> zones;
  std::uint64_t access = 0;
  std::uint64_t size = 0;
  for (const std::string_view part : split(text, ':')) {
    const std::size_t slash = part.find('/');
    if (slash == std::string_view::npos) {
      throw ValueError{fmt::format("the zone '{}' lacks a size", part),
                       "write zoned:ACCESS/SIZE:ACCESS/SIZE..., in percent"};
    }
    const std::uint64_t zone_access = parse_size(part.substr(0, slash));
    const std::uint64_t zone_size = parse_size(part.substr(slash + 1));
    if (zone_access > 100 || zone_size > 100 || zone_size == 0) {
      throw ValueError{fmt::format("the zone '{}' is out of range", part), "write percentages of 1 to 100"};
    }
    access += zone_access;
    size += zone_size;
    zones.push_back({static_cast<std::uint32_t>(zone_access), static_cast<std::uint32_t>(zone_size)});
    if (zones.size() > 100) throw ValueError{"more than 100 zones", "write fewer"};
  }
  if (access != 100 || size != 100) {
    throw ValueError{fmt::format("the zones get {}% of the accesses and {}% of the size", access, size),
                     "both must add up to 100"};
  }
  return zones;
}

RandomDistribution parse_distribution(std::string_view text) {
  using Kind = RandomDistribution::Kind;
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  RandomDistribution result;
  if (kind == "zoned_abs") throw ValueError{"zones of absolute size are not modelled", "use zoned with percentages"};
  if (kind == "zoned") {
    result.kind = Kind::kZoned;
    if (rest.find(',') != std::string_view::npos) {
      throw ValueError{"zones by direction are refused, by fio 3.33 as well", "write one list for all directions"};
    }
    result.zones = parse_zones(rest);
    return result;
  }
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"random", Kind::kUniform}, {"zipf", Kind::kZipf}, {"pareto", Kind::kPareto}, {"normal", Kind::kNormal}};
  result.kind = parse_enum(kind, kKinds);
  result.parameter = result.kind == Kind::kZipf ? 1.1 : result.kind == Kind::kPareto ? 0.2 : 0.0;  // fio's defaults
  if (rest.empty()) return result;
  if (result.kind == Kind::kUniform)
    throw ValueError{"'random' takes no parameter", "write random_distribution=random"};
  const std::vector<std::string_view> parameters = split(rest, ':');
  if (parameters.size() > 2)
    throw ValueError{fmt::format("'{}' has too many parameters", text), "write KIND:PARAMETER:CENTER"};
  result.parameter = parse_decimal(parameters[0], "a parameter such as zipf:1.2, pareto:0.2 or normal:10");
  if (parameters.size() == 2) {
    result.center = parse_decimal(parameters[1], "a center of 0 to 1");
    if (*result.center > 1)
      throw ValueError{fmt::format("the center '{}' is more than 1", parameters[1]), "write 0 to 1"};
  }
  const double p = result.parameter;
  if (result.kind == Kind::kZipf && (p <= 0 || p == 1.0 || p > 100)) {
    throw ValueError{fmt::format("zipf's theta cannot be {}", parameters[0]),
                     "write a value above 0 and other than 1, such as 1.1"};
  }
  if (result.kind == Kind::kPareto && (p <= 0 || p >= 1)) {
    throw ValueError{fmt::format("pareto's h cannot be {}", parameters[0]),
                     "write a value between 0 and 1, such as 0.2"};
  }
  if (result.kind == Kind::kNormal && p > 100) {
    throw ValueError{fmt::format("normal's deviation cannot be {} percent", parameters[0]), "write 0 to 100"};
  }
  return result;
}

SyncFileRangeOption parse_sync_file_range(std::string_view text) {
  static constexpr std::string_view kForm =
      "write wait_before, write and wait_after with commas, then :N, such as write:8";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos)
    throw ValueError{fmt::format("'{}' lacks the number of writes", text), std::string(kForm)};
  SyncFileRangeOption result;
  for (const std::string_view flag : split(text.substr(0, colon), ',')) {
    if (flag == "wait_before") {
      result.wait_before = true;
    } else if (flag == "write") {
      result.write = true;
    } else if (flag == "wait_after") {
      result.wait_after = true;
    } else {
      throw ValueError{fmt::format("'{}' is not a flag of sync_file_range", flag), std::string(kForm)};
    }
  }
  const std::uint64_t count = parse_size(text.substr(colon + 1));
  if (count > 0xFFFF'FFFF) throw ValueError{fmt::format("'{}' has a count out of range", text), std::string(kForm)};
  result.every_writes = static_cast<std::uint32_t>(count);
  return result;
}

std::vector<double> parse_percentiles(std::string_view text) {
  static constexpr std::size_t kMaxPercentiles = 20;  // fio's limit
  std::vector<double> list;
  for (const std::string_view part : split(text, ':')) {
    list.push_back(parse_decimal(part, "percentiles such as 50:99:99.9"));
    if (list.back() > 100)
      throw ValueError{fmt::format("the percentile '{}' is more than 100", part), "write 0 to 100"};
  }
  if (list.size() > kMaxPercentiles) throw ValueError{fmt::format("{} percentiles", list.size()), "write at most 20"};
  std::sort(list.begin(), list.end());
  return list;
}

std::string parse_filename(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ':') continue;
    if (text[i] == ':' && (i == 0 || text[i - 1] != '\\')) {
      throw ValueError{fmt::format("'{}' names several files, and a job works on one file or device", text),
                       "write one job for each file, or \\: for a colon in a name"};
    }
    result += text[i];
  }
  return result;
}

}  // namespace

// Named in OptionSet as its friend; each function sets one option.
struct OptionSetters {
  using Set = OptionSet;
  using Text = std::string_view;

  static std::uint64_t integer(const Set& s, Text name, Text text) {
    const OptionInfo* info = find_option(name);
    const std::uint64_t value = parse_size(text, s.kb_base_);
    check_range(*info, value, text);
    return value;
  }
  static std::uint32_t integer32(const Set& s, Text name, Text text) {
    return static_cast<std::uint32_t>(integer(s, name, text));
  }
  static void check_range(const OptionInfo& info, std::uint64_t value, Text text) {
    if (value >= info.min && value <= info.max) return;
    throw ValueError{fmt::format("'{}' is out of range", text),
                     fmt::format("{} is from {} to {}", info.name, info.min, info.max)};
  }

  static void rw(Set& s, Text text) {
    const std::size_t colon = text.find(':');
    const Text mode = text.substr(0, colon);
    if (mode.find("trim") != Text::npos) refuse_trim(mode);
    static constexpr std::pair<Text, ReadWrite> kModes[] = {
        {"read", ReadWrite::kRead},           {"write", ReadWrite::kWrite}, {"randread", ReadWrite::kRandRead},
        {"randwrite", ReadWrite::kRandWrite}, {"rw", ReadWrite::kRw},       {"readwrite", ReadWrite::kRw},
        {"randrw", ReadWrite::kRandRw}};
    s.raw_.rw = parse_enum(mode, kModes);
    s.raw_.random_every_ios = 1;
    s.raw_.sequential_skip_bytes = 0;
    if (colon == Text::npos) return;
    Text number = text.substr(colon + 1);
    if (is_random(s.raw_.rw)) {
      const std::uint64_t every = parse_size(number, s.kb_base_);
      if (every == 0 || every > 0xFFFF'FFFF)
        throw ValueError{fmt::format("'{}' is out of range", number), "write 1 or more I/Os"};
      s.raw_.random_every_ios = static_cast<std::uint32_t>(every);
      return;
    }
    if (!number.empty() && number[0] == '-') {
      throw ValueError{"sequential I/O that goes backwards is not modelled", "use a positive skip"};
    }
    const std::uint64_t skip = parse_size(number, s.kb_base_);
    if (skip > 0x7FFF'FFFF'FFFF) throw ValueError{fmt::format("'{}' is out of range", number), "write a smaller skip"};
    s.raw_.sequential_skip_bytes = static_cast<std::int64_t>(skip);
  }
  static void rw_sequencer(Set& s, Text text) {
    static constexpr std::pair<Text, RwSequencer> kNames[] = {{"sequential", RwSequencer::kSequential},
                                                              {"identical", RwSequencer::kIdentical}};
    s.raw_.rw_sequencer = parse_enum(text, kNames);
  }
  static void ioengine(Set& s, Text text) {
    static constexpr std::pair<Text, IoEngine> kNames[] = {
        {"psync", IoEngine::kPsync},     {"sync", IoEngine::kSync},     {"pvsync", IoEngine::kPvsync},
        {"pvsync2", IoEngine::kPvsync2}, {"libaio", IoEngine::kLibaio}, {"io_uring", IoEngine::kIoUring}};
    s.raw_.ioengine = parse_enum(text, kNames);
  }
  static void bs(Set& s, Text text) {
    if (text.find('-') != Text::npos) {
      throw ValueError{fmt::format("fio reads '{}' as sizes by direction, not as a range", text),
                       "use bs=READ,WRITE or bsrange=MIN-MAX"};
    }
    s.bs_bytes_ = parse_per_direction(text, s.bs_bytes_, [&](Text part) { return integer(s, "bs", part); });
  }
  static void bsrange(Set& s, Text text) {
    using Range = std::pair<std::optional<std::uint64_t>, std::optional<std::uint64_t>>;
    PerDirection<Range> ranges;
    for (std::size_t i = 0; i < kDirectionCount; ++i)
      ranges.value[i] = {s.range_min_bytes_.value[i], s.range_max_bytes_.value[i]};
    ranges = parse_per_direction(text, ranges, [&](Text part) {
      const std::size_t dash = part.find('-');
      if (dash == Text::npos)
        throw ValueError{fmt::format("'{}' is not a range", part), "write MIN-MAX, such as 4k-64k"};
      const auto [low, high] =
          std::minmax({integer(s, "bsrange", part.substr(0, dash)), integer(s, "bsrange", part.substr(dash + 1))});
      return Range{low, high};
    });
    for (std::size_t i = 0; i < kDirectionCount; ++i)
      std::tie(s.range_min_bytes_.value[i], s.range_max_bytes_.value[i]) = ranges.value[i];
  }
  static void bssplit(Set& s, Text text) {
    s.raw_.bssplit =
        parse_per_direction(text, s.raw_.bssplit, [&](Text part) { return parse_bssplit(part, s.kb_base_); });
  }
  static void blockalign(Set& s, Text text) {
    s.blockalign_bytes_ = parse_per_direction(text, s.blockalign_bytes_,
                                              [&](Text part) { return std::optional(integer(s, "blockalign", part)); });
  }
  static void direct(Set& s, Text text) { s.raw_.direct = parse_bool(text); }
  static void buffered(Set& s, Text text) { s.raw_.direct = !parse_bool(text); }
  static void sync(Set& s, Text text) {
    static constexpr std::pair<Text, SyncMode> kNames[] = {{"none", SyncMode::kNone},
                                                           {"0", SyncMode::kNone},
                                                           {"sync", SyncMode::kSync},
                                                           {"1", SyncMode::kSync},
                                                           {"dsync", SyncMode::kDsync}};
    s.raw_.sync = parse_enum(text, kNames);
  }
  static void random_generator(Set& s, Text text) {
    static constexpr std::pair<Text, RandomGenerator> kNames[] = {{"tausworthe", RandomGenerator::kTausworthe},
                                                                  {"lfsr", RandomGenerator::kLfsr},
                                                                  {"tausworthe64", RandomGenerator::kTausworthe64}};
    s.raw_.random_generator = parse_enum(text, kNames);
  }
  static void allrandrepeat(Set& s, Text text) {
    const bool value = parse_bool(text);
    (s.settings_.version == FioVersion::k3_33 ? s.raw_.allrandrepeat : s.raw_.randrepeat) = value;
  }
  static void kb_base(Set& s, Text text) {
    static constexpr std::pair<Text, std::uint64_t> kNames[] = {{"1024", 1024}, {"1000", 1000}};
    s.kb_base_ = parse_enum(text, kNames);
  }
  static void runtime(Set& s, Text text) {
    const std::uint64_t ns = parse_time_ns(text, 1'000'000'000);
    s.raw_.runtime_ns = ns == 0 ? std::nullopt : std::optional(ns);
  }
  static void startdelay(Set& s, Text text) {
    if (text.find('-') != Text::npos) throw ValueError{"a random start delay is not modelled", "write one time"};
    s.raw_.startdelay_ns = parse_time_ns(text, 1'000'000'000);
  }

  struct Row {
    Text name;
    void (*set)(Set&, Text);
  };
  static std::span<const Row> rows();
};

std::span<const OptionSetters::Row> OptionSetters::rows() {
  static constexpr Row kRows[] = {
      {"name", [](Set& s, Text t) { s.raw_.name = t; }},
      {"description", [](Set& s, Text t) { s.raw_.description = t; }},
      {"filename", [](Set& s, Text t) { s.raw_.filename = parse_filename(t); }},
      {"rw", rw},
      {"rw_sequencer", rw_sequencer},
      {"bs", bs},
      {"bsrange", bsrange},
      {"bssplit", bssplit},
      {"blockalign", blockalign},
      {"size", [](Set& s, Text t) { s.raw_.size = parse_size_or_percent(t, s.kb_base_); }},
      {"io_size", [](Set& s, Text t) { s.raw_.io_size = parse_size_or_percent(t, s.kb_base_); }},
      {"offset", [](Set& s, Text t) { s.raw_.offset = parse_size_or_percent(t, s.kb_base_); }},
      {"offset_increment", [](Set& s, Text t) { s.raw_.offset_increment = parse_size_or_percent(t, s.kb_base_); }},
      {"number_ios", [](Set& s, Text t) { s.raw_.number_ios = integer(s, "number_ios", t); }},
      {"randrepeat", [](Set& s, Text t) { s.raw_.randrepeat = parse_bool(t); }},
      {"allrandrepeat", allrandrepeat},
      {"randseed", [](Set& s, Text t) { s.raw_.randseed = integer(s, "randseed", t); }},
      {"norandommap", [](Set& s, Text t) { s.raw_.norandommap = parse_bool(t); }},
      {"softrandommap", [](Set& s, Text t) { s.raw_.softrandommap = parse_bool(t); }},
      {"random_generator", random_generator},
      {"random_distribution", [](Set& s, Text t) { s.raw_.random_distribution = parse_distribution(t); }},
      {"percentage_random",
       [](Set& s, Text t) {
         s.raw_.percentage_random = parse_per_direction(
             t, s.raw_.percentage_random, [&](Text part) { return integer32(s, "percentage_random", part); });
       }},
      {"rwmixread", [](Set& s, Text t) { s.raw_.rwmixread_percent = integer32(s, "rwmixread", t); }},
      {"rwmixwrite", [](Set& s, Text t) { s.raw_.rwmixread_percent = 100 - integer32(s, "rwmixwrite", t); }},
      {"ioengine", ioengine},
      {"iodepth", [](Set& s, Text t) { s.raw_.iodepth = integer32(s, "iodepth", t); }},
      {"iodepth_batch", [](Set& s, Text t) { s.iodepth_batch_ = integer32(s, "iodepth_batch", t); }},
      {"iodepth_batch_complete_min",
       [](Set& s, Text t) { s.complete_min_ = integer32(s, "iodepth_batch_complete_min", t); }},
      {"iodepth_batch_complete_max",
       [](Set& s, Text t) { s.complete_max_ = integer32(s, "iodepth_batch_complete_max", t); }},
      {"iodepth_low", [](Set& s, Text t) { s.iodepth_low_ = integer32(s, "iodepth_low", t); }},
      {"fsync", [](Set& s, Text t) { s.raw_.fsync_every_writes = integer32(s, "fsync", t); }},
      {"fdatasync", [](Set& s, Text t) { s.raw_.fdatasync_every_writes = integer32(s, "fdatasync", t); }},
      {"sync_file_range", [](Set& s, Text t) { s.raw_.sync_file_range = parse_sync_file_range(t); }},
      {"end_fsync", [](Set& s, Text t) { s.raw_.end_fsync = parse_bool(t); }},
      {"fsync_on_close", [](Set& s, Text t) { s.raw_.fsync_on_close = parse_bool(t); }},
      {"sync", sync},
      {"direct", direct},
      {"buffered", buffered},
      {"invalidate", [](Set& s, Text t) { s.raw_.invalidate = parse_bool(t); }},
      {"loops", [](Set& s, Text t) { s.raw_.loops = integer(s, "loops", t); }},
      {"numjobs", [](Set& s, Text t) { s.raw_.numjobs = integer32(s, "numjobs", t); }},
      {"thread", [](Set& s, Text t) { s.raw_.thread = parse_bool(t); }},
      {"runtime", runtime},
      {"time_based", [](Set& s, Text t) { s.raw_.time_based = parse_bool(t); }},
      {"ramp_time", [](Set& s, Text t) { s.raw_.ramp_time_ns = parse_time_ns(t, 1'000'000'000); }},
      {"startdelay", startdelay},
      {"stonewall", [](Set& s, Text t) { s.raw_.stonewall = parse_bool(t); }},
      {"rate",
       [](Set& s, Text t) {
         s.raw_.rate_bytes_per_s =
             parse_per_direction(t, s.raw_.rate_bytes_per_s, [&](Text part) { return integer(s, "rate", part); });
       }},
      {"rate_iops",
       [](Set& s, Text t) {
         s.raw_.rate_iops =
             parse_per_direction(t, s.raw_.rate_iops, [&](Text part) { return integer32(s, "rate_iops", part); });
       }},
      {"thinktime", [](Set& s, Text t) { s.raw_.thinktime_ns = parse_time_ns(t, 1'000); }},
      {"thinktime_spin", [](Set& s, Text t) { s.raw_.thinktime_spin_ns = parse_time_ns(t, 1'000); }},
      {"thinktime_blocks", [](Set& s, Text t) { s.raw_.thinktime_blocks = integer32(s, "thinktime_blocks", t); }},
      {"cpus_allowed", [](Set& s, Text t) { s.raw_.cpus_allowed = parse_cpu_list(t); }},
      {"group_reporting", [](Set& s, Text t) { s.raw_.group_reporting = parse_bool(t); }},
      {"clat_percentiles", [](Set& s, Text t) { s.raw_.clat_percentiles = parse_bool(t); }},
      {"percentile_list", [](Set& s, Text t) { s.raw_.percentile_list = parse_percentiles(t); }},
      {"kb_base", kb_base},
  };
  return kRows;
}

namespace {

bool same_value(const OptionInfo& option, std::string_view text, std::uint64_t kb_base) {
  if (text == option.default_text) return true;
  if (option.kind != OptionKind::kSize && option.kind != OptionKind::kInteger) return false;
  if (option.default_text.empty() || option.default_text[0] == '-') return false;
  return parse_size(text, kb_base) == parse_size(option.default_text);
}

void check_harmless(const OptionInfo& option, std::string_view text, std::uint64_t kb_base) {
  switch (option.kind) {
    case OptionKind::kBool:
    case OptionKind::kFlag:
      static_cast<void>(parse_bool(text));
      break;
    case OptionKind::kSize:
    case OptionKind::kInteger:
      static_cast<void>(parse_size(text, kb_base));
      break;
    case OptionKind::kTime:
      static_cast<void>(parse_time_ns(text, 1'000));
      break;
    case OptionKind::kEnum:
    case OptionKind::kList:
    case OptionKind::kText:
      if (text.empty()) throw ValueError{"the value is empty", "write a value"};
      break;
  }
}

}  // namespace

void OptionSet::apply(std::string_view name, std::optional<std::string_view> value, std::string_view where,
                      bool global) {
  const auto fail = [&](std::string message, std::string remedy) {
    throw JobFileError({std::string(where), std::move(message), std::move(remedy)});
  };
  const OptionInfo* option = find_option(name);
  if (option == nullptr) {
    const std::string_view nearest = nearest_option(name);
    fail(fmt::format("unknown option '{}'", name),
         nearest.empty() ? "see the list of fio options" : fmt::format("did you mean '{}'?", nearest));
  }
  const bool bare = !value.has_value();
  if (bare && option->kind != OptionKind::kFlag) {
    fail(fmt::format("option '{}' needs a value", name), fmt::format("write {}=VALUE", name));
  }
  const std::string_view text = bare ? std::string_view("1") : *value;
  try {
    if (option->handling == OptionHandling::kHarmless) check_harmless(*option, text, kb_base_);
    if (option->handling == OptionHandling::kRefused && !same_value(*option, text, kb_base_)) {
      fail(fmt::format("option '{}' is refused: {}", name, option->reason), std::string(option->remedy));
    }
    if (option->handling == OptionHandling::kModelled) {
      const auto rows = OptionSetters::rows();
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == option->name; });
      row->set(*this, text);
    }
  } catch (const ValueError& error) {
    fail(fmt::format("option '{}': {}", name, error.message), error.remedy);
  }
  raw_.given.push_back({std::string(name), bare ? std::string{} : std::string(text), std::string(where), global, bare});
}

}  // namespace flushlab::fio
