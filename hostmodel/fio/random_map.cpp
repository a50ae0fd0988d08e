// SPDX-License-Identifier: GPL-2.0-only
#include "hostmodel/fio/random_map.hpp"

#include <algorithm>
#include <bit>

namespace flushlab::fio {
namespace {

constexpr unsigned kChunkBits = 16;
constexpr std::uint32_t kChunkBlocks = 1U << kChunkBits;
constexpr std::uint32_t kBitmapWords = kChunkBlocks / 64;
constexpr std::uint32_t kLongestList = kChunkBlocks / 16;  // then a list is as large as the bitmap
constexpr std::uint32_t kFirstCapacity = 8;
// Maps whose bitmaps are no larger than this in all (a device of 137 GB in 4 KiB blocks) use lists only at first.
constexpr std::uint64_t kSmallMapBlocks = std::uint64_t{4} << 20 << 3;
constexpr std::uint32_t kLongestListOfSmallMap = 32;

std::uint32_t next_capacity(std::uint32_t capacity) {
  if (capacity == 0) return kFirstCapacity;
  return std::min(kLongestList, capacity < 64 ? capacity * 2 : capacity + capacity / 4);
}

}  // namespace

RandomMap::RandomMap(std::uint64_t blocks)
    : blocks_(blocks),
      longest_list_(blocks <= kSmallMapBlocks ? kLongestListOfSmallMap : kLongestList),
      chunks_(static_cast<std::size_t>((blocks + kChunkBlocks - 1) >> kChunkBits)) {}

std::uint32_t RandomMap::size_of_chunk(std::uint64_t index) const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(kChunkBlocks, blocks_ - (index << kChunkBits)));
}

bool RandomMap::is_marked(std::uint64_t block) const {
  const Chunk& chunk = chunks_[static_cast<std::size_t>(block >> kChunkBits)];
  const auto within = static_cast<std::uint32_t>(block & (kChunkBlocks - 1));
  if (chunk.bitmap) return ((chunk.bitmap[within / 64] >> (within % 64)) & 1) != 0;
  return std::binary_search(chunk.list.get(), chunk.list.get() + chunk.marked, static_cast<std::uint16_t>(within));
}

bool RandomMap::insert(Chunk& chunk, std::uint32_t block) const {
  if (!chunk.bitmap && chunk.marked == longest_list_) {
    auto bitmap = std::make_unique<std::uint64_t[]>(kBitmapWords);
    for (std::uint32_t i = 0; i < chunk.marked; ++i)
      bitmap[chunk.list[i] / 64U] |= std::uint64_t{1} << (chunk.list[i] % 64U);
    chunk.bitmap = std::move(bitmap);
    chunk.list.reset();
    chunk.capacity = 0;
  }
  if (chunk.bitmap) {
    std::uint64_t& word = chunk.bitmap[block / 64];
    const std::uint64_t bit = std::uint64_t{1} << (block % 64);
    if ((word & bit) != 0) return false;
    word |= bit;
    ++chunk.marked;
    return true;
  }
  std::uint16_t* begin = chunk.list.get();
  std::uint16_t* end = begin + chunk.marked;
  const auto value = static_cast<std::uint16_t>(block);
  std::uint16_t* at = std::lower_bound(begin, end, value);
  if (at != end && *at == value) return false;
  if (chunk.marked == chunk.capacity) {
    const std::uint32_t capacity = next_capacity(chunk.capacity);
    std::unique_ptr<std::uint16_t[]> larger(new std::uint16_t[capacity]);
    std::uint16_t* gap = std::copy(begin, at, larger.get());
    *gap = value;
    std::copy(at, end, gap + 1);
    chunk.list = std::move(larger);
    chunk.capacity = capacity;
  } else {
    std::copy_backward(at, end, end + 1);
    *at = value;
  }
  ++chunk.marked;
  return true;
}

std::uint64_t RandomMap::mark(std::uint64_t first, std::uint64_t count) {
  std::uint64_t done = 0;
  while (done < count && first + done < blocks_) {
    const std::uint64_t block = first + done;
    if (!insert(chunks_[static_cast<std::size_t>(block >> kChunkBits)],
                static_cast<std::uint32_t>(block & (kChunkBlocks - 1))))
      break;
    ++done;
  }
  marked_ += done;
  return done;
}

std::uint32_t RandomMap::first_free(std::uint64_t index, std::uint32_t from) const {
  const Chunk& chunk = chunks_[static_cast<std::size_t>(index)];
  const std::uint32_t size = size_of_chunk(index);
  if (chunk.marked == size) return size;
  if (chunk.bitmap) {
    std::uint32_t word = from / 64;
    std::uint64_t free = ~chunk.bitmap[word] & (~std::uint64_t{0} << (from % 64));
    while (free == 0 && ++word < kBitmapWords) free = ~chunk.bitmap[word];
    return free == 0 ? size : std::min(size, word * 64 + static_cast<std::uint32_t>(std::countr_zero(free)));
  }
  const std::uint16_t* end = chunk.list.get() + chunk.marked;
  for (const std::uint16_t* at =
           std::lower_bound<const std::uint16_t*>(chunk.list.get(), end, static_cast<std::uint16_t>(from));
       at != end && *at == from; ++at) {
    ++from;
  }
  return std::min(size, from);
}

std::optional<std::uint64_t> RandomMap::first_free_from(std::uint64_t block) const {
  auto from = static_cast<std::uint32_t>(block & (kChunkBlocks - 1));
  for (std::uint64_t index = block >> kChunkBits; index < chunks_.size(); ++index, from = 0) {
    const std::uint32_t found = first_free(index, from);
    if (found < size_of_chunk(index)) return (index << kChunkBits) + found;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> RandomMap::next_free(std::uint64_t block) const {
  if (full()) return std::nullopt;
  const std::uint64_t start = block + 1 >= blocks_ ? 0 : block + 1;
  const std::optional<std::uint64_t> above = first_free_from(start);
  return above || start == 0 ? above : first_free_from(0);
}

void RandomMap::clear() {
  for (Chunk& chunk : chunks_) {
    chunk.bitmap.reset();
    chunk.marked = 0;
  }
  marked_ = 0;
}

std::uint64_t RandomMap::memory_bytes() const {
  std::uint64_t bytes = chunks_.size() * sizeof(Chunk);
  for (const Chunk& chunk : chunks_) {
    bytes += chunk.capacity * sizeof(std::uint16_t) + (chunk.bitmap ? kBitmapWords * sizeof(std::uint64_t) : 0);
  }
  return bytes;
}

}  // namespace flushlab::fio
