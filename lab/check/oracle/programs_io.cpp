// SPDX-License-Identifier: GPL-2.0-only
// Programs that read and write block devices.
#include <fmt/format.h>

#include <algorithm>

#include "hostmodel/fio/job_file.hpp"
#include "lab/check/oracle/programs.hpp"

namespace flushlab::lab::oracle {

namespace {

// NAME=VALUE arguments of dd.
std::string dd_operand(const std::vector<std::string>& words, const std::string& name, const std::string& fallback) {
  for (const std::string& word : words) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return fallback;
}

bool has_flag(const std::string& list, const std::string& flag) {
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (list.compare(begin, end - begin, flag) == 0) return true;
    begin = end + 1;
  }
  return false;
}

void check_flags(const char* operand, const std::string& list, const std::vector<std::string>& known) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string flag = list.substr(begin, end - begin);
    if (std::find(known.begin(), known.end(), flag) == known.end())
      throw NotModelled(fmt::format("dd {}={}", operand, flag));
    begin = end + 1;
  }
}

}  // namespace

sim::Task<void> Programs::fio(const SimpleCommand& command) {
  FioRun run;
  run.background = command.background;
  fio::JobFileContext context;
  context.settings.version = fio::FioVersion::k3_33;
  try {
    run.jobs = fio::parse_command_line(std::span(command.words).subspan(1), context).jobs;
  } catch (const std::exception& error) {
    throw NotModelled(fmt::format("fio: {}", error.what()));
  }
  if (run.jobs.empty()) throw NotModelled("fio without a job");
  for (const fio::JobOptions& job : run.jobs) {
    if (job.filename != run.jobs.front().filename) throw NotModelled("one fio on several devices");
  }
  block::BlockDevice& target = device(run.jobs.front().filename);
  run.device = target.name();
  for (const fio::JobOptions& job : run.jobs) {
    for (const auto direction : {fio::Direction::kRead, fio::Direction::kWrite}) {
      if (job.direct) guest_->note_direct_io(job.bs_max_bytes[direction]);
      const std::uint32_t block = target.limits().logical_block_size;
      if (job.direct && (job.bs_min_bytes[direction] % block != 0 || job.bs_max_bytes[direction] % block != 0))
        throw NotModelled(fmt::format("fio: direct I/O that is not whole blocks of {} bytes", block));
    }
  }
  if (guest_->recording_now_) guest_->fio_runs_.push_back(run);
  auto& jobs = *guest_->job_sets_.emplace_back(
      std::make_unique<fio::JobSet>(fio::JobSet::Environment{*guest_->machine_, target, guest_->memory_,
                                                             fio::FioVersion::k3_33, &guest_->page_cache(target)},
                                    run.jobs));
  co_await jobs.run();
}

