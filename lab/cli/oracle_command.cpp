// SPDX-License-Identifier: GPL-2.0-only
// flushlab oracle DIR: the model against recordings of a real kernel.
#include <fmt/format.h>

#include <algorithm>

#include <thread>

#include "lab/check/oracle/verdict.hpp"
#include "lab/cli/command.hpp"

namespace flushlab::cli {

namespace {

struct OracleOptions {
  std::string directory;
  bool json = false;
  bool quiet = false;
  unsigned threads = 0;
};

int run_oracle(const Program& program, const OracleOptions& options) {
  using lab::oracle::Outcome;
  const unsigned threads = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::vector<lab::oracle::Verdict> verdicts = lab::oracle::judge_all(program.root(), options.directory, threads);
  std::size_t counts[3] = {};
  for (const auto& verdict : verdicts) ++counts[static_cast<std::size_t>(verdict.outcome)];
  const auto of = [&](Outcome outcome) { return counts[static_cast<std::size_t>(outcome)]; };
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& verdict : verdicts) {
      nlohmann::ordered_json entry = {{"scenario", verdict.scenario},
                                      {"group", verdict.group},
                                      {"verdict", word_of(verdict.outcome)},
                                      {"reason", nullptr}};
      if (!verdict.reason.empty()) entry["reason"] = verdict.reason;
      if (!verdict.details.empty()) entry["details"] = verdict.details;
      list.push_back(std::move(entry));
    }
    print(nlohmann::ordered_json{{"scenarios", list}}.dump(2) + "\n");
  } else {
    std::size_t width = 0;
    for (const auto& verdict : verdicts) width = std::max(width, verdict.group.size() + 1 + verdict.scenario.size());
    std::string out;
    for (const auto& verdict : verdicts) {
      if (options.quiet && verdict.outcome == Outcome::kPass) continue;
      out += fmt::format("{:<4}  {:<{}}  {}\n", word_of(verdict.outcome), verdict.group + "/" + verdict.scenario, width,
                         verdict.outcome == Outcome::kPass ? verdict.how : verdict.reason);
      for (const std::string& line : verdict.details) out += "      " + line + "\n";
    }
    out += fmt::format("{} pass, {} fail, {} skip\n", of(Outcome::kPass), of(Outcome::kFail), of(Outcome::kSkip));
    print(out);
  }
  const bool unreadable =
      std::any_of(verdicts.begin(), verdicts.end(), [](const auto& verdict) { return verdict.unreadable; });
  return unreadable ? kBadInput : of(Outcome::kFail) == 0 ? kHolds : kExpectationFailed;
}

}  // namespace

void add_oracle_command(CLI::App& app, Program& program) {
  auto options = std::make_shared<OracleOptions>();
  CLI::App* command = app.add_subcommand("oracle", "Hold the model against recordings of a real kernel");
  command
      ->add_option("DIR", options->directory,
                   "Folder of recordings (NAME.json, NAME.jsonl, NAME.bio.jsonl), or a folder of such folders")
      ->required();
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--quiet", options->quiet, "Leave out the scenarios that pass");
  command->add_option("--threads", options->threads, "Threads to use (default: all)")->type_name("N");
  command->footer(
      "A line a scenario: pass, fail with the first difference side by side, or skip with what is not modelled.\n"
      "Exit code 1 when one fails, 2 when a recording cannot be read.");
  command->callback(
      [options, &program] { program.action = [options, &program] { return run_oracle(program, *options); }; });
}

}  // namespace flushlab::cli
