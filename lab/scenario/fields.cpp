// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lab/scenario/units.hpp"

namespace flushlab::lab {
namespace {

constexpr std::array<std::string_view, 5> kOriginWords = {"measured", "fitted to", "assumed", "derived", "set"};

std::string in_quotes(std::string_view text) {
  return '"' + std::string(text) + '"';
}

// A bare number where a unit belongs: say it with the units that could be meant.
std::string with_units(const std::string& number, std::initializer_list<std::string_view> units) {
  std::string text = "write ";
  std::size_t i = 0;
  for (const std::string_view unit : units) {
    if (i != 0) text += i + 1 == units.size() ? " or " : ", ";
    text += in_quotes(number + std::string(unit));
    ++i;
  }
  return text;
}

std::string kind_text(const Field& field) {
  switch (field.kind) {
    case FieldKind::kDuration:
      return "a duration such as \"194us\"";
    case FieldKind::kSize:
      return "a size such as \"4KiB\"";
    case FieldKind::kInteger:
      return "a whole number";
    case FieldKind::kBits:
      return "a whole number such as \"0x05\" or 5";
    case FieldKind::kVersion:
      return "a version such as \"1.4.0\"";
    case FieldKind::kFraction:
      return "a fraction such as 0.4 or \"40%\"";
    case FieldKind::kBool:
      return "true or false";
    case FieldKind::kEnum:
      return "a word";
    case FieldKind::kString:
      return "a string";
    case FieldKind::kList:
      return "a list such as [0, 1, 2]";
    case FieldKind::kObject:
      return "an object";
  }
  return {};
}

[[noreturn]] void wrong_type(const Field& field, const Json& value, const Place& place) {
  if (value.is_number_unsigned() && field.kind == FieldKind::kDuration) {
    fail(place, value.dump() + " has no unit", with_units(value.dump(), {"ns", "us", "ms", "s"}));
  }
  if (value.is_number_unsigned() && field.kind == FieldKind::kSize) {
    fail(place, value.dump() + " has no unit", with_units(value.dump(), {"B", "KiB", "MiB", "GB"}));
  }
  fail(place, "expected " + kind_text(field) + ", not " + describe(value));
}

// "1.4" or "1.4.0", or the register in hex.
std::uint64_t parse_version(const std::string& text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_integer(text);
  const UnitError error{in_quotes(text) + " is not a version", "write it as \"1.4.0\" or \"0x00010400\""};
  std::array<std::uint64_t, 3> part{};
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    if (count == part.size() || end == begin || end - begin > 5) throw error;
    if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char c) { return c >= '0' && c <= '9'; })) {
      throw error;
    }
    part[count++] = parse_integer(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  if (count < 2 || part[0] > 0xFFFF || part[1] > 0xFF || part[2] > 0xFF) throw error;
  return part[0] << 16 | part[1] << 8 | part[2];
}

std::uint64_t read_fraction(const Field& field, const Json& value, const Place& place) {
  if (value.is_string()) return parse_fraction_ppm(value.get_ref<const std::string&>());
  if (!value.is_number()) wrong_type(field, value, place);
  const double ppm = value.get<double>() * 1e6;
  if (!(ppm >= 0) || ppm > 1e15) fail(place, value.dump() + " is out of range: " + range_text(field));
  const double whole = std::nearbyint(ppm);
  if (std::abs(ppm - whole) > 1e-6 * std::max(1.0, whole)) {
    fail(place, value.dump() + " is not a whole number of millionths", "round it");
  }
  return static_cast<std::uint64_t>(whole);
}

std::uint64_t read_word(const Field& field, const Json& value, const Place& place) {
  if (!value.is_string()) wrong_type(field, value, place);
  const std::string& text = value.get_ref<const std::string&>();
  std::vector<std::string_view> words;
  for (const EnumWord& word : field.words) {
    if (word.word == text) return word.value;
    words.push_back(word.word);
  }
  fail(place, "unknown word " + describe(value), suggest(text, words));
}

