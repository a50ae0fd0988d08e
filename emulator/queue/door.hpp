// SPDX-License-Identifier: GPL-2.0-only
// The door between host and drive: registers, doorbells, interrupts and DMA. The only thing that both sides know of
// each other. A side attaches plain functions; there is no inheritance across the door.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>

#include "emulator/queue/host_memory.hpp"

namespace flushlab::queue {

class Door {
 public:
  // What the drive does when the host touches it. Offsets are those of NVMe Base 2.1 sec. 3.1.4.
  struct DeviceSide {
    void* object = nullptr;
    std::uint64_t (*read)(void* object, std::uint32_t offset, unsigned size_bytes) = nullptr;
    void (*write)(void* object, std::uint32_t offset, unsigned size_bytes, std::uint64_t value) = nullptr;
    void (*sq_tail)(void* object, std::uint16_t qid, std::uint16_t tail) = nullptr;
    void (*cq_head)(void* object, std::uint16_t qid, std::uint16_t head) = nullptr;
  };
  // What the host does when the drive interrupts it. `vector` is the interrupt vector of the completion queue.
  struct HostSide {
    void* object = nullptr;
    void (*interrupt)(void* object, std::uint16_t vector) = nullptr;
  };

  // A host with one drive; or one of several drives, whose hosts share the memory.
  Door() : own_memory_(std::make_unique<HostMemory>()), memory_(own_memory_.get()) {}
  explicit Door(HostMemory& memory) : memory_(&memory) {}

  void attach_device(const DeviceSide& device) { device_ = device; }
  void attach_host(const HostSide& host) { host_ = host; }
  HostMemory& memory() { return *memory_; }

  // Host side.
  [[nodiscard]] std::uint32_t read32(std::uint32_t offset) {
    return static_cast<std::uint32_t>(device_.read(device_.object, offset, 4));
  }
  [[nodiscard]] std::uint64_t read64(std::uint32_t offset) { return device_.read(device_.object, offset, 8); }
  void write32(std::uint32_t offset, std::uint32_t value) { device_.write(device_.object, offset, 4, value); }
  void write64(std::uint32_t offset, std::uint64_t value) { device_.write(device_.object, offset, 8, value); }
  void ring_sq_tail(std::uint16_t qid, std::uint16_t tail) { device_.sq_tail(device_.object, qid, tail); }
  void ring_cq_head(std::uint16_t qid, std::uint16_t head) { device_.cq_head(device_.object, qid, head); }

  // Device side.
  void interrupt(std::uint16_t vector) {
    if (host_.interrupt != nullptr) host_.interrupt(host_.object, vector);
  }

 private:
  DeviceSide device_;
  HostSide host_;
  std::unique_ptr<HostMemory> own_memory_;
  HostMemory* memory_;
};

}  // namespace flushlab::queue
