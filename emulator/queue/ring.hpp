// SPDX-License-Identifier: GPL-2.0-only
// Rings: the two ends of a submission and of a completion queue (NVMe Base 2.1 sec. 3.3.1).
//
// A ring of `size` entries is empty when head == tail and full when the tail is one behind the head, so it holds
// size - 1 entries. A completion entry is new when its phase bit equals the reader's; both flip at each wrap.
#pragma once

#include <cstdint>

#include "emulator/spec/command.hpp"

namespace flushlab::queue {

// Host end of a submission queue.
class SqProducer {
 public:
  SqProducer() = default;
  SqProducer(spec::SubmissionEntry* base, std::uint16_t size) : base_(base), size_(size) {}

  [[nodiscard]] bool full() const { return next(tail_) == head_; }
  [[nodiscard]] std::uint16_t tail() const { return tail_; }
  // Places an entry at the tail; the ring must not be full. The caller rings the doorbell with tail().
  void push(const spec::SubmissionEntry& entry) {
    base_[tail_] = entry;
    tail_ = next(tail_);
  }
  // The drive has fetched up to `head` (SQHD of a completion).
  void consumed(std::uint16_t head) { head_ = head; }

 private:
  [[nodiscard]] std::uint16_t next(std::uint16_t i) const {
    return i + 1U == size_ ? std::uint16_t{0} : static_cast<std::uint16_t>(i + 1U);
  }
  spec::SubmissionEntry* base_ = nullptr;
  std::uint16_t size_ = 0;
  std::uint16_t tail_ = 0;
  std::uint16_t head_ = 0;
};

// Drive end of a submission queue.
class SqConsumer {
 public:
  SqConsumer() = default;
  SqConsumer(const spec::SubmissionEntry* base, std::uint16_t size) : base_(base), size_(size) {}

  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] std::uint16_t head() const { return head_; }
  [[nodiscard]] std::uint16_t size() const { return size_; }
  // A doorbell write; false when the value is outside the ring (it is ignored then).
  [[nodiscard]] bool set_tail(std::uint16_t tail) {
    if (tail >= size_) return false;
    tail_ = tail;
    return true;
  }
  const spec::SubmissionEntry& pop() {
    const spec::SubmissionEntry& entry = base_[head_];
    head_ = head_ + 1U == size_ ? std::uint16_t{0} : static_cast<std::uint16_t>(head_ + 1U);
    return entry;
  }

 private:
  const spec::SubmissionEntry* base_ = nullptr;
  std::uint16_t size_ = 0;
  std::uint16_t head_ = 0;
  std::uint16_t tail_ = 0;
};

// Drive end of a completion queue.
class CqProducer {
 public:
  CqProducer() = default;
  CqProducer(spec::CompletionEntry* base, std::uint16_t size) : base_(base), size_(size) {}

  [[nodiscard]] bool full() const { return (tail_ + 1U == size_ ? 0U : tail_ + 1U) == head_; }
  [[nodiscard]] bool phase() const { return phase_; }
  [[nodiscard]] std::uint16_t size() const { return size_; }
  [[nodiscard]] bool set_head(std::uint16_t head) {
    if (head >= size_) return false;
    head_ = head;
    return true;
  }
  // Places an entry whose phase bit the caller has set from phase(); the ring must not be full.
  void push(const spec::CompletionEntry& entry) {
    base_[tail_] = entry;
    if (++tail_ == size_) {
      tail_ = 0;
      phase_ = !phase_;
    }
  }

 private:
  spec::CompletionEntry* base_ = nullptr;
  std::uint16_t size_ = 0;
  std::uint16_t tail_ = 0;
  std::uint16_t head_ = 0;
  bool phase_ = true;
};

// Host end of a completion queue.
class CqConsumer {
 public:
  CqConsumer() = default;
  CqConsumer(const spec::CompletionEntry* base, std::uint16_t size) : base_(base), size_(size) {}

  // The next new entry, or nullptr. The caller advances with pop() and rings the doorbell with head().
  [[nodiscard]] const spec::CompletionEntry* peek() const {
    const spec::CompletionEntry& entry = base_[head_];
    return entry.phase() == phase_ ? &entry : nullptr;
  }
  void pop() {
    if (++head_ == size_) {
      head_ = 0;
      phase_ = !phase_;
    }
  }
  [[nodiscard]] std::uint16_t head() const { return head_; }

 private:
  const spec::CompletionEntry* base_ = nullptr;
  std::uint16_t size_ = 0;
  std::uint16_t head_ = 0;
  bool phase_ = true;
};

}  // namespace flushlab::queue