// A number of any kind but kEnum, in the member's own unit, without the range check.
std::uint64_t read_raw(const Field& field, const Json& value, const Place& place) {
  switch (field.kind) {
    case FieldKind::kDuration: {
      if (!value.is_string()) wrong_type(field, value, place);
      const std::uint64_t ns = parse_duration_ns(value.get_ref<const std::string&>());
      if (ns % field.scale != 0) {
        fail(place, describe(value) + " is not a multiple of " + format_duration(field.scale), "round it");
      }
      return ns;
    }
    case FieldKind::kSize:
      if (!value.is_string()) wrong_type(field, value, place);
      return parse_size_bytes(value.get_ref<const std::string&>());
    case FieldKind::kVersion:
      if (!value.is_string()) wrong_type(field, value, place);
      return parse_version(value.get_ref<const std::string&>());
    case FieldKind::kFraction:
      return read_fraction(field, value, place);
    case FieldKind::kBool:
      if (!value.is_boolean()) wrong_type(field, value, place);
      return value.get<bool>() ? 1 : 0;
    default:
      if (value.is_number_unsigned()) return value.get<std::uint64_t>();
      if (value.is_number_integer()) fail(place, value.dump() + " is out of range: " + range_text(field));
      if (field.kind != FieldKind::kBits || !value.is_string()) wrong_type(field, value, place);
      return parse_integer(value.get_ref<const std::string&>());
  }
}

std::uint64_t read_number(const Field& field, const Json& value, const Place& place) {
  if (field.kind == FieldKind::kEnum) return read_word(field, value, place);
  try {
    const std::uint64_t raw = read_raw(field, value, place);
    if (raw < field.min || raw > field.max) {
      const std::string text = value.is_string() ? describe(value) : value.dump();
      fail(place, text + " is out of range: " + range_text(field));
    }
    return raw / field.scale;
  } catch (const UnitError& error) {
    fail(place, error.message, error.remedy);
  }
}

std::string read_text(const Field& field, const Json& value, const Place& place) {
  if (!value.is_string()) wrong_type(field, value, place);
  const std::string& text = value.get_ref<const std::string&>();
  if (text.size() < field.min || text.size() > field.max) {
    fail(place, describe(value) + " has " + std::to_string(text.size()) + " bytes; allowed are " + range_text(field));
  }
  return text;
}

std::vector<std::uint16_t> read_list(const Field& field, const Json& value, const Place& place) {
  if (!value.is_array()) wrong_type(field, value, place);
  std::vector<std::uint16_t> list;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Place entry = place.below('/' + std::to_string(i));
    if (!value[i].is_number_integer()) fail(entry, "expected a whole number, not " + describe(value[i]));
    if (!value[i].is_number_unsigned() || value[i].get<std::uint64_t>() > field.max) {
      fail(entry, value[i].dump() + " is out of range: " + range_text(field));
    }
    list.push_back(value[i].get<std::uint16_t>());
  }
  return list;
}

void check_origin(const Json& value, const Place& place) {
  const std::string expected = "begin it with measured, fitted to, assumed or derived, then say what";
  if (!value.is_string()) fail(place, "expected a string, not " + describe(value), expected);
  const std::string& text = value.get_ref<const std::string&>();
  for (const std::string_view word : kOriginWords) {
    if (!text.starts_with(word)) continue;
    const std::string_view rest = std::string_view(text).substr(word.size());
    if (rest.empty() || (rest.front() != ':' && rest.front() != ' ')) continue;
    if (rest.find_first_not_of(": ") != std::string_view::npos) return;
    fail(place, "the origin " + describe(value) + " says nothing", "say what it was " + std::string(word));
  }
  fail(place, "the origin " + describe(value) + " does not say how the value is known", expected);
}

FieldValue read_parameter(const Field& field, const Document& document, const Json& node, const std::string& pointer) {
  const Place place = document.places.at(pointer);
  if (!node.is_object()) {
    fail(place, "a bare value; this parameter must say where its value comes from",
         R"(write {"value": )" + node.dump(-1, ' ', false, Json::error_handler_t::replace) +
             R"(, "origin": "measured: ..."}, or begin the origin with fitted to, assumed or derived)");
  }
  for (const auto& [key, unused] : node.items()) {
    if (key == "value" || key == "origin") continue;
    fail(document.places.at(pointer + pointer_step(key)), "unknown key", suggest(key, {"value", "origin"}));
  }
  if (!node.contains("value")) fail(place, "the parameter has no \"value\"");
  if (!node.contains("origin")) {
    fail(place, "the parameter has no \"origin\"", "say where the value comes from, such as \"assumed: ...\"");
  }
  FieldValue value;
  value.number = read_number(field, node["value"], document.places.at(pointer + "/value"));
  check_origin(node["origin"], document.places.at(pointer + "/origin"));
  value.text = node["origin"].get<std::string>();
  return value;
}

void read_field(const Field& field, void* object, const Document& document, const Json& node,
                const std::string& pointer) {
  if (field.kind == FieldKind::kObject) return read_struct(*field.child, field.sub(object), document, pointer);
  if (field.has_origin) return field.set(object, read_parameter(field, document, node, pointer));
  const Place place = document.places.at(pointer);
  FieldValue value;
  if (field.kind == FieldKind::kString) {
    value.text = read_text(field, node, place);
  } else if (field.kind == FieldKind::kList) {
    value.list = read_list(field, node, place);
  } else {
    value.number = read_number(field, node, place);
  }
  field.set(object, std::move(value));
}

