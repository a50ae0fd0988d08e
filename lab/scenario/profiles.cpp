// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/profiles.hpp"

#include <filesystem>

#include "lab/scenario/resolve.hpp"
#include "lab/scenario/tables.hpp"
#include "lab/scenario/validate.hpp"

namespace flushlab::lab {
namespace {

namespace fs = std::filesystem;

template <typename Profile>
constexpr ConfigKind kKindOf = std::is_same_v<Profile, media::DeviceProfile>    ? ConfigKind::kDevice
                               : std::is_same_v<Profile, kernel::KernelProfile> ? ConfigKind::kKernel
                                                                                : ConfigKind::kHost;

template <typename Profile>
Profile read(const Document& document) {
  Profile profile;
  read_struct(table_of(kKindOf<Profile>), &profile, document, "");
  if constexpr (std::is_same_v<Profile, media::DeviceProfile>) validate_device(profile, document, "");
  if constexpr (std::is_same_v<Profile, kernel::HostProfile>) validate_host(profile, document, "");
  return profile;
}

template <typename Profile>
Profile load(const ConfigRoot& root, const std::string& name_or_path, std::span<const std::string> sets) {
  constexpr ConfigKind kind = kKindOf<Profile>;
  Document document = resolve_profile(root, kind, name_or_path, fs::current_path(), Place{name_or_path, "", true});
  for (const std::string& set : sets) {
    const Override change = parse_override(set);
    apply_override(table_of(kind), document, "", change.path, change.value, change.whole);
  }
  return read<Profile>(document);
}

template <typename Profile>
Profile parse(const ConfigRoot& root, std::string_view text, const std::string& file) {
  constexpr ConfigKind kind = kKindOf<Profile>;
  return read<Profile>(extend_profile(root, kind, parse_document(text, file), fs::path(file).parent_path()));
}

}  // namespace

media::DeviceProfile load_device(const ConfigRoot& root, const std::string& name_or_path,
                                 std::span<const std::string> sets) {
  return load<media::DeviceProfile>(root, name_or_path, sets);
}
kernel::KernelProfile load_kernel(const ConfigRoot& root, const std::string& name_or_path,
                                  std::span<const std::string> sets) {
  return load<kernel::KernelProfile>(root, name_or_path, sets);
}
kernel::HostProfile load_host(const ConfigRoot& root, const std::string& name_or_path,
                              std::span<const std::string> sets) {
  return load<kernel::HostProfile>(root, name_or_path, sets);
}

media::DeviceProfile parse_device(const ConfigRoot& root, std::string_view text, const std::string& file) {
  return parse<media::DeviceProfile>(root, text, file);
}
kernel::KernelProfile parse_kernel(const ConfigRoot& root, std::string_view text, const std::string& file) {
  return parse<kernel::KernelProfile>(root, text, file);
}
kernel::HostProfile parse_host(const ConfigRoot& root, std::string_view text, const std::string& file) {
  return parse<kernel::HostProfile>(root, text, file);
}

nlohmann::ordered_json to_json(const media::DeviceProfile& profile) {
  return write_struct(device_table(), &profile);
}
nlohmann::ordered_json to_json(const kernel::KernelProfile& profile) {
  return write_struct(kernel_table(), &profile);
}
nlohmann::ordered_json to_json(const kernel::HostProfile& profile) {
  return write_struct(host_table(), &profile);
}

}  // namespace flushlab::lab
