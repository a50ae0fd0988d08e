// SPDX-License-Identifier: GPL-2.0-only
// NVMe commands in the words of the kernel's trace events (nvme_setup_cmd), as recordings and our traces have them.
#pragma once

#include <string>

#include "emulator/spec/command.hpp"

namespace flushlab::lab {

// "write", "flush", "dsm", ... or the kernel's fallback, a hexadecimal number.
[[nodiscard]] std::string io_op_name(std::uint8_t opc);
// "nvme_admin_identify", ...; a Fabrics command by its type.
[[nodiscard]] std::string admin_op_name(const spec::SubmissionEntry& sqe);

// Whether the trace shows an I/O command as slba, nlb and control.
[[nodiscard]] bool shows_range(spec::IoOpcode opcode);
// What the trace shows of any other command: "cns=1, ctrlid=0", "nr=0, attributes=4", "cdw10=64 00 ...".
[[nodiscard]] std::string command_args(bool admin, const spec::SubmissionEntry& sqe);

}  // namespace flushlab::lab
