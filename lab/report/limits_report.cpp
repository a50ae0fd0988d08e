// SPDX-License-Identifier: GPL-2.0-only
#include "lab/report/limits_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "emulator/spec/registers.hpp"
#include "lab/report/table.hpp"

namespace flushlab::lab {

using kernel::KernelProfile;
using nvme::IdentifyView;

namespace {

class Explainer {
 public:
  Explainer(const KernelProfile& kernel, const IdentifyView& id, std::uint16_t cpus, LimitsReport& out)
      : kernel_(kernel), id_(id), cpus_(cpus), out_(out) {
    if (id_.ns_independent != nullptr && id_.vs < spec::vs::k2_0_0) {  // the kernel does not ask for it
      id_.ns_independent = nullptr;
      not_asked_ = true;
    }
  }

  void run() {
    unsupported_ = nvme::unsupported_format(kernel_, id_);
    lbads_ = id_.ns->lbaf[spec::flbas::index(id_.ns->flbas)].lbads;
    block_ = unsupported_ ? 512U : 1U << lbads_;
    optperf_ = nvme::preferred_size_bits(kernel_, id_);
    const nvme::VwcState vwc{spec::vwc::kVWCP.in(id_.controller->vwc), true};
    raw_ = nvme::namespace_limits(kernel_, id_, vwc);
    out_.kernel = kernel_.name;
    out_.limits = raw_;
    out_.sectors = unsupported_ ? 0 : id_.ns->nsze.value() << (lbads_ - 9U);
    out_.rejected = block::validate_limits(out_.limits, kernel_);
    lines();
    warnings();
  }

 private:
  template <typename... A>
  void line(const char* name, std::string value, std::string fields, fmt::format_string<A...> format, A&&... args) {
    out_.lines.push_back({name, std::move(value), fmt::format(format, std::forward<A>(args)...), std::move(fields)});
  }
  template <typename... A>
  void warn(fmt::format_string<A...> format, A&&... args) {
    out_.warnings.push_back(fmt::format(format, std::forward<A>(args)...));
  }

