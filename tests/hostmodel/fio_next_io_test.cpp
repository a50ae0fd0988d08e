// SPDX-License-Identifier: GPL-2.0-only
// Which I/O a job issues, against sequences taken from the real programs, and the rules of next_io.hpp.
#include "hostmodel/fio/next_io.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <iterator>
#include <sstream>

#include "hostmodel/fio/job_file.hpp"

namespace flushlab::fio {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

JobOptions parse(const std::string& arguments, FioVersion version) {
  std::vector<std::string> list = {"--name=a", "--filename=v", "--ioengine=psync"};
  for (std::string& word : words(arguments)) list.push_back(std::move(word));
  JobFileContext context;
  context.settings.version = version;
  return parse_command_line(list, context).jobs.at(0);
}

std::uint64_t laid_out_bytes(const JobOptions& job) {
  return job.size->value + job.offset.value;
}

// The notation of the vectors: sector, r for a read, S for a sync, +sectors where lengths vary.
std::string notation(const IoRequest& request, bool with_length) {
  if (request.is_sync()) return "S";
  std::string out = fmt::format("{}{}", request.kind == IoRequest::Kind::kRead ? "r" : "", request.offset_bytes / 512);
  if (with_length) out += fmt::format("+{}", request.length_bytes / 512);
  return out;
}

// The whole job at queue depth 1.
std::string run_qd1(NextIo& io, bool with_length) {
  std::string out;
  do {
    io.start_pass();
    while (const std::optional<IoRequest> request = io.next()) {
      io.on_issued(*request);
      out += (out.empty() ? "" : " ") + notation(*request, with_length);
      io.on_completed(*request);
    }
  } while (io.another_pass());
  return out;
}

enum Versions { k3_33, kNew, kBoth };
struct Vector {
  const char* arguments;
  Versions versions;
  std::uint32_t job_number;
  const char* sequence;
};
// Taken from the real programs. number_ios is 16 unless given.
// clang-format off
const Vector kVectors[] = {
    {"--rw=randwrite --bs=4k --size=64M", k3_33, 1,
     "7904 97024 110512 61600 52672 110112 49872 46336 119664 8752 112096 85344 121704 32352 51440 73264"},
    {"--rw=randwrite --bs=4k --size=64M", kNew, 1,
     "128056 113496 86080 67672 79024 128152 1888 29640 42888 109576 88368 74112 124648 50144 1688 98008"},
    {"--rw=randwrite --bs=4k --size=64M --randrepeat=0 --randseed=1", kBoth, 1,
     "9368 28568 107512 31120 56728 36152 5968 10400 116816 26200 5160 40752 19944 30408 53728 52696"},
    {"--rw=randwrite --bs=4k --size=64M --randseed=1", k3_33, 1,
     "7904 97024 110512 61600 52672 110112 49872 46336 119664 8752 112096 85344 121704 32352 51440 73264"},
    {"--rw=randwrite --bs=4k --size=64M --randseed=1", kNew, 1,
     "9368 28568 107512 31120 56728 36152 5968 10400 116816 26200 5160 40752 19944 30408 53728 52696"},
    {"--rw=randwrite --bs=4k --size=64M --randrepeat=0 --randseed=2 --norandommap", kBoth, 1,
     "71760 104760 82296 93984 45936 8048 7192 70144 26104 101792 70376 5016 73840 91728 59528 44688"},
    {"--rw=randwrite --bs=4k --size=64k", k3_33, 1,
     "0 88 104 56 48 112 64 40 120 8 16 80 24 32 72 96"},
    {"--rw=randwrite --bs=4k --size=64k", kNew, 1,
     "120 104 80 64 72 0 8 24 40 112 88 96 16 48 32 56"},
    {"--rw=randwrite --bs=8k --size=1000000k --randrepeat=0 --randseed=123456789", kBoth, 1,
     "72896 866640 1250432 350432 856912 217472 278480 59120 1717488 92896 541984 218560 474624 355184 269440 1817328"},
    {"--rw=randwrite --bs=4k --size=64M --random_generator=tausworthe64", k3_33, 1,
     "123000 3440 10568 13032 69344 3408 57696 43712 111520 99480 81160 13136 115464 106096 124144 16072"},
    {"--rw=randwrite --bs=4k --size=64M --random_generator=tausworthe64", kNew, 1,
     "47608 20096 96976 69872 111800 55472 130520 117184 58408 109176 21312 10544 23968 4472 122384 25944"},
    {"--rw=randwrite --bs=4k --size=64M --random_generator=lfsr", k3_33, 1,
     "14296 34552 61976 40512 85792 108432 119752 29936 80504 59856 95464 23864 50640 90856 22712 50568"},
    {"--rw=randwrite --bs=4k --size=64M --random_generator=lfsr", kNew, 1,
     "57376 94224 112648 28160 79616 105344 118208 124640 127856 129464 57240 39920 85496 64152 40784 85928"},
    {"--rw=randrw --bs=4k --size=64M --rwmixread=70 --fsync=2", k3_33, 1,
     "r7904 r97024 r110512 61600 r52672 r110112 49872 S r46336 S r119664 S r8752 S 112096 r85344 121704 S r32352 S r51440 S r73264"},
    {"--rw=randrw --bs=4k --size=64M --rwmixread=70 --fsync=2", kNew, 1,
     "r128056 r113496 r86080 67672 r79024 r128152 1888 S r29640 r42888 r109576 88368 r74112 124648 S r50144 r1688 r98008"},
    {"--rw=randwrite --bsrange=4k-16k --size=64M", k3_33, 1,
     "7904+8 97024+8 110512+16 61600+24 52672+24 110112+16 49872+32 46336+8 119664+24 8752+32 112096+32 85344+16 121704+32 32352+8 51440+16 73264+16"},
    {"--rw=randwrite --bsrange=4k-16k --size=64M", kNew, 1,
     "128056+8 113496+8 86080+16 67672+24 79024+24 128152+16 1888+32 29640+8 42888+24 109576+32 88368+32 74112+16 124648+32 50144+8 1688+16 98008+16"},
    {"--rw=randwrite --bs=4k --size=64M --percentage_random=50", k3_33, 1,
     "7904 7912 7920 97024 97032 110512 110520 61600 52672 110112 49872 49880 49888 46336 46344 46352"},
    {"--rw=randwrite:4 --bs=4k --size=64M", k3_33, 1,
     "7904 7912 7920 7928 97024 97032 97040 97048 110512 110520 110528 110536 61600 61608 61616 61624"},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=zipf:1.1 --randrepeat=0 --randseed=7", k3_33, 1,
     "12024 129096 82472 25424 14712 25424 16840 100944 54752 70840 75976 91000 7136 40512 25424 25424"},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=normal:10 --randrepeat=0 --randseed=7", k3_33, 1,
     "12936 92776 102328 22248 22448 43344 75248 29224 97472 109064 88400 17712 47888 126560 1464 121224"},
    {"--rw=write:8k --bs=4k --size=64M --offset=1M", kBoth, 1,
     "2048 2072 2096 2120 2144 2168 2192 2216 2240 2264 2288 2312 2336 2360 2384 2408"},
    {"--rw=randwrite --bs=4k --size=1M --number_ios=5 --numjobs=3", k3_33, 1,
     "120 1512 1720 960 816"},
    {"--rw=randwrite --bs=4k --size=1M --number_ios=5 --numjobs=3", k3_33, 2,
     "520 368 1224 80 920"},
    {"--rw=randwrite --bs=4k --size=1M --number_ios=5 --numjobs=3", k3_33, 3,
     "200 1672 1400 1984 16"},
    {"--rw=randwrite --bs=4k --size=1M --number_ios=5 --numjobs=3 --randseed=9", k3_33, 1,
     "120 1512 1720 960 816"},
    {"--rw=randwrite --bs=4k --size=1M --number_ios=5 --numjobs=3 --randseed=9", k3_33, 2,
     "664 1176 1992 952 696"},
    {"--rw=randwrite --bs=4k --size=1M --number_ios=5 --numjobs=3 --randseed=9", k3_33, 3,
     "1408 1912 1688 1104 576"},
    {"--rw=randwrite --bs=4k --size=64M --randrepeat=0 --randseed=7 --number_ios=6 --random_distribution=pareto", k3_33, 1,
     "3880 9104 15072 25424 14672 25424"},
    {"--rw=randwrite --bs=4k --size=64M --randrepeat=0 --randseed=7 --number_ios=6 --random_distribution=pareto:0.3", k3_33, 1,
     "128136 29536 108512 25424 16400 97640"},
    {"--rw=randwrite --bs=4k --size=64M --randrepeat=0 --randseed=7 --number_ios=6 --random_distribution=normal", k3_33, 1,
     "107176 109344 4952 27384 115448 16384"},
    {"--rw=randwrite --bs=4k --size=64M --randrepeat=0 --randseed=7 --number_ios=6 --random_distribution=zipf:1.1:0.5", k3_33, 1,
     "52136 38136 122584 65536 54824 65536"},
};
// clang-format on

