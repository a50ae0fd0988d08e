// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/job_file.hpp"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <map>

namespace flushlab::fio {
namespace {

JobFileContext test_context() {
  JobFileContext context;
  context.settings.online_cpus = 8;
  context.lookup_variable = [](std::string_view name) -> std::optional<std::string> {
    if (name == "SIZE") return "64k";
    if (name == "EMPTY") return "";
    return std::nullopt;
  };
  context.read_file = [](const std::string& path) -> std::optional<std::string> {
    static const std::map<std::string, std::string> files = {
        {"dir/common.inc", "bs=16k\nfsync=1\n"},
        {"dir/loop.inc", "include loop.inc\n"},
        {"dir/section.inc", "[x]\n"},
        {"dir/bad.inc", "bs=8k\n\niodpeth=1\n"},
        {"one.fio", "[a]\nrw=write\n[b]\nrw=read\n"},
        {"two.fio", "[global]\nbs=8k\n[c]\nrw=randwrite\n[d]\nrw=read\n"},
    };
    const auto file = files.find(path);
    if (file == files.end()) return std::nullopt;
    return file->second;
  };
  return context;
}

std::vector<JobOptions> parse(std::string_view text) {
  return parse_job_file(text, "dir/job.fio", test_context());
}

FioCommandLine command(const std::vector<std::string>& arguments) {
  return parse_command_line(arguments, test_context());
}

template <typename Function>
std::string error_of(Function function) {
  try {
    function();
    return "none";
  } catch (const JobFileError& error) {
    CHECK_FALSE(error.error().where.empty());
    CHECK_FALSE(error.error().message.empty());
    return error.what();
  }
}

TEST_CASE("fio job file: sections, globals and comments", "[fio]") {
  const auto jobs = parse(
      "; a comment\n"
      "# another\n"
      "[global]\n"
      "bs=8k   ; after a value\n"
      "direct=1#close\n"
      "\n"
      "  [first job]  \r\n"
      "  rw=randwrite\r\n"
      "thread\n"
      "[global]\n"
      "bs=16k\n"
      "[second]\n"
      "numjobs=3\n"
      "name=renamed");
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].name == "first job");
  CHECK(jobs[0].rw == ReadWrite::kRandWrite);
  CHECK(jobs[0].bs_min_bytes[Direction::kWrite] == 8192);
  CHECK(jobs[0].direct);
  CHECK(jobs[0].thread);
  CHECK(jobs[1].name == "renamed");
  CHECK(jobs[1].numjobs == 3);
  CHECK(jobs[1].bs_min_bytes[Direction::kRead] == 16384);
  REQUIRE(jobs[0].given.size() == 4);
  CHECK(jobs[0].given[0].name == "bs");
  CHECK(jobs[0].given[0].value == "8k");
  CHECK(jobs[0].given[0].where == "dir/job.fio:4");
  CHECK(jobs[0].given[0].global);
  CHECK(jobs[0].given[3].bare);
  CHECK_FALSE(jobs[0].given[3].global);
}

TEST_CASE("fio job file: variables, keywords and includes", "[fio]") {
  const auto jobs = parse(
      "[a]\nsize=${SIZE}\nfilename=${UNSET}x\nnumjobs=$ncpus*2\nbs=($pagesize+$pagesize)/4\ninclude "
      "common.inc\nfsync=2\n");
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].size->value == 65536);
  CHECK(jobs[0].filename == "${UNSET}x");
  CHECK(jobs[0].numjobs == 16);
  CHECK(jobs[0].bs_min_bytes[Direction::kRead] == 16384);
  CHECK(jobs[0].fsync_every_writes == 2);
  CHECK(jobs[0].given[3].value == "2048");
}

TEST_CASE("fio job file: only the sections asked for", "[fio]") {
  const std::vector<std::string> sections = {"b"};
  const auto jobs = parse_job_file("[a]\nnonsense=1\n[b]\nbs=8k\n", "job.fio", {}, sections);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].name == "b");
}

