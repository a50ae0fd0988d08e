// SPDX-License-Identifier: GPL-2.0-only
#include "lab/report/md_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/report/table.hpp"

namespace flushlab::lab {

namespace {

using kernel::BitmapIoSize;
using md::BitmapKind;
using md::Metadata;

constexpr std::uint32_t kRmwUnit = 4096;

// As mdadm prints sizes of KiB: "(12.00 GiB 12.88 GB)".
std::string human_size(std::uint64_t sectors) {
  const double bytes = static_cast<double>(sectors) * 512;
  const auto print = [](double value, std::initializer_list<const char*> units, double step) {
    auto unit = units.begin();
    while (value >= step * 0.9995 && unit + 1 != units.end()) {
      value /= step;
      ++unit;
    }
    return fmt::format("{:.2f} {}", value, *unit);
  };
  return fmt::format("({} {})", print(bytes, {"B", "KiB", "MiB", "GiB", "TiB"}, 1024),
                     print(bytes, {"B", "KB", "MB", "GB", "TB"}, 1000));
}

std::string size_word(std::uint64_t sectors) {
  return sectors % 2048 == 0 ? fmt::format("{} MB", sectors / 2048) : fmt::format("{} KB", sectors / 2);
}

const char* level_word(md::Level level) {
  switch (level) {
    case md::Level::kRaid1:
      return "raid1";
    case md::Level::kRaid4:
      return "raid4";
    case md::Level::kRaid5:
      return "raid5";
    case md::Level::kRaid6:
      return "raid6";
    case md::Level::kRaid10:
      return "raid10";
  }
  return "";
}

std::string layout_words(const md::Raid10Layout& layout) {
  std::string out;
  if (layout.near > 1 || layout.far == 1) out = fmt::format("near={}", layout.near);
  if (layout.far > 1)
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", layout.offset ? "offset" : "far", layout.far);
  return out;
}

bool same(const md::PageWrite& a, const md::PageWrite& b) {
  return a.sector == b.sector && a.bytes == b.bytes && a.refused == b.refused;
}

bool uniform(const MdExamination::Page& page) {
  return std::all_of(page.writes.begin(), page.writes.end(),
                     [&](const md::PageWrite& write) { return same(write, page.writes.front()); });
}

void warn_of_page(MdExamination& out, const MdExamination::Page& page, std::size_t member) {
  const md::PageWrite& write = page.writes[member];
  const md::MemberLayout& where = out.array.members[member];
  const std::string name =
      fmt::format("bitmap page {}{}", page.index, uniform(page) ? std::string() : fmt::format(" of member {}", member));
  if (write.refused) {
    out.warnings.push_back(fmt::format("{} is not written: it {}; the kernel marks the bitmap stale", name, write.why));
    return;
  }
  if (write.bytes == 0) {
    out.warnings.push_back(fmt::format("{} is written with no length: {}", name, write.why));
    return;
  }
  if (write.bytes % kRmwUnit != 0) {
    out.warnings.push_back(fmt::format(
        "{} is written as {} bytes, no multiple of {}: a drive with {}-byte units reads, modifies and writes one", name,
        write.bytes, kRmwUnit, kRmwUnit));
  }
  const std::uint64_t end = write.sector + write.bytes / 512;
  if (write.bytes > md::kBitmapPageBytes) {
    const std::uint64_t log = where.sb_start + static_cast<std::uint64_t>(where.bad_block_log_offset);
    out.warnings.push_back(fmt::format(
        "{} is written as {} bytes from a page of {}: what lies behind the page in memory goes to sectors {} to {}{}",
        name, write.bytes, md::kBitmapPageBytes, write.sector + md::kBitmapPageSectors, end - 1,
        where.bad_block_log_offset != 0 && write.sector < log + 8 && end > log ? ", over the bad block log" : ""));
  }
}

void add_pages(MdExamination& out, const kernel::KernelProfile& kernel) {
  if (out.array.shape.bits == 0 || out.array.bitmap == BitmapKind::kExternal) return;
  for (std::uint32_t index = 0; index < out.array.shape.pages(); ++index) {
    MdExamination::Page page;
    page.index = index;
    for (const md::MemberLayout& member : out.array.members)
      page.writes.push_back(md::bitmap_page_write(kernel, out.array, member, index));
    for (std::size_t member = 0; member < page.writes.size(); ++member) {
      warn_of_page(out, page, member);
      if (uniform(page)) break;
    }
    out.pages.push_back(std::move(page));
  }
}

void warn_of_members(MdExamination& out) {
  const auto& members = out.array.members;
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (members[i].logical_block_size != members[0].logical_block_size) {
      out.warnings.push_back(
          fmt::format("members with logical blocks of {} and {} bytes: the array takes the larger, and the shorter "
                      "writes of the others stay short",
                      members[0].logical_block_size, members[i].logical_block_size));
      break;
    }
  }
  if (!members.empty() && members[0].superblock_bytes % kRmwUnit != 0) {
    out.warnings.push_back(fmt::format("the superblock is written as {} bytes, no multiple of {}, whatever the kernel",
                                       members[0].superblock_bytes, kRmwUnit));
  }
}

}  // namespace

