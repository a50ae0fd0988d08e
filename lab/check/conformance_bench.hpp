// SPDX-License-Identifier: GPL-2.0-only
// What the conformance vectors are written with: a fresh drive for each, a raw host, and words for what came back.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "emulator/spec/feature.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"
#include "lab/check/raw_host.hpp"

namespace flushlab::lab::conformance {

struct Check {
  bool ok = true;
  std::string expected;
  std::string got;
  std::string not_applicable;
  std::string setting;  // the profile's setting that makes the drive answer otherwise than the specification

  // What the specification wants, unless the profile says that this drive departs from it here.
  Check&& unless(bool departs, const char* named) && {
    if (!ok && departs) setting = named;
    return std::move(*this);
  }
};

class Bench;

struct Vector {
  int number;
  const char* section;
  const char* name;
  Check (*run)(Bench& bench);
};

class Bench {
 public:
  explicit Bench(const media::DeviceProfile& device) : profile(device) { profile.keep_image = true; }

  // The drive, started, with one I/O queue pair, when first asked for: `profile` may be changed until then.
  RawHost& host() {
    if (host_ == nullptr) {
      host_ = std::make_unique<RawHost>(profile);
      host_->start();
      host_->create_io_pair();
    }
    return *host_;
  }
  // The same without I/O queues.
  RawHost& admin_only() {
    if (host_ == nullptr) {
      host_ = std::make_unique<RawHost>(profile);
      host_->start();
    }
    return *host_;
  }

  [[nodiscard]] bool has_cache() const { return spec::vwc::kVWCP.in(profile.identify.vwc); }
  [[nodiscard]] std::uint64_t nsze() const { return profile.identify.size_bytes / profile.identify.lba_bytes; }

  static spec::SubmissionEntry command(std::uint8_t opc, std::uint32_t nsid, std::uint32_t cdw10 = 0,
                                       std::uint32_t cdw11 = 0, std::uint32_t cdw12 = 0) {
    spec::SubmissionEntry sqe;
    sqe.opc = opc;
    sqe.nsid = nsid;
    sqe.cdw10 = cdw10;
    sqe.cdw11 = cdw11;
    sqe.cdw12 = cdw12;
    return sqe;
  }
  static std::uint16_t word(const spec::CompletionEntry& cqe) { return cqe.status().word(false); }
  static std::string text(std::uint16_t status_word) {
    return status_word == 0 ? "ok"
                            : fmt::format("{:04X}h {}", status_word, spec::Status::from_word(status_word).name());
  }

  // The status word is one of these.
  static Check status(const spec::CompletionEntry& cqe, std::initializer_list<std::uint16_t> accepted) {
    Check check;
    check.ok = false;
    check.got = cqe.cid.value() == 0 ? "no completion" : text(word(cqe));
    for (const std::uint16_t one : accepted) {
      check.expected += (check.expected.empty() ? "" : " or ") + text(one);
      check.ok = check.ok || (cqe.cid.value() != 0 && word(cqe) == one);
    }
    return check;
  }
  // Success with this DW0.
  static Check result(const spec::CompletionEntry& cqe, std::uint32_t dw0) {
    Check check;
    check.expected = fmt::format("ok, DW0 {:#x}", dw0);
    check.got = cqe.cid.value() == 0 ? "no completion"
                : word(cqe) == 0     ? fmt::format("ok, DW0 {:#x}", cqe.dw0.value())
                                     : text(word(cqe));
    check.ok = cqe.cid.value() != 0 && word(cqe) == 0 && cqe.dw0.value() == dw0;
    return check;
  }
  static Check holds(bool ok, std::string expected, std::string got) {
    return {ok, std::move(expected), std::move(got), "", ""};
  }
  static Check not_applicable(std::string reason) { return {true, "", "", std::move(reason), ""}; }
  // The first of several that does not hold, or all of them in one line.
  static Check all(std::initializer_list<Check> checks) {
    Check sum;
    for (const Check& check : checks) {
      if (!check.ok) return check;
      sum.expected += (sum.expected.empty() ? "" : "; ") + check.expected;
      sum.got += (sum.got.empty() ? "" : "; ") + check.got;
    }
    return sum;
  }
  // What the block holds is one of these write ids.
  static Check block_is(std::uint64_t id, std::initializer_list<std::uint64_t> accepted, const char* what) {
    Check check;
    check.expected = what;
    check.got = fmt::format("write {}", id);
    check.ok = false;
    for (const std::uint64_t one : accepted) check.ok = check.ok || id == one;
    return check;
  }

  media::DeviceProfile profile;

 private:
  std::unique_ptr<RawHost> host_;
};

}  // namespace flushlab::lab::conformance
