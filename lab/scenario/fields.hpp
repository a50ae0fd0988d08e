// SPDX-License-Identifier: GPL-2.0-only
// The table of fields (G3): for each member of a configured struct its JSON key, its kind, its range and one line of
// meaning. Loading, writing and the schema all walk these tables and nothing else knows the keys.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lab/scenario/document.hpp"

namespace flushlab::lab {

enum class FieldKind : std::uint8_t {
  kDuration,  // "194us"; the member counts `scale` nanoseconds
  kSize,      // "4KiB"; the member counts bytes
  kInteger,   // 5
  kBits,      // "0x05" or 5; written in hex
  kVersion,   // "1.4.0"; the member is as in VS: major 31:16, minor 15:8, tertiary 7:0
  kFraction,  // 0.4, "40%", "400000ppm"; the member counts millionths
  kBool,      // true
  kEnum,      // a word of `words`
  kString,    // "text"; min and max are its length
  kList,      // [0, 1, 2]; min and max are those of an entry
  kObject,    // a struct with a table of its own
};

struct EnumWord {
  std::string_view word;
  std::uint64_t value;
  std::string_view doc;
};

// A member's value, whatever its type.
struct FieldValue {
  std::uint64_t number = 0;         // all kinds but kString and kList
  std::string text;                 // kString; the origin where there is one
  std::vector<std::uint16_t> list;  // kList
};

struct StructTable;

struct Field {
  std::string_view key;
  FieldKind kind = FieldKind::kInteger;
  std::uint64_t min = 0, max = 0;
  std::string_view doc;
  std::span<const EnumWord> words{};
  const StructTable* child = nullptr;  // kObject
  std::uint64_t scale = 1;             // kDuration
  unsigned width_bytes = 1;            // kBits
  bool has_origin = false;             // written {"value": ..., "origin": ...}; then it must be given
  FieldValue (*get)(const void* object) = nullptr;
  void (*set)(void* object, FieldValue value) = nullptr;
  void* (*sub)(void* object) = nullptr;  // kObject
};

struct StructTable {
  std::string_view what;  // "a device profile"
  std::span<const Field> fields;
  [[nodiscard]] const Field* find(std::string_view key) const;
  [[nodiscard]] std::vector<std::string_view> keys() const;
};

// ---- building a table ----------------------------------------------------------------------------------------------

template <typename T>
concept OriginParameter = requires(T p) {
  { p.value } -> std::convertible_to<std::uint64_t>;
  { p.origin } -> std::convertible_to<std::string>;
};

template <auto Member>
struct MemberOf;
template <typename S, typename T, T S::*Member>
struct MemberOf<Member> {
  using Struct = S;
  using Type = T;
  static FieldValue get(const void* object) {
    const T& member = static_cast<const S*>(object)->*Member;
    FieldValue value;
    if constexpr (OriginParameter<T>) {
      value.number = member.value;
      value.text = member.origin;
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.text = member;
    } else if constexpr (std::is_same_v<T, std::vector<std::uint16_t>>) {
      value.list = member;
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      value.number = static_cast<std::uint64_t>(member);
    }
    return value;
  }
  static void set(void* object, FieldValue value) {
    T& member = static_cast<S*>(object)->*Member;
    if constexpr (OriginParameter<T>) {
      member.value = value.number;
      member.origin = std::move(value.text);
    } else if constexpr (std::is_same_v<T, std::string>) {
      member = std::move(value.text);
    } else if constexpr (std::is_same_v<T, std::vector<std::uint16_t>>) {
      member = std::move(value.list);
    } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
      member = static_cast<T>(value.number);
    }
  }
  static void* sub(void* object) { return &(static_cast<S*>(object)->*Member); }
};

template <auto Member>
constexpr Field make_field(std::string_view key, FieldKind kind, std::string_view doc, std::uint64_t min,
                           std::uint64_t max) {
  using M = MemberOf<Member>;
  Field field{.key = key, .kind = kind, .min = min, .max = max, .doc = doc};
  field.has_origin = OriginParameter<typename M::Type>;
  field.get = &M::get;
  field.set = &M::set;
  return field;
}

