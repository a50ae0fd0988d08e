// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/job_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hostmodel/fio/job_file_keywords.hpp"

namespace flushlab::fio {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kLongestSectionName = 255;
constexpr int kDeepestInclude = 16;
constexpr std::uint64_t kMostJobs = 4096;  // fio's limit, clones counted

std::string_view trimmed_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view{} : trimmed_end(text.substr(first));
}

bool is_plain_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

[[noreturn]] void fail(std::string where, std::string message, std::string remedy) {
  throw JobFileError({std::move(where), std::move(message), std::move(remedy)});
}

// Job files, one after the other, into jobs; the command line may have set defaults before.
class JobFileParser {
 public:
  JobFileParser(const JobFileContext& context, OptionSet defaults, std::span<const std::string> sections)
      : context_(context), globals_(std::move(defaults)), sections_(sections) {}

  std::vector<JobOptions> parse(std::string_view text, const std::string& file_name, bool stonewall_first) {
    file_globals_ = globals_;
    parse_text(text, file_name, 0);
    end_section();
    if (jobs_.empty()) {
      fail(file_name, sections_.empty() ? "no job is defined" : "none of the sections asked for is defined",
           "write a section such as [job1] with at least rw and bs");
    }
    if (stonewall_first) jobs_.front().stonewall = true;
    return std::exchange(jobs_, {});
  }

 private:
  enum class Section : std::uint8_t { kNone, kGlobal, kJob, kSkipped };

  void parse_text(std::string_view text, const std::string& file_name, int depth) {
    std::size_t number = 0;
    while (!text.empty()) {
      ++number;
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
      line = trimmed(line.substr(0, line.find_first_of(";#")));
      if (line.empty()) continue;
      const std::string where = fmt::format("{}:{}", file_name, number);
      if (line[0] == '[') {
        if (depth > 0) fail(where, "an included file cannot start a section", "move the section to the job file");
        begin_section(line, where);
      } else if (section_ == Section::kNone) {
        fail(where, fmt::format("option '{}' stands outside of any section", line),
             "write [global] or [NAME] above it");
      } else if (line.starts_with("include") && line.size() > 7 && kBlanks.find(line[7]) != std::string_view::npos) {
        include(std::string(trimmed(line.substr(7))), file_name, where, depth);
      } else if (section_ != Section::kSkipped) {
        apply(line, where);
      }
    }
  }

  void begin_section(std::string_view line, const std::string& where) {
    end_section();
    if (line.back() != ']')
      fail(where, fmt::format("'{}' is not a section header", line), "write [NAME] alone on its line");
    const std::string_view name = line.substr(1, line.size() - 2);
    if (name.empty() || name.find_first_of("[]") != std::string_view::npos) {
      fail(where, fmt::format("'{}' is not a section header", line), "write [NAME] alone on its line");
    }
    if (name.size() > kLongestSectionName)
      fail(where, "the section's name is longer than 255 characters", "shorten it");
    section_where_ = where;
    if (name.starts_with("global")) {
      section_ = Section::kGlobal;
    } else if (!sections_.empty() && std::find(sections_.begin(), sections_.end(), name) == sections_.end()) {
      section_ = Section::kSkipped;
    } else {
      section_ = Section::kJob;
      job_ = file_globals_;
      job_.set_name(name);
    }
  }

  void end_section() {
    if (section_ == Section::kJob) jobs_.push_back(job_.finish(section_where_));
    if (jobs_.size() > kMostJobs) fail(section_where_, "more than 4096 jobs", "write fewer");
    section_ = Section::kNone;
  }

  void include(const std::string& path, const std::string& file_name, const std::string& where, int depth) {
    if (depth >= kDeepestInclude) fail(where, "includes are nested more than 16 deep", "does a file include itself?");
    const std::size_t slash = file_name.rfind('/');
    const std::string full =
        path.starts_with('/') || slash == std::string::npos ? path : file_name.substr(0, slash + 1) + path;
    const std::optional<std::string> text = context_.read_file ? context_.read_file(full) : std::nullopt;
    if (!text)
      fail(where, fmt::format("cannot read the included file '{}'", full),
           "its path is relative to the including file");
    parse_text(*text, full, depth + 1);
  }

