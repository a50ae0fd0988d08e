// SPDX-License-Identifier: GPL-2.0-only
// flushlab profile list | show | lint | schema
#include <fmt/format.h>

#include "lab/cli/command.hpp"
#include "lab/report/table.hpp"
#include "lab/scenario/profiles.hpp"
#include "lab/scenario/scenario.hpp"
#include "lab/scenario/schema.hpp"

namespace flushlab::cli {

namespace {

constexpr std::array kKinds = {lab::ConfigKind::kDevice, lab::ConfigKind::kKernel, lab::ConfigKind::kHost,
                               lab::ConfigKind::kScenario};

lab::ConfigKind kind_named(const std::string& word) {
  for (const lab::ConfigKind kind : kKinds) {
    if (word == lab::name_of(kind)) return kind;
  }
  throw UsageError(fmt::format("{}: not a kind of configuration", word), "use device, kernel, host or scenario");
}

nlohmann::ordered_json resolved(const lab::ConfigRoot& root, lab::ConfigKind kind, const std::string& name,
                                const std::vector<std::string>& sets) {
  switch (kind) {
    case lab::ConfigKind::kDevice:
      return lab::to_json(lab::load_device(root, name, sets));
    case lab::ConfigKind::kKernel:
      return lab::to_json(lab::load_kernel(root, name, sets));
    case lab::ConfigKind::kHost:
      return lab::to_json(lab::load_host(root, name, sets));
    case lab::ConfigKind::kScenario:
      break;
  }
  return lab::resolve_scenario(root, name, sets).tree;
}

}  // namespace

void add_profile_command(CLI::App& app, Program& program) {
  struct Options {
    std::string kind, name;
    std::vector<std::string> sets;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("profile", "Device, kernel and host profiles, and scenarios: list, show, lint, schema");
  command->require_subcommand(1);
  command->fallthrough();

  command->add_subcommand("list", "All of them")->callback([&program] {
    program.action = [&program] {
      const lab::ConfigRoot root = program.root();
      lab::Table table({"kind", "name", "description"});
      for (const lab::ConfigKind kind : kKinds) {
        for (const std::string& name : lab::list_profiles(root, kind)) {
          const auto tree = resolved(root, kind, name, {});
          table.row({std::string(lab::name_of(kind)), name, tree.value("description", "")});
        }
      }
      print(table.text());
      return kHolds;
    };
  });

  CLI::App* show = command->add_subcommand("show", "One, with everything that it extends put in place");
  show->add_option("kind", options->kind, "device, kernel, host or scenario")->required();
  show->add_option("name", options->name, "Its name, or a path that ends in .json")->required();
  show->add_option("--set", options->sets, "Change one value: path=value (repeatable)")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
  show->callback([&program, options] {
    program.action = [&program, options] {
      print(resolved(program.root(), kind_named(options->kind), options->name, options->sets).dump(2) + "\n");
      return kHolds;
    };
  });

  command->add_subcommand("lint", "Load every one of them and say what is wrong")->callback([&program] {
    program.action = [&program] {
      const lab::ConfigRoot root = program.root();
      int bad = 0;
      int good = 0;
      for (const lab::ConfigKind kind : kKinds) {
        for (const std::string& name : lab::list_profiles(root, kind)) {
          try {
            (void)resolved(root, kind, name, {});
            ++good;
          } catch (const lab::ConfigError& error) {
            ++bad;
            print(std::string(error.what()) + "\n");
          }
        }
      }
      print(fmt::format("{} good, {} bad\n", good, bad));
      return bad == 0 ? kHolds : kExpectationFailed;
    };
  });

  CLI::App* schema = command->add_subcommand("schema", "The JSON Schema of one kind, as configs/schema holds it");
  schema->add_option("kind", options->kind, "device, kernel, host or scenario")->required();
  schema->callback([&program, options] {
    program.action = [options] {
      print(lab::json_schema(kind_named(options->kind)).dump(2) + "\n");
      return kHolds;
    };
  });
}

}  // namespace flushlab::cli