TEST_CASE("fio next I/O: the sequences of fio", "[fio]") {
  for (const Vector& vector : kVectors) {
    for (const FioVersion version : {FioVersion::k3_33, FioVersion::kNew}) {
      if (vector.versions == (version == FioVersion::kNew ? k3_33 : kNew)) continue;
      INFO(vector.arguments);
      INFO("job " << vector.job_number << (version == FioVersion::kNew ? ", new" : ", 3.33"));
      const std::string sequence = vector.sequence;
      JobOptions job = parse(std::string("--number_ios=16 ") + vector.arguments, version);
      NextIo io(job, version, vector.job_number, vector.job_number - 1, laid_out_bytes(job));
      CHECK(run_qd1(io, sequence.find('+') != std::string::npos) == sequence);
    }
  }
}

TEST_CASE("fio next I/O: at depth 1, 20 writes with fsync=1 are 20 writes and 19 syncs", "[fio]") {
  const FioVersion version = GENERATE(FioVersion::k3_33, FioVersion::kNew);
  const JobOptions job = parse("--rw=write --bs=4k --size=1m --number_ios=20 --fsync=1", version);
  NextIo io(job, version, 1, 0, 1 << 20);
  const std::string sequence = run_qd1(io, false);
  CHECK(std::count(sequence.begin(), sequence.end(), 'S') == 19);
  CHECK(words(sequence).size() == 39);
  CHECK(words(sequence).back() == "152");
}

