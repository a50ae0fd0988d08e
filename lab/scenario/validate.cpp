// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulator/media/profile_text.hpp"

#include "emulator/spec/identify.hpp"
#include "emulator/spec/registers.hpp"

namespace flushlab::lab {

void validate_device(media::DeviceProfile& device, const Document& document, const std::string& pointer) {
  const media::IdentifyFields& id = device.identify;
  const auto refuse = [&](bool wrong, const char* field, const std::string& message, const std::string& remedy) {
    if (wrong) fail(document.places.at(pointer + field), message, remedy);
  };
  const auto identify = [&](bool wrong, const char* field, const std::string& message, const std::string& remedy) {
    refuse(wrong, (std::string("/identify/") + field).c_str(), message, remedy);
  };
  std::string error;
  const auto formats = media::parse_lba_formats(id.lba_formats, error);
  identify(!formats, "lba_formats", error, "");
  const bool offered = formats && std::any_of(formats->begin(), formats->end(), [&](const media::LbaFormat& f) {
                         return f.data_bytes == id.lba_bytes && f.metadata_bytes == 0;
                       });
  identify(formats && !formats->empty() && !offered, "lba_formats",
           fmt::format("lba_formats has no format of {} bytes without metadata, which lba_size says is in use",
                       id.lba_bytes),
           "add it, or change lba_size");
  const auto sizes = media::parse_namespace_sizes(id.more_namespaces, error);
  identify(!sizes, "more_namespaces", error, "");
  identify(sizes && sizes->size() + 1 > id.nn, "more_namespaces",
           fmt::format("{} namespaces, but nn is {}", sizes ? sizes->size() + 1 : 0, id.nn),
           "set nn to the number of namespaces");
  identify(id.eui64.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos, "eui64",
           fmt::format("eui64 \"{}\" is not hexadecimal", id.eui64), "write 16 hexadecimal digits");
  const auto effects = media::parse_effects(device.effects_text, error);
  refuse(!effects, "/effects", error, "");
  if (effects) device.effects = *effects;
  const auto faults = media::parse_faults(device.faults_text, error);
  refuse(!faults, "/faults", error, "");
  if (faults) device.faults = *faults;
  identify(!std::has_single_bit(id.lba_bytes), "lba_size", fmt::format("lba_size {} is no power of two", id.lba_bytes),
           "use 512B or 4KiB");
  identify(id.size_bytes % id.lba_bytes != 0, "size",
           fmt::format("size {} is no multiple of lba_size {}", id.size_bytes, id.lba_bytes),
           "round it to whole logical blocks");
  identify((id.vwc & 0xF8) != 0, "vwc", fmt::format("vwc {:#04x} sets reserved bits 7:3", id.vwc), "clear them");
  const unsigned fb = spec::vwc::kFB.get(id.vwc);
  identify(fb == 1, "vwc", fmt::format("vwc {:#04x}: bits 2:1 = 01b are reserved", id.vwc),
           "10b: Flush with NSID FFFFFFFFh fails; 11b: it flushes all");
  identify(fb == spec::vwc::kFbNotIndicated && id.ver >= spec::vs::k1_4_0, "vwc",
           fmt::format("vwc {:#04x}: from version 1.4 (ver) on bits 2:1 must say how Flush with NSID FFFFFFFFh behaves",
                       id.vwc),
           "use 0x04 or 0x05 (it fails), 0x06 or 0x07 (it flushes all)");
  identify(id.awupf > id.awun, "awupf", fmt::format("awupf {} is larger than awun {}", id.awupf, id.awun),
           "AWUPF must not be larger than AWUN");
  const bool own_units = spec::nsfeat::kNSABP.in(id.nsfeat);
  if (own_units) {
    identify(id.nawupf > id.nawun, "nawupf", fmt::format("nawupf {} is larger than nawun {}", id.nawupf, id.nawun),
             "NAWUPF must not be larger than NAWUN");
    identify(id.nawun != 0 && id.nawun < id.awun, "nawun",
             fmt::format("nawun {} is smaller than awun {}", id.nawun, id.awun), "NAWUN must not be smaller than AWUN");
    identify(id.nabspf != 0 && id.nabspf < id.nawupf, "nabspf",
             fmt::format("nabspf {} is smaller than nawupf {}", id.nabspf, id.nawupf),
             "NABSPF must not be smaller than NAWUPF");
    identify(id.nabsn != 0 && id.nabsn < id.nawun, "nabsn",
             fmt::format("nabsn {} is smaller than nawun {}", id.nabsn, id.nawun),
             "NABSN must not be smaller than NAWUN");
    identify(id.nabo > id.nabspf || (id.nabsn != 0 && id.nabo > id.nabsn), "nabo",
             fmt::format("nabo {} is larger than nabsn {} or nabspf {}", id.nabo, id.nabsn, id.nabspf),
             "NABO must not be larger than NABSN and NABSPF");
  }
  const unsigned optperf = spec::nsfeat::kOPTPERF.get(id.nsfeat);
  identify(optperf > 1 && id.ver < spec::vs::k2_1_0, "nsfeat",
           fmt::format("nsfeat {:#04x}: bit 5 is reserved before version 2.1 (ver)", id.nsfeat),
           "clear it, or set ver to 2.1.0");
  if (optperf != 0) {
    identify(id.nows != 0 && (id.nows + 1U) % (id.npwg + 1U) != 0, "nows",
             fmt::format("nows {} ({} blocks) is no multiple of npwg {} ({} blocks)", id.nows, id.nows + 1U, id.npwg,
                         id.npwg + 1U),
             "NOWS + 1 must be a multiple of NPWG + 1");
  }
  identify(id.vwcnp && id.ver < spec::vs::k2_0_0, "vwcnp",
           "vwcnp is reported by CNS 08h, which drives have from version 2.0 (ver) on", "set ver to 2.0.0 or later");
  const bool vwc_present = spec::vwc::kVWCP.in(id.vwc);
  refuse(device.cache.wce_saveable && !spec::oncs::kSaveSelect.in(id.oncs), "/write_cache/wce_saveable",
         fmt::format("wce_saveable needs oncs bit 4 (save and select), and oncs is {:#06x}", id.oncs),
         "set bit 4, such as oncs 0x001c");
  refuse(device.cache.wce_saveable && !vwc_present, "/write_cache/wce_saveable",
         fmt::format("wce_saveable without a volatile write cache: vwc {:#04x} says that none is present", id.vwc),
         "set vwc bit 0");
  refuse(device.timing.unit_bytes.value % 512 != 0 || !std::has_single_bit(device.timing.unit_bytes.value),
         "/timing/unit", fmt::format("unit {} is no power of two", device.timing.unit_bytes.value),
         "use 4KiB, 8KiB, 16KiB, ...");
  refuse(device.cache.capacity_bytes < device.timing.unit_bytes.value, "/write_cache/capacity",
         fmt::format("capacity {} is smaller than one unit of {}", device.cache.capacity_bytes,
                     device.timing.unit_bytes.value),
         "make it at least one unit");
}

void validate_host(const kernel::HostProfile& host, const Document& document, const std::string& pointer) {
  if (host.fio_cpu >= host.cpus) {
    fail(document.places.at(pointer + "/fio_cpu"),
         fmt::format("fio_cpu {} is not one of the {} cpus (0 to {})", host.fio_cpu, host.cpus, host.cpus - 1),
         "name a CPU that the machine has");
  }
  for (std::size_t i = 0; i < host.placement.cpus.size(); ++i) {
    if (host.placement.cpus[i] >= host.cpus) {
      fail(document.places.at(fmt::format("{}/placement/cpus/{}", pointer, i)),
           fmt::format("CPU {} is not one of the {} cpus (0 to {})", host.placement.cpus[i], host.cpus, host.cpus - 1),
           "name CPUs that the machine has");
    }
  }
  if (host.placement.policy == kernel::PlacementPolicy::kPinned && host.placement.cpus.empty()) {
    fail(document.places.at(pointer + "/placement/policy"), "\"pinned\" needs the CPUs that workers are pinned to",
         "give placement.cpus, such as [0]");
  }
}

}  // namespace flushlab::lab
