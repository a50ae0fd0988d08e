// SPDX-License-Identifier: GPL-2.0-only
#include "lab/check/oracle/compare_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "lab/check/oracle/compare.hpp"

namespace flushlab::lab::oracle {

namespace {

using Units = std::map<std::string, int>;

// The commands between two data commands.
struct Gap {
  Units metadata;   // "16+8": pages of the bitmap and superblocks, by place and length
  int flushes = 0;  // that belong to no metadata
};
struct Stream {
  std::vector<std::string> data;
  std::vector<Gap> gaps{1};  // gaps[i] is before data[i]; the last one is behind all data
};

bool is_meta(const RecordedCommand& c) {
  return c.op == "write" && c.rwbs.find('M') != std::string::npos;
}
bool is_meta(const ModelCommand& c) {
  return c.op == "write" && c.meta;
}

template <typename C>
Stream stream_of(const std::vector<C>& commands) {
  Stream stream;
  for (const C& c : commands) {
    if (c.op == "read") continue;
    Gap& gap = stream.gaps.back();
    if (c.op == "flush") {
      ++gap.flushes;
    } else if (is_meta(c)) {
      std::uint64_t sector = c.slba;
      std::uint64_t left = c.nlb;
      if (c.fua) --gap.flushes;  // its own, in front of it
      for (; left > 8 && left <= 16; left -= 8, sector += 8) ++gap.metadata[fmt::format("{}+8", sector)];
      ++gap.metadata[fmt::format("{}+{}", sector, left)];
    } else {
      stream.data.push_back(line_of(c));
      stream.gaps.emplace_back();
    }
  }
  return stream;
}

std::string text_of(const Gap& gap) {
  std::string out;
  for (const auto& [unit, count] : gap.metadata) out += fmt::format("{}{}x{}", out.empty() ? "" : " ", count, unit);
  if (gap.flushes != 0) out += fmt::format(" {} flushes", gap.flushes);
  return out.empty() ? "-" : out;
}

// Every piece of metadata in the recording is one that this array has, at its place and with its length.
MemberComparison check_units(const Stream& recorded, const std::string& disk, const MemberMetadata& metadata) {
  MemberComparison comparison;
  for (const Gap& gap : recorded.gaps) {
    for (const auto& [unit, count] : gap.metadata) {
      if (metadata.units.contains(unit) || !comparison.failure.empty()) continue;
      std::string known;
      for (const std::string& one : metadata.units) known += (known.empty() ? "" : ", ") + one;
      comparison.failure =
          fmt::format("member {}: metadata {} is written; the model's array has {}", disk, unit, known);
    }
  }
  return comparison;
}

}  // namespace

MemberComparison compare_member(const std::vector<RecordedCommand>& recorded, const std::vector<ModelCommand>& model,
                                const std::string& disk, const MemberMetadata& metadata) {
  MemberComparison comparison;
  const Stream r = stream_of(recorded);
  const Stream m = stream_of(model);
  const Difference data = compare_lines(r.data, m.data, disk);
  if (!data.equal) {
    comparison.failure = fmt::format("data commands of member {}, from command {} on", disk, data.at);
    comparison.details = data.details;
    return comparison;
  }
  comparison = check_units(r, disk, metadata);
  if (!comparison.failure.empty()) return comparison;
  // Timers' writes of a unit that are elsewhere, and those that a slow run has more of: each time that it paused long
  // enough the array went clean and dirty again, which is two superblocks, and page 0 as often.
  constexpr int kTimers = 3;
  const auto count = [](const Gap& gap, const std::string& unit) {
    const auto it = gap.metadata.find(unit);
    return it == gap.metadata.end() ? 0 : it->second;
  };
  int pauses = 0;
  for (std::size_t i = 0; i < r.gaps.size(); ++i)
    pauses += count(r.gaps[i], metadata.superblock) - count(m.gaps[i], metadata.superblock);
  const int most = kTimers + std::max(0, pauses);
  std::map<std::string, int> moved;
  // A Flush may fall on the other side of a data command on another queue; and one that meets metadata's own on its
  // queue may be shared with it, which the replay of the bios holds exactly.
  int flushes = 0;
  for (std::size_t i = 0; i < r.gaps.size(); ++i) {
    flushes += r.gaps[i].flushes - m.gaps[i].flushes;
    if (r.gaps[i].metadata == m.gaps[i].metadata && r.gaps[i].flushes == m.gaps[i].flushes) continue;
    comparison.exact = false;
    bool wrong = flushes < -2 || flushes > (i + 1 == r.gaps.size() ? 0 : 2);
    for (const std::string& unit : metadata.units) {
      moved[unit] += std::abs(count(r.gaps[i], unit) - count(m.gaps[i], unit));
      wrong = wrong || moved[unit] > most;
    }
    if (!wrong) continue;
    comparison.failure = fmt::format("metadata of member {} before its data command {}", disk, i);
    for (std::size_t k = i > 2 ? i - 2 : 0; k < r.gaps.size() && k <= i + 2; ++k) {
      comparison.details.push_back(
          fmt::format("{:>5}{} {:<50}  {}", k, k == i ? "*" : " ", text_of(r.gaps[k]), text_of(m.gaps[k])));
      if (k < r.data.size()) comparison.details.push_back(fmt::format("        {}", r.data[k]));
    }
    return comparison;
  }
  return comparison;
}

MemberComparison compare_member_set(const std::vector<RecordedCommand>& recorded, std::vector<Sectors> copies,
                                    const std::string& disk, const MemberMetadata& metadata) {
  const Stream r = stream_of(recorded);
  MemberComparison comparison = check_units(r, disk, metadata);
  if (!comparison.failure.empty()) return comparison;
  comparison.exact = false;
  // Adjacent copies may have merged below the array: what is held are the sectors.
  std::vector<Sectors> written;
  for (const RecordedCommand& c : recorded) {
    if (c.op == "write" && !is_meta(c)) written.emplace_back(c.slba, c.slba + c.nlb);
  }
  const auto joined = [](std::vector<Sectors> ranges) {
    std::sort(ranges.begin(), ranges.end());
    std::map<std::uint64_t, int> edges;
    for (const auto& [begin, end] : ranges) {
      ++edges[begin];
      --edges[end];
    }
    std::erase_if(edges, [](const auto& edge) { return edge.second == 0; });
    return edges;
  };
  const auto r_edges = joined(std::move(written));
  const auto m_edges = joined(std::move(copies));
  if (r_edges != m_edges) {
    const auto [a, b] = std::mismatch(r_edges.begin(), r_edges.end(), m_edges.begin(), m_edges.end());
    const std::uint64_t at = a != r_edges.end() ? a->first : b != m_edges.end() ? b->first : 0;
    comparison.failure =
        fmt::format("member {}: its data is not the copies of what went to the array, at sector {}", disk, at);
  }
  return comparison;
}

}  // namespace flushlab::lab::oracle
