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
#include "emulator/controller/namespace_state.hpp"
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
  // Of one namespace; NSID 1 unless another is named.
  [[nodiscard]] const media::WriteCache& cache(std::uint32_t nsid = 1) const { return *namespaces_[nsid - 1]->cache; }
  media::WriteCache& cache(std::uint32_t nsid = 1) { return *namespaces_[nsid - 1]->cache; }
  // What Identify answers, CNS 01h and 00h: for tools that explain a profile.
  [[nodiscard]] const spec::IdentifyController& identify_controller() const { return identify_; }
  [[nodiscard]] const spec::IdentifyNamespace& identify_namespace(std::uint32_t nsid) const {
    return namespaces_[nsid - 1]->identify;
  }
  // nullptr unless the profile keeps an image.
  [[nodiscard]] const media::DurableImage* image(std::uint32_t nsid = 1) const {
    return namespaces_[nsid - 1]->image.get();
  }

  // WCE as an earlier host left it. Nothing is written back.
  void preset_wce(bool wce) {
    if (!features_.info(0x06).supported) return;
    features_.set(0x06, wce ? 1 : 0, false);
    for_each_namespace([wce](NamespaceState& ns) { ns.cache->set_wce(wce); });
  }
  // Power goes and comes back: what is dirty is lost unless the cache is protected, every register and queue starts
  // anew, and an unsafe shutdown is counted unless a shutdown was complete (Base 2.1 sec. 3.6, 5.1.12.1.3).
  void power_cut();
  // From now on Get and Set Features of this feature fail with Invalid Field in Command, or work again.
  void set_feature_supported(std::uint8_t fid, bool supported) { features_.set_supported(fid, supported); }
  // Reports a namespace change to the host, if it asked for such events (AER notice, log page 04h).
  void namespace_changed(std::uint32_t nsid);
  // The drive has become this warm: the SMART log says so, and an event where a threshold is crossed.
  void set_temperature(std::uint16_t kelvin);

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
    NamespaceState* ns = nullptr;  // of an I/O command
    std::uint32_t ns_generation = 0;
    bool hung = false;                 // never completes by itself
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

  template <typename F>
  void for_each_namespace(F&& f) {
    for (const auto& ns : namespaces_) {
      if (ns != nullptr) f(*ns);
    }
  }
  [[nodiscard]] NamespaceState* find_namespace(std::uint32_t nsid) const {
    return nsid == 0 || nsid > namespaces_.size() ? nullptr : namespaces_[nsid - 1].get();
  }
  // A fault of the profile applies to this command: it is answered, or hangs.
  bool take_fault(Command& command);

  // ---- data (data.cpp, sgl.cpp) ----
  // Walks PRP1, PRP2 and lists for `size_bytes`: f(address, bytes) for each piece, false to stop. Success, or the
  // status that NVMe Base 2.1 sec. 4.3.1 gives the violation.
  template <typename F>
  spec::Status for_each_prp(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes, F&& f);
  // The same for either kind of data pointer.
  template <typename F>
  spec::Status for_each_piece(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes, F&& f) {
    if (sqe.psdt() == spec::Psdt::kPrp) [[likely]]
      return for_each_prp(sqe, size_bytes, f);
    struct Piece {
      std::uint64_t address, bytes;
    };
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;
    const spec::Status status = walk_sgl(sqe, size_bytes, pieces);
    if (!status.ok()) return status;
    for (const auto& [address, bytes] : pieces) {
      if (address != 0 && !f(address, bytes)) return spec::status::kDataTransferError;
    }
    return spec::status::kSuccess;
  }
  // Pieces of an SGL; address 0 is a bit bucket. NVMe Base 2.1 sec. 4.3.2.
  spec::Status walk_sgl(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes,
                        std::vector<std::pair<std::uint64_t, std::uint64_t>>& pieces);
  spec::Status to_host(const spec::SubmissionEntry& sqe, const void* data, std::uint64_t size_bytes);
  spec::Status from_host(const spec::SubmissionEntry& sqe, void* data, std::uint64_t size_bytes);
  spec::Status check_prps(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes);
  void copy_ids_from_host(const spec::SubmissionEntry& sqe, std::uint64_t size_bytes);
  void copy_ids_to_host(const NamespaceState& ns, const spec::SubmissionEntry& sqe, std::uint64_t size_bytes);

  // ---- admin commands (admin_commands.cpp, feature_commands.cpp, identify_data.cpp, log_pages.cpp, events.cpp,
  // namespace_commands.cpp, sanitize.cpp) ----
  using Handler = spec::Status (Controller::*)(Command& command);
  static constexpr std::array<Handler, 256> admin_handlers();
  // Whether the drive has an admin command: what the effects log lists.
  [[nodiscard]] bool has_admin_command(std::uint8_t opcode) const;
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
  spec::Status format_nvm(Command& command);
  spec::Status namespace_management(Command& command);
  spec::Status namespace_attachment(Command& command);
  spec::Status sanitize(Command& command);

  void set_wce(bool wce);
  spec::Status set_number_of_queues(Command& command);
  spec::Status set_write_protection(NamespaceState& ns, std::uint32_t wps);
  [[nodiscard]] spec::Status feature_nsid_status(std::uint8_t fid, std::uint32_t nsid, bool set) const;
  [[nodiscard]] std::uint32_t current_feature(std::uint8_t fid, std::uint32_t cdw11, const NamespaceState* ns) const;
  void store_timestamp();
  void arm_keep_alive();
  static void on_keep_alive_over(void* self, std::uint64_t generation);

  struct Event {
    std::uint32_t dw0;
    std::uint8_t type;
    std::uint32_t enabled_by;  // bit of feature 0Bh; 0: always reported
  };
  void raise(const Event& event);
  void deliver_events();
  void event_log_read(spec::AsyncEventType type);
  [[nodiscard]] std::uint8_t critical_warning() const;

  void fill_identify();
  std::unique_ptr<NamespaceState> make_namespace(std::uint32_t nsid, std::uint64_t size_bytes, std::uint8_t format);
  void apply_format(NamespaceState& ns, std::uint8_t format);
  static void on_sanitized(void* self, std::uint64_t generation);
  [[nodiscard]] spec::SmartLog smart_log() const;
  [[nodiscard]] spec::EffectsLog effects_log() const;
  void log_error(const Command& command);

  // ---- I/O commands (io_commands.cpp) ----
  spec::Status start_io(Command& command);  // success: its completion has been scheduled
  spec::Status start_flush(Command& command);
  spec::Status start_write(Command& command);
  spec::Status start_read(Command& command);
  spec::Status start_compare(Command& command);
  spec::Status start_verify(Command& command);
  spec::Status start_write_uncorrectable(Command& command);
  spec::Status start_write_zeroes(Command& command);
  spec::Status start_dsm(Command& command);
  spec::Status start_copy(Command& command);
  void finish_io(Command& command);  // its effect, at its completion
  void finish_flush(Command& command);
  void finish_compare(Command& command);
  void finish_dsm(Command& command);
  void finish_copy(Command& command);
  void now_written(NamespaceState& ns, std::uint64_t slba, std::uint64_t blocks) {
    if (!ns.uncorrectable.empty()) [[unlikely]]
      ns.uncorrectable.remove(slba, slba + blocks);
    if (ns.tracks_written) [[unlikely]]
      ns.written.add(slba, slba + blocks);
  }
  void deallocate(NamespaceState& ns, std::uint64_t slba, std::uint64_t blocks);
  // Whether these blocks can be read: neither uncorrectable nor, with DULBE, deallocated.
  spec::Status check_readable(Command& command, std::uint64_t slba, std::uint64_t blocks);
  [[nodiscard]] static spec::Status check_range(const NamespaceState& ns, const spec::SubmissionEntry& sqe);
  // A size limit of 2^n pages, n = 0: none.
  [[nodiscard]] static bool beyond(std::uint64_t bytes, std::uint8_t limit) {
    return limit != 0 && limit < 40 && bytes > (std::uint64_t{4096} << limit);
  }

  static constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

  sim::Simulator* simulator_;
  queue::Door* door_;
  const media::DeviceProfile* profile_;
  std::vector<std::unique_ptr<NamespaceState>> namespaces_;  // by NSID - 1; null: not allocated
  std::vector<std::unique_ptr<NamespaceState>> deleted_;
  media::TimingModel timing_;
  Features features_;
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
  std::vector<std::uint16_t> parked_aers_;  // command identifiers
  std::vector<Event> pending_events_;
  std::uint8_t masked_event_types_ = 0;
  std::vector<std::uint32_t> changed_namespaces_;

  spec::IdentifyController identify_{};
  std::vector<queue::WriteId> id_buffer_;  // one transfer's worth, reused
  Counters counters_;
  std::uint64_t host_reads_ = 0;
  std::uint64_t host_writes_ = 0;
  std::uint64_t sectors_read_ = 0;  // 512 bytes
  std::uint64_t sectors_written_ = 0;
  std::uint64_t error_count_ = 0;
  std::uint64_t unsafe_shutdowns_ = 0;
  std::uint64_t power_cycles_ = 1;
  std::vector<spec::ErrorLogEntry> errors_;  // newest last, at most ELPE + 1
  std::uint64_t error_lba_ = 0;              // of the command that is failing

  std::uint16_t temperature_ = 313;  // K
  bool temperature_warned_ = false;
  std::uint64_t timestamp_set_ms_ = 0;
  sim::TimeNs timestamp_set_ns_ = 0;
  std::uint8_t timestamp_origin_ = 0;
  std::uint32_t keep_alive_generation_ = 0;
  std::uint32_t aborts_ = 0;

  struct Sanitizing {
    bool running = false;
    bool ever = false;
    std::uint32_t cdw10 = 0;
    sim::TimeNs begin_ns = 0, end_ns = 0;
    bool deallocated = false;
  };
  Sanitizing sanitizing_;
  std::vector<std::uint64_t> fault_counts_;                      // commands seen, by fault of the profile
  std::vector<std::vector<std::uint64_t>> broadcast_snapshots_;  // of Flushes of all namespaces, by slot
};

}  // namespace flushlab::controller
