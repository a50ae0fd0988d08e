// SPDX-License-Identifier: GPL-2.0-only
// Where configuration comes from and how it fails: the folder of profiles and scenarios, and the one error that every
// fault of an input becomes.
//
// Rules (cited as G1..G5 by code and tests of this folder):
//  G1  Nothing is guessed or ignored: an unknown key, a missing unit or a value out of range is an error.
//  G2  An error says where (file and JSON pointer, or line and column, or the --set that did it), what is wrong, what
//      was expected, and the nearest valid word where there is one.
//  G3  One table of fields a struct drives loader, writer and schema.
//  G4  A parameter of timing or cost says where its value comes from.
//  G5  What a run used can be written as one JSON tree, and that tree loads to the same run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace flushlab::lab {

enum class ConfigKind : std::uint8_t { kDevice, kKernel, kHost, kScenario };

// "device"; the schema's name and the word in messages.
[[nodiscard]] std::string_view name_of(ConfigKind kind);
// "devices"; the folder under the root.
[[nodiscard]] std::string_view folder_of(ConfigKind kind);

// A fault of the configuration. what() is "FILE: POINTER: MESSAGE; REMEDY", "FILE:LINE:COLUMN: MESSAGE" for JSON that
// does not parse; parts that are empty are left out.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(std::string file_in, std::string pointer_in, std::string message_in, std::string remedy_in = "",
              std::uint64_t line_in = 0, std::uint64_t column_in = 0);

  std::string file;     // as it was named; "--set PATH=VALUE" for an override
  std::string pointer;  // JSON pointer (RFC 6901) within the file; empty: the whole
  std::string message;
  std::string remedy;                  // may be empty
  std::uint64_t line = 0, column = 0;  // from 1; 0: not known
};

// A folder of configs: devices/, kernels/, hosts/, scenarios/, published/, schema/. Passed in; there is no global one.
// The two functions are the only way to the file system, so that a test can put texts in their place.
struct ConfigRoot {
  std::filesystem::path directory;
  // The text of a file; std::nullopt if it cannot be read.
  std::function<std::optional<std::string>(const std::filesystem::path&)> read_file;
  // The .json files below a folder, relative to it, sorted, '/' between folders; empty if there is none.
  std::function<std::vector<std::string>(const std::filesystem::path&)> list_files;
  // ${VAR} in fio jobs; empty: variables stay as they are written.
  std::function<std::optional<std::string>(std::string_view)> lookup_variable;

  // A root on disk.
  explicit ConfigRoot(std::filesystem::path directory_in);
};

// The names of all profiles (or scenarios) of a kind, sorted: the paths below the folder without ".json".
[[nodiscard]] std::vector<std::string> list_profiles(const ConfigRoot& root, ConfigKind kind);

}  // namespace flushlab::lab
