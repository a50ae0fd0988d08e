// SPDX-License-Identifier: GPL-2.0-only
// From names and files to one document: profiles by name or path, `extends`, and overrides.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lab/scenario/document.hpp"
#include "lab/scenario/fields.hpp"

namespace flushlab::lab {

// Path of a file as messages name it: below the root from the root's own folder on ("configs/devices/x.json").
[[nodiscard]] std::string shown_path(const ConfigRoot& root, const std::filesystem::path& path);

// The text of a configuration: a name of the kind, or a path that ends in .json (relative to `from_folder`). `asked` is
// where the name was written, for the error when there is no such thing.
struct Found {
  std::string text;
  std::filesystem::path path;
};
[[nodiscard]] Found find_config(const ConfigRoot& root, ConfigKind kind, const std::string& name_or_path,
                                const std::filesystem::path& from_folder, const Place& asked);

// A profile's document with everything that it extends put under it; "extends" and "$schema" are gone.
[[nodiscard]] Document resolve_profile(const ConfigRoot& root, ConfigKind kind, const std::string& name_or_path,
                                       const std::filesystem::path& from_folder, const Place& asked);
// The same for a document that is there already: `document` came from a file in `from_folder`.
[[nodiscard]] Document extend_profile(const ConfigRoot& root, ConfigKind kind, Document document,
                                      const std::filesystem::path& from_folder);

// One override: "timing.flush_answer=5us" with `path` relative to the struct of `table` at `pointer`. The new value is
// written into the document as if the file said so, with the override as its place.
void apply_override(const StructTable& table, Document& document, const std::string& pointer, std::string_view path,
                    std::string_view value, const std::string& whole);

// "a.b=c" into path and value. Throws ConfigError without '=' or with an empty path.
struct Override {
  std::string whole;  // as it was given
  std::string path;
  std::string value;
};
[[nodiscard]] Override parse_override(const std::string& text);

}  // namespace flushlab::lab
