// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/identify_dump.hpp"

#include <fmt/format.h>

#include <cstring>

#include "emulator/controller/controller.hpp"
#include "emulator/queue/door.hpp"
#include "emulator/sim/simulator.hpp"

namespace flushlab::lab {

nvme::IdentifyView IdentifyDump::view() const {
  nvme::IdentifyView view;
  view.controller = &controller;
  view.ns = &ns;
  view.ns_nvm = ns_nvm ? &*ns_nvm : nullptr;
  view.ns_independent = ns_independent ? &*ns_independent : nullptr;
  view.cap = cap;
  view.vs = vs;
  view.dmrsl = dmrsl;
  return view;
}

namespace {

template <typename Structure>
void read_into(const ConfigRoot& root, const std::string& path, const char* command, Structure& structure) {
  static_assert(sizeof(Structure) == spec::kIdentifyDataSize);
  const auto text = root.read_file(path);
  if (!text) throw ConfigError(path, "", "cannot be read", fmt::format("name a file that `{}` wrote", command));
  if (text->size() != sizeof structure) {
    throw ConfigError(path, "", fmt::format("{} bytes, but Identify data has {}", text->size(), sizeof structure),
                      fmt::format("write it with `{} > FILE`", command));
  }
  std::memcpy(&structure, text->data(), sizeof structure);
}

}  // namespace

IdentifyDump read_dumps(const ConfigRoot& root, const DumpFiles& files) {
  IdentifyDump dump;
  read_into(root, files.id_ctrl, "nvme id-ctrl DEVICE --raw-binary", dump.controller);
  read_into(root, files.id_ns, "nvme id-ns DEVICE --raw-binary", dump.ns);
  if ((dump.controller.sqes & 0x0F) != 6 ||
      dump.controller.nn.value() == 0) {  // 64-byte commands, which all drives take
    throw ConfigError(files.id_ctrl, "",
                      fmt::format("not Identify Controller data: SQES is {:#04x} and NN {}", dump.controller.sqes,
                                  dump.controller.nn.value()),
                      "write it with `nvme id-ctrl DEVICE --raw-binary > FILE`; --id-ns takes the namespace's");
  }
  if (dump.ns.nlbaf > 63 || spec::flbas::index(dump.ns.flbas) > dump.ns.nlbaf ||
      dump.ns.lbaf[spec::flbas::index(dump.ns.flbas)].lbads < 9) {
    throw ConfigError(files.id_ns, "",
                      fmt::format("not Identify Namespace data of an active namespace: FLBAS {:#04x}, NLBAF {}",
                                  dump.ns.flbas, dump.ns.nlbaf),
                      "write it with `nvme id-ns DEVICE --raw-binary > FILE`; --id-ctrl takes the controller's");
  }
  if (!files.id_ns_nvm.empty())
    read_into(root, files.id_ns_nvm, "nvme admin-passthru DEVICE --opcode=6 -n 1 --cdw10=5 -l 4096 -r --raw-binary",
              dump.ns_nvm.emplace());
  if (!files.id_ns_independent.empty())
    read_into(root, files.id_ns_independent,
              "nvme admin-passthru DEVICE --opcode=6 -n 1 --cdw10=8 -l 4096 -r --raw-binary",
              dump.ns_independent.emplace());
  dump.vs = dump.controller.ver;
  return dump;
}

IdentifyDump identify_of(const media::DeviceProfile& profile) {
  sim::Simulator simulator(1);
  queue::Door door;
  const controller::Controller drive(simulator, door, profile);
  IdentifyDump dump;
  dump.controller = drive.identify_controller();
  dump.ns = drive.identify_namespace(1);
  dump.ns_nvm.emplace();
  if (profile.identify.ver >= spec::vs::k2_0_0) {
    dump.ns_independent.emplace();
    dump.ns_independent->nsfeat = spec::independent_nsfeat::kVWCNP.put(profile.identify.vwcnp ? 1U : 0U);
  }
  dump.cap = door.read64(spec::reg::kCAP);
  dump.vs = profile.identify.ver;
  dump.dmrsl = profile.identify.dmrsl;
  return dump;
}

}  // namespace flushlab::lab
