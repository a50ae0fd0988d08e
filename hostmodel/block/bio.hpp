// SPDX-License-Identifier: GPL-2.0-only
// A bio: one piece of block I/O on its way to a device (models struct bio). Sectors are 512 bytes whatever the LBA
// size.
#pragma once

#include <coroutine>
#include <cstdint>

#include "emulator/sim/time.hpp"

namespace flushlab::block {

class BlockDevice;
class Plug;

enum class BioOp : std::uint8_t { kRead = 0, kWrite = 1, kDiscard = 3, kWriteZeroes = 9 };

// Request flags, the kernel's names. An empty flush is kWrite with REQ_PREFLUSH and no sectors.
inline constexpr std::uint16_t REQ_SYNC = 1U << 0;
inline constexpr std::uint16_t REQ_IDLE = 1U << 1;
inline constexpr std::uint16_t REQ_FUA = 1U << 2;
inline constexpr std::uint16_t REQ_PREFLUSH = 1U << 3;
inline constexpr std::uint16_t REQ_META = 1U << 4;
inline constexpr std::uint16_t REQ_RAHEAD = 1U << 5;
inline constexpr std::uint16_t REQ_NOUNMAP = 1U << 6;  // Write Zeroes that must not deallocate
inline constexpr std::uint16_t REQ_DRV = 1U << 7;      // a driver's own command (passthrough)

// models blk_status_t; the errno that a system call returns is errno_of().
enum class BlockStatus : std::uint8_t {
  kOk,
  kNotSupported,
  kTarget,
  kNoSpace,
  kMedium,
  kProtection,
  kReservation,
  kTransport,
  kIoError
};
[[nodiscard]] int errno_of(BlockStatus status);  // 0 or a negative errno value

// A task whose submissions are not over: something has to happen before submit_bio, or the end of a plug, would return
// to it. co_await it after either.
struct SubmitWait {
  std::uint32_t pending = 0;
  std::coroutine_handle<> waiter{};

  [[nodiscard]] bool await_ready() const noexcept { return pending == 0; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiter = handle; }
  void await_resume() const noexcept {}
};

// Who asks: the name that a trace shows, the CPU that it runs on, which chooses the hardware queue, and its plug.
struct TaskContext {
  const char* name = "";
  std::uint16_t cpu = 0;
  Plug* plug = nullptr;
  SubmitWait* submit_wait = nullptr;  // null: the task waits for its bios anyway
};

struct Bio {
  BioOp op = BioOp::kWrite;
  std::uint16_t flags = 0;
  std::uint16_t cpu = 0;  // the submitting CPU
  BlockStatus status = BlockStatus::kOk;
  const char* task = "";  // the submitting task
  BlockDevice* device = nullptr;
  std::uint64_t sector = 0;
  std::uint32_t sectors = 0;
  std::uint32_t parts = 1;             // requests that still carry a piece of it
  std::uint64_t buffer = 0;            // bus address of the data; contiguous
  void (*end_io)(Bio& bio) = nullptr;  // called once, possibly before submit_bio returns
  void* owner = nullptr;               // for end_io
  void* driver_data = nullptr;         // REQ_DRV: the driver's command
  Bio* next = nullptr;                 // for whoever holds it
  Bio* next_merged = nullptr;          // the bio that follows in the same request
  SubmitWait* submit_wait = nullptr;   // of the task that submits
  Plug* plug = nullptr;                // of the task that submits; not looked at after submit_bio has returned

  [[nodiscard]] bool is_flush_or_fua() const { return (flags & (REQ_PREFLUSH | REQ_FUA)) != 0; }
};

}  // namespace flushlab::block
