// SPDX-License-Identifier: GPL-2.0-only
// Identify (NVMe Base 2.1 sec. 5.1.13; NVM Command Set 1.1 sec. 4.1.5): the structures from the profile, and the
// command.
#include <algorithm>
#include <cstring>

#include "emulator/controller/controller.hpp"
#include "emulator/spec/identify.hpp"

namespace flushlab::controller {

namespace st = spec::status;
using spec::Cns;

void Controller::fill_identify() {
  const media::IdentifyFields& p = profile_->identify;
  spec::IdentifyController& c = identify_;
  c.vid = p.vid;
  c.ssvid = p.ssvid;
  spec::set_text(c.sn, p.sn, ' ');
  spec::set_text(c.mn, p.mn, ' ');
  spec::set_text(c.fr, p.fr, ' ');
  c.rab = 6;
  c.mdts = p.mdts;
  c.cntlid = p.cntlid;
  c.ver = p.ver;
  c.rtd3e = p.rtd3e_us;
  c.oaes = p.oaes;
  c.ctratt = p.ctratt;
  c.cntrltype = static_cast<std::uint8_t>(spec::ControllerType::kIo);
  c.oacs = p.oacs;
  c.acl = p.acl;
  c.aerl = p.aerl;
  c.frmw = 0x03;  // one slot, read-only
  c.lpa = p.lpa;
  c.elpe = 63;
  c.avscc = 1;
  c.apsta = p.apsta;
  c.wctemp = 343;
  c.cctemp = 353;
  c.fwug = 0xFF;
  c.sqes = 0x66;
  c.cqes = 0x44;
  c.nn = p.nn;
  c.oncs = p.oncs;
  c.vwc = p.vwc;
  c.awun = p.awun;
  c.awupf = p.awupf;
  c.icsvscc = 1;
  spec::set_text(c.subnqn, p.subnqn, '\0');

  spec::IdentifyNamespace& n = identify_ns_;
  n.nsze = nsze_;
  n.ncap = nsze_;
  n.nuse = nsze_;
  n.nsfeat = p.nsfeat;
  n.dlfeat = p.dlfeat;
  n.nawun = p.nawun;
  n.nawupf = p.nawupf;
  n.nabsn = p.nabsn;
  n.nabo = p.nabo;
  n.nabspf = p.nabspf;
  n.noiob = p.noiob;
  n.npwg = p.npwg;
  n.npwa = p.npwa;
  n.npdg = p.npdg;
  n.npda = p.npda;
  n.nows = p.nows;
  n.lbaf[0].lbads = static_cast<std::uint8_t>(lba_shift_);
  constexpr std::array<std::uint8_t, 8> kEui64 = {0x02, 0x00, 0x00, 0xFF, 0xFE, 0x00, 0x00, 0x01};
  n.eui64 = kEui64;
}

spec::Status Controller::identify(Command& command) {
  const auto& sqe = command.sqe;
  const std::uint32_t nsid = sqe.nsid;
  const auto cns = static_cast<Cns>(spec::identify_cdw::kCNS.get(sqe.cdw10));
  std::array<std::byte, spec::kIdentifyDataSize> zeros{};
  const auto answer = [&](const auto& structure) { return to_host(sqe, &structure, spec::kIdentifyDataSize); };
  // A structure of one namespace: NSID 0, FFFFFFFFh and beyond NN are invalid, an inactive one is all zeroes.
  const auto nsid_valid = [&] { return nsid != 0 && nsid <= profile_->identify.nn; };
  const bool v2 = profile_->identify.ver >= spec::vs::k2_0_0;
  switch (cns) {
    case Cns::kController:
      return answer(identify_);
    case Cns::kNamespace:
      if (!nsid_valid()) return st::kInvalidNamespaceOrFormat;
      return namespace_active(nsid) ? answer(identify_ns_) : answer(zeros);
    case Cns::kActiveNamespaceList: {
      if (nsid >= spec::kMaxNsid) return st::kInvalidNamespaceOrFormat;
      spec::NamespaceList list{};
      std::size_t count = 0;
      for (std::uint32_t id = nsid + 1; id <= profile_->identify.nn && count < list.nsid.size(); ++id) {
        if (namespace_active(id)) list.nsid[count++] = id;
      }
      return answer(list);
    }
    case Cns::kNamespaceIdDescriptors: {
      if (!nsid_valid()) return st::kInvalidNamespaceOrFormat;
      if (!namespace_active(nsid)) return st::kInvalidFieldInCommand;
      std::array<std::uint8_t, spec::kIdentifyDataSize> list{};
      (void)spec::put_descriptor(list, spec::Nidt::kEui64, identify_ns_.eui64);
      return answer(list);
    }
    case Cns::kIoCommandSetNamespace: {
      if (spec::identify_cdw::kCSI.get(sqe.cdw11) != 0) return st::kInvalidFieldInCommand;
      if (!nsid_valid()) return st::kInvalidNamespaceOrFormat;
      const spec::IdentifyNamespaceNvm nvm{};
      return answer(nvm);
    }
    case Cns::kIoCommandSetController: {
      if (spec::identify_cdw::kCSI.get(sqe.cdw11) != 0) return st::kInvalidFieldInCommand;
      spec::IdentifyControllerNvm nvm{};
      nvm.dmrsl = profile_->identify.dmrsl;
      return answer(nvm);
    }
    case Cns::kIndependentNamespace: {
      if (!v2) return st::kInvalidFieldInCommand;
      if (!nsid_valid()) return st::kInvalidNamespaceOrFormat;
      spec::IdentifyNamespaceIndependent independent{};
      if (namespace_active(nsid)) {
        independent.nsfeat = spec::independent_nsfeat::kVWCNP.put(profile_->identify.vwcnp ? 1U : 0U);
        independent.nstat = 1;  // NRDY: ready
      }
      return answer(independent);
    }
    default:
      return st::kInvalidFieldInCommand;
  }
}

}  // namespace flushlab::controller