bool has_parameters(const StructTable& table) {
  return std::any_of(table.fields.begin(), table.fields.end(), [](const Field& field) { return field.has_origin; });
}

std::string version_text(std::uint64_t value) {
  return std::to_string(value >> 16) + '.' + std::to_string(value >> 8 & 0xFF) + '.' + std::to_string(value & 0xFF);
}

}  // namespace

std::span<const std::string_view> origin_words() {
  return kOriginWords;
}

const Field* StructTable::find(std::string_view key) const {
  const auto it = std::find_if(fields.begin(), fields.end(), [key](const Field& field) { return field.key == key; });
  return it == fields.end() ? nullptr : &*it;
}

std::vector<std::string_view> StructTable::keys() const {
  std::vector<std::string_view> keys;
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

void read_struct(const StructTable& table, void* object, const Document& document, const std::string& pointer) {
  const Json& node = document.tree.at(Json::json_pointer(pointer));
  const Place place = document.places.at(pointer);
  if (!node.is_object()) fail(place, "expected an object (" + std::string(table.what) + "), not " + describe(node));
  for (const auto& [key, value] : node.items()) {
    const std::string child = pointer + pointer_step(key);
    const Field* field = table.find(key);
    if (field == nullptr) fail(document.places.at(child), "unknown key", suggest(key, table.keys()));
    read_field(*field, object, document, value, child);
  }
  for (const Field& field : table.fields) {
    const bool needed = field.has_origin || (field.kind == FieldKind::kObject && has_parameters(*field.child));
    if (!needed || node.contains(field.key)) continue;
    fail(place, "\"" + std::string(field.key) + "\" is missing",
         "give every one of " + std::string(field.has_origin ? table.what : field.child->what) +
             ", or extend a profile that does");
  }
}

Json write_number(const Field& field, std::uint64_t number) {
  switch (field.kind) {
    case FieldKind::kDuration:
      return format_duration(number * field.scale);
    case FieldKind::kSize:
      return format_size(number);
    case FieldKind::kBits:
      return format_bits(number, field.width_bytes);
    case FieldKind::kVersion:
      return version_text(number);
    case FieldKind::kFraction:
      return static_cast<double>(number) / 1e6;
    case FieldKind::kBool:
      return number != 0;
    case FieldKind::kEnum:
      for (const EnumWord& word : field.words) {
        if (word.value == number) return word.word;
      }
      return number;
    default:
      return number;
  }
}

std::string range_text(const Field& field) {
  const auto text = [&](std::uint64_t number) -> std::string {
    if (field.kind == FieldKind::kString || field.kind == FieldKind::kList) return std::to_string(number);
    const Json value = write_number(field, field.kind == FieldKind::kDuration ? number / field.scale : number);
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  return text(field.min) + " to " + text(field.max);
}

Json write_struct(const StructTable& table, const void* object) {
  Json node = Json::object();
  auto& members = node.get_ref<Json::object_t&>();  // a table has each key once: nothing to look for
  members.reserve(table.fields.size());
  for (const Field& field : table.fields) {
    if (field.kind == FieldKind::kObject) {
      members.emplace_back(field.key, write_struct(*field.child, field.sub(const_cast<void*>(object))));
      continue;
    }
    const FieldValue value = field.get(object);
    Json written;
    if (field.kind == FieldKind::kString) {
      written = value.text;
    } else if (field.kind == FieldKind::kList) {
      written = value.list;
    } else {
      written = write_number(field, value.number);
    }
    if (field.has_origin) written = Json{{"value", written}, {"origin", value.text}};
    members.emplace_back(field.key, std::move(written));
  }
  return node;
}

void merge_struct(const StructTable& table, Document& base, const std::string& base_pointer, const Document& patch,
                  const std::string& patch_pointer) {
  const Json& from = patch.tree.at(Json::json_pointer(patch_pointer));
  for (const auto& [key, value] : from.items()) {
    const std::string base_child = base_pointer + pointer_step(key);
    const std::string patch_child = patch_pointer + pointer_step(key);
    const Field* field = table.find(key);
    Json& to = base.tree.at(Json::json_pointer(base_pointer));
    const bool both_structs = field != nullptr && field->kind == FieldKind::kObject && value.is_object() &&
                              to.contains(key) && to[key].is_object();
    if (both_structs) {
      merge_struct(*field->child, base, base_child, patch, patch_child);
    } else {
      to[key] = value;
      base.places.graft(base_child, patch.places, patch_child);
    }
  }
}

}  // namespace flushlab::lab