// dd to a block device: blocks one after the other, and what conv= and the last close add. From a block device: nothing
// is modelled of reading.
sim::Task<void> Programs::dd(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    static const std::vector<std::string> kKnown = {
        "if=", "of=", "bs=", "count=", "seek=", "conv=", "oflag=", "status="};
    if (std::none_of(kKnown.begin(), kKnown.end(), [&](const std::string& k) { return words[i].starts_with(k); }))
      throw NotModelled(fmt::format("dd {}", words[i]));
  }
  const std::string of = dd_operand(words, "of", "");
  const std::string input = dd_operand(words, "if", "");
  if (input.starts_with("/dev/nvme") || input.starts_with("/dev/md") || input.starts_with("/dev/mapper"))
    throw NotModelled("dd that reads a block device");
  if (of.starts_with("/tmp/") || of == "/dev/null") {
    guest_->files_[of] = "";
    co_return;
  }
  block::BlockDevice& target = device(of);
  const std::uint64_t bs = parse_size(dd_operand(words, "bs", "512"));
  const std::uint64_t count = parse_size(dd_operand(words, "count", "0"));
  const std::uint64_t seek = parse_size(dd_operand(words, "seek", "0"));
  const std::string conv = dd_operand(words, "conv", "");
  const std::string oflag = dd_operand(words, "oflag", "");
  if (count == 0) throw NotModelled("dd without count=");
  for (const std::string& flags : {conv, oflag}) {
    for (const char* unknown : {"append", "nonblock", "nocache"}) {
      if (has_flag(flags, unknown)) throw NotModelled(fmt::format("dd with {}", unknown));
    }
  }
  check_flags("conv", conv, {"fsync", "fdatasync", "notrunc", "sync", "noerror"});
  check_flags("oflag", oflag, {"direct", "sync", "dsync", "seek_bytes"});
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
  if (bs == 0 || bs > kMostBytes) throw NotModelled(fmt::format("dd bs={}", bs));
  vfs::OpenFlags flags;
  flags.direct = has_flag(oflag, "direct");
  flags.dsync = has_flag(oflag, "sync") || has_flag(oflag, "dsync");
  vfs::BlockFile file(*guest_->machine_, target, guest_->memory_, guest_->page_cache(target), flags);
  const vfs::Caller task = caller("dd");
  const std::uint64_t data = buffer(bs);
  if (flags.direct) guest_->note_direct_io(bs);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = has_flag(oflag, "seek_bytes") ? seek + i * bs : (seek + i) * bs;
    if (at + bs > file.size_bytes()) break;
    co_await file.pwrite(at, static_cast<std::uint32_t>(bs), data, task);
  }
  if (has_flag(conv, "fsync") || has_flag(conv, "fdatasync")) co_await file.fsync(0, file.size_bytes() - 1, task);
  co_await file.flush_buffers(task);  // the last close
}

sim::Task<void> Programs::blkdiscard(const Words& words) {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  bool zero = false;
  std::string path;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 >= words.size()) throw NotModelled(fmt::format("blkdiscard {} without a number", words[i]));
      return parse_size(words[++i]);
    };
    if (words[i] == "-f" || words[i] == "--force") continue;
    if (words[i] == "-z" || words[i] == "--zeroout") {
      zero = true;
    } else if (words[i] == "-o" || words[i] == "--offset") {
      offset = value();
    } else if (words[i] == "-l" || words[i] == "--length") {
      length = value();
    } else if (words[i].starts_with("-")) {
      throw NotModelled(fmt::format("blkdiscard {}", words[i]));
    } else {
      path = words[i];
    }
  }
  block::BlockDevice& target = device(path);
  vfs::BlockFile file(*guest_->machine_, target, guest_->memory_, guest_->page_cache(target), {});
  if (length == 0 || length > file.size_bytes() - offset) length = file.size_bytes() - offset;
  if (zero) {
    co_await file.zero_range(offset, length, false, caller("blkdiscard"));
  } else {
    co_await file.discard(offset, length, caller("blkdiscard"));
  }
}

// util-linux's fallocate syncs what it changed before it closes.
sim::Task<void> Programs::fallocate(const Words& words) {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  int mode = 0;
  std::string path;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 >= words.size()) throw NotModelled(fmt::format("fallocate {} without a number", words[i]));
      return parse_size(words[++i]);
    };
    if (words[i] == "-z" || words[i] == "--zero-range") {
      mode = 'z';
    } else if (words[i] == "-p" || words[i] == "--punch-hole") {
      mode = 'p';
    } else if (words[i] == "-o" || words[i] == "--offset") {
      offset = value();
    } else if (words[i] == "-l" || words[i] == "--length") {
      length = value();
    } else if (words[i].starts_with("-")) {
      throw NotModelled(fmt::format("fallocate {}", words[i]));
    } else {
      path = words[i];
    }
  }
  if (mode == 0) throw NotModelled("fallocate without -z or -p on a block device");
  block::BlockDevice& target = device(path);
  vfs::BlockFile file(*guest_->machine_, target, guest_->memory_, guest_->page_cache(target), {});
  const vfs::Caller task = caller("fallocate");
  co_await file.zero_range(offset, length, mode == 'p', task);
  co_await file.fsync(0, file.size_bytes() - 1, task);
}

