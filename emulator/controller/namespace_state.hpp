// SPDX-License-Identifier: GPL-2.0-only
// One namespace of a drive: what it says of itself, what its blocks hold, what of them is only in the cache.
#pragma once

#include <cstdint>
#include <memory>

#include "emulator/media/block_ranges.hpp"
#include "emulator/media/durable_image.hpp"
#include "emulator/media/write_cache.hpp"
#include "emulator/spec/identify.hpp"

namespace flushlab::controller {

struct NamespaceState {
  std::uint32_t nsid = 0;
  bool attached = true;
  std::uint64_t size_bytes = 0;
  spec::IdentifyNamespace identify{};

  // Of the format in use.
  unsigned lba_shift = 9;
  std::uint64_t nsze = 0;

  std::unique_ptr<media::DurableImage> image;  // null unless the profile keeps one
  std::unique_ptr<media::WriteCache> cache;
  media::BlockRanges uncorrectable;  // Write Uncorrectable, until written again
  media::BlockRanges written;        // kept where DULBE is supported: what is neither deallocated nor never written
  bool tracks_written = false;

  // Features with a value of their own in each namespace.
  bool dulbe = false;
  std::uint16_t tler = 0;
  std::uint8_t wps = 0;  // feature 84h

  bool formatting = false;
  std::uint32_t generation = 0;  // counts formats: a command of before has no effect any more
};

}  // namespace flushlab::controller
