// SPDX-License-Identifier: GPL-2.0-only
// Values as fio reads them, and what it makes of several options together.
#include "hostmodel/fio/options.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <functional>
#include <sstream>

namespace flushlab::fio {
namespace {

// "=4096" or the error's "message; remedy".
std::string outcome(const std::function<std::string()>& parse) {
  try {
    return "=" + parse();
  } catch (const ValueError& error) {
    return error.message + "; " + error.remedy;
  }
}

TEST_CASE("fio values: sizes", "[fio]") {
  struct Row {
    const char* text;
    std::uint64_t kb_base;
    const char* outcome;
  };
  const char* const kSuffixes =
      "; the suffixes are k, m, g, t and p, each with an optional b or ib (k is 1024, kib is 1000, unless "
      "kb_base=1000)";
  const Row rows[] = {
      {"0", 1024, "=0"},
      {"4096", 1024, "=4096"},
      {"4096b", 1024, "=4096"},
      {"4k", 1024, "=4096"},
      {"4K", 1024, "=4096"},
      {"4kb", 1024, "=4096"},
      {"4KB", 1024, "=4096"},
      {"4ki", 1024, "=4096"},
      {"4kib", 1024, "=4000"},  // fio's names are the wrong way round
      {"4KiB", 1024, "=4000"},
      {"4k", 1000, "=4000"},
      {"4kb", 1000, "=4000"},
      {"4ki", 1000, "=4000"},
      {"4kib", 1000, "=4096"},
      {"1m", 1024, "=1048576"},
      {"1mib", 1024, "=1000000"},
      {"1g", 1024, "=1073741824"},
      {"1t", 1024, "=1099511627776"},
      {"1p", 1024, "=1125899906842624"},
      {"0x1000", 1024, "=4096"},
      {"0X10", 1024, "=16"},
      {"010", 1024, "=10"},
      {"18446744073709551615", 1024, "=18446744073709551615"},
      {"18446744073709551616", 1024, "'18446744073709551616' is more than 64 bits hold; write a smaller value"},
      {"16384p", 1024, "'16384p' is more than 64 bits hold; write a smaller value"},
      {"", 1024, "the value is empty; write a size such as 4096, 4k or 1m"},
      {"-1", 1024, "'-1' is negative; write a size such as 4096, 4k or 1m"},
      {"k", 1024, "'k' is not a number; write a size such as 4096, 4k or 1m"},
      {"0x", 1024, "'0x' has the unknown suffix 'x'"},
      {"4q", 1024, "'4q' has the unknown suffix 'q'"},
      {"4kk", 1024, "'4kk' has the unknown suffix 'kk'"},
      {"4 k", 1024, "'4 k' has the unknown suffix ' k'"},
      {"1e3", 1024, "'1e3' has the unknown suffix 'e3'"},
      {"1.5k", 1024,
       "'1.5k' has a fraction, which fio drops with all that follows it; write a whole number with a smaller unit"},
      {"0x10k", 1024,
       "'0x10k' mixes hexadecimal digits with a suffix, which fio drops; write the hexadecimal number alone, or a "
       "decimal one with its suffix"},
      {"50%", 1024, "'50%' is a percentage, and this option takes none; write a size such as 64m"},
      {"3z", 1024, "'3z' counts zones, and zoned devices are not modelled; write a size such as 64m"},
      {"(4*1024)", 1024, "arithmetic such as '(4*1024)' is not supported; write the result of the arithmetic"},
  };
  for (const Row& row : rows) {
    INFO(row.text << ", kb_base " << row.kb_base);
    std::string expected = row.outcome;
    if (expected.find("unknown suffix") != std::string::npos) expected += kSuffixes;
    CHECK(outcome([&] { return fmt::format("{}", parse_size(row.text, row.kb_base)); }) == expected);
  }
}

TEST_CASE("fio values: percentages of a size", "[fio]") {
  CHECK(parse_size_or_percent("50%") == SizeOrPercent{50, true});
  CHECK(parse_size_or_percent("100%") == SizeOrPercent{100, true});
  CHECK(parse_size_or_percent("4k") == SizeOrPercent{4096, false});
  CHECK(parse_size_or_percent("50%").of(1001) == 500);
  CHECK(parse_size_or_percent("33%").of(~std::uint64_t{0}) == 6087425544324152032ULL);
  for (const char* text : {"101%", "%", "1.5%", "-1%", "k%"}) {
    INFO(text);
    CHECK(outcome([&] { return fmt::format("{}", parse_size_or_percent(text).value); }) ==
          fmt::format("'{}' is not a whole percentage of at most 100; write 1% to 100%", text));
  }
}

TEST_CASE("fio values: times", "[fio]") {
  struct Row {
    const char* text;
    std::uint64_t unit_ns;
    const char* outcome;
  };
  const Row rows[] = {
      {"10", 1'000'000'000, "=10000000000"},
      {"10", 1'000, "=10000"},
      {"10us", 1'000'000'000, "=10000"},
      {"10usec", 1'000'000'000, "=10000"},
      {"10ms", 1'000'000'000, "=10000000"},
      {"10MSEC", 1'000'000'000, "=10000000"},
      {"10s", 1'000, "=10000000000"},
      {"1m", 1'000, "=60000000000"},
      {"1h", 1'000, "=3600000000000"},
      {"1d", 1'000, "=86400000000000"},
      {"10xs", 1'000, "'10xs' has the unknown time suffix 'xs'; the suffixes are us, ms, s, m, h and d"},
      {"1:30", 1'000, "'1:30' has the unknown time suffix ':30'; the suffixes are us, ms, s, m, h and d"},
      {"", 1'000, "the value is empty; write a time such as 30s, 500ms or 100us"},
      {"99999999999d", 1'000, "'99999999999d' is more than 64 bits hold; write a smaller value"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(outcome([&] { return fmt::format("{}", parse_time_ns(row.text, row.unit_ns)); }) == row.outcome);
  }
}

TEST_CASE("fio values: CPU lists", "[fio]") {
  CHECK(parse_cpu_list("3") == std::vector<std::uint32_t>{3});
  CHECK(parse_cpu_list("8,0-2,1") == std::vector<std::uint32_t>{0, 1, 2, 8});
  for (const char* text : {"", "a", "0-", "-1", "1,,2", "99999", "0-99999999999"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_cpu_list(text), ValueError);
  }
  CHECK_THROWS_AS(parse_cpu_list("3-1"), ValueError);
}

// Options in the order given, "name=value" or a bare name; the error's text if there is one.
JobOptions job_of(const std::string& options, FioVersion version = FioVersion::kNew) {
  ParseSettings settings;
  settings.version = version;
  OptionSet set(settings);
  std::istringstream stream(options);
  for (std::string option; stream >> option;) {
    const std::size_t equals = option.find('=');
    if (equals == std::string::npos) {
      set.apply(option, std::nullopt, option);
    } else {
      set.apply(option.substr(0, equals), option.substr(equals + 1), option);
    }
  }
  return set.finish("the job");
}

std::string error_of(const std::string& options) {
  try {
    static_cast<void>(job_of(options));
    return "none";
  } catch (const JobFileError& error) {
    CHECK_FALSE(error.error().where.empty());
    return error.what();
  }
}

TEST_CASE("fio options: block sizes by direction", "[fio]") {
  using Sizes = std::array<std::uint64_t, 3>;
  struct Row {
    const char* options;
    Sizes min, max;
  };
  constexpr std::uint64_t k = 1024;
  const Row rows[] = {
      {"", {4 * k, 4 * k, 4 * k}, {4 * k, 4 * k, 4 * k}},
      {"bs=8k", {8 * k, 8 * k, 8 * k}, {8 * k, 8 * k, 8 * k}},
      {"bs=4k,8k", {4 * k, 8 * k, 8 * k}, {4 * k, 8 * k, 8 * k}},
      {"bs=8k,", {8 * k, 4 * k, 4 * k}, {8 * k, 4 * k, 4 * k}},
      {"bs=8k,,2k", {8 * k, 4 * k, 2 * k}, {8 * k, 4 * k, 2 * k}},
      {"bs=,8k", {4 * k, 8 * k, 8 * k}, {4 * k, 8 * k, 8 * k}},
      {"bsrange=,8k-16k", {4 * k, 8 * k, 8 * k}, {4 * k, 16 * k, 16 * k}},
      {"bs=16k bsrange=4k-8k", {4 * k, 4 * k, 4 * k}, {8 * k, 8 * k, 8 * k}},
      {"bsrange=4k-8k bs=16k", {4 * k, 4 * k, 4 * k}, {8 * k, 8 * k, 8 * k}},
      {"bsrange=16k-8k", {8 * k, 8 * k, 8 * k}, {16 * k, 16 * k, 16 * k}},
      {"bs=64k bssplit=4k/50:16k/:32k", {4 * k, 4 * k, 4 * k}, {32 * k, 32 * k, 32 * k}},
      {"kb_base=1000 bs=4k", {4000, 4000, 4000}, {4000, 4000, 4000}},
      {"bs=4k kb_base=1000", {4 * k, 4 * k, 4 * k}, {4 * k, 4 * k, 4 * k}},
  };
  for (const Row& row : rows) {
    INFO(row.options);
    const JobOptions job = job_of(row.options);
    CHECK(job.bs_min_bytes.value == row.min);
    CHECK(job.bs_max_bytes.value == row.max);
  }
  CHECK(job_of("bssplit=8k/50:4k/30:16k/,2k").bssplit[Direction::kRead] ==
        std::vector<BsSplitEntry>{{16 * k, 20}, {4 * k, 30}, {8 * k, 50}});
  CHECK(job_of("bssplit=8k/50:4k,2k").bssplit[Direction::kWrite] == std::vector<BsSplitEntry>{{2 * k, 100}});
  CHECK(job_of("rw=randwrite bs=8k blockalign=4k").blockalign_bytes[Direction::kWrite] == 4 * k);
  CHECK(job_of("rw=write bs=8k blockalign=4k").blockalign_bytes[Direction::kWrite] == 8 * k);
}

TEST_CASE("fio options: queue depths are limited as fio limits them", "[fio]") {
  struct Row {
    const char* options;
    std::uint32_t depth, batch, min, max, low;
  };
  const Row rows[] = {
      {"ioengine=libaio", 1, 1, 1, 1, 1},
      {"ioengine=libaio iodepth=16", 16, 1, 1, 1, 16},
      {"ioengine=io_uring iodepth=16 iodepth_batch=0", 16, 16, 1, 1, 16},
      {"ioengine=io_uring iodepth=16 iodepth_batch=99 iodepth_low=99", 16, 16, 1, 1, 16},
      {"ioengine=io_uring iodepth=16 iodepth_batch_submit=4 iodepth_batch_complete=8 iodepth_low=2", 16, 4, 8, 8, 2},
      {"ioengine=io_uring iodepth=16 iodepth_batch_complete_min=4 iodepth_batch_complete_max=2", 16, 1, 4, 4, 16},
      {"ioengine=io_uring iodepth=16 iodepth_batch_complete_min=0", 16, 1, 0, 0, 16},
      {"ioengine=io_uring iodepth=16 iodepth_batch_complete_min=2 iodepth_batch_complete_max=8", 16, 1, 2, 8, 16},
      {"ioengine=psync iodepth=16", 1, 1, 1, 1, 1},
  };
  for (const Row& row : rows) {
    INFO(row.options);
    const JobOptions job = job_of(row.options);
    CHECK(job.iodepth == row.depth);
    CHECK(job.iodepth_batch == row.batch);
    CHECK(job.iodepth_batch_complete_min == row.min);
    CHECK(job.iodepth_batch_complete_max == row.max);
    CHECK(job.iodepth_low == row.low);
  }
  CHECK(job_of("ioengine=psync iodepth=16").notes ==
        std::vector<std::string>{"iodepth=16 with the synchronous engine psync is capped at 1"});
}

TEST_CASE("fio options: the values of the others", "[fio]") {
  CHECK(job_of("rw=randwrite:8").random_every_ios == 8);
  CHECK(job_of("rw=write:8k").sequential_skip_bytes == 8192);
  CHECK(job_of("readwrite=readwrite").rw == ReadWrite::kRw);
  CHECK(job_of("direct=1").direct);
  CHECK(job_of("buffered=0").direct);
  CHECK_FALSE(job_of("direct=1 buffered=1").direct);
  CHECK(job_of("sync=1").sync == SyncMode::kSync);
  CHECK(job_of("sync=dsync").sync == SyncMode::kDsync);
  CHECK(job_of("rwmixwrite=30").rwmixread_percent == 70);
  CHECK(job_of("fsync=4k").fsync_every_writes == 4096);
  CHECK(job_of("sync_file_range=wait_before,write:8").sync_file_range == SyncFileRangeOption{true, true, false, 8});
  CHECK(job_of("runtime=2m").runtime_ns == 120'000'000'000);
  CHECK_FALSE(job_of("runtime=0").runtime_ns);
  CHECK(job_of("timeout=500ms time_based").time_based);
  CHECK(job_of("thinktime=5ms thinktime_spin=100").thinktime_spin_ns == 100'000);
  CHECK(job_of("rate=1m,2m").rate_bytes_per_s == PerDirection<std::uint64_t>{{1 << 20, 2 << 20, 2 << 20}});
  CHECK(job_of("rate_iops=,500").rate_iops == PerDirection<std::uint32_t>{{0, 500, 500}});
  CHECK(job_of("percentile_list=99.9:50").percentile_list == std::vector<double>{50, 99.9});
  CHECK(job_of("thread=0").thread == false);
  CHECK(job_of("thread").thread);
  CHECK(job_of("filename=/dev/disk/by-path/pci-0000\\:01").filename == "/dev/disk/by-path/pci-0000:01");
  CHECK(job_of("random_distribution=zipf").random_distribution.parameter == 1.1);
  CHECK(job_of("random_distribution=pareto:0.3:0.5").random_distribution.center == 0.5);
  CHECK(job_of("random_distribution=zipf:1.2").norandommap);
  CHECK(job_of("random_distribution=zoned:60/10:40/90").random_distribution.zones.size() == 2);
  CHECK(job_of("offset=25%").offset == SizeOrPercent{25, true});
  const JobOptions untimed = job_of("time_based");
  CHECK_FALSE(untimed.time_based);
  CHECK(untimed.notes == std::vector<std::string>{"time_based needs a runtime, and is ignored without one"});
  // newer fio: another name of randrepeat; 3.33: an option of its own
  CHECK_FALSE(job_of("allrandrepeat=0").randrepeat);
  CHECK(job_of("allrandrepeat=0", FioVersion::k3_33).randrepeat);
}

TEST_CASE("fio options: errors say what to write instead", "[fio]") {
  struct Row {
    const char* options;
    const char* what;
  };
  const Row rows[] = {
      {"iodpeth=4", "iodpeth=4: unknown option 'iodpeth'; did you mean 'iodepth'?"},
      {"qqqqqqqqqq=4", "qqqqqqqqqq=4: unknown option 'qqqqqqqqqq'; see the list of fio options"},
      {"bs", "bs: option 'bs' needs a value; write bs=VALUE"},
      {"direct", "direct: option 'direct' needs a value; write direct=VALUE"},
      {"direct=yes", "direct=yes: option 'direct': 'yes' is neither 0 nor 1; write 0 or 1"},
      {"rw=foo",
       "rw=foo: option 'rw': 'foo' is not a valid value; the valid values are read, write, randread, randwrite, rw, "
       "readwrite, randrw"},
      {"rw=randtrim",
       "rw=randtrim: option 'rw': rw=randtrim is refused: trim is not modelled; use read, write, randread, randwrite, "
       "rw or randrw"},
      {"rw=write:-4k",
       "rw=write:-4k: option 'rw': sequential I/O that goes backwards is not modelled; use a positive skip"},
      {"rw=randwrite:0", "rw=randwrite:0: option 'rw': '0' is out of range; write 1 or more I/Os"},
      {"ioengine=mmap",
       "ioengine=mmap: option 'ioengine': 'mmap' is not a valid value; the valid values are psync, sync, pvsync, "
       "pvsync2, libaio, io_uring"},
      {"iodepth=0", "iodepth=0: option 'iodepth': '0' is out of range; iodepth is from 1 to 65536"},
      {"numjobs=0", "numjobs=0: option 'numjobs': '0' is out of range; numjobs is from 1 to 4096"},
      {"rwmixread=101", "rwmixread=101: option 'rwmixread': '101' is out of range; rwmixread is from 0 to 100"},
      {"bs=0", "bs=0: option 'bs': '0' is out of range; bs is from 1 to 4294967295"},
      {"bs=1,2,3,4", "bs=1,2,3,4: option 'bs': '1,2,3,4' has more than three values; write READ,WRITE,TRIM"},
      {"bs=4k-8k",
       "bs=4k-8k: option 'bs': fio reads '4k-8k' as sizes by direction, not as a range; use bs=READ,WRITE or "
       "bsrange=MIN-MAX"},
      {"bsrange=4k", "bsrange=4k: option 'bsrange': '4k' is not a range; write MIN-MAX, such as 4k-64k"},
      {"bssplit=4k/60:8k/50",
       "bssplit=4k/60:8k/50: option 'bssplit': the percentages of '4k/60:8k/50' add up to 110; they must not exceed "
       "100"},
      {"bssplit=4k bsrange=4k-8k", "bssplit=4k: bssplit and bsrange exclude each other; keep one of them"},
      {"sync=osync",
       "sync=osync: option 'sync': 'osync' is not a valid value; the valid values are none, 0, sync, 1, dsync"},
      {"sync_file_range=8",
       "sync_file_range=8: option 'sync_file_range': '8' lacks the number of writes; write wait_before, write and "
       "wait_after with commas, then :N, such as write:8"},
      {"random_distribution=zipf:1",
       "random_distribution=zipf:1: option 'random_distribution': zipf's theta cannot be 1; write a value above 0 and "
       "other than 1, such as 1.1"},
      {"random_distribution=pareto:1.5",
       "random_distribution=pareto:1.5: option 'random_distribution': pareto's h cannot be 1.5; write a value between "
       "0 and 1, such as 0.2"},
      {"random_distribution=zoned:60/10:50/90",
       "random_distribution=zoned:60/10:50/90: option 'random_distribution': the zones get 110% of the accesses and "
       "100% of the size; both must add up to 100"},
      {"random_distribution=zoned_abs:60/1g",
       "random_distribution=zoned_abs:60/1g: option 'random_distribution': zones of absolute size are not modelled; "
       "use zoned with percentages"},
      {"percentile_list=101",
       "percentile_list=101: option 'percentile_list': the percentile '101' is more than 100; write 0 to 100"},
      {"filename=a:b",
       "filename=a:b: option 'filename': 'a:b' names several files, and a job works on one file or device; write one "
       "job for each file, or \\: for a colon in a name"},
      {"startdelay=1-5", "startdelay=1-5: option 'startdelay': a random start delay is not modelled; write one time"},
      {"rate=1m rate_iops=100", "rate_iops=100: rate and rate_iops exclude each other; keep one of them"},
      {"thinktime=1 thinktime_spin=2",
       "thinktime_spin=2: thinktime_spin is longer than thinktime; thinktime is the whole pause, and the spin a part "
       "of it"},
      {"rw=randread random_generator=lfsr random_distribution=zipf",
       "random_distribution=zipf: random_generator=lfsr visits every block once, whatever the distribution; keep one "
       "of them"},
      {"unlink=2",
       "unlink=2: option 'unlink' is refused: files are laid out in full before time starts, and stay; leave it out"},
      {"mem=", "mem=: option 'mem': the value is empty; write a value"},
      {"verify=crc32c",
       "verify=crc32c: option 'verify' is refused: contents are not verified by the job; leave it out: the durability "
       "ledger checks every block"},
  };
  for (const Row& row : rows) {
    INFO(row.options);
    CHECK(error_of(row.options) == row.what);
  }
}

}  // namespace
}  // namespace flushlab::fio
