// SPDX-License-Identifier: GPL-2.0-only
// Identify (NVMe Base 2.1 sec. 5.1.13; NVM Command Set 1.1 sec. 4.1.5): the structures from the profile, and the
// command.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/controller/controller.hpp"
#include "emulator/media/profile_text.hpp"
#include "emulator/spec/identify.hpp"

namespace flushlab::controller {

namespace st = spec::status;
using spec::Cns;

namespace {

std::vector<media::LbaFormat> formats_of(const media::IdentifyFields& p) {
  std::string error;
  std::vector<media::LbaFormat> formats =
      media::parse_lba_formats(p.lba_formats, error).value_or(std::vector<media::LbaFormat>{});
  if (formats.empty()) formats.push_back({p.lba_bytes, 0});
  return formats;
}

std::array<std::uint8_t, 8> eui64_of(const std::string& text, std::uint32_t nsid) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < 16 && i < text.size(); ++i) {
    const char c = text[i];
    const auto digit = static_cast<unsigned>(c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    bytes[i / 2] = static_cast<std::uint8_t>(static_cast<unsigned>(bytes[i / 2]) << 4 | (digit & 0xFU));
  }
  bytes[6] = static_cast<std::uint8_t>(bytes[6] + nsid - 1);
  return bytes;
}

}  // namespace

void Controller::fill_identify() {
  const media::IdentifyFields& p = profile_->identify;
  spec::IdentifyController& c = identify_;
  c.vid = p.vid;
  c.ssvid = p.ssvid;
  spec::set_text(c.sn, p.sn, ' ');
  spec::set_text(c.mn, p.mn, ' ');
  spec::set_text(c.fr, p.fr, ' ');
  c.rab = 6;
  for (std::size_t i = 0; i < 3; ++i) c.ieee[i] = static_cast<std::uint8_t>(p.ieee >> (8 * i));
  c.mdts = p.mdts;
  c.cntlid = p.cntlid;
  c.ver = p.ver;
  c.rtd3e = p.rtd3e_us;
  c.oaes = p.oaes;
  c.ctratt = p.ctratt;
  c.cntrltype = static_cast<std::uint8_t>(spec::ControllerType::kIo);
  c.crdt1 = p.crdt1;
  c.crdt2 = p.crdt2;
  c.crdt3 = p.crdt3;
  c.oacs = p.oacs;
  c.acl = p.acl;
  c.aerl = p.aerl;
  c.frmw = p.frmw;
  c.lpa = p.lpa;
  c.elpe = p.elpe;
  c.avscc = p.avscc;
  c.apsta = p.apsta;
  c.wctemp = p.wctemp;
  c.cctemp = p.cctemp;
  c.fwug = p.fwug;
  c.kas = p.kas;
  c.sanicap = p.sanicap;
  c.sqes = 0x66;
  c.cqes = 0x44;
  c.nn = p.nn;
  c.oncs = p.oncs;
  c.fuses = p.fuses;
  c.fna = p.fna;
  c.vwc = p.vwc;
  c.awun = p.awun;
  c.awupf = p.awupf;
  c.icsvscc = p.icsvscc;
  c.nwpc = p.nwpc;
  c.ocfs = p.ocfs;
  c.sgls = p.sgls;
  spec::set_text(c.subnqn, p.subnqn, '\0');
  c.psd[0].mp = p.psd0_mp;
  c.psd[0].enlat = p.psd0_enlat;
  c.psd[0].exlat = p.psd0_exlat;

  std::string error;
  std::vector<std::uint64_t> sizes = {p.size_bytes};
  for (const std::uint64_t size :
       media::parse_namespace_sizes(p.more_namespaces, error).value_or(std::vector<std::uint64_t>{}))
    sizes.push_back(size);
  const std::vector<media::LbaFormat> formats = formats_of(p);
  std::uint8_t in_use = 0;
  for (std::size_t i = formats.size(); i-- > 0;) {
    if (formats[i].data_bytes == p.lba_bytes && formats[i].metadata_bytes == 0) in_use = static_cast<std::uint8_t>(i);
  }
  // Room for every identifier that may come to exist; a drive with many has few of them in use.
  namespaces_.resize(std::max<std::size_t>(sizes.size(), std::min<std::uint32_t>(p.nn, 1024)));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    namespaces_[i] = make_namespace(static_cast<std::uint32_t>(i + 1), sizes[i], in_use);
}

