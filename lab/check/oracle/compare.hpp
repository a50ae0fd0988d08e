// SPDX-License-Identifier: GPL-2.0-only
// Streams of commands side by side.
#pragma once

#include <string>
#include <vector>

#include "lab/check/oracle/guest.hpp"
#include "lab/check/oracle/recording.hpp"

namespace flushlab::lab::oracle {

// A command in one line, as both sides write it: "write 9368+8 fua", "nvme_admin_identify cns=1, ctrlid=0 nsid=0".
[[nodiscard]] std::string line_of(const RecordedCommand& command);
[[nodiscard]] std::string line_of(const ModelCommand& command);

struct Difference {
  bool equal = true;
  std::size_t at = 0;                // of the first difference
  std::vector<std::string> details;  // lines around it, recorded and model
};

[[nodiscard]] Difference compare_lines(const std::vector<std::string>& recorded, const std::vector<std::string>& model,
                                       const std::string& what);

// O3's second half: the same commands when adjacent data commands of one kind are taken as the blocks that they cover
// together. Every recorded piece has at most `most_blocks`.
[[nodiscard]] bool same_blocks(const std::vector<RecordedCommand>& recorded, const std::vector<ModelCommand>& model,
                               std::uint64_t most_blocks);

// O2. Empty: holds; else one line.
struct AdminComparison {
  std::string failure;
  std::vector<std::string> details;
  bool exact = true;
};
[[nodiscard]] AdminComparison compare_admin(const std::vector<RecordedCommand>& recorded,
                                            const std::vector<ModelCommand>& model, const std::string& disk);

}  // namespace flushlab::lab::oracle