struct Totals {
  std::uint64_t writes = 0;
  std::uint64_t syncs = 0;
  std::uint64_t passes = 0;
};

// An asynchronous engine as fio drives it: fill the queue, then reap one at a time. `order` picks which one completes.
Totals run_async(const JobOptions& job, FioVersion version, std::uint64_t bytes, std::uint32_t order_seed) {
  NextIo io(job, version, 1, 0, bytes);
  Totals totals;
  T32 order(order_seed);
  do {
    io.start_pass();
    ++totals.passes;
    std::deque<IoRequest> in_flight;
    const auto reap = [&] {
      const std::size_t at = order_seed == 0 ? 0 : order.next() % in_flight.size();
      io.on_completed(in_flight[at]);
      in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(at));
    };
    while (const std::optional<IoRequest> request = io.next()) {
      io.on_issued(*request);
      in_flight.push_back(*request);
      ++(request->is_sync() ? totals.syncs : totals.writes);
      if (in_flight.size() == job.iodepth) reap();
    }
    while (!in_flight.empty()) reap();
  } while (io.another_pass());
  return totals;
}

TEST_CASE("fio next I/O: asynchronous with fsync=1, fio 3.33: writes and syncs add up to 2N-1", "[fio]") {
  const std::uint32_t order = GENERATE(0U, 1U, 2U, 3U, 4U, 5U);
  for (const auto& [n, depth] : {std::pair{200U, 32U}, std::pair{100U, 8U}, std::pair{60U, 16U}}) {
    const JobOptions job = parse(
        fmt::format("--ioengine=io_uring --rw=randwrite --bs=4k --size=64m --fsync=1 --number_ios={} --iodepth={}", n,
                    depth),
        FioVersion::k3_33);
    const Totals totals = run_async(job, FioVersion::k3_33, 64 << 20, order);
    INFO("N=" << n << " D=" << depth << " order " << order);
    CHECK(totals.writes + totals.syncs == 2 * n - 1);
    CHECK(totals.writes >= n - (depth - 1));
    CHECK(totals.writes <= n);
  }
}

