// SPDX-License-Identifier: GPL-2.0-only
// From a block request to a submission entry (models drivers/nvme/host/core.c nvme_setup_cmd and pci.c nvme_map_data).
#pragma once

#include <cstdint>

#include "emulator/queue/host_memory.hpp"
#include "emulator/spec/command.hpp"
#include "hostmodel/block/request.hpp"

namespace flushlab::nvme {

// What the encoding needs to know of the namespace.
struct NamespaceFormat {
  std::uint32_t nsid = 1;
  std::uint8_t lba_shift = 9;  // LBADS
  bool deac = false;           // Write Zeroes that may unmap carry DEAC
};

// PRP1 and PRP2 for `size_bytes` at `buffer`; a transfer of more than two pages takes a list, which is written to the
// bytes at `list_address` (one page, `list`). NVMe Base 2.1 sec. 4.3.1.
void map_data(spec::SubmissionEntry& sqe, std::uint64_t buffer, std::uint64_t size_bytes, std::uint64_t list_address,
              std::byte* list);

// The same for a request of several bios that met in a plug, whole pages each.
void map_merged(spec::SubmissionEntry& sqe, const block::Request& request, std::uint64_t list_address, std::byte* list);

// The entry without CID and data pointer. A Flush carries the namespace's id and nothing else, never the broadcast id.
[[nodiscard]] spec::SubmissionEntry setup_cmd(const block::Request& request, const NamespaceFormat& format);

}  // namespace flushlab::nvme
