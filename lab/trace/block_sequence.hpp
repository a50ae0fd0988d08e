// SPDX-License-Identifier: GPL-2.0-only
// What was in flight together, over all drives: "4@16+4096 2@264192+4096" is four commands of 4096 bytes at sector 16,
// and when the last of them was complete, two at sector 264192. Equal commands of one group are counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hostmodel/nvme/command_log.hpp"

namespace flushlab::lab {

class BlockSequence {
 public:
  void attach(nvme::CommandLog& log) { log.add_observer({this, &on_issued, &on_completed}); }
  void begin() { begun_ = true; }
  [[nodiscard]] std::string text() const;

 private:
  struct Group {
    std::uint64_t sector = 0;
    std::uint64_t bytes = 0;
    std::uint32_t count = 0;
  };
  static void on_issued(void* self, const nvme::IssuedCommand& command);
  static void on_completed(void* self, const nvme::CompletedCommand& command);

  std::vector<Group> groups_;
  std::size_t first_of_flight_ = 0;
  std::uint64_t in_flight_ = 0;
  bool begun_ = false;
};

}  // namespace flushlab::lab
