// SPDX-License-Identifier: GPL-2.0-only
// Aligned tables for people: the first column and texts to the left, figures to the right.
#pragma once

#include <string>
#include <vector>

namespace flushlab::lab {

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace flushlab::lab