inline constexpr std::uint64_t kSecondNs = 1'000'000'000;

template <auto Member>
constexpr Field duration_field(std::string_view key, std::string_view doc, std::uint64_t max_ns = 60 * kSecondNs,
                               std::uint64_t scale = 1) {
  Field field = make_field<Member>(key, FieldKind::kDuration, doc, 0, max_ns);
  field.scale = scale;
  return field;
}
template <auto Member>
constexpr Field size_field(std::string_view key, std::string_view doc, std::uint64_t min, std::uint64_t max) {
  return make_field<Member>(key, FieldKind::kSize, doc, min, max);
}
// An integer of a plain member: by default the whole range of its type.
template <auto Member>
constexpr Field integer_field(std::string_view key, std::string_view doc, std::uint64_t min = 0,
                              std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
  using T = typename MemberOf<Member>::Type;
  if constexpr (std::is_integral_v<T>) max = std::min<std::uint64_t>(max, std::numeric_limits<T>::max());
  return make_field<Member>(key, FieldKind::kInteger, doc, min, max);
}
template <auto Member>
constexpr Field bits_field(std::string_view key, std::string_view doc) {
  using T = typename MemberOf<Member>::Type;
  Field field = make_field<Member>(key, FieldKind::kBits, doc, 0, std::numeric_limits<T>::max());
  field.width_bytes = sizeof(T);
  return field;
}
template <auto Member>
constexpr Field fraction_field(std::string_view key, std::string_view doc, std::uint64_t max_ppm) {
  return make_field<Member>(key, FieldKind::kFraction, doc, 0, max_ppm);
}
template <auto Member>
constexpr Field bool_field(std::string_view key, std::string_view doc) {
  return make_field<Member>(key, FieldKind::kBool, doc, 0, 1);
}
template <auto Member>
constexpr Field enum_field(std::string_view key, std::string_view doc, std::span<const EnumWord> words) {
  Field field = make_field<Member>(key, FieldKind::kEnum, doc, 0, 0);
  field.words = words;
  return field;
}
template <auto Member>
constexpr Field string_field(std::string_view key, std::string_view doc, std::uint64_t min_length = 0,
                             std::uint64_t max_length = 4096) {
  return make_field<Member>(key, FieldKind::kString, doc, min_length, max_length);
}
template <auto Member>
constexpr Field list_field(std::string_view key, std::string_view doc, std::uint64_t max) {
  return make_field<Member>(key, FieldKind::kList, doc, 0, max);
}
template <auto Member>
constexpr Field object_field(std::string_view key, std::string_view doc, const StructTable& child) {
  Field field{.key = key, .kind = FieldKind::kObject, .doc = doc, .child = &child};
  field.sub = &MemberOf<Member>::sub;
  return field;
}

// ---- walking one ---------------------------------------------------------------------------------------------------

// Origins begin with one of these words.
[[nodiscard]] std::span<const std::string_view> origin_words();

// Fills `object` from the node at `pointer` of the document; a field that is not given keeps its value. Throws
// ConfigError for an unknown key, a wrong type, unit or range, a missing or bad origin.
void read_struct(const StructTable& table, void* object, const Document& document, const std::string& pointer);
// All fields in the table's order.
[[nodiscard]] Json write_struct(const StructTable& table, const void* object);
// Puts `patch` over `base`, key by key; only structs are merged, so a parameter is replaced with its origin.
void merge_struct(const StructTable& table, Document& base, const std::string& base_pointer, const Document& patch,
                  const std::string& patch_pointer);

// The range as a reader would write it: "0us to 60s".
[[nodiscard]] std::string range_text(const Field& field);
// One value as it is written.
[[nodiscard]] Json write_number(const Field& field, std::uint64_t number);

}  // namespace flushlab::lab
