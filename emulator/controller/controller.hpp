// SPDX-License-Identifier: GPL-2.0-only
// The NVMe controller: registers, queues, commands (NVMe Base 2.1, NVM Command Set 1.1). Sans-I/O: it sees a door, a
// clock with events, and nothing else, so the same object serves a simulated host, a real one behind a target, and a
// fuzzer.
//
// Rules:
//   K1  A submission entry is fetched when a doorbell makes it visible and a command slot is free. Where entries of
//       several queues wait for a slot they are taken round robin, at most the arbitration burst from one queue in a
//       row.
//   K2  A completion is posted when its command is done and its completion queue has room; while there is none it is
//   held
//       back, in order.
//   K3  Nothing orders commands against each other. A Flush covers what completed before it was fetched.
//   K4  What a host sends wrong is answered with a status, ignored (doorbells), or CSTS.CFS (enable). Nothing a host
//   does
//       can make the controller do anything undefined.
//   K5  A completion is always an event of its own: nothing is posted from inside a doorbell.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/controller/features.hpp"
#include "emulator/media/durable_image.hpp"
#include "emulator/media/profile.hpp"
#include "emulator/media/timing.hpp"
#include "emulator/media/write_cache.hpp"
#include "emulator/queue/door.hpp"
#include "emulator/queue/ring.hpp"
#include "emulator/sim/simulator.hpp"
#include "emulator/spec/command.hpp"
#include "emulator/spec/identify.hpp"
#include "emulator/spec/log_page.hpp"
#include "emulator/spec/registers.hpp"

namespace flushlab::controller {

class Controller {
 public:
  // Attaches itself to the door. `profile` must outlive the controller.
  Controller(sim::Simulator& simulator, queue::Door& door, const media::DeviceProfile& profile);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // What reports and checks ask; a host learns of the drive through the door only. Since construction.
  struct Counters {
    std::uint64_t fetched = 0;              // I/O commands
    std::uint64_t completed = 0;            // I/O completions posted
    std::uint64_t flushes_with_effect = 0;  // that made something durable
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const media::WriteCache& cache() const { return cache_; }
  media::WriteCache& cache() { return cache_; }
  // nullptr unless the profile keeps an image.
  [[nodiscard]] const media::DurableImage* image() const { return image_.get(); }

  // WCE as an earlier host left it. Nothing is written back.
  void preset_wce(bool wce) {
    if (!features_.info(0x06).supported) return;
    features_.set(0x06, wce ? 1 : 0, false);
    cache_.set_wce(wce);
  }
  // From now on Get and Set Features of this feature fail with Invalid Field in Command, or work again.
  void set_feature_supported(std::uint8_t fid, bool supported) { features_.set_supported(fid, supported); }
  // Reports a namespace change to the host, if it asked for such events (AER notice, log page 04h).
  void namespace_changed(std::uint32_t nsid);

 private:
  // ---- queues (controller.cpp) ----
  struct CompletionQueue {
    queue::CqProducer ring;
    bool exists = false;
    bool interrupts = false;
    std::uint16_t vector = 0;
    std::uint32_t users = 0;                                            // submission queues that post here
    std::vector<std::pair<std::uint16_t, spec::CompletionEntry>> held;  // K2: with the submission queue of each
  };
  struct SubmissionQueue {
    queue::SqConsumer ring;
    bool exists = false;
    std::uint16_t cqid = 0;
    std::uint32_t generation = 0;  // of the queue: completions for a deleted one are dropped
  };
  // One command that was fetched and is not done.
  struct Command {
    spec::SubmissionEntry sqe;
    std::uint16_t sqid = 0;
    bool in_use = false;
    std::uint32_t sq_generation = 0;
    std::uint32_t next_free = 0;
    spec::Status status;
    std::uint32_t result = 0;
    std::uint64_t snapshot = 0;        // Flush: what it covers
    std::uint64_t reserved_units = 0;  // write: its room in the cache
    media::FlushTicket ticket;
  };

  static std::uint64_t on_read(void* self, std::uint32_t offset, unsigned size_bytes);
  static void on_write(void* self, std::uint32_t offset, unsigned size_bytes, std::uint64_t value);
  static void on_sq_tail(void* self, std::uint16_t qid, std::uint16_t tail);
  static void on_cq_head(void* self, std::uint16_t qid, std::uint16_t head);
  static void on_ready(void* self, std::uint64_t generation);
  static void on_done(void* self, std::uint64_t command);
  static void on_flush_answered(void* self, media::FlushTicket& ticket);

  void write_cc(std::uint32_t value);
  void enable();
  void reset();
  void shut_down();
  void continue_shut_down();
  static void on_shut_down(void* self, std::uint64_t generation);
  void fetch();
  std::uint32_t fetch_from(std::uint16_t qid, std::uint32_t burst);  // how many
  void execute(Command& command);
  void done_at(Command& command, sim::TimeNs at_ns);
  void done_now(Command& command, spec::Status status);
  void finish(Command& command);
  void complete(Command& command);
  void post(std::uint16_t sqid, const spec::CompletionEntry& cqe);
  void place(CompletionQueue& cq, std::uint16_t sqid, spec::CompletionEntry cqe);
  Command* take_slot();
  void free_slot(Command& command);
  [[nodiscard]] std::uint64_t index_of(const Command& command) const {
    return static_cast<std::uint64_t>(&command - slots_.data());
  }