  void apply(std::string_view line, const std::string& where) {
    const std::string expanded = replace_variables(line, context_.lookup_variable);
    const std::string_view text = expanded;
    const bool global = section_ == Section::kGlobal;
    OptionSet& target = global ? file_globals_ : job_;
    const std::size_t equals = text.find('=');
    const std::string_view name = trimmed_end(text.substr(0, equals));
    if (equals == std::string_view::npos) {
      target.apply(name, std::nullopt, where, global);
      return;
    }
    const std::string_view raw = text.substr(equals + 1);
    const std::string_view value = trimmed(raw);
    const OptionInfo* info = find_option(name);
    if (info != nullptr && info->kind != OptionKind::kText && value.size() != trimmed_end(raw).size() &&
        !is_plain_number(value)) {
      fail(where, fmt::format("blank space after '{}=', where fio misreads the value or fails", name),
           fmt::format("write {}={}", name, value));
    }
    const std::string replaced = replace_keywords(value, target.settings(), where);
    target.apply(name, replaced, where, global);
  }

  const JobFileContext& context_;
  OptionSet globals_;
  OptionSet file_globals_;
  OptionSet job_;
  std::span<const std::string> sections_;
  Section section_ = Section::kNone;
  std::string section_where_;
  std::vector<JobOptions> jobs_;
};

// Options of the program rather than of a job.
struct ProgramOption {
  std::string_view name;
  bool takes_value;
  std::string_view refusal;  // empty: harmless
};
constexpr ProgramOption kProgramOptions[] = {
    {"eta", true, ""},
    {"eta-interval", true, ""},
    {"eta-newline", true, ""},
    {"max-jobs", true, ""},
    {"warnings-fatal", false, ""},
    {"terse-version", true, ""},
    {"alloc-size", true, ""},
    {"append-terse", false, "terse output is not printed; use --output-format=json"},
    {"minimal", false, "terse output is not printed; use --output-format=json"},
    {"status-interval", true, "there is one report, at the end; leave it out"},
    {"debug", true, "there is no debug output; use --trace FILE for every I/O"},
    {"showcmd", false, "command lines are not printed; leave it out"},
    {"parse-only", false, "a job is always run; leave it out"},
    {"idle-prof", true, "idle CPU time is not reported; leave it out"},
    {"bandwidth-log", false, "fio's sample logs are not written; use --trace FILE"},
    {"client", true, "there is no client and server mode; leave it out"},
    {"server", false, "there is no client and server mode; leave it out"},
    {"remote-config", true, "there is no client and server mode; leave it out"},
    {"daemonize", true, "it runs in the foreground; leave it out"},
    {"trigger-file", true, "triggers are not modelled; use flushlab crash"},
    {"trigger", true, "triggers are not modelled; use flushlab crash"},
    {"trigger-timeout", true, "triggers are not modelled; use flushlab crash"},
    {"trigger-remote", true, "triggers are not modelled; use flushlab crash"},
    {"merge-blktrace-only", false, "a job does not replay logs; use flushlab trace import"},
    {"aux-path", true, "no files are written; leave it out"},
};

class CommandLineParser {
 public:
  CommandLineParser(std::span<const std::string> arguments, const JobFileContext& context)
      : arguments_(arguments), context_(context), defaults_(context.settings), job_(context.settings) {}

  FioCommandLine parse() {
    for (; at_ < arguments_.size(); ++at_) {
      const std::string& argument = arguments_[at_];
      if (argument.starts_with("--") && argument.size() > 2) {
        option(argument);
      } else if (argument.starts_with("-") && argument != "-") {
        fail(argument, fmt::format("unknown argument '{}'", argument), "fio's options start with two dashes");
      } else if (argument.empty()) {
        fail("command line", "an empty argument", "leave it out");
      } else {
        files_.push_back(argument);
      }
    }
    end_job();
    for (const std::string& file : files_) job_file(file);
    if (result_.jobs.empty()) fail("command line", "no job is defined", "write --name=NAME --rw=... or a job file");
    check_jobs();
    return std::move(result_);
  }