MdExamination examine_array(const kernel::KernelProfile& kernel, const md::CreateOptions& options,
                            const std::vector<md::MemberDevice>& devices) {
  MdExamination out;
  out.kernel = kernel.name;
  md::LayoutResult created = md::create_layout(options, devices);
  if (!created.layout) {
    out.error = created.error;
    out.remedy = created.remedy;
    return out;
  }
  out.array = std::move(*created.layout);
  add_pages(out, kernel);
  warn_of_members(out);
  return out;
}

MdExamination examine_bits(const kernel::KernelProfile& kernel, std::uint64_t bits, const md::MemberLayout& member) {
  MdExamination out;
  out.kernel = kernel.name;
  out.array.shape.bits = bits;
  out.array.members = {member};
  add_pages(out, kernel);
  warn_of_members(out);
  return out;
}

nlohmann::ordered_json to_json(const MdExamination& examination) {
  using Json = nlohmann::ordered_json;
  Json tree;
  if (!examination.error.empty()) {
    return {{"bits", nullptr},
            {"bitmap_bytes", nullptr},
            {"superblock_sector", nullptr},
            {"pages", Json::array()},
            {"warnings", Json::array()},
            {"error", examination.error + "; " + examination.remedy}};
  }
  const md::ArrayLayout& array = examination.array;
  tree["bits"] = array.shape.bits;
  tree["bitmap_bytes"] = array.shape.bits == 0 ? 0 : array.shape.bytes();
  tree["superblock_sector"] = array.members[0].sb_start;
  tree["pages"] = Json::array();
  const auto entry = [](const md::PageWrite& write) {
    Json out = {{"sector", write.sector}, {"write_bytes", write.refused ? Json(nullptr) : Json(write.bytes)}};
    return out;
  };
  for (const MdExamination::Page& page : examination.pages) {
    Json out = {{"index", page.index}};
    out.update(entry(page.writes[0]));
    if (!uniform(page)) {
      out["members"] = Json::array();
      for (const md::PageWrite& write : page.writes) out["members"].push_back(entry(write));
    }
    tree["pages"].push_back(std::move(out));
  }
  tree["warnings"] = examination.warnings;
  tree["error"] = nullptr;
  return tree;
}

