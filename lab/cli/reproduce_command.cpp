// SPDX-License-Identifier: GPL-2.0-only
// flushlab reproduce [TABLE...]
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "lab/cli/command.hpp"
#include "lab/report/published.hpp"
#include "lab/scenario/document.hpp"

namespace flushlab::cli {

void add_reproduce_command(CLI::App& app, Program& program) {
  struct Options : CommonOptions {
    std::vector<std::string> tables;
    unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("reproduce", "Run every published table and print published against simulated");
  command->add_option("tables", options->tables, "Tables to run; all without one")->type_name("TABLE");
  command->add_option("--threads", options->threads, "Runs at once; the results do not depend on it")
      ->check(CLI::Range(1U, 256U));
  add_common_options(*command, *options);
  command->callback([options, &program] {
    program.action = [options, &program] {
      const lab::ConfigRoot root = program.root();
      std::vector<lab::PublishedTable> tables = lab::load_published(root);
      if (!options->tables.empty()) {
        std::vector<std::string_view> ids;
        for (const lab::PublishedTable& table : tables) ids.push_back(table.id);
        for (const std::string& wanted : options->tables) {
          if (std::find(ids.begin(), ids.end(), wanted) == ids.end()) {
            throw UsageError(fmt::format("{}: there is no such table", wanted), lab::suggest(wanted, ids));
          }
        }
        std::erase_if(tables, [&](const lab::PublishedTable& table) {
          return std::find(options->tables.begin(), options->tables.end(), table.id) == options->tables.end();
        });
      }
      const lab::Reproduction result =
          lab::reproduce(root, tables, options->seed.value_or(1), options->sets, options->threads);
      print(options->json ? lab::reproduction_json(result).dump(2) + "\n" : lab::reproduction_text(result));
      return result.ok() ? kHolds : kExpectationFailed;
    };
  });
}

}  // namespace flushlab::cli