std::unique_ptr<NamespaceState> Controller::make_namespace(std::uint32_t nsid, std::uint64_t size_bytes,
                                                           std::uint8_t format) {
  const media::IdentifyFields& p = profile_->identify;
  auto ns = std::make_unique<NamespaceState>();
  ns->nsid = nsid;
  ns->size_bytes = size_bytes;
  ns->tracks_written = spec::nsfeat::kDAE.in(p.nsfeat);
  spec::IdentifyNamespace& n = ns->identify;
  n.nsfeat = p.nsfeat;
  n.mc = p.mc;
  n.dpc = p.dpc;
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
  n.mssrl = p.mssrl;
  n.mcl = p.mcl;
  n.msrc = p.msrc;
  const std::vector<media::LbaFormat> formats = formats_of(p);
  n.nlbaf = static_cast<std::uint8_t>(formats.size() - 1);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    n.lbaf[i].lbads = static_cast<std::uint8_t>(std::countr_zero(formats[i].data_bytes));
    n.lbaf[i].ms = formats[i].metadata_bytes;
  }
  n.eui64 = eui64_of(p.eui64, nsid);
  apply_format(*ns, format);
  return ns;
}

void Controller::apply_format(NamespaceState& ns, std::uint8_t format) {
  spec::IdentifyNamespace& n = ns.identify;
  n.flbas = static_cast<std::uint8_t>(format & 0xFU);
  ns.lba_shift = n.lbaf[format].lbads;
  ns.nsze = ns.size_bytes >> ns.lba_shift;
  n.nsze = n.ncap = n.nuse = ns.nsze;
  ns.uncorrectable.clear();
  ns.written.clear();
  ++ns.generation;
  const bool wce = ns.cache == nullptr ? profile_->cache.wce_default : ns.cache->wce();
  ns.cache.reset();
  ns.image = profile_->keep_image ? std::make_unique<media::DurableImage>() : nullptr;
  ns.cache = std::make_unique<media::WriteCache>(simulator_->events(), *profile_, std::uint32_t{1} << ns.lba_shift,
                                                 ns.image.get());
  ns.cache->set_wce(wce);
}