  void lines() {
    const block::QueueLimits& l = out_.limits;
    const spec::IdentifyNamespace& n = *id_.ns;
    const spec::IdentifyController& c = *id_.controller;
    const std::string optperf = fmt::format("NSFEAT.OPTPERF {:02b}b", spec::nsfeat::kOPTPERF.get(n.nsfeat));
    line("logical_block_size", fmt::to_string(l.logical_block_size),
         fmt::format("FLBAS {:#04x}, LBADS {}", n.flbas, lbads_), "{}",
         unsupported_ ? fmt::format("512, for 2^{} is not supported", lbads_) : fmt::format("2^{}", lbads_));

    const std::uint32_t atomic = nvme::atomic_write_bytes(kernel_, id_, block_);
    if (optperf_ != 0) {
      line("physical_block_size", fmt::to_string(l.physical_block_size),
           optperf + fmt::format(", NPWG {}, {}", n.npwg.value(), atomic_fields()),
           "min({} x (1 + {}), {} of an atomic write)", block_, n.npwg.value(), atomic);
      line("minimum_io_size", fmt::to_string(l.io_min), fmt::format("NPWG {}", n.npwg.value()),
           "max({} x (1 + {}), {})", block_, n.npwg.value(), l.physical_block_size);
      if (n.nows.value() != 0 || kernel_.io_opt_without_nows == kernel::IoOptWithoutNows::kBlockSize) {
        line("optimal_io_size", fmt::to_string(l.io_opt), fmt::format("NOWS {}", n.nows.value()), "{} x (1 + {}){}",
             block_, n.nows.value(),
             kernel_.io_opt_rounded_down ? fmt::format(", down to a multiple of {}", l.physical_block_size) : "");
      } else {
        line("optimal_io_size", "0", "NOWS 0", "0: no optimal size is reported");
      }
    } else {
      line("physical_block_size", fmt::to_string(l.physical_block_size), optperf, "{}: no preferred sizes are reported",
           block_);
      line("minimum_io_size", fmt::to_string(l.io_min), optperf, "physical_block_size");
      line("optimal_io_size", "0", optperf, "0: no preferred sizes are reported");
    }

    if (c.mdts == 0) {
      line("max_hw_sectors_kb", fmt::to_string(l.max_hw_sectors / 2), "MDTS 0", "{} of the transport",
           kernel_.transport_max_sectors / 2);
    } else {
      line("max_hw_sectors_kb", fmt::to_string(l.max_hw_sectors / 2),
           fmt::format("MDTS {}, CAP.MPSMIN {}", c.mdts, mpsmin()), "min({} of the transport, 2^({} + 2 + {}))",
           kernel_.transport_max_sectors / 2, c.mdts, mpsmin());
    }
    line("max_sectors_kb", fmt::to_string(l.max_sectors / 2), "", "min({}, {})", l.max_hw_sectors / 2,
         max_sectors_cap());
    line("read_ahead_kb", fmt::to_string(block::read_ahead_kb(l)), "", "max(128, 2 x optimal_io_size)");
    line("max_segments", fmt::to_string(l.max_segments), "", "min({} of the driver, max_hw_sectors_kb / 4 + 1)",
         kernel_.max_segments);
    line("max_segment_size", "4294967295", "", "no limit");
    line("virt_boundary_mask", fmt::to_string(l.virt_boundary_mask), fmt::format("SGLS {:#x}", c.sgls.value()), "{}",
         l.virt_boundary_mask == 0 ? "0: the controller takes SGLs" : "4095: PRPs are whole pages");
    line("dma_alignment", fmt::to_string(l.dma_alignment), "", "3");

    const bool vwc = spec::vwc::kVWCP.in(c.vwc);
    const std::string vwc_fields = fmt::format(
        "VWC {:#04x}{}", c.vwc,
        kernel_.honours_vwcnp && id_.ns_independent != nullptr
            ? fmt::format(", VWCNP {}", spec::independent_nsfeat::kVWCNP.in(id_.ns_independent->nsfeat) ? 1 : 0)
            : "");
    const bool asks = kernel_.vwc_policy == kernel::VwcPolicy::kVwcWce;
    line("write_cache", l.write_cache() ? "write back" : "write through", vwc_fields, "{}{}",
         vwc ? "VWC bit 0 is set" : "VWC bit 0 is clear", vwc && asks ? ", and feature 06h is taken to say WCE 1" : "");
    line("fua", l.fua() ? "1" : "0", vwc_fields, "as the write cache");

    const bool dsm = spec::oncs::kDatasetManagement.in(c.oncs);
    const bool zeroes = spec::oncs::kWriteZeroes.in(c.oncs);
    const std::string oncs = fmt::format("ONCS {:#06x}", c.oncs.value());
    line("discard_granularity", fmt::to_string(l.discard_granularity),
         kernel_.discard_granularity_from_npdg && optperf_ != 0
             ? oncs + fmt::format(", NPDG {}, NPDA {}", n.npdg.value(), n.npda.value())
             : oncs,
         "{}",
         !dsm ? "0: no Dataset Management"
         : kernel_.discard_granularity_covers_physical
             ? "the larger of the deallocate granularity and the physical block"
             : "the logical block");
    line("discard_max_bytes", fmt::to_string(std::uint64_t{l.max_discard_sectors} * 512),
         oncs + (id_.dmrsl != 0 ? fmt::format(", DMRSL {}", id_.dmrsl) : ""), "{}",
         !dsm             ? "0: no Dataset Management"
         : id_.dmrsl != 0 ? "DMRSL blocks"
                          : "no limit: 32 bits of sectors");
    line("write_zeroes_max_bytes", fmt::to_string(std::uint64_t{l.max_write_zeroes_sectors} * 512), oncs, "{}",
         zeroes ? "max_hw_sectors_kb" : "0: no Write Zeroes");
    line("nr_requests", fmt::to_string(kernel_.io_queue_depth - 1U), "CAP.MQES", "min({}, CAP.MQES + 1) - 1",
         kernel_.io_queue_depth);
    line("scheduler", cpus_ == 1 ? "mq-deadline" : "none", "", "{} CPUs, as many hardware queues", cpus_);
    line("rotational", "0", "", "0");
  }

