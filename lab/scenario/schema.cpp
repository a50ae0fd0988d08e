// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/schema.hpp"

#include "lab/scenario/tables.hpp"

namespace flushlab::lab {
namespace {

Json object_schema(const StructTable& table, bool everything_required);

// What a value of this kind looks like, without its origin.
Json value_schema(const Field& field) {
  Json schema;
  switch (field.kind) {
    case FieldKind::kDuration:
      schema = {{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+)? ?(ns|us|ms|s|min|h)$"}};
      break;
    case FieldKind::kSize:
      schema = {{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]+)? ?(B|[KMGTP]iB|[kMGTP]B)$"}};
      break;
    case FieldKind::kInteger:
      schema = {{"type", "integer"}, {"minimum", field.min}, {"maximum", field.max}};
      break;
    case FieldKind::kBits:
      schema = {
          {"type", {"string", "integer"}}, {"pattern", "^0x[0-9A-Fa-f]+$"}, {"minimum", 0}, {"maximum", field.max}};
      break;
    case FieldKind::kVersion:
      schema = {{"type", "string"}, {"pattern", "^[0-9]+\\.[0-9]+(\\.[0-9]+)?$"}};
      break;
    case FieldKind::kFraction:
      schema = {{"type", {"number", "string"}}, {"pattern", "^[0-9]+(\\.[0-9]+)?(%|ppm)?$"}, {"minimum", 0}};
      break;
    case FieldKind::kBool:
      schema = {{"type", "boolean"}};
      break;
    case FieldKind::kEnum: {
      Json words = Json::array();
      for (const EnumWord& word : field.words) words.push_back(word.word);
      schema = {{"enum", words}};
      break;
    }
    case FieldKind::kString:
      schema = {{"type", "string"}, {"minLength", field.min}, {"maxLength", field.max}};
      break;
    case FieldKind::kList:
      schema = {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", field.min}, {"maximum", field.max}}}};
      break;
    case FieldKind::kObject:
      schema = object_schema(*field.child, false);
      break;
  }
  return schema;
}

std::string documentation(const Field& field) {
  std::string doc(field.doc);
  if (field.kind == FieldKind::kDuration || field.kind == FieldKind::kSize || field.kind == FieldKind::kInteger)
    doc += " (" + range_text(field) + ")";
  for (const EnumWord& word : field.words) doc += "; " + std::string(word.word) + ": " + std::string(word.doc);
  return doc;
}

Json object_schema(const StructTable& table, bool top) {
  Json properties = Json::object();
  if (top) {
    properties["$schema"] = {{"type", "string"}};
    properties["extends"] = {{"type", "string"}, {"description", "a profile, by name or path, that this one changes"}};
  }
  for (const Field& field : table.fields) {
    Json schema = value_schema(field);
    if (field.has_origin) {
      schema = {{"type", "object"},
                {"properties",
                 {{"value", schema},
                  {"origin", {{"type", "string"}, {"pattern", "^(measured|fitted to|assumed|derived|set)"}}}}},
                {"required", {"value", "origin"}},
                {"additionalProperties", false}};
    }
    schema["description"] = documentation(field);
    properties[std::string(field.key)] = std::move(schema);
  }
  return {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
}

Json scenario_schema() {
  const auto profile = [](ConfigKind kind) -> Json {
    return {{"description",
             "a " + std::string(name_of(kind)) + " profile: its name, a path that ends in .json, or an object"},
            {"anyOf", {{{"type", "string"}}, {{"$ref", std::string(name_of(kind)) + ".schema.json"}}}}};
  };
  const Json count = {{"type", "integer"}, {"minimum", 1}};
  Json properties = {{"$schema", {{"type", "string"}}},
                     {"name", {{"type", "string"}}},
                     {"description", {{"type", "string"}}},
                     {"seed", {{"type", "integer"}, {"minimum", 0}}},
                     {"device", profile(ConfigKind::kDevice)},
                     {"kernel", profile(ConfigKind::kKernel)},
                     {"host", profile(ConfigKind::kHost)},
                     {"array", object_schema(array_table(), false)},
                     {"setup",
                      {{"type", "array"},
                       {"description", "what is done to the drive after the probe, in order"},
                       {"items",
                        {{"type", "object"},
                         {"properties",
                          {{"set_feature",
                            {{"type", "object"},
                             {"properties",
                              {{"fid", {{"type", "integer"}, {"minimum", 1}, {"maximum", 255}}},
                               {"value", {{"type", "integer"}, {"minimum", 0}}}}},
                             {"required", {"fid", "value"}},
                             {"additionalProperties", false}}},
                           {"write_cache", {{"enum", {"write back", "write through"}}}}}},
                         {"additionalProperties", false},
                         {"minProperties", 1},
                         {"maxProperties", 1}}}}},
                     {"workload",
                      {{"type", "object"},
                       {"properties",
                        {{"fio",
                          {{"description", "what would be typed after fio"},
                           {"type", {"string", "array"}},
                           {"items", {{"type", "string"}}}}},
                         {"fio_job", {{"description", "a job file's text"}, {"type", "string"}}},
                         {"fio_file", {{"description", "a job file's path"}, {"type", "string"}}},
                         {"fio_version", {{"enum", {"new", "3.33"}}}},
                         {"nvme_cli",
                          {{"type", "object"},
                           {"properties",
                            {{"verb", {{"enum", {"flush", "write"}}}},
                             {"count", count},
                             {"start_block", {{"type", "integer"}, {"minimum", 0}}},
                             {"block_count", {{"type", "integer"}, {"minimum", 0}, {"maximum", 65535}}},
                             {"data_size", {{"type", "string"}}},
                             {"fua", {{"type", "boolean"}}}}},
                           {"required", {"verb"}},
                           {"additionalProperties", false}}}}},
                       {"additionalProperties", false}}}};
  return {{"type", "object"},
          {"properties", properties},
          {"required", {"device", "kernel", "host", "workload"}},
          {"additionalProperties", false}};
}

}  // namespace

nlohmann::ordered_json json_schema(ConfigKind kind) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "flushlab " + std::string(name_of(kind))}};
  schema.update(kind == ConfigKind::kScenario ? scenario_schema() : object_schema(table_of(kind), true));
  return schema;
}

}  // namespace flushlab::lab
