// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/resolve.hpp"

#include <algorithm>
#include <vector>

#include "lab/scenario/tables.hpp"
#include "lab/scenario/units.hpp"

namespace flushlab::lab {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxExtends = 16;

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

Document resolve(const ConfigRoot& root, ConfigKind kind, Document document, const fs::path& from_folder,
                 std::vector<std::string> chain) {
  document.tree.erase("$schema");
  const auto extends = document.tree.find("extends");
  if (extends == document.tree.end()) return document;
  const Place place = document.places.at("/extends");
  if (!extends->is_string()) fail(place, "expected a profile's name or path, not " + describe(*extends));
  const std::string base_name = extends->get<std::string>();
  document.tree.erase("extends");
  const Found found = find_config(root, kind, base_name, from_folder, place);
  const std::string key = found.path.lexically_normal().generic_string();
  if (std::find(chain.begin(), chain.end(), key) != chain.end() || chain.size() >= kMaxExtends) {
    fail(place, "\"extends\" comes back to " + shown_path(root, found.path),
         "extend a profile that does not extend this one");
  }
  chain.push_back(key);
  Document base = parse_document(found.text, shown_path(root, found.path));
  if (!base.tree.is_object()) fail(base.places.at(""), "expected an object, not " + describe(base.tree));
  base = resolve(root, kind, std::move(base), found.path.parent_path(), std::move(chain));
  merge_struct(table_of(kind), base, "", document, "");
  return base;
}

// The override's text as the JSON that a file would hold for this kind of field.
Json value_json(const Field& field, std::string_view text) {
  const std::string word(text);
  const auto parsed = [&]() -> Json { return Json::parse(word, nullptr, false); };
  switch (field.kind) {
    case FieldKind::kBool:
      if (word == "true" || word == "1") return true;
      if (word == "false" || word == "0") return false;
      return word;
    case FieldKind::kInteger:
    case FieldKind::kFraction: {
      const Json number = parsed();
      return number.is_number() ? number : Json(word);
    }
    case FieldKind::kBits: {
      const Json number = parsed();
      return number.is_number_unsigned() ? number : Json(word);
    }
    case FieldKind::kList: {
      const Json list = Json::parse(word.starts_with('[') ? word : "[" + word + "]", nullptr, false);
      return list.is_discarded() ? Json(word) : list;
    }
    default:
      return word;
  }
}

}  // namespace

std::string shown_path(const ConfigRoot& root, const fs::path& path) {
  const fs::path relative = path.lexically_normal().lexically_relative(root.directory.lexically_normal());
  if (relative.empty() || *relative.begin() == "..") return path.generic_string();
  fs::path top = root.directory.lexically_normal();
  if (top.filename().empty()) top = top.parent_path();
  return (top.filename() / relative).generic_string();
}

Found find_config(const ConfigRoot& root, ConfigKind kind, const std::string& name_or_path, const fs::path& from_folder,
                  const Place& asked) {
  if (name_or_path.ends_with(".json")) {
    const fs::path path = fs::path(name_or_path).is_absolute() ? fs::path(name_or_path) : from_folder / name_or_path;
    if (auto text = root.read_file(path)) return {std::move(*text), path};
    fail(asked, "cannot read the file \"" + name_or_path + "\"",
         "name a file that exists, or a " + std::string(name_of(kind)) + " by its name");
  }
  if (const fs::path name = name_or_path;  // a name, not a way out of the folder
      !name.empty() && name.is_relative() && name.lexically_normal() == name && *name.begin() != "..") {
    const fs::path path = root.directory / folder_of(kind) / (name_or_path + ".json");
    if (auto text = root.read_file(path)) return {std::move(*text), path};
  }
  const std::vector<std::string> names = list_profiles(root, kind);
  std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view nearest = nearest_word(name_or_path, candidates);
  std::string remedy = nearest.empty() ? "" : "did you mean \"" + std::string(nearest) + "\"? ";
  remedy += names.empty() ? "there are none" : "there are: " + joined(names);
  fail(asked, "there is no " + std::string(name_of(kind)) + " \"" + name_or_path + "\"", remedy);
}

Document extend_profile(const ConfigRoot& root, ConfigKind kind, Document document, const fs::path& from_folder) {
  if (!document.tree.is_object()) fail(document.places.at(""), "expected an object, not " + describe(document.tree));
  return resolve(root, kind, std::move(document), from_folder, {});
}

Document resolve_profile(const ConfigRoot& root, ConfigKind kind, const std::string& name_or_path,
                         const fs::path& from_folder, const Place& asked) {
  const Found found = find_config(root, kind, name_or_path, from_folder, asked);
  Document document = parse_document(found.text, shown_path(root, found.path));
  if (!document.tree.is_object()) fail(document.places.at(""), "expected an object, not " + describe(document.tree));
  return resolve(root, kind, std::move(document), found.path.parent_path(),
                 {found.path.lexically_normal().generic_string()});
}

Override parse_override(const std::string& text) {
  const auto equals = text.find('=');
  const Place place{"--set " + text, "", true};
  if (equals == std::string::npos || equals == 0) {
    fail(place, "expected path=value", "such as device.timing.flush_answer=5us");
  }
  return {text, text.substr(0, equals), text.substr(equals + 1)};
}

void apply_override(const StructTable& table, Document& document, const std::string& pointer, std::string_view path,
                    std::string_view value, const std::string& whole) {
  const Place place{"--set " + whole, "", true};
  const auto dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  const Field* field = table.find(key);
  if (field == nullptr) {
    fail(place, "unknown key \"" + std::string(key) + "\" in " + std::string(table.what), suggest(key, table.keys()));
  }
  const std::string child = pointer + pointer_step(key);
  if (field->kind == FieldKind::kObject) {
    if (dot == std::string_view::npos) {
      std::vector<std::string> keys;
      for (const std::string_view word : field->child->keys()) keys.emplace_back(word);
      fail(place, "\"" + std::string(key) + "\" is a group", "name one of its keys: " + joined(keys));
    }
    Json& parent = document.tree.at(Json::json_pointer(pointer));
    if (!parent.contains(std::string(key))) parent[std::string(key)] = Json::object();
    if (!parent[std::string(key)].is_object()) return;  // the reader says what is wrong with it
    return apply_override(*field->child, document, child, path.substr(dot + 1), value, whole);
  }
  if (dot != std::string_view::npos)
    fail(place, "\"" + std::string(key) + "\" has no keys below it", "write " + std::string(key) + "=VALUE");
  Json node = value_json(*field, value);
  if (field->has_origin) node = Json{{"value", std::move(node)}, {"origin", "set: --set " + whole}};
  document.tree.at(Json::json_pointer(pointer))[std::string(key)] = std::move(node);
  document.places.set(child, place);
}

}  // namespace flushlab::lab
