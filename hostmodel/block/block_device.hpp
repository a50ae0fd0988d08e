// SPDX-License-Identifier: GPL-2.0-only
// The one interface that every layer implements: a device that takes bios (models struct block_device_operations).
// A plain function instead of a virtual one, so that a layer stays a value and the call stays one jump.
#pragma once

#include <cstdint>
#include <string>

#include "hostmodel/block/bio.hpp"
#include "hostmodel/block/queue_limits.hpp"

namespace flushlab::block {

class BlockDevice {
 public:
  using SubmitBio = void (*)(BlockDevice& device, Bio& bio);

  BlockDevice(std::string name, SubmitBio submit) : submit_(submit), name_(std::move(name)) {}
  BlockDevice(const BlockDevice&) = delete;
  BlockDevice& operator=(const BlockDevice&) = delete;

  // Takes a bio; its end_io runs when it is done. The bio must stay alive until then.
  void submit_bio(Bio& bio) {
    bio.device = this;
    submit_(*this, bio);
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
  void set_sectors(std::uint64_t sectors) { sectors_ = sectors; }
  // What the block layer believes of the device; a stacked device's follow from its members'.
  [[nodiscard]] const QueueLimits& limits() const { return limits_; }

 protected:
  QueueLimits limits_;

 private:
  SubmitBio submit_;
  std::uint64_t sectors_ = 0;
  std::string name_;
};

}  // namespace flushlab::block
