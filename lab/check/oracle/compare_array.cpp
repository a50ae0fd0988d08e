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
Stream stream_of(const std::vector<C>& commands, std::uint64_t sectors_per_block) {
  Stream stream;
  for (const C& c : commands) {
    if (c.op == "read") continue;
    Gap& gap = stream.gaps.back();
    if (c.op == "flush") {
      ++gap.flushes;
    } else if (is_meta(c)) {
      std::uint64_t sector = c.slba * sectors_per_block;
      std::uint64_t left = c.nlb * sectors_per_block;
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

Units sum_of(const Stream& stream) {
  Units sum;
  for (const Gap& gap : stream.gaps) {
    for (const auto& [unit, count] : gap.metadata) sum[unit] += count;
  }
  return sum;
}

}  // namespace

MemberComparison compare_member(const std::vector<RecordedCommand>& recorded, const std::vector<ModelCommand>& model,
                                const std::string& disk, bool ordered) {
  MemberComparison comparison;
  const std::uint64_t sectors_per_block = 1;
  Stream r = stream_of(recorded, sectors_per_block);
  Stream m = stream_of(model, sectors_per_block);
  if (!ordered) {
    std::sort(r.data.begin(), r.data.end());
    std::sort(m.data.begin(), m.data.end());
  }
  const Difference data = compare_lines(r.data, m.data, disk);
  if (!data.equal) {
    comparison.failure = fmt::format("data commands of member {}, from command {} on", disk, data.at);
    comparison.details = data.details;
    return comparison;
  }
  // Every place and length that was written is one that the model writes, and the other way round.
  const Units recorded_sum = sum_of(r);
  const Units model_sum = sum_of(m);
  for (const auto& [unit, count] : recorded_sum) {
    if (model_sum.contains(unit)) continue;
    comparison.failure =
        fmt::format("member {}: metadata {} is written {} times, in the model never", disk, unit, count);
    return comparison;
  }
  for (const auto& [unit, count] : model_sum) {
    if (recorded_sum.contains(unit)) continue;
    comparison.failure =
        fmt::format("member {}: the model writes metadata {} {} times, the recording never", disk, unit, count);
    return comparison;
  }
  if (!ordered) {
    comparison.exact = recorded_sum == model_sum;
    return comparison;
  }
  // Timers' writes of a unit that is elsewhere: at most so many in all.
  constexpr int kTimers = 3;
  std::map<std::string, int> moved;
  for (std::size_t i = 0; i < r.gaps.size(); ++i) {
    if (r.gaps[i].metadata == m.gaps[i].metadata && r.gaps[i].flushes == m.gaps[i].flushes) continue;
    comparison.exact = false;
    bool wrong = r.gaps[i].flushes != m.gaps[i].flushes;
    for (const auto& [unit, unused] : recorded_sum) {
      const auto count = [&](const Gap& gap) {
        const auto it = gap.metadata.find(unit);
        return it == gap.metadata.end() ? 0 : it->second;
      };
      const int apart = count(r.gaps[i]) - count(m.gaps[i]);
      moved[unit] += std::abs(apart);
      wrong = wrong || moved[unit] > kTimers;
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

}  // namespace flushlab::lab::oracle
