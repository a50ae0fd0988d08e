// SPDX-License-Identifier: GPL-2.0-only
#include "lab/report/table.hpp"

#include <algorithm>

namespace flushlab::lab {

namespace {

// A cell that reads as a figure goes to the right edge of its column.
bool is_figure(const std::string& cell) {
  return cell.empty() || cell.find_first_not_of("0123456789.+-%x() *") == std::string::npos;
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths(header_.size());
  std::vector<bool> right(header_.size(), true);
  for (std::size_t c = 0; c < header_.size(); ++c) {
    widths[c] = header_[c].size();
    for (const auto& row : rows_) {
      if (c >= row.size()) continue;
      widths[c] = std::max(widths[c], row[c].size());
      if (!is_figure(row[c])) right[c] = false;
    }
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out = "  ";
    for (std::size_t c = 0; c < header_.size(); ++c) {
      const std::string& cell = c < cells.size() ? cells[c] : std::string();
      const std::string pad(widths[c] - cell.size(), ' ');
      if (c != 0) out += "  ";
      out += right[c] ? pad + cell : cell + pad;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out = line(header_);
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + 2;
  out += "  " + std::string(total - 2, '-') + "\n";
  for (const auto& row : rows_) out += line(row);
  return out;
}

}  // namespace flushlab::lab
