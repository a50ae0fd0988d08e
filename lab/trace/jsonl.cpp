// SPDX-License-Identifier: GPL-2.0-only
#include "lab/trace/jsonl.hpp"

#include <algorithm>
#include <iterator>

#include "emulator/spec/command.hpp"
#include "lab/trace/command_names.hpp"

namespace flushlab::lab {

namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

// The block layer's letters for a request, as blktrace and ftrace print them.
void rwbs_of(const block::Request& request, char* out) {
  if (request.kind == block::Request::Kind::kFlush) {
    *out++ = 'F';
    *out++ = 'F';
    *out = 0;
    return;
  }
  if (request.kind == block::Request::Kind::kPassthru) {
    *out++ = 'N';
    *out = 0;
    return;
  }
  switch (request.op) {
    case block::BioOp::kWrite:
      *out++ = 'W';
      break;
    case block::BioOp::kRead:
      *out++ = 'R';
      break;
    case block::BioOp::kDiscard:
      *out++ = 'D';
      break;
    case block::BioOp::kWriteZeroes:
      *out++ = 'N';
      break;
  }
  if ((request.flags & block::REQ_FUA) != 0) *out++ = 'F';
  if ((request.flags & block::REQ_RAHEAD) != 0) *out++ = 'A';
  if ((request.flags & block::REQ_SYNC) != 0) *out++ = 'S';
  if ((request.flags & block::REQ_META) != 0) *out++ = 'M';
  *out = 0;
}

}  // namespace

JsonlTrace::JsonlTrace(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}

JsonlTrace::~JsonlTrace() {
  finish();
}

void JsonlTrace::attach(nvme::CommandLog& log, std::string disk) {
  Source& source = sources_.emplace_back();
  source.trace = this;
  source.io_disk = disk + "n";
  source.disk = std::move(disk);
  log.add_observer({&source, &on_issued, &on_completed});
}

void JsonlTrace::begin(sim::TimeNs begin_ns) {
  begin_ns_ = begin_ns;
  begun_ = true;
}

void JsonlTrace::on_issued(void* object, const nvme::IssuedCommand& command) {
  const auto& source = *static_cast<const Source*>(object);
  JsonlTrace& self = *source.trace;
  if (!self.begun_) return;
  Record& record = self.open_.emplace_back();
  record.source = &source;
  record.issued = command;
  record.log_seq = command.seq;
  record.ev = self.ev_++;
  record.done_before = self.completed_;
  if (const block::Request* request = command.request; request != nullptr) {
    rwbs_of(*request, record.rwbs);
    if (request->kind == block::Request::Kind::kBio) {
      record.bytes = std::uint64_t{request->sectors} * 512;
      record.block_slba = request->sector;
      record.block_nlb = request->sectors;
    }
    record.issued.request = nullptr;  // it will be reused
  }
  ++self.next_seq_;
}

void JsonlTrace::on_completed(void* object, const nvme::CompletedCommand& command) {
  const auto& source = *static_cast<const Source*>(object);
  JsonlTrace& self = *source.trace;
  if (!self.begun_) return;
  // Few commands are open at a time, and the oldest complete first more often than not.
  const auto record = std::find_if(self.open_.begin(), self.open_.end(), [&](const Record& r) {
    return !r.done && r.log_seq == command.seq && r.source == &source;
  });
  if (record == self.open_.end()) return;
  record->done = true;
  record->cseq = self.completed_++;
  record->cev = self.ev_++;
  record->completed_ns = command.at_ns;
  record->status = static_cast<std::uint16_t>(command.status.word(false) >> 1);
  record->result = command.result;
  self.drain();
}

void JsonlTrace::drain() {
  while (!open_.empty() && open_.front().done) {
    write(open_.front(), first_open_);
    open_.pop_front();
    ++first_open_;
  }
}

void JsonlTrace::write(const Record& record, std::uint64_t seq) {
  auto it = std::back_inserter(buffer_);
  const auto& sqe = record.issued.sqe;
  const auto microseconds = [&](sim::TimeNs at_ns) {
    const sim::TimeNs since = at_ns - begin_ns_;
    fmt::format_to(it, "{}.{:03}", since / 1000, since % 1000);
  };
  fmt::format_to(it, "{{\"seq\":{},\"t_us\":", seq);
  microseconds(record.issued.at_ns);
  if (record.issued.qid == 0) {
    fmt::format_to(it, ",\"disk\":\"{}\",\"qid\":0,\"cid\":{},\"op\":\"{}\",\"args\":\"", record.source->disk,
                   sqe.cid.value(), admin_op_name(sqe));
    fmt::format_to(it, "{}\"", command_args(true, sqe));
  } else {
    fmt::format_to(it, ",\"disk\":\"{}{}\",\"qid\":{},\"cid\":{},\"op\":\"{}\"", record.source->io_disk,
                   sqe.nsid.value(), record.issued.qid, sqe.cid.value(), io_op_name(sqe.opc));
    switch (sqe.io_opcode()) {
      case spec::IoOpcode::kWrite:
      case spec::IoOpcode::kRead:
      case spec::IoOpcode::kWriteZeroes:
        fmt::format_to(it, ",\"slba\":{},\"nlb\":{},\"fua\":{},\"bytes\":{}", sqe.slba(), spec::block_count(sqe),
                       spec::fua(sqe) ? 1 : 0, record.bytes);
        if (const std::uint32_t control = sqe.cdw12.value() >> 16 & 0xBFFFU; control != 0) {
          fmt::format_to(it, ",\"ctl\":{}", control);
        }
        break;
      case spec::IoOpcode::kDatasetManagement:
        fmt::format_to(it, ",\"args\":\"nr={}, attributes={}\",\"slba\":{},\"nlb\":{},\"bytes\":{}",
                       sqe.cdw10.value() & 0xFFU, sqe.cdw11.value(), record.block_slba, record.block_nlb, record.bytes);
        break;
      default:
        if (const std::string args = command_args(false, sqe); !args.empty())
          fmt::format_to(it, ",\"args\":\"{}\"", args);
        fmt::format_to(it, ",\"bytes\":0");
        break;
    }
  }
  fmt::format_to(it, ",\"ev\":{},\"nsid\":{},\"task\":\"{}\",\"cpu\":{},\"done_before\":{}", record.ev,
                 sqe.nsid.value(), record.issued.task, record.issued.cpu, record.done_before);
  if (record.rwbs[0] != 0) fmt::format_to(it, ",\"rwbs\":\"{}\"", record.rwbs);
  if (record.done) {
    fmt::format_to(it, ",\"cseq\":{},\"cev\":{},\"c_us\":", record.cseq, record.cev);
    microseconds(record.completed_ns);
    fmt::format_to(it, ",\"status\":{}", record.status);
    if (record.result != 0) fmt::format_to(it, ",\"res\":\"{:#x}\"", record.result);
  }
  fmt::format_to(it, "}}\n");
  if (buffer_.size() >= kBufferBytes) flush_buffer();
}

void JsonlTrace::flush_buffer() {
  if (buffer_.size() == 0) return;
  sink_(std::string_view(buffer_.data(), buffer_.size()));
  buffer_.clear();
}

void JsonlTrace::finish() {
  for (; !open_.empty(); open_.pop_front()) write(open_.front(), first_open_++);
  flush_buffer();
}

}  // namespace flushlab::lab
