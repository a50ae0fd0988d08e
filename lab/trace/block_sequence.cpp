// SPDX-License-Identifier: GPL-2.0-only
#include "lab/trace/block_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace flushlab::lab {

void BlockSequence::on_issued(void* object, const nvme::IssuedCommand& command) {
  auto& self = *static_cast<BlockSequence*>(object);
  if (!self.begun_ || command.qid == 0) return;
  if (self.in_flight_++ == 0) self.first_of_flight_ = self.groups_.size();
  const block::Request* request = command.request;
  const bool block = request != nullptr && request->kind == block::Request::Kind::kBio;
  const std::uint64_t sector = block ? request->sector : 0;
  const std::uint64_t bytes = block ? std::uint64_t{request->sectors} * 512 : 0;
  const auto same =
      std::find_if(self.groups_.begin() + static_cast<std::ptrdiff_t>(self.first_of_flight_), self.groups_.end(),
                   [&](const Group& group) { return group.sector == sector && group.bytes == bytes; });
  if (same != self.groups_.end()) {
    ++same->count;
  } else {
    self.groups_.push_back({sector, bytes, 1});
  }
}

void BlockSequence::on_completed(void* object, const nvme::CompletedCommand& command) {
  auto& self = *static_cast<BlockSequence*>(object);
  if (self.begun_ && command.qid != 0 && self.in_flight_ != 0) --self.in_flight_;
}

std::string BlockSequence::text() const {
  std::string out;
  for (const Group& group : groups_)
    out += fmt::format("{}{}@{}+{}", out.empty() ? "" : " ", group.count, group.sector, group.bytes);
  return out;
}

}  // namespace flushlab::lab
