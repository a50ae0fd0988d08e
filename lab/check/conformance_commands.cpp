// SPDX-License-Identifier: GPL-2.0-only
// Vectors 35 to 69: ranges, commands, queues, Identify, log pages, events, formats, data pointers.
#include <array>

#include "lab/check/conformance_bench.hpp"

namespace flushlab::lab::conformance {

namespace {

constexpr const char* kRange = "NVM CS 1.1 sec. 3.3: ranges and sizes";
constexpr const char* kCommands = "NVM CS 1.1 sec. 3.3: commands";
constexpr const char* kQueues = "Base 2.1 sec. 5.2: queues";
constexpr const char* kIdentify = "Base 2.1 sec. 5.1.13: Identify";
constexpr const char* kAdmin = "Base 2.1 sec. 5.1: logs, events, Abort, Format, features";
constexpr const char* kData = "Base 2.1 sec. 4.1, 4.3: data pointers";

bool offers(const Bench& b, spec::Bits16 bit) {
  return bit.in(b.profile.identify.oncs);
}

std::uint64_t create_cq(RawHost& host, std::uint16_t qid, std::uint32_t cdw10, std::uint16_t& word) {
  auto sqe = Bench::command(0x05, 0, cdw10, 1U | std::uint32_t{qid} << 16);
  sqe.prp1 = host.region(4096);
  const auto cqe = host.admin(sqe);
  word = Bench::word(cqe);
  return sqe.prp1;
}

Check identify(Bench& b, std::uint32_t cns, std::uint32_t nsid, std::uint16_t word) {
  return Bench::status(b.admin_only().admin(Bench::command(0x06, nsid, cns)), {word});
}

bool data_is_zero(RawHost& host, std::size_t from, std::size_t to) {
  return std::all_of(host.bytes() + from, host.bytes() + to, [](std::byte byte) { return byte == std::byte{0}; });
}

constexpr std::array kVectors = {
    Vector{35, kRange, "Write that begins in and ends beyond the namespace",
           [](Bench& b) { return Bench::status(b.host().io(spec::make_write(1, b.nsze() - 1, 2)), {0x8100}); }},
    Vector{36, kRange, "Read of block FFFFFFFFFFFFFFFFh",
           [](Bench& b) { return Bench::status(b.host().io(spec::make_read(1, ~std::uint64_t{0}, 1)), {0x8100}); }},
    Vector{37, kRange, "Read of more than MDTS",
           [](Bench& b) {
             const unsigned mdts = b.profile.identify.mdts;
             const std::uint64_t bytes = std::uint64_t{4096} << mdts;
             const std::uint64_t blocks = bytes / b.profile.identify.lba_bytes + 1;
             if (mdts == 0 || blocks > 65536) return Bench::not_applicable("MDTS is beyond what NLB can ask for");
             return Bench::status(b.host().io(spec::make_read(1, 0, static_cast<std::uint32_t>(blocks))), {0x8004});
           }},
    Vector{38, kRange, "Write Zeroes of 65536 blocks: MDTS does not apply",
           [](Bench& b) {
             if (!offers(b, spec::oncs::kWriteZeroes)) return Bench::not_applicable("ONCS offers no Write Zeroes");
             if (b.profile.identify.wzsl != 0 || b.nsze() < 65536)
               return Bench::not_applicable("WZSL, or too small a namespace");
             RawHost& host = b.host();
             host.write(7, 9);
             const auto cqe = host.io(spec::make_write_zeroes(1, 0, 65536));
             return Bench::all({Bench::status(cqe, {0}), Bench::block_is(host.newest(7), {0}, "reads zero")});
           }},
    Vector{39, kRange, "Write of NSID 0, above NN, and FFFFFFFFh",
           [](Bench& b) {
             RawHost& host = b.host();
             return Bench::all({Bench::status(host.io(spec::make_write(0, 0, 1)), {0x8016}),
                                Bench::status(host.io(spec::make_write(b.profile.identify.nn + 1, 0, 1)), {0x8016}),
                                Bench::status(host.io(spec::make_write(spec::kBroadcastNsid, 0, 1)), {0x8016})});
           }},
    Vector{40, kRange, "Read of an inactive NSID",
           [](Bench& b) {
             if (b.profile.identify.nn < 2) return Bench::not_applicable("NN is 1: every valid NSID is active");
             b.profile.identify.more_namespaces.clear();
             return Bench::status(b.host().io(spec::make_read(2, 0, 1)), {0x8004});
           }},
    Vector{41, kCommands, "unknown I/O opcode",
           [](Bench& b) { return Bench::status(b.host().io(Bench::command(0x03, 1)), {0x8002}); }},
    Vector{42, kCommands, "fused Write where FUSES offers none",
           [](Bench& b) {
             auto sqe = spec::make_write(1, 0, 1);
             sqe.set_fuse(spec::Fuse::kFirst);
             return Bench::status(b.host().io(sqe), {0x8004});
           }},
    Vector{43, kCommands, "Compare with other data",
           [](Bench& b) {
             if (!offers(b, spec::oncs::kCompare)) return Bench::not_applicable("ONCS offers no Compare");
             RawHost& host = b.host();
             host.write(5, 1);
             auto* ids = host.door.memory().write_ids(host.ids, RawHost::kDataBytes);
             for (std::uint32_t i = 0; i < 8; ++i) ids[i] = 2;
             auto sqe = spec::make_read(1, 5, 1);
             sqe.opc = static_cast<std::uint8_t>(spec::IoOpcode::kCompare);
             const auto other = host.io(sqe);
             for (std::uint32_t i = 0; i < 8; ++i) ids[i] = 1;
             const auto same = host.io(sqe);
             return Bench::all({Bench::status(other, {0x850A, 0x050A}), Bench::status(same, {0})});
           }},
    Vector{44, kCommands, "Write Uncorrectable, Read, Write, Read",
           [](Bench& b) {
             if (!offers(b, spec::oncs::kWriteUncorrectable))
               return Bench::not_applicable("ONCS offers no Write Uncorrectable");
             RawHost& host = b.host();
             auto mark = spec::make_read(1, 7, 1);
             mark.opc = static_cast<std::uint8_t>(spec::IoOpcode::kWriteUncorrectable);
             const auto marked = host.io(mark);
             const auto bad = host.io(spec::make_read(1, 7, 1));
             const auto write = host.write(7, 3);
             const auto good = host.io(spec::make_read(1, 7, 1));
             return Bench::all({Bench::status(marked, {0}), Bench::status(bad, {0x0502, 0x8502}),
                                Bench::status(write, {0}), Bench::status(good, {0})});
           }},
    Vector{45, kCommands, "Deallocate blocks 16 to 23: they read zero or old",
           [](Bench& b) {
             if (!offers(b, spec::oncs::kDatasetManagement))
               return Bench::not_applicable("ONCS offers no Dataset Management");
             RawHost& host = b.host();
             host.write(16, 4, 1);
             spec::DsmRange range;
             range.length = 8;
             range.slba = 16;
             std::memcpy(host.bytes(), &range, sizeof range);
             auto sqe = spec::make_dsm(1, 1, spec::dsm::kAD.put());
             sqe.prp1 = host.data;
             const auto cqe = host.run(1, sqe);
             return Bench::all({Bench::status(cqe, {0}), Bench::block_is(host.newest(16), {0, 4}, "zero or old")});
           }},
    Vector{46, kCommands, "DULBE: Read of a deallocated block",
           [](Bench& b) {
             if (!offers(b, spec::oncs::kDatasetManagement))
               return Bench::not_applicable("ONCS offers no Dataset Management");
             b.profile.identify.nsfeat |= 0x04;
             RawHost& host = b.host();
             host.write(16, 4, 1);
             const auto set = host.admin(Bench::command(0x09, 1, 0x05, 0x10000));
             const auto before = host.io(spec::make_read(1, 16, 1));
             spec::DsmRange range;
             range.length = 8;
             range.slba = 16;
             std::memcpy(host.bytes(), &range, sizeof range);
             auto sqe = spec::make_dsm(1, 1, spec::dsm::kAD.put());
             sqe.prp1 = host.data;
             host.run(1, sqe);
             const auto after = host.io(spec::make_read(1, 16, 1));
             return Bench::all(
                 {Bench::status(set, {0}), Bench::status(before, {0}), Bench::status(after, {0x850E, 0x050E})});
           }},
    Vector{47, kQueues, "Number of Queues before any queue: what is granted",
           [](Bench& b) {
             const auto cqe = b.admin_only().admin(Bench::command(0x09, 0, 7, 0x00070007));
             const auto get = b.admin_only().admin(Bench::command(0x0A, 0, 7));
             const std::uint32_t most = b.profile.identify.io_queue_pairs - 1U;
             const std::uint32_t each = b.profile.identify.grants_all_queues ? most : std::min<std::uint32_t>(7, most);
             return Bench::all({Bench::result(cqe, each | each << 16), Bench::result(get, each | each << 16)});
           }},
    Vector{
        48, kQueues, "Number of Queues FFFFh",
        [](Bench& b) { return Bench::status(b.admin_only().admin(Bench::command(0x09, 0, 7, 0xFFFF0000)), {0x8004}); }},
    Vector{49, kQueues, "Number of Queues after a queue exists",
           [](Bench& b) { return Bench::status(b.host().admin(Bench::command(0x09, 0, 7, 0x00070007)), {0x8018}); }},
    Vector{50, kQueues, "Create CQ of size 0",
           [](Bench& b) {
             std::uint16_t word = 0;
             create_cq(b.admin_only(), 1, 0x00000001, word);
             return Bench::holds(word == 0x8204, Bench::text(0x8204), Bench::text(word));
           }},
    Vector{51, kQueues, "Create CQ 1 twice",
           [](Bench& b) {
             std::uint16_t first = 0;
             std::uint16_t second = 0;
             create_cq(b.admin_only(), 1, 0x00010001, first);
             create_cq(b.admin_only(), 1, 0x00010001, second);
             return Bench::all({Bench::holds(first == 0, "ok", Bench::text(first)),
                                Bench::holds(second == 0x8202, Bench::text(0x8202), Bench::text(second))});
           }},
    Vector{52, kQueues, "Create SQ for a CQ that does not exist",
           [](Bench& b) {
             auto sqe = Bench::command(0x01, 0, 0x00010001, 1U | 9U << 16);
             sqe.prp1 = b.admin_only().region(4096);
             const bool beyond = b.profile.identify.io_queue_pairs < 9 && b.profile.identify.absent_cqid_is_invalid_qid;
             return Bench::status(b.admin_only().admin(sqe), {beyond ? std::uint16_t{0x8202} : std::uint16_t{0x8200}});
           }},
    Vector{53, kQueues, "Delete CQ with its SQ",
           [](Bench& b) {
             const std::uint16_t word = b.profile.identify.delete_cq_without_dnr ? 0x0218 : 0x8218;
             return Bench::status(b.host().admin(Bench::command(0x04, 0, 1)), {word});
           }},
    Vector{54, kQueues, "Delete SQ 0",
           [](Bench& b) { return Bench::status(b.admin_only().admin(Bench::command(0x00, 0, 0)), {0x8202}); }},
    Vector{55, kIdentify, "CNS 00h of an inactive NSID",
           [](Bench& b) {
             if (b.profile.identify.nn < 2) return Bench::not_applicable("NN is 1: every valid NSID is active");
             b.profile.identify.more_namespaces.clear();
             const Check answer = identify(b, 0x00, 2, 0);
             const bool zero = data_is_zero(b.admin_only(), 0, 4096);
             return Bench::all({answer, Bench::holds(zero, "4096 zeroes", zero ? "4096 zeroes" : "other data")});
           }},
    Vector{56, kIdentify, "CNS 00h of NSID 0", [](Bench& b) { return identify(b, 0x00, 0, 0x8016); }},
    Vector{57, kIdentify, "CNS 02h from NSID 0, from the last, from FFFFFFFEh",
           [](Bench& b) {
             RawHost& host = b.admin_only();
             b.profile.identify.more_namespaces.clear();
             const auto from_0 = host.admin(Bench::command(0x06, 0, 0x02));
             spec::Le32 first;
             std::memcpy(&first, host.bytes(), sizeof first);
             const auto from_last = host.admin(Bench::command(0x06, b.profile.identify.nn, 0x02));
             const bool none = data_is_zero(host, 0, 4096);
             const auto from_end = host.admin(Bench::command(0x06, 0xFFFFFFFE, 0x02));
             return Bench::all({Bench::status(from_0, {0}),
                                Bench::holds(first.value() == 1, "NSID 1 first", fmt::format("{}", first.value())),
                                Bench::status(from_last, {0}), Bench::holds(none, "none", none ? "none" : "some"),
                                Bench::status(from_end, {0x8016})});
           }},
    Vector{58, kIdentify, "unknown CNS", [](Bench& b) { return identify(b, 0x40, 0, 0x8004); }},
    Vector{59, kAdmin, "SMART log of the controller",
           [](Bench& b) {
             return Bench::status(b.admin_only().admin(Bench::command(0x02, spec::kBroadcastNsid, 0x007F0002)), {0});
           }},
    Vector{60, kAdmin, "unknown log page",
           [](Bench& b) {
             const std::uint16_t word = b.profile.identify.unknown_log_is_invalid_field ? 0x8004 : 0x8212;
             return Bench::status(b.admin_only().admin(Bench::command(0x02, spec::kBroadcastNsid, 0x007F00BE)), {word});
           }},
    Vector{61, kAdmin, "log page from an offset that is no multiple of 4",
           [](Bench& b) {
             if (!spec::lpa::kExtendedData.in(b.profile.identify.lpa))
               return Bench::not_applicable("LPA offers no offset");
             return Bench::status(b.admin_only().admin(Bench::command(0x02, spec::kBroadcastNsid, 0x007F0002, 0, 2)),
                                  {0x8004});
           }},
    Vector{62, kAdmin, "one Asynchronous Event Request more than AERL allows",
           [](Bench& b) {
             RawHost& host = b.admin_only();
             for (unsigned i = 0; i <= b.profile.identify.aerl; ++i) host.send(0, Bench::command(0x0C, 0));
             return Bench::status(host.admin(Bench::command(0x0C, 0)), {0x020A});
           }},
    Vector{63, kAdmin, "Abort of a command that does not exist",
           [](Bench& b) { return Bench::result(b.admin_only().admin(Bench::command(0x08, 0, 0x12340001)), 1); }},
    Vector{64, kAdmin, "Format to a format that does not exist",
           [](Bench& b) {
             if (!spec::oacs::kFormat.in(b.profile.identify.oacs))
               return Bench::not_applicable("OACS offers no Format NVM");
             return Bench::status(b.admin_only().admin(Bench::command(0x80, 1, 0x0F)), {0x8214});
           }},
    Vector{65, kAdmin, "Get Features of an unknown feature",
           [](Bench& b) { return Bench::status(b.admin_only().admin(Bench::command(0x0A, 0, 0xFE)), {0x8004}); }},
    Vector{66, kData, "PRP1 that is not dword aligned",
           [](Bench& b) {
             auto sqe = spec::make_read(1, 0, 1);
             sqe.prp1 = b.host().ids + 2;
             return Bench::status(b.host().run(1, sqe), {0x8026});
           }},
    Vector{67, kData, "PRP list entry with an offset",
           [](Bench& b) {
             if (b.profile.identify.mdts == 1) return Bench::not_applicable("MDTS 1: no command needs a PRP list");
             RawHost& host = b.host();
             auto sqe = spec::make_read(1, 0, static_cast<std::uint32_t>(16384 / b.profile.identify.lba_bytes));
             sqe.prp1 = host.ids;
             sqe.prp2 = host.list;
             for (std::uint64_t i = 0; i < 3; ++i) {
               const spec::Le64 entry = host.ids + (i + 1) * queue::kPageBytes + (i == 1 ? 8 : 0);
               std::memcpy(host.door.memory().bytes(host.list + i * 8, 8), &entry, 8);
             }
             return Bench::status(host.run(1, sqe), {0x8026});
           }},
    Vector{68, kData, "admin command with an SGL over PCIe",
           [](Bench& b) {
             auto sqe = Bench::command(0x06, 0, 0x01);
             sqe.set_psdt(spec::Psdt::kSglMptrBuffer);
             return Bench::status(b.admin_only().admin(sqe), {0x8004});
           }},
    Vector{69, kCommands, "Write and Flush while a sanitize runs",
           [](Bench& b) {
             if (b.profile.identify.sanicap == 0) return Bench::not_applicable("SANICAP 0: no sanitize");
             RawHost& host = b.host();
             const std::uint32_t action = spec::sanicap::kBES.in(b.profile.identify.sanicap)   ? 2
                                          : spec::sanicap::kCES.in(b.profile.identify.sanicap) ? 4
                                                                                               : 3;
             host.send(0, Bench::command(0x84, 0, action));
             host.simulator.events().run_until(host.simulator.now() + sim::kMillisecond);
             host.reap(0);
             auto write = spec::make_write(1, 0, 1);
             write.prp1 = host.ids;
             host.send(1, write);
             host.send(1, spec::make_flush(1));
             host.simulator.events().run_until(host.simulator.now() + sim::kMillisecond);
             const auto done = host.reap(1);
             if (done.size() != 2) return Bench::holds(false, "two completions", fmt::format("{}", done.size()));
             return Bench::all({Bench::status(done[0], {0x803A}), Bench::status(done[1], {0x803A, 0})});
           }},
};

}  // namespace

std::span<const Vector> command_vectors() {
  return kVectors;
}

}  // namespace flushlab::lab::conformance