  // ---- data (data.cpp) ----
  // Walks PRP1, PRP2 and lists for `size_bytes`: f(address, bytes) for each piece, false to stop. Success, or the
  // status that NVMe Base 2.1 sec. 4.3.1 gives the violation.
  template <typename F>
  spec::Status for_each_prp(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes, F&& f);
  spec::Status to_host(const spec::SubmissionEntry& sqe, const void* data, std::uint64_t size_bytes);
  spec::Status from_host(const spec::SubmissionEntry& sqe, void* data, std::uint64_t size_bytes);
  spec::Status check_prps(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes);
  void copy_ids_from_host(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes);
  void copy_ids_to_host(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes);

  // ---- admin commands (admin_commands.cpp, identify_data.cpp, log_pages.cpp) ----
  using Handler = spec::Status (Controller::*)(Command& command);
  static constexpr std::array<Handler, 256> admin_handlers();
  static std::array<bool, 256> admin_opcodes();  // which exist: what the effects log lists
  spec::Status delete_io_sq(Command& command);
  spec::Status create_io_sq(Command& command);
  spec::Status delete_io_cq(Command& command);
  spec::Status create_io_cq(Command& command);
  spec::Status get_log_page(Command& command);
  spec::Status identify(Command& command);
  spec::Status abort(Command& command);
  spec::Status set_features(Command& command);
  spec::Status get_features(Command& command);
  spec::Status async_event_request(Command& command);
  spec::Status keep_alive(Command& command);
  spec::Status doorbell_buffer_config(Command& command);
  void set_wce(bool wce);
  void deliver_events();
  [[nodiscard]] bool namespace_active(std::uint32_t nsid) const { return nsid == 1; }
  void fill_identify();
  [[nodiscard]] spec::SmartLog smart_log() const;
  [[nodiscard]] spec::EffectsLog effects_log() const;
  [[nodiscard]] spec::Status feature_nsid_status(std::uint8_t fid, std::uint32_t nsid) const;

  // ---- I/O commands (io_commands.cpp) ----
  spec::Status start_io(Command& command);  // success: its completion has been scheduled
  spec::Status start_flush(Command& command);
  spec::Status start_write(Command& command);
  spec::Status start_read(Command& command);
  spec::Status start_write_zeroes(Command& command);
  spec::Status start_dsm(Command& command);
  void finish_io(Command& command);  // its effect, at its completion
  [[nodiscard]] spec::Status check_range(const spec::SubmissionEntry& sqe) const;

  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  sim::Simulator* simulator_;
  queue::Door* door_;
  const media::DeviceProfile* profile_;
  std::unique_ptr<media::DurableImage> image_;
  media::WriteCache cache_;
  media::TimingModel timing_;
  Features features_;
  unsigned lba_shift_;
  std::uint64_t nsze_;
  std::uint64_t mdts_bytes_;  // 0: no limit

  // Registers.
  std::uint64_t cap_ = 0;
  std::uint32_t cc_ = 0;
  std::uint32_t csts_ = 0;
  std::uint32_t aqa_ = 0;
  std::uint64_t asq_ = 0;
  std::uint64_t acq_ = 0;
  std::uint32_t generation_ = 0;  // of the enable: events of an earlier one are dropped

  std::vector<SubmissionQueue> sqs_;  // by queue id; 0 is the admin queue
  std::vector<CompletionQueue> cqs_;
  std::vector<Command> slots_;
  std::uint32_t free_slots_ = kNoSlot;
  std::uint16_t next_sq_ = 0;  // round robin
  std::uint32_t io_outstanding_ = 0;
  sim::TimeNs admin_extra_ns_ = 0;  // of the admin command in execution, beyond the usual time
  bool starved_ = false;            // entries wait in some queue because no slot was free

  // Asynchronous events.
  struct Event {
    std::uint32_t dw0;
    std::uint8_t type;
  };
  std::vector<std::uint16_t> parked_aers_;  // command identifiers
  std::vector<Event> pending_events_;
  std::uint8_t masked_event_types_ = 0;
  std::vector<std::uint32_t> changed_namespaces_;

  spec::IdentifyController identify_{};
  spec::IdentifyNamespace identify_ns_{};
  std::vector<queue::WriteId> id_buffer_;  // one transfer's worth, reused
  Counters counters_;
  std::uint64_t host_reads_ = 0;
  std::uint64_t host_writes_ = 0;
  std::uint64_t sectors_read_ = 0;  // 512 bytes
  std::uint64_t sectors_written_ = 0;
  std::uint64_t error_count_ = 0;
};

}  // namespace flushlab::controller