 private:
  void option(const std::string& argument) {
    const std::string_view body = std::string_view(argument).substr(2);
    const std::size_t equals = body.find('=');
    const std::string_view name = body.substr(0, equals);
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = body.substr(equals + 1);
    std::string where = argument;
    const auto take_value = [&] {
      if (value) return;
      if (at_ + 1 >= arguments_.size())
        fail(argument, fmt::format("option '{}' needs a value", name), fmt::format("write --{}=VALUE", name));
      value = arguments_[++at_];
      where += " " + arguments_[at_];
    };
    if (name == "output") {
      take_value();
      result_.output_path = std::string(*value);
      return;
    }
    if (name == "output-format") {
      take_value();
      result_.output_format = std::string(*value);
      return;
    }
    if (name == "section") {
      take_value();
      sections_.emplace_back(*value);
      return;
    }
    if (name == "readonly") {
      readonly_where_ = where;
      return;
    }
    const auto* own = std::find_if(std::begin(kProgramOptions), std::end(kProgramOptions),
                                   [&](const auto& o) { return o.name == name; });
    if (own != std::end(kProgramOptions)) {
      if (!own->refusal.empty()) {
        const std::size_t semicolon = own->refusal.find("; ");
        fail(where, fmt::format("option '{}' is refused: {}", name, own->refusal.substr(0, semicolon)),
             std::string(own->refusal.substr(semicolon + 2)));
      }
      if (own->takes_value) take_value();
      return;
    }
    const OptionInfo* info = find_option(name);
    if (info != nullptr && info->kind != OptionKind::kFlag) take_value();
    if (name == "name") {
      if (value->empty()) fail(where, "the job has no name", "write --name=NAME");
      end_job();
      job_ = defaults_;
      in_job_ = true;
      job_where_ = where;
    }
    OptionSet& target = in_job_ ? job_ : defaults_;
    target.apply(name, value, where, !in_job_);
  }

  void end_job() {
    if (in_job_) result_.jobs.push_back(job_.finish(job_where_));
    in_job_ = false;
  }

  void job_file(const std::string& path) {
    const std::optional<std::string> text = context_.read_file ? context_.read_file(path) : std::nullopt;
    if (!text) fail(path, "cannot read the job file", "options start with two dashes; anything else is a job file");
    JobFileParser parser(context_, defaults_, sections_);
    std::vector<JobOptions> jobs = parser.parse(*text, path, path != files_.front());
    std::move(jobs.begin(), jobs.end(), std::back_inserter(result_.jobs));
  }

  void check_jobs() {
    std::uint64_t clones = 0;
    for (const JobOptions& job : result_.jobs) {
      clones += job.numjobs;
      if (!readonly_where_.empty() && does_write(job.rw)) {
        fail(readonly_where_, fmt::format("job '{}' writes", job.name),
             "leave out --readonly or use rw=read or rw=randread");
      }
    }
    if (clones > kMostJobs) fail("command line", "more than 4096 jobs", "write fewer, or a smaller numjobs");
  }

  std::span<const std::string> arguments_;
  const JobFileContext& context_;
  std::size_t at_ = 0;
  OptionSet defaults_;
  OptionSet job_;
  bool in_job_ = false;
  std::string job_where_;
  std::string readonly_where_;
  std::vector<std::string> sections_;
  std::vector<std::string> files_;
  FioCommandLine result_;
};

}  // namespace

std::vector<JobOptions> parse_job_file(std::string_view text, const std::string& file_name,
                                       const JobFileContext& context, std::span<const std::string> sections) {
  return JobFileParser(context, OptionSet(context.settings), sections).parse(text, file_name, false);
}

FioCommandLine parse_command_line(std::span<const std::string> arguments, const JobFileContext& context) {
  return CommandLineParser(arguments, context).parse();
}

std::string to_job_file(const JobOptions& job) {
  const auto check = [&](std::string_view text) {
    if (text.find_first_of(";#\n") != std::string_view::npos || text != trimmed(text)) {
      fail(job.name, fmt::format("'{}' cannot be written in a job file", text), "give it on the command line");
    }
  };
  check(job.name);
  if (job.name.find_first_of("[]") != std::string::npos || job.name.empty() || job.name.size() > kLongestSectionName) {
    fail("job file", fmt::format("'{}' cannot name a section", job.name), "rename the job");
  }
  // A name such as [global2] would be a section of defaults.
  const bool renamed = job.name.starts_with("global");
  std::string out = renamed ? fmt::format("[job]\nname={}\n", job.name) : fmt::format("[{}]\n", job.name);
  for (const GivenOption& option : job.given) {
    if (option.name == "name") continue;
    check(option.value);
    out += option.bare ? fmt::format("{}\n", option.name) : fmt::format("{}={}\n", option.name, option.value);
  }
  return out;
}

}  // namespace flushlab::fio