TEST_CASE("fio job file: errors say where, what and what to write", "[fio]") {
  struct Row {
    const char* text;
    const char* what;
  };
  const std::string long_name = "[" + std::string(256, 'x') + "]\n";
  const Row rows[] = {
      {"", "dir/job.fio: no job is defined; write a section such as [job1] with at least rw and bs"},
      {"[global]\nbs=4k\n", "dir/job.fio: no job is defined; write a section such as [job1] with at least rw and bs"},
      {"bs=4k\n[a]\n",
       "dir/job.fio:1: option 'bs=4k' stands outside of any section; write [global] or [NAME] above it"},
      {"[a]\n\niodpeth=4\n", "dir/job.fio:3: unknown option 'iodpeth'; did you mean 'iodepth'?"},
      {"[a]\nbs=4q\n",
       "dir/job.fio:2: option 'bs': '4q' has the unknown suffix 'q'; the suffixes are k, m, g, t and p, each with an "
       "optional b or ib (k is 1024, kib is 1000, unless kb_base=1000)"},
      {"[a]\nbs = 8k\n", "dir/job.fio:2: blank space after 'bs=', where fio misreads the value or fails; write bs=8k"},
      {"[a]\ndirect\n", "dir/job.fio:2: option 'direct' needs a value; write direct=VALUE"},
      {"[a\nbs=8k\n", "dir/job.fio:1: '[a' is not a section header; write [NAME] alone on its line"},
      {"[a] x\n", "dir/job.fio:1: '[a] x' is not a section header; write [NAME] alone on its line"},
      {"[]\n", "dir/job.fio:1: '[]' is not a section header; write [NAME] alone on its line"},
      {long_name.c_str(), "dir/job.fio:1: the section's name is longer than 255 characters; shorten it"},
      {"[a]\n=8k\n", "dir/job.fio:2: unknown option ''; see the list of fio options"},
      {"[a]\nBS=8k\n", "dir/job.fio:2: unknown option 'BS'; see the list of fio options"},
      {"[a]\nbs=${UNSET}\n",
       "dir/job.fio:2: option 'bs': '${UNSET}' is not a number; write a size such as 4096, 4k or 1m"},
      {"[a]\nbs=${EMPTY}\n", "dir/job.fio:2: option 'bs': the value is empty; write one value or READ,WRITE,TRIM"},
      {"[a]\nnumjobs=$ncpus-9\n",
       "dir/job.fio:2: cannot evaluate '$ncpus-9'; write whole numbers and keywords with + - * / and parentheses"},
      {"[a]\nsize=$mb_memory*8\n", "dir/job.fio:2: the value of $mb_memory is not known; write the number"},
      {"[a]\ninclude none.inc\n",
       "dir/job.fio:2: cannot read the included file 'dir/none.inc'; its path is relative to the including file"},
      {"[a]\ninclude bad.inc\n", "dir/bad.inc:3: unknown option 'iodpeth'; did you mean 'iodepth'?"},
      {"[a]\ninclude section.inc\n",
       "dir/section.inc:1: an included file cannot start a section; move the section to the job file"},
      {"[a]\ninclude loop.inc\n", "dir/loop.inc:1: includes are nested more than 16 deep; does a file include itself?"},
      {"[a]\nzonemode=zbd\n",
       "dir/job.fio:2: option 'zonemode' is refused: zoned devices are not modelled; leave it out"},
      {"[a]\nrate=1m\nrate_iops=5\n", "dir/job.fio:3: rate and rate_iops exclude each other; keep one of them"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(error_of([&] { static_cast<void>(parse(row.text)); }) == row.what);
  }
}

TEST_CASE("fio command line: defaults, jobs and both ways to write a value", "[fio]") {
  const FioCommandLine line = command({"--bs=8k", "--direct", "1", "--name=a", "--rw=write", "--thread", "--name", "b",
                                       "--rw", "read", "--eta=never", "--output-format=json", "--output", "x.json"});
  REQUIRE(line.jobs.size() == 2);
  CHECK(line.jobs[0].name == "a");
  CHECK(line.jobs[0].bs_min_bytes[Direction::kRead] == 8192);
  CHECK(line.jobs[0].direct);
  CHECK(line.jobs[0].thread);
  CHECK(line.jobs[1].name == "b");
  CHECK_FALSE(line.jobs[1].thread);
  CHECK(line.jobs[1].direct);
  CHECK(line.output_format == "json");
  CHECK(line.output_path == "x.json");
  CHECK(line.jobs[1].given.back().where == "--rw read");
}

TEST_CASE("fio command line: job files get the defaults; later files wait for the earlier ones", "[fio]") {
  const FioCommandLine line = command({"--bs=32k", "one.fio", "two.fio", "--section=a", "--section=c"});
  REQUIRE(line.jobs.size() == 2);
  CHECK(line.jobs[0].name == "a");
  CHECK(line.jobs[0].bs_min_bytes[Direction::kRead] == 32768);
  CHECK_FALSE(line.jobs[0].stonewall);
  CHECK(line.jobs[1].name == "c");
  CHECK(line.jobs[1].bs_min_bytes[Direction::kRead] == 8192);
  CHECK(line.jobs[1].stonewall);
}

TEST_CASE("fio command line: errors", "[fio]") {
  struct Row {
    std::vector<std::string> arguments;
    const char* what;
  };
  const Row rows[] = {
      {{}, "command line: no job is defined; write --name=NAME --rw=... or a job file"},
      {{"--bs=4k"}, "command line: no job is defined; write --name=NAME --rw=... or a job file"},
      {{"--name=a", "--bs=4q"},
       "--bs=4q: option 'bs': '4q' has the unknown suffix 'q'; the suffixes are k, m, g, t and p, each with an "
       "optional b or ib (k is 1024, kib is 1000, unless kb_base=1000)"},
      {{"--name=a", "--bs", "x"}, "--bs x: option 'bs': 'x' is not a number; write a size such as 4096, 4k or 1m"},
      {{"--name=a", "--iodpeth=3"}, "--iodpeth=3: unknown option 'iodpeth'; did you mean 'iodepth'?"},
      {{"--name=a", "--direct"}, "--direct: option 'direct' needs a value; write --direct=VALUE"},
      {{"--name="}, "--name=: the job has no name; write --name=NAME"},
      {{"-x"}, "-x: unknown argument '-x'; fio's options start with two dashes"},
      {{"none.fio"}, "none.fio: cannot read the job file; options start with two dashes; anything else is a job file"},
      {{"--name=a", "--minimal"},
       "--minimal: option 'minimal' is refused: terse output is not printed; use --output-format=json"},
      {{"--name=a", "--rw=write", "--readonly"},
       "--readonly: job 'a' writes; leave out --readonly or use rw=read or rw=randread"},
      {{"--name=a", "--numjobs=4096", "--name=b"},
       "command line: more than 4096 jobs; write fewer, or a smaller numjobs"},
      {{"--name=a", "--numjobs=$ncpus"},
       "--numjobs=$ncpus: option 'numjobs': '$ncpus' is not a number; write a size such as 4096, 4k or 1m"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(error_of([&] { static_cast<void>(command(row.arguments)); }) == row.what);
  }
}

TEST_CASE("fio job file: a job without a reader or variables", "[fio]") {
  CHECK(parse_job_file("[a]\nfilename=${HOME}\n", "job.fio")[0].filename == "${HOME}");
  CHECK_THROWS_AS(parse_job_file("[a]\ninclude x\n", "job.fio"), JobFileError);
}

bool same_options(const JobOptions& a, const JobOptions& b) {
  return a.name == b.name && a.rw == b.rw && a.random_every_ios == b.random_every_ios &&
         a.bs_min_bytes == b.bs_min_bytes && a.bs_max_bytes == b.bs_max_bytes && a.bssplit == b.bssplit &&
         a.blockalign_bytes == b.blockalign_bytes && a.iodepth == b.iodepth && a.iodepth_batch == b.iodepth_batch &&
         a.size == b.size && a.io_size == b.io_size && a.offset == b.offset && a.loops == b.loops &&
         a.runtime_ns == b.runtime_ns && a.time_based == b.time_based && a.direct == b.direct && a.sync == b.sync &&
         a.fsync_every_writes == b.fsync_every_writes && a.sync_file_range == b.sync_file_range &&
         a.thread == b.thread && a.rate_bytes_per_s == b.rate_bytes_per_s && a.thinktime_ns == b.thinktime_ns &&
         a.randseed == b.randseed && a.random_distribution == b.random_distribution &&
         a.percentile_list == b.percentile_list && a.cpus_allowed == b.cpus_allowed && a.notes == b.notes;
}

TEST_CASE("fio job file: a job written out parses to the same job", "[fio][property]") {
  CHECK(rc::check("to_job_file and back", [] {
    static const std::vector<std::pair<std::string, std::vector<std::string>>> kChoices = {
        {"rw", {"read", "write", "randwrite:4", "randrw"}},
        {"bs", {"4k", "512,8k", ",16kib", "0x2000"}},
        {"bssplit", {"4k/50:8k", "4k"}},
        {"blockalign", {"2k", "8k"}},
        {"ioengine", {"psync", "libaio", "io_uring"}},
        {"iodepth", {"1", "32", "1k"}},
        {"iodepth_batch", {"0", "8"}},
        {"size", {"1g", "50%"}},
        {"io_size", {"2g", "10%"}},
        {"offset", {"64k", "5%"}},
        {"loops", {"3"}},
        {"runtime", {"30", "500ms"}},
        {"direct", {"0", "1"}},
        {"sync", {"none", "dsync"}},
        {"fsync", {"1", "8"}},
        {"sync_file_range", {"write:8", "wait_before,write,wait_after:2"}},
        {"rate", {"1m", ",2m"}},
        {"thinktime", {"5", "1ms"}},
        {"randseed", {"1", "0xffffffffffffffff"}},
        {"random_distribution", {"random", "zipf:1.2", "normal:10:0.5", "zoned:50/5:50/95"}},
        {"percentile_list", {"50:99.9"}},
        {"cpus_allowed", {"0-3,7"}},
        {"kb_base", {"1000"}},
    };
    std::vector<std::string> arguments;
    bool named = false;
    const auto options =
        *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, kChoices.size() + 3));
    for (const std::size_t i : options) {
      if (i < kChoices.size()) {
        const auto& [name, values] = kChoices[i];
        arguments.push_back("--" + name + "=" + *rc::gen::elementOf(values));
      } else if (i == kChoices.size()) {
        arguments.emplace_back("--thread");
      } else if (i == kChoices.size() + 1) {
        arguments.emplace_back("--time_based");
      } else if (!named) {
        arguments.emplace_back("--name=" + *rc::gen::element<std::string>("a", "job 1", "global", "x=y"));
        named = true;
      }
    }
    if (!named) arguments.insert(arguments.begin(), "--name=job");
    const JobOptions job = parse_command_line(arguments).jobs.at(0);
    const std::string text = to_job_file(job);
    const auto again = parse_job_file(text, "again.fio");
    RC_ASSERT(again.size() == 1U);
    RC_ASSERT(same_options(job, again[0]));
    // The text, too, from the second time on: only the section's name may have moved.
    RC_ASSERT(to_job_file(again[0]) == text);
  }));
}

TEST_CASE("fio job file: what cannot be written in a job file is refused", "[fio]") {
  const JobOptions job = command({"--name=a", "--description=one # two"}).jobs[0];
  CHECK(error_of([&] { static_cast<void>(to_job_file(job)); }) ==
        "a: 'one # two' cannot be written in a job file; give it on the command line");
}

}  // namespace
}  // namespace flushlab::fio