TEST_CASE("fio next I/O: asynchronous with fsync=1, newer fio: a sync after each write", "[fio]") {
  const std::uint32_t order = GENERATE(0U, 1U, 2U, 3U);
  const JobOptions job =
      parse("--ioengine=io_uring --rw=randwrite --bs=4k --size=64m --fsync=1 --number_ios=200 --iodepth=32",
            FioVersion::kNew);
  const Totals totals = run_async(job, FioVersion::kNew, 64 << 20, order);
  CHECK(totals.writes <= 200);
  CHECK(totals.writes >= 199);
  CHECK(totals.syncs == 199);
  CHECK(totals.passes > 1);
}

TEST_CASE("fio next I/O: an asynchronous pass ends with size; a synchronous one with the limit", "[fio]") {
  // Both loops of a norandommap job are one pass for psync, two for io_uring.
  for (const auto& [engine, passes] : {std::pair{"psync", 1U}, std::pair{"io_uring", 2U}}) {
    JobOptions job =
        parse(fmt::format("--ioengine={} --rw=randwrite --bs=4k --size=64k --norandommap --loops=2", engine),
              FioVersion::kNew);
    NextIo io(job, FioVersion::kNew, 1, 0, 64 << 10);
    io.start_pass();
    std::uint64_t count = 0;
    while (const auto request = io.next()) {
      io.on_issued(*request);
      io.on_completed(*request);
      ++count;
    }
    INFO(engine);
    CHECK(count == 32 / passes);
    CHECK(io.another_pass());
  }
}

TEST_CASE("fio next I/O: sequential writes beyond size wrap in newer fio, and make a new pass in 3.33", "[fio]") {
  for (const auto& [version, passes] : {std::pair{FioVersion::k3_33, 3U}, std::pair{FioVersion::kNew, 1U}}) {
    const JobOptions job = parse("--rw=write --bs=4k --size=16k --io_size=48k", version);
    NextIo io(job, version, 1, 0, 16 << 10);
    CHECK(run_qd1(io, false) == "0 8 16 24 0 8 16 24 0 8 16 24");
    CHECK(io.passes() == passes);
  }
}

TEST_CASE("fio next I/O: time_based goes on in place, without starting its generators again", "[fio]") {
  const JobOptions job = parse("--rw=randwrite --bs=4k --size=64k --time_based --runtime=1", FioVersion::kNew);
  NextIo io(job, FioVersion::kNew, 1, 0, 64 << 10);
  io.start_pass();
  std::vector<std::uint64_t> offsets;
  for (int i = 0; i < 48; ++i) {
    const auto request = io.next();
    REQUIRE(request);
    io.on_issued(*request);
    io.on_completed(*request);
    offsets.push_back(request->offset_bytes);
  }
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint64_t> part(offsets.begin() + round * 16, offsets.begin() + round * 16 + 16);
    std::sort(part.begin(), part.end());
    CHECK(std::adjacent_find(part.begin(), part.end()) == part.end());
  }
  CHECK_FALSE(std::equal(offsets.begin(), offsets.begin() + 16, offsets.begin() + 16));
}

TEST_CASE("fio next I/O: sync_file_range covers what completed since the last sync", "[fio]") {
  const JobOptions job =
      parse("--rw=write --bs=4k --size=64k --offset=4k --sync_file_range=write:3 --number_ios=7", FioVersion::kNew);
  NextIo io(job, FioVersion::kNew, 1, 0, 128 << 10);
  io.start_pass();
  std::vector<IoRequest> syncs;
  while (const auto request = io.next()) {
    io.on_issued(*request);
    if (request->is_sync()) syncs.push_back(*request);
    io.on_completed(*request);
  }
  REQUIRE(syncs.size() == 2);
  CHECK(syncs[0] == IoRequest{IoRequest::Kind::kSyncFileRange, 4096, 12288});
  CHECK(syncs[1] == IoRequest{IoRequest::Kind::kSyncFileRange, 16384, 12288});
}

