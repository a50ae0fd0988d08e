// SPDX-License-Identifier: GPL-2.0-only
#include "lab/trace/command_names.hpp"

#include <fmt/format.h>

#include <array>

namespace flushlab::lab {

using spec::AdminOpcode;
using spec::IoOpcode;

std::string io_op_name(std::uint8_t opc) {
  switch (static_cast<IoOpcode>(opc)) {
    case IoOpcode::kFlush:
      return "flush";
    case IoOpcode::kWrite:
      return "write";
    case IoOpcode::kRead:
      return "read";
    case IoOpcode::kWriteZeroes:
      return "write_zeroes";
    case IoOpcode::kDatasetManagement:
      return "dsm";
    case IoOpcode::kCompare:
      return "compare";
    case IoOpcode::kWriteUncorrectable:
      return "write_uncor";
    default:
      return fmt::format("{:#x}", opc);
  }
}

std::string admin_op_name(const spec::SubmissionEntry& sqe) {
  switch (sqe.admin_opcode()) {
    case AdminOpcode::kDeleteIoSq:
      return "nvme_admin_delete_sq";
    case AdminOpcode::kCreateIoSq:
      return "nvme_admin_create_sq";
    case AdminOpcode::kGetLogPage:
      return "nvme_admin_get_log_page";
    case AdminOpcode::kDeleteIoCq:
      return "nvme_admin_delete_cq";
    case AdminOpcode::kCreateIoCq:
      return "nvme_admin_create_cq";
    case AdminOpcode::kIdentify:
      return "nvme_admin_identify";
    case AdminOpcode::kAbort:
      return "nvme_admin_abort_cmd";
    case AdminOpcode::kSetFeatures:
      return "nvme_admin_set_features";
    case AdminOpcode::kGetFeatures:
      return "nvme_admin_get_features";
    case AdminOpcode::kAsynchronousEventRequest:
      return "nvme_admin_async_event";
    case AdminOpcode::kKeepAlive:
      return "nvme_admin_keep_alive";
    case AdminOpcode::kNamespaceManagement:
      return "nvme_admin_ns_mgmt";
    case AdminOpcode::kNamespaceAttachment:
      return "nvme_admin_ns_attach";
    case AdminOpcode::kDoorbellBufferConfig:
      return "nvme_admin_dbbuf";
    case AdminOpcode::kFormatNvm:
      return "nvme_admin_format_nvm";
    case AdminOpcode::kSanitize:
      return "nvme_admin_sanitize_nvm";
    default:
      break;
  }
  constexpr std::uint8_t kFabrics = 0x7F;
  if (sqe.opc == kFabrics) {  // the type is in the byte of the namespace id
    switch (sqe.nsid.value() & 0xFFU) {
      case 0:
        return "nvme_fabrics_type_property_set";
      case 1:
        return "nvme_fabrics_type_connect";
      case 4:
        return "nvme_fabrics_type_property_get";
      default:
        break;
    }
  }
  return fmt::format("{:#x}", sqe.opc);
}

bool shows_range(IoOpcode opcode) {
  return opcode == IoOpcode::kWrite || opcode == IoOpcode::kRead || opcode == IoOpcode::kWriteZeroes;
}

namespace {

std::string dwords(const spec::SubmissionEntry& sqe) {
  std::string out = "cdw10=";
  const std::array<std::uint32_t, 6> words{sqe.cdw10, sqe.cdw11, sqe.cdw12, sqe.cdw13, sqe.cdw14, sqe.cdw15};
  const char* space = "";
  for (const std::uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      out += fmt::format("{}{:02x}", space, word >> shift & 0xFFU);
      space = " ";
    }
  }
  return out;
}

}  // namespace

std::string command_args(bool admin, const spec::SubmissionEntry& sqe) {
  const std::uint32_t cdw10 = sqe.cdw10;
  const std::uint32_t cdw11 = sqe.cdw11;
  if (!admin) {
    if (sqe.io_opcode() == IoOpcode::kFlush || shows_range(sqe.io_opcode())) return {};
    if (sqe.io_opcode() == IoOpcode::kDatasetManagement)
      return fmt::format("nr={}, attributes={}", cdw10 & 0xFFU, cdw11);
    return dwords(sqe);
  }
  switch (sqe.admin_opcode()) {
    case AdminOpcode::kIdentify:
      return fmt::format("cns={}, ctrlid={}", cdw10 & 0xFFU, cdw10 >> 16);
    case AdminOpcode::kSetFeatures:
      // The trace event looks for SV at bit 27, so that it shows 0 for a saved feature too.
      return fmt::format("fid={:#x}, sv={:#x}, cdw11={:#x}", cdw10 & 0xFFU, cdw10 >> 24 & 8U, cdw11);
    case AdminOpcode::kGetFeatures:
      return fmt::format("fid={:#x}, sel={:#x}, cdw11={:#x}", cdw10 & 0xFFU, cdw10 >> 8 & 7U, cdw11);
    case AdminOpcode::kCreateIoSq:
      return fmt::format("sqid={}, qsize={}, sq_flags={:#x}, cqid={}", cdw10 & 0xFFFFU, cdw10 >> 16, cdw11 & 0xFFFFU,
                         cdw11 >> 16);
    case AdminOpcode::kCreateIoCq:
      return fmt::format("cqid={}, qsize={}, cq_flags={:#x}, irq_vector={}", cdw10 & 0xFFFFU, cdw10 >> 16,
                         cdw11 & 0xFFFFU, cdw11 >> 16);
    case AdminOpcode::kDeleteIoSq:
      return fmt::format("sqid={}", cdw10 & 0xFFFFU);
    case AdminOpcode::kDeleteIoCq:
      return fmt::format("cqid={}", cdw10 & 0xFFFFU);
    default:
      break;
  }
  constexpr std::uint8_t kFabrics = 0x7F;
  if (sqe.opc == kFabrics && (sqe.nsid.value() & 0xFFU) == 4) {
    return fmt::format("attrib={}, ofst={:#x}", cdw10 & 0xFFU, cdw11);
  }
  return dwords(sqe);
}

}  // namespace flushlab::lab