  [[nodiscard]] std::string atomic_fields() const {
    const spec::IdentifyNamespace& n = *id_.ns;
    if (n.nabo.value() != 0) return fmt::format("NABO {}", n.nabo.value());
    if (spec::nsfeat::kNSABP.in(n.nsfeat) && n.nawupf.value() != 0) return fmt::format("NAWUPF {}", n.nawupf.value());
    if (kernel_.atomic_write_unit == kernel::AtomicWriteUnit::kNawupf) return "no NAWUPF";
    return fmt::format("AWUPF {}", id_.controller->awupf.value());
  }
  [[nodiscard]] unsigned mpsmin() const { return static_cast<unsigned>(spec::cap::kMPSMIN.get(id_.cap)); }
  [[nodiscard]] std::string max_sectors_cap() const {
    const std::uint32_t kb = kernel_.default_max_sectors / 2;
    if (kernel_.max_sectors_follows == kernel::MaxSectorsFollows::kNothing) return fmt::format("{}", kb);
    if (out_.limits.io_opt > kb * 1024ULL) return fmt::format("{} of optimal_io_size", out_.limits.io_opt / 1024);
    if (out_.limits.io_min > kb * 1024ULL) return fmt::format("{} of minimum_io_size", out_.limits.io_min / 1024);
    return fmt::format("{}", kb);
  }

  // physical_block_size by the rules of 7.1, whatever kernel is asked for.
  [[nodiscard]] std::uint32_t physical_of_newest() const {
    KernelProfile newest = kernel_;
    newest.atomic_write_unit = kernel::AtomicWriteUnit::kNawupf;
    newest.optperf_two_bits = true;
    newest.max_lba_bytes = 65536;
    return nvme::namespace_limits(newest, id_, {true, true}).physical_block_size;
  }
  [[nodiscard]] unsigned metadata_bytes() const { return id_.ns->lbaf[spec::flbas::index(id_.ns->flbas)].ms.value(); }

