// SPDX-License-Identifier: GPL-2.0-only
// Mutated job files and command lines: each parses, or throws a JobFileError with a place and a message. Bounded and
// from a fixed seed; built with sanitizers it also holds against overflow and stray reads.
#include <catch2/catch.hpp>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "hostmodel/fio/job_file.hpp"
#include "hostmodel/fio/next_io.hpp"

namespace flushlab::fio {
namespace {

constexpr std::uint32_t kTexts = 20'000;
constexpr int kIosPerJob = 20;

const char* const kSeeds[] = {
    "[global]\nioengine=io_uring\ndirect=1\nbs=4k\nsize=1g\nfilename=/dev/"
    "nvme0n1\n[a]\nrw=randwrite\nfsync=1\niodepth=32\n",
    "[a]\nrw=randrw:4\nbssplit=4k/30:8k/:64k/10,512/50:1k/50\nrwmixread=70\npercentage_random=50,20\nnumber_ios=200\n",
    "[a]\nrw=write:8k\nbsrange=4k-64k,8k-128k\nsync_file_range=wait_before,write:8\nend_fsync=1\nloops=3\nsize=50%"
    "\noffset=10%\n",
    "[g]\nrw=randread\nrandom_distribution=zoned:60/10:30/20:10/"
    "70\nrandseed=0xffffffffffffffff\n[h]\nrandom_distribution=normal:10:0.3\nrw=randwrite\nsize=1m\n",
    "[a]\nrw=randwrite\nrandom_generator=lfsr\nblockalign=2k\nruntime=10m\ntime_based\nramp_time=500ms\nthinktime="
    "5us\nrate=1m,2m\n",
    "[a]\ncpus_allowed=0-3,7\nnumjobs=$ncpus*2\nsize=${SIZE}\ninclude "
    "more.inc\npercentile_list=50:99:99.9\nkb_base=1000\n; end\n",
    "[a]\nrw=randwrite\nrandom_distribution=zipf:1.2\nsize=100k\niodepth_batch=0\niodepth_low=3\nio_size=3m\noffset_"
    "increment=4k\n",
};

// xorshift64*: the test's own stream, so that its texts never change.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::size_t>((state_ * 0x2545F4914F6CDD1DULL) >> 33) % bound;
  }

 private:
  std::uint64_t state_;
};

std::string mutated(Random& random) {
  static const char* const kPieces[] = {"18446744073709551615",
                                        "99999999999999999999",
                                        "-1",
                                        "0",
                                        "4k",
                                        "%",
                                        "100%",
                                        "\n[b]\n",
                                        "[global]\n",
                                        "=",
                                        "",
                                        ":",
                                        ",",
                                        "/",
                                        "0x",
                                        "p",
                                        "kib",
                                        "\n",
                                        ";",
                                        "#",
                                        "${",
                                        "${X}",
                                        "$ncpus",
                                        "$ncpus/0",
                                        "((((",
                                        "include x\n",
                                        "bs=",
                                        "numjobs=4096\n",
                                        "iodepth=65536\n",
                                        "size=16383p\n",
                                        "offset=16383p\n",
                                        "loops=18446744073709551615\n",
                                        "bs=4294967295\n",
                                        "verify=crc32c\n",
                                        "e308",
                                        ".5",
                                        "nan",
                                        "inf",
                                        "\\:",
                                        "\xff",
                                        "\t",
                                        "9223372036854775808"};
  std::string text = kSeeds[random.below(std::size(kSeeds))];
  for (std::size_t edits = 1 + random.below(2); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(5)) {
      case 0:
        text.insert(at, kPieces[random.below(std::size(kPieces))]);
        break;
      case 1:
        text.erase(at, 1 + random.below(6));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 3: {  // a value by a piece
        const std::size_t equals = text.find('=', at);
        if (equals == std::string::npos) break;
        const std::size_t end = std::min(text.find('\n', equals), text.size());
        text.replace(equals + 1, end - equals - 1, kPieces[random.below(std::size(kPieces))]);
        break;
      }
      default: {  // a stretch of another text
        const std::string other = kSeeds[random.below(std::size(kSeeds))];
        const std::size_t from = random.below(other.size());
        text.insert(at, other, from, random.below(40));
      }
    }
  }
  return text;
}

struct Outcomes {
  std::uint32_t parsed = 0;
  std::uint32_t refused = 0;
};

template <typename Parse>
void try_text(const std::string& text, Outcomes& outcomes, Parse parse) {
  try {
    const std::vector<JobOptions> jobs = parse();
    REQUIRE_FALSE(jobs.empty());
    ++outcomes.parsed;
    for (const JobOptions& job : jobs) {
      // The distributions' set-up sums up to ten million terms; a small device keeps that short.
      NextIo io(job, outcomes.parsed % 2 == 0 ? FioVersion::k3_33 : FioVersion::kNew, 1, outcomes.parsed % 3,
                1'000'000);
      io.start_pass();
      for (int i = 0; i < kIosPerJob; ++i) {
        const auto request = io.next();
        if (!request) break;
        REQUIRE((request->is_sync() || request->offset_bytes < 1'000'000));
        io.on_issued(*request);
        io.on_completed(*request);
      }
    }
  } catch (const JobFileError& error) {
    ++outcomes.refused;
    if (error.error().where.empty() || error.error().message.empty())
      FAIL("an error without a place or a message for:\n" << text);
  }
}

TEST_CASE("fio job file: mutated texts parse or say what is wrong", "[fio][fuzz]") {
  Random random(0x666c757368ULL);
  JobFileContext context;
  context.settings.online_cpus = 4;
  context.lookup_variable = [](std::string_view name) {
    return name == "SIZE" ? std::optional<std::string>("1m") : std::nullopt;
  };
  context.read_file = [&](const std::string& path) {
    return path == "x" ? std::optional<std::string>("fsync=2\ninclude x\n") : std::optional<std::string>("fsync=2\n");
  };
  for (const char* seed : kSeeds) {
    INFO(seed);
    CHECK_NOTHROW(parse_job_file(seed, "seed.fio", context));
  }
  Outcomes files;
  Outcomes lines;
  for (std::uint32_t i = 0; i < kTexts; ++i) {
    const std::string text = mutated(random);
    try_text(text, files, [&] { return parse_job_file(text, "fuzz.fio", context); });
    if (i % 4 != 0) continue;
    std::vector<std::string> arguments = {"--name=a"};
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) arguments.push_back((random.below(20) == 0 ? "" : "--") + line);
    try_text(text, lines, [&] { return parse_command_line(arguments, context).jobs; });
  }
  // Both ends are reached, or the texts have lost their point.
  CHECK(files.parsed > kTexts / 20);
  CHECK(files.refused > kTexts / 20);
  CHECK(lines.refused > 0);
}

}  // namespace
}  // namespace flushlab::fio
