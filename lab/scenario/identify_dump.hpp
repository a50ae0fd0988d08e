// SPDX-License-Identifier: GPL-2.0-only
// A real drive's Identify data, as `nvme id-ctrl --raw-binary` and `nvme id-ns --raw-binary` write it: 4096 bytes each.
#pragma once

#include <filesystem>
#include <optional>

#include "emulator/media/profile.hpp"
#include "emulator/spec/identify.hpp"
#include "hostmodel/nvme/limits.hpp"
#include "lab/scenario/config.hpp"

namespace flushlab::lab {

struct IdentifyDump {
  spec::IdentifyController controller;
  spec::IdentifyNamespace ns;
  std::optional<spec::IdentifyNamespaceNvm> ns_nvm;                  // CNS 05h
  std::optional<spec::IdentifyNamespaceIndependent> ns_independent;  // CNS 08h
  std::uint64_t cap = 0;                                             // not in any dump: MPSMIN 0 is taken
  std::uint32_t vs = 0;                                              // from Identify Controller VER
  std::uint32_t dmrsl = 0;                                           // CNS 06h, 0: not known

  [[nodiscard]] nvme::IdentifyView view() const;
};

struct DumpFiles {
  std::string id_ctrl, id_ns;                // both are needed
  std::string id_ns_nvm, id_ns_independent;  // may be empty
};

// Throws ConfigError that names the file: unreadable, of another size, or not Identify data of that kind.
[[nodiscard]] IdentifyDump read_dumps(const ConfigRoot& root, const DumpFiles& files);

// The same from a device profile, as its drive would answer. Namespace 1.
[[nodiscard]] IdentifyDump identify_of(const media::DeviceProfile& profile);

}  // namespace flushlab::lab