  void warnings() {
    const spec::IdentifyNamespace& n = *id_.ns;
    const spec::IdentifyController& c = *id_.controller;
    const block::QueueLimits& l = out_.limits;
    if (!out_.rejected.empty()) {
      warn(
          "{}: the kernel refuses these limits (-EINVAL): on the first scan the namespace does not come up, on a "
          "rescan "
          "the old limits stay; {}",
          out_.rejected,
          out_.rejected.find("physical") != std::string::npos
              ? "report NPWG and NAWUPF so that the smaller of the two is a power of two of blocks"
              : fmt::format("report an MDTS that carries at least one block of {} bytes", block_));
    } else if (const std::uint32_t newest = physical_of_newest(); newest != 0 && !std::has_single_bit(newest)) {
      warn(
          "physical_block_size {} as 7.1 and later work it out is no power of two: they refuse it; report NPWG and "
          "NAWUPF as powers of two less one",
          newest);
    }
    if (metadata_bytes() != 0)
      warn(
          "FLBAS {:#04x}: a format with {} bytes of metadata a block; without support for it in the kernel the "
          "namespace "
          "has no capacity",
          n.flbas, metadata_bytes());

    if (unsupported_)
      warn(
          "LBADS {}: blocks of 2^{} bytes are not supported, the namespace has no capacity; this kernel takes 512 to "
          "{} "
          "bytes",
          lbads_, lbads_, kernel_.max_lba_bytes);
    if (n.ncap.value() == 0) warn("NCAP 0: the namespace counts as not attached and does not appear");
    if (optperf_ == 0 && (n.npwg.value() != 0 || n.nows.value() != 0))
      warn("NPWG {} and NOWS {} are not read: NSFEAT {:#04x} does not say that they are valid (bit 4); set OPTPERF",
           n.npwg.value(), n.nows.value(), n.nsfeat);
    if (optperf_ != 0) {
      const std::uint64_t npwg = std::uint64_t{block_} * (n.npwg.value() + 1ULL);
      const std::uint64_t nows = std::uint64_t{block_} * (n.nows.value() + 1ULL);
      const std::uint64_t transfer = std::uint64_t{l.max_hw_sectors} * 512;
      if (npwg > 0xFFFFFFFF || nows > 0xFFFFFFFF)
        warn("NPWG {} or NOWS {} times {} bytes does not fit 32 bits: the driver's product wraps", n.npwg.value(),
             n.nows.value(), block_);
      if (transfer != 0 && n.nows.value() != 0 && nows > transfer)
        warn(
            "optimal_io_size {} (NOWS {}) is {} times what one command can carry ({} bytes, MDTS {}): no write can "
            "ever be "
            "of that size; report NOWS within MDTS, or a larger MDTS",
            nows, n.nows.value(), (nows + transfer - 1) / transfer, transfer, c.mdts);
      if (transfer != 0 && npwg > transfer)
        warn("NPWG {} ({} bytes) is larger than one command can carry ({} bytes, MDTS {}): the hint cannot be met",
             n.npwg.value(), npwg, transfer, c.mdts);
      if (n.nows.value() != 0 && nows % npwg != 0)
        warn("NOWS {} ({} bytes) is no multiple of NPWG {} ({} bytes): optimal writes leave partial units",
             n.nows.value(), nows, n.npwg.value(), npwg);
      if (n.nows.value() == 0)
        warn("NOWS 0 beside a set OPTPERF: {}; report NOWS at least as large as NPWG",
             kernel_.io_opt_without_nows == kernel::IoOptWithoutNows::kBlockSize
                 ? fmt::format("this kernel takes one block of {} bytes as the optimal size", block_)
                 : std::string("no optimal size is taken from it"));
      if (n.npwa.value() != n.npwg.value())
        warn("NPWA {} differs from NPWG {}: Linux never reads NPWA, so writes will be aligned to NPWG only",
             n.npwa.value(), n.npwg.value());
      const std::uint32_t atomic = nvme::atomic_write_bytes(kernel_, id_, block_);
      if (atomic < npwg)
        warn(
            "an atomic write of {} bytes ({}) is smaller than NPWG's {} bytes: physical_block_size stays {}; report "
            "NAWUPF "
            "with NSABP where the drive can keep whole units over a power failure",
            atomic, atomic_fields(), npwg, l.physical_block_size);
      if (raw_.io_opt != 0 && raw_.physical_block_size != 0 && raw_.io_opt % raw_.physical_block_size != 0)
        warn("optimal_io_size {} is no multiple of physical_block_size {}: {}, and a stacked device drops it to 0",
             raw_.io_opt, raw_.physical_block_size,
             kernel_.io_opt_rounded_down ? "this kernel rounds it down" : "this kernel keeps it as it is");
      const std::uint64_t npdg = std::uint64_t{block_} * (n.npdg.value() + 1ULL);
      if (n.npdg.value() != 0 && npdg > std::uint64_t{l.max_discard_sectors} * 512 && l.max_discard_sectors != 0)
        warn("NPDG {} ({} bytes) is larger than one Dataset Management range can be", n.npdg.value(), npdg);
    }
    if (spec::nsfeat::kOPTPERF.get(n.nsfeat) > 1 && id_.vs < spec::vs::k2_1_0)
      warn("NSFEAT {:#04x} sets bit 5, which is reserved before version 2.1 (VER {:#x})", n.nsfeat, id_.vs);
    if (c.awupf.value() > c.awun.value() && c.awun.value() != 0)
      warn("AWUPF {} is larger than AWUN {}: the spec has it the other way round", c.awupf.value(), c.awun.value());
    if (spec::nsfeat::kNSABP.in(n.nsfeat)) {
      if (n.nawupf.value() > n.nawun.value())
        warn("NAWUPF {} is larger than NAWUN {}: the spec has it the other way round", n.nawupf.value(),
             n.nawun.value());
      if (n.nabspf.value() != 0 && n.nabspf.value() < n.nawupf.value())
        warn("NABSPF {} is smaller than NAWUPF {}: no write of NAWUPF blocks is atomic", n.nabspf.value(),
             n.nawupf.value());
      if (n.nabo.value() != 0)
        warn("NABO {}: Linux does not use an atomic unit whose boundaries are shifted; physical_block_size is {}",
             n.nabo.value(), l.physical_block_size);
    } else if (n.nawupf.value() != 0) {
      warn("NAWUPF {} is not read: NSFEAT {:#04x} does not say that it is valid (bit 1)", n.nawupf.value(), n.nsfeat);
    }
    if (not_asked_)
      warn("Identify CNS 08h is not looked at: VER {:#x} is before 2.0, and the kernel does not ask for it", id_.vs);
    if ((c.vwc & 0xF8U) != 0) warn("VWC {:#04x} sets reserved bits 7:3", c.vwc);
    if (spec::vwc::kFB.get(c.vwc) == spec::vwc::kFbNotIndicated && id_.vs >= spec::vs::k1_4_0)
      warn("VWC {:#04x}: from version 1.4 on bits 2:1 say how Flush with NSID FFFFFFFFh behaves; 00b is not allowed",
           c.vwc);
    if (c.mdts != 0 && (std::uint64_t{1} << std::min<unsigned>(c.mdts + 12U, 63U)) < 65536)
      warn("MDTS {}: {} bytes a command; large I/O is cut into many commands", c.mdts,
           std::uint64_t{1} << (c.mdts + 12U));
    if (c.mdts == 0) warn("MDTS 0 reports no limit: the transport's {} KiB apply", kernel_.transport_max_sectors / 2);
    const bool vwcnp = id_.ns_independent != nullptr && spec::independent_nsfeat::kVWCNP.in(id_.ns_independent->nsfeat);
    if (vwcnp && !kernel_.honours_vwcnp)
      warn(
          "VWCNP (CNS 08h) says that this namespace has no volatile write cache; this kernel does not look, and "
          "flushes");
  }

