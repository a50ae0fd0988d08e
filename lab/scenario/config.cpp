// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/config.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

namespace flushlab::lab {
namespace fs = std::filesystem;

namespace {

struct KindNames {
  std::string_view name;
  std::string_view folder;
};
constexpr std::array<KindNames, 4> kKinds = {
    {{"device", "devices"}, {"kernel", "kernels"}, {"host", "hosts"}, {"scenario", "scenarios"}}};

std::string compose(const std::string& file, const std::string& pointer, const std::string& message,
                    const std::string& remedy, std::uint64_t line, std::uint64_t column) {
  std::string what = file;
  if (line != 0) what += ':' + std::to_string(line) + ':' + std::to_string(column);
  if (!pointer.empty()) what += (what.empty() ? "" : ": ") + pointer;
  what += (what.empty() ? "" : ": ") + message;
  if (!remedy.empty()) what += "; " + remedy;
  return what;
}

std::optional<std::string> read_from_disk(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return std::nullopt;
  return std::move(text).str();
}

std::vector<std::string> list_on_disk(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    files.push_back(it->path().lexically_relative(folder).generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string_view name_of(ConfigKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].name;
}
std::string_view folder_of(ConfigKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].folder;
}

ConfigError::ConfigError(std::string file_in, std::string pointer_in, std::string message_in, std::string remedy_in,
                         std::uint64_t line_in, std::uint64_t column_in)
    : std::runtime_error(compose(file_in, pointer_in, message_in, remedy_in, line_in, column_in)),
      file(std::move(file_in)),
      pointer(std::move(pointer_in)),
      message(std::move(message_in)),
      remedy(std::move(remedy_in)),
      line(line_in),
      column(column_in) {}

ConfigRoot::ConfigRoot(fs::path directory_in)
    : directory(std::move(directory_in)), read_file(read_from_disk), list_files(list_on_disk) {}

std::vector<std::string> list_profiles(const ConfigRoot& root, ConfigKind kind) {
  std::vector<std::string> names = root.list_files(root.directory / folder_of(kind));
  for (std::string& name : names) name.resize(name.size() - std::string_view(".json").size());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace flushlab::lab
