// SPDX-License-Identifier: GPL-2.0-only
// A JSON tree whose every node knows where it was written, though it may be put together from several files and
// overrides: that is what an error message names (G2).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "lab/scenario/config.hpp"

namespace flushlab::lab {

using Json = nlohmann::ordered_json;

// Objects and arrays nested deeper than this are refused.
inline constexpr std::size_t kMaxDepth = 32;

// Where a node was written.
struct Place {
  std::string file;     // or "--set PATH=VALUE"
  std::string pointer;  // within the file; empty for an override
  bool is_override = false;
  // The place of something below this node. An override is one place as a whole.
  [[nodiscard]] Place below(std::string_view pointer_suffix) const;
};

[[noreturn]] void fail(const Place& place, const std::string& message, const std::string& remedy = {});

// From pointers of the tree to places. A node that is not entered lies where its nearest ancestor that is lies.
class Places {
 public:
  explicit Places(Place root) { entries_.emplace("", std::move(root)); }
  [[nodiscard]] Place at(const std::string& pointer) const;
  // The node and all below it.
  void set(const std::string& pointer, Place place);
  // As `pointer` in this tree, what `other` says of `other_pointer`.
  void graft(const std::string& pointer, const Places& other, const std::string& other_pointer);

 private:
  void erase_below(const std::string& pointer);
  std::map<std::string, Place> entries_;
};

struct Document {
  Json tree;
  Places places;
};

// JSON with comments. Throws ConfigError: syntax (line and column), a key given twice, nesting beyond kMaxDepth.
[[nodiscard]] Document parse_document(std::string_view text, const std::string& file);

// `key` as one step of a JSON pointer: "/timing", with ~ and / escaped.
[[nodiscard]] std::string pointer_step(std::string_view key);

// A value in a message: `the number 5`, `"abc"`, `an object`.
[[nodiscard]] std::string describe(const Json& value);

// "did you mean \"near\"?", or the list of what there is.
[[nodiscard]] std::string suggest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace flushlab::lab