  const KernelProfile& kernel_;
  IdentifyView id_;  // with what the kernel asks for only
  std::uint16_t cpus_;
  LimitsReport& out_;
  block::QueueLimits raw_;
  bool unsupported_ = false;
  bool not_asked_ = false;  // CNS 08h was there
  unsigned lbads_ = 9;
  std::uint32_t block_ = 512;
  unsigned optperf_ = 0;
};

}  // namespace

LimitsReport explain_limits(const KernelProfile& kernel, const IdentifyView& identify, std::uint16_t cpus) {
  LimitsReport report;
  Explainer(kernel, identify, cpus, report).run();
  return report;
}

nlohmann::ordered_json to_json(const LimitsReport& report) {
  nlohmann::ordered_json tree = {{"kernel", report.kernel}};
  if (report.rejected.empty()) {
    nlohmann::ordered_json limits = nlohmann::ordered_json::object();
    for (const LimitLine& line : report.lines) {
      const bool number = !line.value.empty() && line.value.find_first_not_of("0123456789") == std::string::npos;
      if (number) {
        limits[line.name] = std::stoull(line.value);
      } else {
        limits[line.name] = line.value;
      }
    }
    tree["limits"] = limits;
  } else {
    tree["limits"] = nullptr;
    tree["rejected"] = report.rejected;
  }
  tree["warnings"] = report.warnings;
  return tree;
}

std::string to_text(const LimitsReport& report) {
  std::string out = fmt::format("{}\n", report.kernel);
  if (report.rejected.empty()) {
    Table table({"queue limit", "value", "formula", "from"});
    for (const LimitLine& line : report.lines) table.row({line.name, line.value, line.formula, line.fields});
    out += table.text();
  } else {
    out += fmt::format("the kernel refuses the limits: {}\n", report.rejected);
  }
  for (const std::string& warning : report.warnings) out += fmt::format("warning: {}\n", warning);
  return out;
}

std::string to_text(const std::vector<LimitsReport>& reports) {
  std::vector<std::string> header = {"queue limit"};
  for (const LimitsReport& report : reports) header.push_back(report.kernel);
  Table table(header);
  for (std::size_t i = 0; i < reports.front().lines.size(); ++i) {
    std::vector<std::string> row = {reports.front().lines[i].name};
    for (const LimitsReport& report : reports) {
      const std::string value = report.rejected.empty() ? report.lines[i].value : "refused";
      row.push_back(value == row[1 < row.size() ? 1 : 0] || row.size() == 1 ? value : value + " *");
    }
    table.row(row);
  }
  std::string out = table.text();
  for (const LimitsReport& report : reports) {
    for (const std::string& warning : report.warnings) out += fmt::format("{}: warning: {}\n", report.kernel, warning);
  }
  return out;
}

}  // namespace flushlab::lab