// xfs_io -c COMMAND ...: fsync, fdatasync, pwrite [-b SIZE] OFFSET LENGTH, fzero, fpunch, sync_range [-w].
sim::Task<void> Programs::xfs_io(const Words& words) {
  vfs::OpenFlags flags;
  std::vector<std::string> lines;
  std::string path;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-c" && i + 1 < words.size()) {
      lines.push_back(words[++i]);
    } else if (words[i] == "-d") {
      flags.direct = true;
    } else if (words[i] == "-s") {
      flags.dsync = true;
    } else if (words[i] == "-f" || words[i] == "-ds") {
      if (words[i] == "-ds") flags.direct = flags.dsync = true;
    } else if (words[i].starts_with("-")) {
      throw NotModelled(fmt::format("xfs_io {}", words[i]));
    } else {
      path = words[i];
    }
  }
  block::BlockDevice& target = device(path);
  vfs::BlockFile file(*guest_->machine_, target, guest_->memory_, guest_->page_cache(target), flags);
  const vfs::Caller task = caller("xfs_io");
  for (const std::string& line : lines) {
    const std::vector<SimpleCommand> parsed = parse_shell(line, {});
    if (parsed.size() != 1) throw NotModelled(fmt::format("xfs_io -c '{}'", line));
    const Words& w = parsed.front().words;
    if (w[0] == "fsync" || w[0] == "fdatasync" || w[0] == "s" || w[0] == "ds") {
      co_await file.fsync(0, file.size_bytes() - 1, task);
    } else if (w[0] == "fzero" && w.size() == 3) {
      co_await file.zero_range(parse_size(w[1]), parse_size(w[2]), false, task);
    } else if (w[0] == "fpunch" && w.size() == 3) {
      co_await file.zero_range(parse_size(w[1]), parse_size(w[2]), true, task);
    } else if (w[0] == "pwrite" || w[0] == "w") {
      std::uint64_t piece = 4096;
      std::vector<std::uint64_t> numbers;
      for (std::size_t i = 1; i < w.size(); ++i) {
        if (w[i] == "-b" && i + 1 < w.size()) {
          piece = parse_size(w[++i]);
        } else if (w[i] == "-q" || w[i] == "-S") {
          if (w[i] == "-S") ++i;
        } else if (w[i].starts_with("-")) {
          throw NotModelled(fmt::format("xfs_io pwrite {}", w[i]));
        } else {
          numbers.push_back(parse_size(w[i]));
        }
      }
      if (numbers.size() != 2) throw NotModelled(fmt::format("xfs_io -c '{}'", line));
      const std::uint64_t data = buffer(piece);
      if (flags.direct) guest_->note_direct_io(piece);
      for (std::uint64_t at = 0; at < numbers[1]; at += piece) {
        co_await file.pwrite(numbers[0] + at, static_cast<std::uint32_t>(std::min(piece, numbers[1] - at)), data, task);
      }
    } else {
      throw NotModelled(fmt::format("xfs_io -c '{}'", line));
    }
  }
  co_await file.flush_buffers(task);  // the last close
}

// sync(2): dirty pages of every device, and no Flush.
sim::Task<void> Programs::sync_all() {
  for (std::size_t i = 0; i < guest_->caches_.size(); ++i) {
    const auto& cached = guest_->caches_[i];
    if (cached.cache->dirty_pages() == 0) continue;
    vfs::BlockFile file(*guest_->machine_, *cached.device, guest_->memory_, *cached.cache, {});
    co_await file.flush_buffers(caller("sync"));
  }
}

sim::Task<void> Programs::blockdev(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--flushbufs") {
      if (i + 1 >= words.size()) throw NotModelled("blockdev --flushbufs without a device");
      block::BlockDevice& target = device(words[++i]);
      vfs::BlockFile file(*guest_->machine_, target, guest_->memory_, guest_->page_cache(target), {});
      co_await file.flush_buffers(caller("blockdev"));
    } else if (words[i] != "--getsize64" && words[i] != "--getss" && words[i] != "--getpbsz" &&
               !words[i].starts_with("/dev/")) {
      throw NotModelled(fmt::format("blockdev {}", words[i]));
    }
  }
}

}  // namespace flushlab::lab::oracle
