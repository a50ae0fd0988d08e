// SPDX-License-Identifier: GPL-2.0-only
// An array's arithmetic as text and JSON: what mdadm -E and mdadm -X print of it, and for each page of its bitmap where
// it is and how long the kernel's write of it is on each member.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hostmodel/md/layout.hpp"

namespace flushlab::lab {

struct MdExamination {
  std::string kernel;
  std::string error;  // why mdadm would not make the array; then nothing else is set
  std::string remedy;
  md::ArrayLayout array;
  // By page, then by member: members that get the same write are listed once.
  struct Page {
    std::uint32_t index = 0;
    std::vector<md::PageWrite> writes;  // by member
  };
  std::vector<Page> pages;
  std::vector<std::string> warnings;
};

[[nodiscard]] MdExamination examine_array(const kernel::KernelProfile& kernel, const md::CreateOptions& options,
                                          const std::vector<md::MemberDevice>& devices);
// The same for a bitmap of `bits` bits on one member whose places are known.
[[nodiscard]] MdExamination examine_bits(const kernel::KernelProfile& kernel, std::uint64_t bits,
                                         const md::MemberLayout& member);

// {"bits":..,"bitmap_bytes":..,"superblock_sector":..,"pages":[{"index":..,"sector":..,"write_bytes":..}],
// "warnings":[..],"error":null}: member 0's; a page's "members" lists every member where they differ.
[[nodiscard]] nlohmann::ordered_json to_json(const MdExamination& examination);
[[nodiscard]] std::string to_text(const MdExamination& examination);

}  // namespace flushlab::lab