TEST_CASE("fio next I/O: end_fsync is due after a pass; in 3.33 not after a sync", "[fio]") {
  for (const auto& [version, due] : {std::pair{FioVersion::k3_33, false}, std::pair{FioVersion::kNew, true}}) {
    NextIo io(parse("--rw=write --bs=4k --size=4k --end_fsync=1", version), version, 1, 0, 4096);
    io.start_pass();
    CHECK(io.end_fsync_due());
    const IoRequest sync{IoRequest::Kind::kFsync, 0, 0};
    io.on_issued(sync);
    io.on_completed(sync);
    CHECK(io.end_fsync_due() == due);
  }
  NextIo reader(parse("--rw=read --bs=4k --size=4k --end_fsync=1", FioVersion::kNew), FioVersion::kNew, 1, 0, 4096);
  CHECK_FALSE(reader.end_fsync_due());
}

TEST_CASE("fio next I/O: ramp_time's end starts the counts again", "[fio]") {
  NextIo io(parse("--rw=write --bs=4k --size=1m --number_ios=4 --fsync=3", FioVersion::kNew), FioVersion::kNew, 1, 0,
            1 << 20);
  io.start_pass();
  const auto issue = [&] {
    const auto request = io.next();
    if (!request) return std::string("end");
    io.on_issued(*request);
    io.on_completed(*request);
    return notation(*request, false);
  };
  CHECK(issue() == "0");
  CHECK(issue() == "8");
  io.on_ramp_end();
  for (const char* expected : {"16", "24", "32", "S", "40", "end"}) CHECK(issue() == expected);
}

TEST_CASE("fio next I/O: jobs without a single fitting block end at once", "[fio]") {
  for (const char* arguments :
       {"--rw=write --bs=4k --size=1k", "--rw=randwrite --bs=4k --size=1k",
        "--rw=randwrite --bs=4k --size=4k --offset=8k", "--rw=randread --bs=4k --size=1k --random_generator=lfsr",
        "--rw=randread --bs=4k --size=0", "--rw=randread --bs=4k --size=0 --random_distribution=zipf",
        "--rw=randread --bs=4k --size=0 --time_based --runtime=1"}) {
    INFO(arguments);
    NextIo io(parse(arguments, FioVersion::kNew), FioVersion::kNew, 1, 0, 8 << 10);
    io.start_pass();
    CHECK_FALSE(io.next());
    CHECK_FALSE(io.another_pass());
  }
}

TEST_CASE("fio next I/O: lfsr over too many blocks is an error of the job", "[fio]") {
  const JobOptions job = parse("--rw=randread --bs=512 --random_generator=lfsr", FioVersion::kNew);
  CHECK_THROWS_AS(NextIo(job, FioVersion::kNew, 1, 0, std::uint64_t{4} << 40), JobFileError);
}

TEST_CASE("fio geometry: size, offset and percentages", "[fio]") {
  struct Row {
    const char* arguments;
    std::uint32_t subjob;
    std::uint64_t offset, io_size, limit, blocks;
  };
  constexpr std::uint64_t kDevice = 1'000'000;
  const Row rows[] = {
      {"--bs=4k", 0, 0, 1'000'000, 1'000'000, 244},
      {"--bs=4k --size=64k", 0, 0, 65536, 65536, 16},
      {"--bs=4k --size=50%", 0, 0, 499'712, 499'712, 122},
      {"--bs=4k --offset=10%", 0, 102'400, 897'600, 897'600, 219},
      {"--bs=4k --offset=8k --offset_increment=64k --size=64k", 2, 139'264, 65536, 65536, 16},
      {"--bs=4k --size=64k --io_size=1m", 0, 0, 65536, 1'048'576, 16},
      {"--bs=4k --size=64k --io_size=50%", 0, 0, 65536, 32768, 16},
      {"--bs=8k,4k --size=64k", 0, 0, 65536, 65536, 16},
      {"--bs=4k --size=2m", 0, 0, 2'097'152, 2'097'152, 244},
  };
  for (const Row& row : rows) {
    INFO(row.arguments);
    const FileGeometry g = file_geometry(parse(row.arguments, FioVersion::kNew), row.subjob, kDevice);
    CHECK(g.offset_bytes == row.offset);
    CHECK(g.io_size_bytes == row.io_size);
    CHECK(g.limit_bytes == row.limit);
    CHECK(g.blocks == row.blocks);
  }
}

TEST_CASE("fio distributions: the hash of a file name", "[fio]") {
  CHECK(file_name_hash("/dev/nvme0n1") == 0x55a72e6e);
}

}  // namespace
}  // namespace flushlab::fio
