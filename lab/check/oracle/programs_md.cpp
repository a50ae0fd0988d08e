// SPDX-License-Identifier: GPL-2.0-only
// mdadm: arrays made, stopped and taken apart, as far as what it writes itself and what it makes the kernel write.
#include <fmt/format.h>

#include <charconv>

#include "lab/check/oracle/programs.hpp"

namespace flushlab::lab::oracle {

namespace {

// mdadm's sizes are KiB unless a letter says otherwise.
std::uint64_t sectors_of(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const unsigned shift = unit.empty() || unit == "K" ? 1 : unit == "M" ? 11 : unit == "G" ? 21 : 0;
  if (error != std::errc() || shift == 0) throw NotModelled(fmt::format("mdadm {}={}", option, text));
  return value << shift;
}

}  // namespace

ArrayCommand parse_mdadm_create(const std::vector<std::string>& words) {
  ArrayCommand command;
  md::CreateOptions& options = command.options;
  options.bitmap = md::BitmapKind::kNone;
  bool assume_clean = false;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("/dev/")) {
      (command.array.empty() ? command.array : command.members.emplace_back()) = word;
      continue;
    }
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string option = word.substr(0, equals);
    const std::string value = equals < word.size() ? word.substr(equals + 1) : "";
    const auto known = [&](bool ok) {
      if (!ok) throw NotModelled(fmt::format("mdadm {}", word));
    };
    if (option == "--run" || option == "--homehost" || option == "--name" || option == "--uuid") {
    } else if (option == "--assume-clean") {
      assume_clean = true;
    } else if (option == "--level") {
      const auto level = md::level_of(std::strtoull(value.c_str(), nullptr, 10));
      known(level && (*level == md::Level::kRaid1 || *level == md::Level::kRaid10));
      options.level = *level;
    } else if (option == "--layout") {
      const auto layout = md::parse_raid10_layout(value);
      known(layout.has_value());
      options.layout = *layout;
    } else if (option == "--chunk") {
      options.chunk_sectors = sectors_of(option, value);
    } else if (option == "--raid-devices") {
      options.raid_devices = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (option == "--bitmap") {
      const auto bitmap = md::parse_bitmap_kind(value);
      known(bitmap && *bitmap != md::BitmapKind::kExternal && *bitmap != md::BitmapKind::kClustered);
      options.bitmap = *bitmap;
    } else if (option == "--bitmap-chunk") {
      options.bitmap_chunk_sectors = sectors_of(option, value);
    } else if (option == "--size") {
      options.size_sectors = sectors_of(option, value);
    } else if (option == "--metadata") {
      const auto metadata = md::parse_metadata(value);
      known(metadata.has_value());
      options.metadata = *metadata;
    } else {
      known(false);
    }
  }
  if (!assume_clean) throw NotModelled("mdadm --create without --assume-clean: the first resync");
  return command;
}

sim::Task<void> Programs::mdadm(const Words& words) {
  const std::string mode = words.size() > 1 ? words[1] : "";
  if (mode == "--create") {
    co_await create_array(parse_mdadm_create(words));
  } else if (mode == "--stop" && words.size() == 3) {
    md::Array* array = guest_->find_array(words[2]);
    if (array == nullptr) throw NotModelled(fmt::format("mdadm --stop {}: no such array in the model", words[2]));
    co_await array->stop();
    guest_->retire_array(words[2]);
  } else if (mode == "--assemble" && words.size() > 3) {
    if (!guest_->last_array_) throw NotModelled("mdadm --assemble of an array that no line creates");
    co_await start_array(*guest_->last_array_, false);
  } else if (mode == "--fail" && words.size() == 4) {
    md::Array* array = guest_->find_array(words[2]);
    if (array == nullptr) throw NotModelled(fmt::format("mdadm --fail {}: no such array in the model", words[2]));
    const auto& members = guest_->last_array_->members;
    const auto member = std::find(members.begin(), members.end(), words[3]);
    if (member == members.end()) throw NotModelled(fmt::format("mdadm --fail {}: no member", words[3]));
    array->fail_member(static_cast<std::uint32_t>(member - members.begin()));
  } else if (mode == "--zero-superblock") {
    for (std::size_t i = 2; i < words.size(); ++i) {
      vfs::BlockFile file(*guest_->machine_, device(words[i]), guest_->memory_, guest_->page_cache(device(words[i])),
                          {});
      const md::LayoutResult layout = guest_->layout_of(*guest_->last_array_);
      const vfs::Caller task = caller("mdadm");
      co_await file.pwrite(layout.layout->members.front().sb_start * 512, 4096, buffer(4096), task);
      co_await file.fsync(0, file.size_bytes() - 1, task);
    }
  } else {
    throw NotModelled(fmt::format("mdadm {}", mode));
  }
}

// mdadm writes each member in turn: the superblock with the bitmap's first page, and then the whole bitmap, with every
// bit set; then the kernel starts the array.
sim::Task<void> Programs::create_array(ArrayCommand command) {
  for (std::size_t i = 0; i < command.members.size() && i < guest_->own_disks_.size(); ++i) {
    if (command.members[i].starts_with("/dev/d")) command.members[i] = "/dev/" + guest_->own_disks_[i];
  }
  guest_->last_array_ = command;
  const md::LayoutResult made = guest_->layout_of(command);
  if (!made.layout) throw NotModelled(fmt::format("mdadm --create: {}", made.error));
  const vfs::Caller task = caller("mdadm");
  for (std::size_t i = 0; i < command.members.size(); ++i) {
    const md::MemberLayout& member = made.layout->members[i];
    block::BlockDevice& target = device(command.members[i]);
    vfs::BlockFile file(*guest_->machine_, target, guest_->memory_, guest_->page_cache(target), {});
    const std::uint64_t bitmap = (member.sb_start + static_cast<std::uint64_t>(member.bitmap_offset)) * 512;
    co_await file.pwrite(member.sb_start * 512, 4096, buffer(4096), task);
    if (made.layout->shape.bits != 0) co_await file.pwrite(bitmap, 4096, buffer(4096), task);
    co_await file.fsync(0, file.size_bytes() - 1, task);
    if (made.layout->shape.bits == 0) continue;
    const std::uint32_t bytes =
        made.layout->metadata == md::Metadata::k0_90 ? 120 * 512 : made.layout->shape.pages() * md::kBitmapPageBytes;
    co_await file.pwrite(bitmap, bytes, buffer(bytes), task);
    co_await file.fsync(0, file.size_bytes() - 1, task);
  }
  co_await start_array(command, true);
}

sim::Task<void> Programs::start_array(ArrayCommand command, bool fresh) {
  md::LayoutResult made = guest_->layout_of(command);
  std::vector<block::BlockDevice*> devices;
  for (const std::string& member : command.members) devices.push_back(&device(member));
  md::Array::Options options;
  options.fresh = fresh;
  auto& array = *guest_->arrays_.emplace_back(std::make_unique<md::Array>(
      command.array.substr(5), *guest_->machine_, guest_->memory_, std::move(*made.layout), devices, options));
  co_await array.start();
}

}  // namespace flushlab::lab::oracle