spec::Status Controller::identify(Command& command) {
  const auto& sqe = command.sqe;
  const std::uint32_t nsid = sqe.nsid;
  const auto cns = static_cast<Cns>(spec::identify_cdw::kCNS.get(sqe.cdw10));
  const std::uint32_t csi = spec::identify_cdw::kCSI.get(sqe.cdw11);
  const media::IdentifyFields& p = profile_->identify;
  std::array<std::byte, spec::kIdentifyDataSize> zeros{};
  const auto answer = [&](const auto& structure) { return to_host(sqe, &structure, spec::kIdentifyDataSize); };
  // A structure of one namespace: NSID 0, FFFFFFFFh and beyond NN are invalid, an inactive one is all zeroes.
  const bool valid = nsid != 0 && nsid <= p.nn;
  const NamespaceState* ns = valid ? find_namespace(nsid) : nullptr;
  const bool active = ns != nullptr && ns->attached;
  const bool v2 = p.ver >= spec::vs::k2_0_0;
  const bool manages = spec::oacs::kNamespaceManagement.in(p.oacs);
  // Identifiers above NSID of the namespaces that `wanted` takes, ascending.
  const auto list_of = [&](auto&& wanted) {
    spec::NamespaceList list{};
    std::size_t count = 0;
    for_each_namespace([&](const NamespaceState& one) {
      if (one.nsid > nsid && count < list.nsid.size() && wanted(one)) list.nsid[count++] = one.nsid;
    });
    return list;
  };
  const auto attached = [](const NamespaceState& one) { return one.attached; };
  const auto allocated = [](const NamespaceState&) { return true; };
  const auto independent_of = [&](const NamespaceState* one) {
    spec::IdentifyNamespaceIndependent independent{};
    if (one != nullptr) {
      independent.nsfeat = spec::independent_nsfeat::kVWCNP.put(p.vwcnp ? 1U : 0U);
      independent.nsattr = one->identify.nsattr;
      independent.nstat = 1;  // NRDY: ready
    }
    return independent;
  };
  switch (cns) {
    case Cns::kController:
      return answer(identify_);
    case Cns::kNamespace:
      if (nsid == spec::kBroadcastNsid && manages) {  // what all namespaces have in common
        spec::IdentifyNamespace common = namespaces_[0]->identify;
        common.nsze = common.ncap = common.nuse = 0;
        common.eui64 = {};
        return answer(common);
      }
      if (!valid) return st::kInvalidNamespaceOrFormat;
      return active ? answer(ns->identify) : answer(zeros);
    case Cns::kActiveNamespaceList:
      if (nsid >= spec::kMaxNsid) return st::kInvalidNamespaceOrFormat;
      return answer(list_of(attached));
    case Cns::kNamespaceIdDescriptors: {
      if (!valid) return st::kInvalidNamespaceOrFormat;
      if (!active) return st::kInvalidFieldInCommand;
      std::array<std::uint8_t, spec::kIdentifyDataSize> list{};
      const auto rest = spec::put_descriptor(list, spec::Nidt::kEui64, ns->identify.eui64);
      constexpr std::array<std::uint8_t, 1> kNvm = {0};
      if (p.css_all) (void)spec::put_descriptor(rest, spec::Nidt::kCsi, kNvm);
      return answer(list);
    }
    case Cns::kIoCommandSetNamespace: {
      if (csi != 0) return st::kInvalidFieldInCommand;
      if (!valid) return st::kInvalidNamespaceOrFormat;
      const spec::IdentifyNamespaceNvm nvm{};
      return answer(nvm);
    }
    case Cns::kIoCommandSetController: {
      if (csi != 0) return st::kInvalidFieldInCommand;
      spec::IdentifyControllerNvm nvm{};
      nvm.vsl = p.vsl;
      nvm.wzsl = p.wzsl;
      nvm.wusl = p.wusl;
      nvm.dmrl = p.dmrl;
      nvm.dmrsl = p.dmrsl;
      return answer(nvm);
    }
    case Cns::kIoCommandSetActiveNamespaceList:
      if (!p.css_all || csi != 0) return st::kInvalidFieldInCommand;
      if (nsid >= spec::kMaxNsid) return st::kInvalidNamespaceOrFormat;
      return answer(list_of(attached));
    case Cns::kIndependentNamespace:
      if (!v2) return st::kInvalidFieldInCommand;
      if (!valid) return st::kInvalidNamespaceOrFormat;
      return answer(independent_of(active ? ns : nullptr));
    case Cns::kAllocatedNamespaceList:
      if (!manages) return st::kInvalidFieldInCommand;
      if (nsid >= spec::kMaxNsid) return st::kInvalidNamespaceOrFormat;
      return answer(list_of(allocated));
    case Cns::kAllocatedNamespace:
      if (!manages) return st::kInvalidFieldInCommand;
      if (!valid) return st::kInvalidNamespaceOrFormat;
      return ns != nullptr ? answer(ns->identify) : answer(zeros);
    case Cns::kAllocatedIndependentNamespace:
      if (!manages || !v2) return st::kInvalidFieldInCommand;
      if (!valid) return st::kInvalidNamespaceOrFormat;
      return answer(independent_of(ns));
    case Cns::kNamespaceAttachedControllerList:
    case Cns::kControllerList: {
      if (!manages || !p.lists_controllers) return st::kInvalidFieldInCommand;
      const bool of_namespace = cns == Cns::kNamespaceAttachedControllerList;
      if (of_namespace && !valid) return st::kInvalidNamespaceOrFormat;
      std::array<spec::Le16, spec::kIdentifyDataSize / 2> list{};
      const std::uint32_t from = spec::identify_cdw::kCNTID.get(sqe.cdw10);
      if (p.cntlid >= from && (!of_namespace || active)) {
        list[0] = 1;
        list[1] = p.cntlid;
      }
      return answer(list);
    }
    case Cns::kIoCommandSetAllocatedNamespaceList:
      if (!manages || !p.css_all || csi != 0) return st::kInvalidFieldInCommand;
      if (nsid >= spec::kMaxNsid) return st::kInvalidNamespaceOrFormat;
      return answer(list_of(allocated));
    case Cns::kIoCommandSetAllocatedNamespace: {
      if (!manages || !p.css_all || csi != 0) return st::kInvalidFieldInCommand;
      if (!valid) return st::kInvalidNamespaceOrFormat;
      const spec::IdentifyNamespaceNvm nvm{};
      return answer(nvm);
    }
    case Cns::kIoCommandSetCombinations: {
      if (!p.css_all) return st::kInvalidFieldInCommand;
      std::array<spec::Le64, spec::kIdentifyDataSize / 8> vectors{};
      vectors[0] = 1;  // the NVM command set alone
      return answer(vectors);
    }
    default:
      return st::kInvalidFieldInCommand;
  }
}

}  // namespace flushlab::controller
