// SPDX-License-Identifier: GPL-2.0-only
// Which blocks of a file a random job has already touched in this pass.
//
// Rules:
//  M1  Membership, marking and the search for the next free block are fio's: next_free(b) is the first free block
//      above b (the block after the last one is the first), wrapping once; none if all are taken.
//  M2  Memory follows what is marked, not the size of the device: blocks go in chunks of 65536, each nothing, a sorted
//      list of 16-bit numbers or a bitmap: from 4096 marks on, where the two are as large, or from 32 where all bitmaps
//      together are small. A device of 3.84 TB in 4 KiB blocks costs 14304 table entries of 24 bytes, plus at most 2.5
//      bytes for a scattered marked block; no chunk costs more than 10 KiB.
//  M3  A full chunk is passed over in one step.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace flushlab::fio {

class RandomMap {
 public:
  RandomMap() = default;
  explicit RandomMap(std::uint64_t blocks);

  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] std::uint64_t marked() const { return marked_; }
  [[nodiscard]] bool full() const { return marked_ == blocks_; }
  // `block` < blocks().
  [[nodiscard]] bool is_marked(std::uint64_t block) const;
  // Marks up to `count` blocks from `first` on, stopping at the first one already marked and at the end of the map.
  // Returns how many it marked.
  std::uint64_t mark(std::uint64_t first, std::uint64_t count);
  // The block that a draw of a taken `block` moves to (M1).
  [[nodiscard]] std::optional<std::uint64_t> next_free(std::uint64_t block) const;
  // All blocks free again. Lists keep their memory for the next pass, bitmaps give theirs back.
  void clear();
  // Bytes held, without the allocator's own.
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  struct Chunk {
    std::unique_ptr<std::uint16_t[]> list;  // the `marked` blocks, ascending; unused while there is a bitmap
    std::unique_ptr<std::uint64_t[]> bitmap;
    std::uint32_t marked = 0;
    std::uint32_t capacity = 0;  // of the list
  };

  [[nodiscard]] std::uint32_t size_of_chunk(std::uint64_t index) const;
  // The first free block >= `from` of the chunk; its size if none.
  [[nodiscard]] std::uint32_t first_free(std::uint64_t index, std::uint32_t from) const;
  [[nodiscard]] std::optional<std::uint64_t> first_free_from(std::uint64_t block) const;
  // False if it is marked already.
  bool insert(Chunk& chunk, std::uint32_t block) const;

  std::uint64_t blocks_ = 0;
  std::uint64_t marked_ = 0;
  std::uint32_t longest_list_ = 0;
  std::vector<Chunk> chunks_;
};

}  // namespace flushlab::fio