std::string to_text(const MdExamination& examination) {
  if (!examination.error.empty()) return fmt::format("no array: {}; {}\n", examination.error, examination.remedy);
  const md::ArrayLayout& array = examination.array;
  const md::Geometry& geometry = array.geometry;
  const md::MemberLayout& member = array.members[0];
  std::string out;
  const auto line = [&](const char* name, const std::string& value) {
    out += fmt::format("{:>15} : {}\n", name, value);
  };
  if (geometry.disks != 0) {
    line("Magic", "a92b4efc");
    line("Version", array.metadata == Metadata::k0_90 ? "0.90.00" : name_of(array.metadata));
    line("Feature Map", array.bitmap == BitmapKind::kInternal ? "0x1" : "0x0");
    line("Raid Level", level_word(geometry.level));
    line("Raid Devices", std::to_string(geometry.disks));
    line("Array Size", fmt::format("{} KiB {}", geometry.array_sectors() / 2, human_size(geometry.array_sectors())));
    line("Used Dev Size", fmt::format("{} sectors {}", geometry.member_sectors, human_size(geometry.member_sectors)));
  }
  line("Data Offset", fmt::format("{} sectors", member.data_offset));
  line("Super Offset", fmt::format("{} sectors", member.sb_start));
  if (array.bitmap != BitmapKind::kNone && array.bitmap != BitmapKind::kExternal)
    line("Internal Bitmap", fmt::format("{} sectors from superblock", member.bitmap_offset));
  if (member.bad_block_log_offset != 0)
    line("Bad Block Log", fmt::format("512 entries available at offset {} sectors", member.bad_block_log_offset));
  if (geometry.level == md::Level::kRaid10 && geometry.disks != 0) line("Layout", layout_words(geometry.layout));
  if (geometry.chunk_sectors != 0) line("Chunk Size", fmt::format("{}K", geometry.chunk_sectors / 2));
  out += "\n";
  if (array.shape.bits == 0) return out + "no bitmap\n";
  line("Magic", "6d746962");
  line("Version", array.bitmap == BitmapKind::kClustered ? "5" : "4");
  if (array.shape.chunk_sectors != 0) line("Chunksize", size_word(array.shape.chunk_sectors));
  line("Daemon", "5s flush period");
  if (geometry.disks != 0)
    line("Sync Size", fmt::format("{} {}", geometry.sync_sectors() / 2, human_size(geometry.sync_sectors())));
  line("Bitmap", fmt::format("{} bits (chunks), {} bytes in {} pages, {} in the last", array.shape.bits,
                             array.shape.bytes(), array.shape.pages(), array.shape.last_page_bytes()));
  if (array.bitmap == BitmapKind::kExternal)
    return out + "\nthe bitmap is a file: its pages are not written to the members\n";
  out += fmt::format("\n{}\n", examination.kernel);
  Table rows({"page", "bits", "member", "sector", "write", "why"});
  // Pages that are written alike, one behind the other, are one row.
  const auto alike = [](const MdExamination::Page& a, const MdExamination::Page& b) {
    const std::uint64_t apart = std::uint64_t{b.index - a.index} * md::kBitmapPageSectors;
    return uniform(a) && uniform(b) && a.writes[0].bytes == b.writes[0].bytes &&
           a.writes[0].refused == b.writes[0].refused && a.writes[0].sector + apart == b.writes[0].sector;
  };
  for (std::size_t at = 0; at < examination.pages.size();) {
    std::size_t end = at + 1;
    while (end < examination.pages.size() && alike(examination.pages[at], examination.pages[end])) ++end;
    const MdExamination::Page& page = examination.pages[at];
    const MdExamination::Page& last_page = examination.pages[end - 1];
    const std::uint64_t first = page.index == 0 ? 0 : page.index * std::uint64_t{32768} - 2048;
    const std::uint64_t last = std::min(array.shape.bits, (last_page.index + 1) * std::uint64_t{32768} - 2048);
    const bool several = end - at > 1;
    for (std::size_t i = 0; i < page.writes.size(); ++i) {
      const md::PageWrite& write = page.writes[i];
      const bool all = uniform(page);
      rows.row(
          {several ? fmt::format("{} to {}", page.index, last_page.index) : std::to_string(page.index),
           fmt::format("{} to {}", first, last - 1), all ? "all" : std::to_string(i),
           several ? fmt::format("{} to {}", write.sector, last_page.writes[i].sector) : std::to_string(write.sector),
           write.refused ? "none" : fmt::format("{} bytes", write.bytes), write.why});
      if (all) break;
    }
    at = end;
  }
  out += rows.text();
  for (const std::string& warning : examination.warnings) out += "warning: " + warning + "\n";
  return out;
}

}  // namespace flushlab::lab
