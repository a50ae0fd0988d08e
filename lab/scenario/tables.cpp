// SPDX-License-Identifier: GPL-2.0-only
#include "lab/scenario/tables.hpp"

#include <array>

#include "emulator/media/profile.hpp"
#include "hostmodel/kernel/host_profile.hpp"
#include "hostmodel/kernel/kernel_profile.hpp"
#include "lab/scenario/array_config.hpp"

namespace flushlab::lab {
namespace {

using kernel::HostCosts;
using kernel::HostProfile;
using kernel::KernelProfile;
using kernel::Placement;
using media::DeviceProfile;
using media::IdentifyFields;
using media::TimingProfile;
using media::WriteCacheProfile;

template <typename E>
constexpr std::uint64_t number(E value) {
  return static_cast<std::uint64_t>(value);
}

// ---- device ----

constexpr std::array kGetFeaturesWords{
    EnumWord{"actual", number(media::GetFeatures06h::kActual), "the state"},
    EnumWord{"always_0", number(media::GetFeatures06h::kAlways0), "0 whatever the state"},
    EnumWord{"always_1", number(media::GetFeatures06h::kAlways1), "1 whatever the state"},
    EnumWord{"error", number(media::GetFeatures06h::kError), "Invalid Field in Command"},
};
constexpr std::array kSetFeaturesWords{
    EnumWord{"switches", number(media::SetFeatures06h::kSwitches), "switches the cache"},
    EnumWord{"ignored", number(media::SetFeatures06h::kIgnored), "succeeds and changes nothing"},
    EnumWord{"error", number(media::SetFeatures06h::kError),
             "Feature Not Changeable unless the value is the current one"},
    EnumWord{"unsupported", number(media::SetFeatures06h::kUnsupported), "Invalid Field although Get Features answers"},
};

constexpr std::uint64_t kMaxDriveBytes = std::uint64_t{1} << 56;

constexpr std::array kIdentifyFields{
    string_field<&IdentifyFields::mn>("mn", "Model Number", 0, 40),
    string_field<&IdentifyFields::sn>("sn", "Serial Number; also names the drive's random streams", 1, 20),
    string_field<&IdentifyFields::fr>("fr", "Firmware Revision", 0, 8),
    string_field<&IdentifyFields::subnqn>("subnqn", "NVM Subsystem NVMe Qualified Name", 0, 223),
    bits_field<&IdentifyFields::vid>("vid", "PCI Vendor ID"),
    bits_field<&IdentifyFields::ssvid>("ssvid", "PCI Subsystem Vendor ID"),
    make_field<&IdentifyFields::ver>("ver", FieldKind::kVersion, "version of the specification; also register VS", 0,
                                     0xFFFFFFFF),
    integer_field<&IdentifyFields::mdts>("mdts", "Maximum Data Transfer Size: 2^n pages of 4 KiB, 0 = no limit", 0, 40),
    integer_field<&IdentifyFields::cntlid>("cntlid", "Controller ID"),
    bits_field<&IdentifyFields::oaes>("oaes", "Optional Asynchronous Events Supported"),
    bits_field<&IdentifyFields::ctratt>("ctratt", "Controller Attributes"),
    bits_field<&IdentifyFields::oacs>("oacs", "Optional Admin Command Support"),
    bits_field<&IdentifyFields::lpa>("lpa", "Log Page Attributes; bit 1: effects log"),
    bits_field<&IdentifyFields::oncs>(
        "oncs", "Optional NVM Command Support; bit 2 Dataset Management, 3 Write Zeroes, 4 save and select"),
    bits_field<&IdentifyFields::vwc>("vwc", "Volatile Write Cache: bit 0 present, bits 2:1 Flush with NSID FFFFFFFFh"),
    integer_field<&IdentifyFields::awun>("awun", "Atomic Write Unit Normal, LBAs, 0's based"),
    integer_field<&IdentifyFields::awupf>("awupf", "Atomic Write Unit Power Fail, LBAs, 0's based"),
    bits_field<&IdentifyFields::apsta>("apsta", "Autonomous Power State Transition Attributes"),
    integer_field<&IdentifyFields::aerl>("aerl", "Asynchronous Event Request Limit, 0's based"),
    integer_field<&IdentifyFields::acl>("acl", "Abort Command Limit, 0's based"),
    duration_field<&IdentifyFields::rtd3e_us>("rtd3e", "RTD3 Entry Latency: typical time of a shutdown",
                                              4294 * kSecondNs, 1000),
    integer_field<&IdentifyFields::ieee>("ieee", "IEEE OUI, 24 bits", 0, 0xFFFFFF),
    integer_field<&IdentifyFields::crdt1>("crdt1", "command retry delay time 1, 100 ms", 0, 65535),
    integer_field<&IdentifyFields::crdt2>("crdt2", "command retry delay time 2, 100 ms", 0, 65535),
    integer_field<&IdentifyFields::crdt3>("crdt3", "command retry delay time 3, 100 ms", 0, 65535),
    bits_field<&IdentifyFields::frmw>("frmw", "firmware updates"),
    integer_field<&IdentifyFields::elpe>("elpe", "error log page entries, 0's based", 0, 255),
    bits_field<&IdentifyFields::avscc>("avscc", "admin vendor specific command configuration"),
    integer_field<&IdentifyFields::wctemp>("wctemp", "warning composite temperature, K", 0, 65535),
    integer_field<&IdentifyFields::cctemp>("cctemp", "critical composite temperature, K", 0, 65535),
    integer_field<&IdentifyFields::fwug>("fwug", "firmware update granularity", 0, 255),
    integer_field<&IdentifyFields::kas>("kas", "keep alive granularity, 100 ms; 0: no keep alive", 0, 65535),
    bits_field<&IdentifyFields::sanicap>("sanicap", "sanitize capabilities"),
    bits_field<&IdentifyFields::fuses>("fuses", "fused operation support"),
    bits_field<&IdentifyFields::fna>("fna", "format NVM attributes"),
    bits_field<&IdentifyFields::icsvscc>("icsvscc", "I/O vendor specific command configuration"),
    bits_field<&IdentifyFields::nwpc>("nwpc", "namespace write protection capabilities"),
    bits_field<&IdentifyFields::ocfs>("ocfs", "copy descriptor formats"),
    bits_field<&IdentifyFields::sgls>("sgls", "SGL support"),
    integer_field<&IdentifyFields::psd0_mp>("psd0_mp", "power state 0: maximum power, 0.01 W", 0, 65535),
    integer_field<&IdentifyFields::psd0_enlat>("psd0_enlat", "power state 0: entry latency, us", 0, 0xFFFFFFFF),
    integer_field<&IdentifyFields::psd0_exlat>("psd0_exlat", "power state 0: exit latency, us", 0, 0xFFFFFFFF),
    integer_field<&IdentifyFields::vsl>("vsl", "CNS 06h VSL: verify size limit, 2^n pages, 0 none", 0, 39),
    integer_field<&IdentifyFields::wzsl>("wzsl", "CNS 06h WZSL: write zeroes size limit, 2^n pages, 0 none", 0, 39),
    integer_field<&IdentifyFields::wusl>("wusl", "CNS 06h WUSL: write uncorrectable size limit, 2^n pages, 0 none", 0,
                                         39),
    integer_field<&IdentifyFields::dmrl>("dmrl", "CNS 06h DMRL: ranges of one Dataset Management, 0 unlimited", 0, 255),
    integer_field<&IdentifyFields::dmrsl>("dmrsl", "CNS 06h DMRSL: blocks of one Dataset Management range, 0 unlimited",
                                          0, 0xFFFFFFFF),
    string_field<&IdentifyFields::lba_formats>("lba_formats", "formats on offer, such as \"512, 512+8, 4096\"", 0,
                                               1000),
    bits_field<&IdentifyFields::mc>("mc", "metadata capabilities"),
    bits_field<&IdentifyFields::dpc>("dpc", "end-to-end data protection capabilities"),
    integer_field<&IdentifyFields::mssrl>("mssrl", "copy: blocks of one source range, 0 unlimited", 0, 65535),
    integer_field<&IdentifyFields::mcl>("mcl", "copy: blocks of one command, 0 unlimited", 0, 0xFFFFFFFF),
    integer_field<&IdentifyFields::msrc>("msrc", "copy: source ranges, 0's based", 0, 255),
    string_field<&IdentifyFields::eui64>("eui64", "EUI64 of namespace 1, 16 hexadecimal digits", 16, 16),
    string_field<&IdentifyFields::more_namespaces>(
        "more_namespaces", "sizes of the namespaces from NSID 2 on, such as \"128MiB, 1GiB\"", 0, 1000),
    bool_field<&IdentifyFields::css_all>("css_all", "CAP.CSS bit 43: all I/O command sets may be enabled"),
    bool_field<&IdentifyFields::accepts_feature_nsid>("accepts_feature_nsid",
                                                      "Set Features of a controller feature takes an NSID"),
    bool_field<&IdentifyFields::unknown_log_is_invalid_field>("unknown_log_is_invalid_field",
                                                              "an unknown log page is 0/02h, not 1/09h"),
    bool_field<&IdentifyFields::delete_cq_without_dnr>("delete_cq_without_dnr",
                                                       "Invalid Queue Deletion comes without DNR"),
    bool_field<&IdentifyFields::absent_cqid_is_invalid_qid>("absent_cqid_is_invalid_qid",
                                                            "Create SQ for a CQ out of range is 1/01h, not 1/00h"),
    bool_field<&IdentifyFields::answers_unlisted_logs>("answers_unlisted_logs",
                                                       "Get Log Page 05h works although LPA does not offer it"),
    list_field<&IdentifyFields::fixed_features>("fixed_features", "feature identifiers that Set Features cannot change",
                                                255),
    list_field<&IdentifyFields::unlisted_commands>("unlisted_commands",
                                                   "I/O opcodes that work although ONCS does not offer them", 255),
    list_field<&IdentifyFields::missing_commands>(
        "missing_commands", "admin opcodes that do not exist although OACS offers them (QEMU: 0Dh)", 255),
    bool_field<&IdentifyFields::lists_controllers>("lists_controllers", "CNS 12h and 13h are answered"),
    bool_field<&IdentifyFields::grants_all_queues>("grants_all_queues",
                                                   "Set Features 07h grants all queues, whatever is asked for"),
    integer_field<&IdentifyFields::nn>(
        "nn", "Number of Namespaces: the largest valid NSID; namespace 1 is the active one", 1, 1024),
    size_field<&IdentifyFields::size_bytes>("size", "size of namespace 1", 1 << 20, kMaxDriveBytes),
    size_field<&IdentifyFields::lba_bytes>("lba_size", "logical block size of namespace 1", 512, 4096),
    bits_field<&IdentifyFields::nsfeat>(
        "nsfeat", "Namespace Features; bit 1 NAWUN and NAWUPF count, bits 5:4 preferred sizes count"),
    bits_field<&IdentifyFields::dlfeat>("dlfeat", "Deallocate Logical Block Features"),
    integer_field<&IdentifyFields::nawun>("nawun", "Namespace Atomic Write Unit Normal, LBAs, 0's based"),
    integer_field<&IdentifyFields::nawupf>("nawupf", "Namespace Atomic Write Unit Power Fail, LBAs, 0's based"),
    integer_field<&IdentifyFields::nabsn>("nabsn", "Namespace Atomic Boundary Size Normal, LBAs, 0's based"),
    integer_field<&IdentifyFields::nabo>("nabo", "Namespace Atomic Boundary Offset, LBA"),
    integer_field<&IdentifyFields::nabspf>("nabspf", "Namespace Atomic Boundary Size Power Fail, LBAs, 0's based"),
    integer_field<&IdentifyFields::noiob>("noiob", "Namespace Optimal I/O Boundary, LBAs"),
    integer_field<&IdentifyFields::npwg>("npwg", "Namespace Preferred Write Granularity, LBAs, 0's based"),
    integer_field<&IdentifyFields::npwa>("npwa", "Namespace Preferred Write Alignment, LBAs, 0's based"),
    integer_field<&IdentifyFields::npdg>("npdg", "Namespace Preferred Deallocate Granularity, LBAs, 0's based"),
    integer_field<&IdentifyFields::npda>("npda", "Namespace Preferred Deallocate Alignment, LBAs, 0's based"),
    integer_field<&IdentifyFields::nows>("nows", "Namespace Optimal Write Size, LBAs, 0's based"),
    bool_field<&IdentifyFields::vwcnp>("vwcnp", "CNS 08h: this namespace has no volatile write cache"),
    integer_field<&IdentifyFields::mqes>("mqes", "CAP.MQES: entries of an I/O queue, 0's based", 1, 65534),
    integer_field<&IdentifyFields::io_queue_pairs>("io_queue_pairs", "I/O queue pairs that the drive grants at most", 1,
                                                   1024),
    integer_field<&IdentifyFields::to>("to", "CAP.TO: longest wait for CSTS.RDY, 500 ms units", 1, 255),
};
constexpr StructTable kIdentify{"the Identify fields", kIdentifyFields};

constexpr std::array kWriteCacheFields{
    bool_field<&WriteCacheProfile::wce_default>("wce_default", "WCE after power on"),
    bool_field<&WriteCacheProfile::wce_saveable>("wce_saveable", "Set Features can save WCE over resets"),
    bool_field<&WriteCacheProfile::feature_without_cache>("feature_without_cache",
                                                          "feature 06h works although VWC reports no cache"),
    bool_field<&WriteCacheProfile::wce_survives_reset>("wce_survives_reset",
                                                       "a controller reset leaves WCE as it is, as QEMU does"),
    enum_field<&WriteCacheProfile::get_features>("get_features", "what Get Features 06h answers", kGetFeaturesWords),
    enum_field<&WriteCacheProfile::set_features>("set_features", "what Set Features 06h does", kSetFeaturesWords),
    bool_field<&WriteCacheProfile::is_volatile>("volatile",
                                                "a power cut loses what is cached; false: power-loss protected"),
    size_field<&WriteCacheProfile::capacity_bytes>("capacity", "most dirty data", 4096, std::uint64_t{1} << 40),
};
constexpr StructTable kWriteCache{"the write cache", kWriteCacheFields};

constexpr std::array kTimingFields{
    duration_field<&TimingProfile::write_lat_floor_ns>("write_lat_floor", "write into the buffer: shortest"),
    duration_field<&TimingProfile::write_lat_median_ns>("write_lat_median",
                                                        "write into the buffer: median of the lognormal part above it"),
    fraction_field<&TimingProfile::write_lat_sigma_ppm>(
        "write_lat_sigma", "write into the buffer: sigma of the lognormal part", 5'000'000),
    duration_field<&TimingProfile::read_lat_ns>("read_lat", "read"),
    make_field<&TimingProfile::write_slots>("write_slots", FieldKind::kInteger, "writes served at once", 1, 1024),
    make_field<&TimingProfile::read_slots>("read_slots", FieldKind::kInteger, "reads served at once", 1, 1024),
    duration_field<&TimingProfile::flush_answer_ns>("flush_answer", "Flush: from start of service to completion"),
    duration_field<&TimingProfile::flush_recovery_ns>("flush_recovery",
                                                      "Flush: engine unavailable after the completion"),
    make_field<&TimingProfile::flush_servers>("flush_servers", FieldKind::kInteger, "Flushes served at once", 1, 64),
    make_field<&TimingProfile::flush_merge>("flush_merge", FieldKind::kBool,
                                            "a service takes every waiting Flush with it", 0, 1),
    duration_field<&TimingProfile::flush_drain_per_unit_ns>("flush_drain_per_unit", "Flush: added for each dirty unit"),
    make_field<&TimingProfile::flush_short_circuit_if_wce0>("flush_short_circuit_if_wce0", FieldKind::kBool,
                                                            "a Flush with WCE=0 does not visit the engine", 0, 1),
    duration_field<&TimingProfile::flush_short_circuit_ns>("flush_short_circuit", "what such a Flush costs"),
    duration_field<&TimingProfile::write_hold_behind_flush_ns>(
        "write_hold_behind_flush", "added to a write that arrives while a Flush is queued or answering"),
    duration_field<&TimingProfile::fua_extra_ns>("fua_extra", "added to a FUA write with the cache on"),
    duration_field<&TimingProfile::write_through_extra_ns>("write_through_extra",
                                                           "added to every write with the cache off"),
    make_field<&TimingProfile::unit_bytes>("unit", FieldKind::kSize, "internal indirection unit", 512, 1 << 20),
    duration_field<&TimingProfile::rmw_extra_mean_ns>("rmw_extra_mean",
                                                      "read-modify-write of a partly covered unit: mean"),
    duration_field<&TimingProfile::rmw_extra_sd_ns>("rmw_extra_sd", "read-modify-write: standard deviation"),
    duration_field<&TimingProfile::rmw_idle_after_ns>("rmw_idle_after",
                                                      "the drive is idle this long after its last write"),
    duration_field<&TimingProfile::rmw_load_extra_mean_ns>("rmw_load_extra_mean",
                                                           "read-modify-write under load: mean of an exponential part"),
    make_field<&TimingProfile::rmw_servers>("rmw_servers", FieldKind::kInteger, "read-modify-writes served at once", 1,
                                            1024),
    duration_field<&TimingProfile::unit_resident_after_full_write_ns>(
        "unit_resident_after_full_write", "a unit written whole stays in the buffer this long"),
    fraction_field<&TimingProfile::unit_resident_hit_ppm>(
        "unit_resident_hit", "chance that a partial write finds its unit in the buffer anyway", 1'000'000),
    duration_field<&TimingProfile::destage_per_unit_ns>(
        "destage_per_unit", "one unit from cache to media; 0: no time, and no background destage"),
    duration_field<&TimingProfile::destage_idle_delay_ns>("destage_idle_delay", "a dirty unit is left alone this long",
                                                          3600 * kSecondNs),
    duration_field<&TimingProfile::admin_lat_ns>("admin_lat", "an admin command"),
    duration_field<&TimingProfile::deallocate_lat_ns>("deallocate_lat", "Dataset Management, Write Zeroes"),
    duration_field<&TimingProfile::reset_ready_ns>("reset_ready", "CC.EN 0 to 1 until CSTS.RDY"),
};
constexpr StructTable kTiming{"the timing parameters", kTimingFields};

constexpr std::array kDeviceFields{
    string_field<&DeviceProfile::name>("name", "the profile's name", 1, 100),
    string_field<&DeviceProfile::description>("description", "what it is and where its figures come from"),
    object_field<&DeviceProfile::identify>("identify", "what the drive says of itself", kIdentify),
    object_field<&DeviceProfile::cache>("write_cache", "what the write cache really does", kWriteCache),
    object_field<&DeviceProfile::timing>("timing", "how long things take", kTiming),
    string_field<&DeviceProfile::effects_text>("effects",
                                               "entries of the effects log, such as \"09h=10001h, io 00h=3\"", 0, 1000),
    string_field<&DeviceProfile::faults_text>("faults",
                                              "what goes wrong on purpose: queue, opcode, which of them, status word; "
                                              "such as \"io 00h 2 800Ch; io 01h 5+3 hang\"",
                                              0, 1000),
    bool_field<&DeviceProfile::keep_image>("keep_image",
                                           "remember what every block holds; memory grows with the blocks written"),
};
constexpr StructTable kDevice{"a device profile", kDeviceFields};

// ---- kernel ----

constexpr std::array kVwcPolicyWords{
    EnumWord{"vwc", number(kernel::VwcPolicy::kVwc), "Identify Controller VWC bit 0 alone"},
    EnumWord{"vwc+wce", number(kernel::VwcPolicy::kVwcWce), "VWC bit 0 and feature 06h's WCE"},
};
constexpr std::array kOverrideWords{
    EnumWord{"queue_flag", number(kernel::WriteCacheOverride::kQueueFlag),
             "the queue's own bits, lost at the next revalidation"},
    EnumWord{"disabled_flag", number(kernel::WriteCacheOverride::kDisabledFlag), "a separate flag, kept"},
};
constexpr std::array kAtomicWords{
    EnumWord{"nawupf_or_awupf", number(kernel::AtomicWriteUnit::kNawupfOrAwupf), "NAWUPF, else AWUPF"},
    EnumWord{"nawupf", number(kernel::AtomicWriteUnit::kNawupf), "NAWUPF only"},
};
constexpr std::array kIoOptWords{
    EnumWord{"block_size", number(kernel::IoOptWithoutNows::kBlockSize), "the logical block size"},
    EnumWord{"zero", number(kernel::IoOptWithoutNows::kZero), "0"},
};

constexpr std::array kFollowsWords = {
    EnumWord{"nothing", number(kernel::MaxSectorsFollows::kNothing), "the default stays"},
    EnumWord{"io_opt_or_io_min", number(kernel::MaxSectorsFollows::kIoOptOrIoMin), "io_opt, else io_min, beyond it"},
};
constexpr std::array kPlugOrderWords = {
    EnumWord{"last_in_first_out", number(kernel::PlugOrder::kLastInFirstOut), "newest first"},
    EnumWord{"submission_order", number(kernel::PlugOrder::kSubmissionOrder), "oldest first"},
};
constexpr std::array kPlugDrainWords = {
    EnumWord{"newest", number(kernel::PlugDrainCheck::kNewest), "the newest one in the plug"},
    EnumWord{"oldest", number(kernel::PlugDrainCheck::kOldest), "the oldest one in the plug"},
};
constexpr std::array kMemberOrderWords = {
    EnumWord{"table", number(kernel::MemberOrder::kTable), "as in the table"},
    EnumWord{"reverse", number(kernel::MemberOrder::kReverse), "the last member first"},
};
constexpr std::array kStackedWords = {
    EnumWord{"effective", number(kernel::StackedWriteCache::kEffective), "members' caches in use at table load"},
    EnumWord{"feature", number(kernel::StackedWriteCache::kFeature), "members' features"},
};
constexpr std::array kCccWords = {
    EnumWord{"reinitialise", number(kernel::CccAction::kReinitialise), "the controller is identified again"},
    EnumWord{"message", number(kernel::CccAction::kMessage), "one line in the kernel log"},
};
constexpr std::array kBitmapIoSizeWords{
    EnumWord{"page", number(kernel::BitmapIoSize::kPage), "rounded up to logical_block_size"},
    EnumWord{"optimal_v2", number(kernel::BitmapIoSize::kOptimalV2), "up to optimal_io_size, as first proposed"},
    EnumWord{"optimal_6.4", number(kernel::BitmapIoSize::kOptimal6_4), "up to optimal_io_size, as merged for 6.4"},
    EnumWord{"optimal_clamped", number(kernel::BitmapIoSize::kOptimalClamped), "the same, within the bitmap's pages"},
};
constexpr std::array kMdListWords{
    EnumWord{"md_thread", number(kernel::MdListFlushedBy::kThread), "the md thread for synchronous writes"},
    EnumWord{"submitter", number(kernel::MdListFlushedBy::kSubmitter), "the submitter; a worker writes the pages"},
};
constexpr std::array kMdFlushWords{
    EnumWord{"shared", number(kernel::MdFlush::kShared), "one at a time, waited for"},
    EnumWord{"chained", number(kernel::MdFlush::kChained), "sent along with the data"},
};
constexpr std::array kKernelFields{
    string_field<&KernelProfile::name>("name", "the profile's name", 1, 100),
    string_field<&KernelProfile::description>("description", "which kernel it models"),
    enum_field<&KernelProfile::vwc_policy>("vwc_policy", "what decides a namespace's write cache", kVwcPolicyWords),
    bool_field<&KernelProfile::honours_vwcnp>("honours_vwcnp", "CNS 08h VWCNP turns a namespace's write cache off"),
    bool_field<&KernelProfile::cs_indep_needs_vs_2_0>("cs_indep_from_vs_2_0", "CNS 08h is asked for from VS 2.0 on"),
    enum_field<&KernelProfile::write_cache_override>("write_cache_override", "what a write to queue/write_cache sets",
                                                     kOverrideWords),
    enum_field<&KernelProfile::atomic_write_unit>("atomic_write_unit", "what limits physical_block_size", kAtomicWords),
    enum_field<&KernelProfile::io_opt_without_nows>("io_opt_without_nows", "io_opt with preferred sizes but NOWS 0",
                                                    kIoOptWords),
    bool_field<&KernelProfile::rejects_odd_physical_block_size>(
        "rejects_odd_physical_block_size", "a physical block size that is no power of two is refused"),
    integer_field<&KernelProfile::transport_max_sectors>("transport_max_sectors",
                                                         "the PCIe transport's cap, 512-byte sectors", 8, 65536),
    integer_field<&KernelProfile::default_max_sectors>("default_max_sectors", "default max_sectors, 512-byte sectors",
                                                       8, 65536),
    integer_field<&KernelProfile::max_segments>("max_segments", "segments of a request", 1, 512),
    integer_field<&KernelProfile::io_queue_depth>("io_queue_depth", "entries of an I/O queue", 2, 4095),
    enum_field<&KernelProfile::max_sectors_follows>("max_sectors_follows", "what raises the default of max_sectors",
                                                    kFollowsWords),
    bool_field<&KernelProfile::io_opt_rounded_down>("io_opt_rounded_down",
                                                    "io_opt is rounded down to physical_block_size"),
    bool_field<&KernelProfile::discard_granularity_covers_physical>(
        "discard_granularity_covers_physical", "discard_granularity is at least physical_block_size"),
    bool_field<&KernelProfile::discard_granularity_from_npdg>("discard_granularity_from_npdg",
                                                              "discard_granularity follows NPDG and NPDA"),
    bool_field<&KernelProfile::optperf_two_bits>("optperf_two_bits", "both bits of OPTPERF count from VS 2.1 on"),
    bool_field<&KernelProfile::sgl_lifts_virt_boundary>("sgl_lifts_virt_boundary",
                                                        "no virtual boundary on a controller that takes SGLs"),
    integer_field<&KernelProfile::max_lba_bytes>("max_lba_bytes", "largest logical block size", 512, 65536),
    enum_field<&KernelProfile::plug_order>("plug_order", "in which order a plug that ends issues its requests",
                                           kPlugOrderWords),
    enum_field<&KernelProfile::plug_drain_check>(
        "plug_drain_check", "which request of 128 KiB or more makes a plug drain", kPlugDrainWords),
    bool_field<&KernelProfile::fua_bypasses_plug>("fua_bypasses_plug",
                                                  "a FUA write that needs no Flush passes plug and scheduler"),
    bool_field<&KernelProfile::write_call_plugs>("write_call_plugs",
                                                 "a synchronous write(2) on a raw device runs inside a plug"),
    bool_field<&KernelProfile::sysfs_store_freezes>("sysfs_store_freezes",
                                                    "a write to queue/write_cache freezes the queue"),
    enum_field<&KernelProfile::dm_flush_order>("dm_flush_order", "order of a dm device's members for a flush",
                                               kMemberOrderWords),
    bool_field<&KernelProfile::dm_zeroes_by_chunk>("dm_zeroes_by_chunk",
                                                   "Write Zeroes on a striped device is cut at chunks"),
    enum_field<&KernelProfile::stacked_write_cache>("stacked_write_cache",
                                                    "from what a dm device's write cache follows", kStackedWords),
    enum_field<&KernelProfile::bitmap_io_size>("bitmap_io_size", "length of md's write of the last bitmap page",
                                               kBitmapIoSizeWords),
    bool_field<&KernelProfile::bitmap_offset_unsigned>(
        "bitmap_offset_unsigned", "a bitmap in front of its superblock is taken for one behind it"),
    bool_field<&KernelProfile::bitmap_limit_by_node>("bitmap_limit_by_node",
                                                     "optimal_clamped counts from the node's own first page"),
    enum_field<&KernelProfile::md_list_flushed_by>("md_list_flushed_by", "who writes md's bitmap and sends its data",
                                                   kMdListWords),
    enum_field<&KernelProfile::md_flush>("md_flush", "what a PREFLUSH to an array does", kMdFlushWords),
    bool_field<&KernelProfile::md_clone_keeps_flags>("md_clone_keeps_flags",
                                                     "md's copies carry all flags, not only SYNC and FUA"),
    bool_field<&KernelProfile::md_degraded_by_request>(
        "md_degraded_by_request", "a bit stays when its write missed a member, not whenever one is missing"),
    integer_field<&KernelProfile::md_plug_limit>("md_plug_limit", "requests in a plug's list of an array; 0: no limit",
                                                 0, 1024),
    integer_field<&KernelProfile::hz>("hz", "CONFIG_HZ: timers tick this often a second", 100, 1000),
    bool_field<&KernelProfile::write_zeroes_deac>("write_zeroes_deac", "Write Zeroes that may unmap carry DEAC"),
    bool_field<&KernelProfile::parallel_scan>("parallel_scan",
                                              "namespaces of one scan are identified at the same time"),
    bool_field<&KernelProfile::ns_nvm_from_vs_1_2>("ns_nvm_from_vs_1_2",
                                                   "CNS 05h from VS 1.2 on, not only with CTRATT.ELBAS"),
    enum_field<&KernelProfile::ccc_action>("ccc_action", "what passthrough effects with CCC do", kCccWords),
    bool_field<&KernelProfile::cse_relaxations>("cse_relaxations", "effects bits 15:14 cancel the freeze of CSE"),
    duration_field<&KernelProfile::io_timeout_ns>("io_timeout", "nvme_io_timeout"),
    duration_field<&KernelProfile::admin_timeout_ns>("admin_timeout", "nvme_admin_timeout"),
    bool_field<&KernelProfile::size_limit_not_supported>("size_limit_not_supported",
                                                         "status 1/83h reads as \"not supported\""),
    integer_field<&KernelProfile::max_retries>("max_retries", "nvme_max_retries", 0, 255),
    duration_field<&KernelProfile::pending_flush_timeout_ns>("pending_flush_timeout",
                                                             "condition C3 of the flush machine"),
};
constexpr StructTable kKernel{"a kernel profile", kKernelFields};

// ---- host ----

constexpr std::array kPolicyWords{
    EnumWord{"frozen_random", number(kernel::PlacementPolicy::kFrozenRandom), "a random CPU at creation, kept"},
    EnumWord{"per_wake_random", number(kernel::PlacementPolicy::kPerWakeRandom), "a new random CPU at every wake-up"},
    EnumWord{"round_robin", number(kernel::PlacementPolicy::kRoundRobin), "the next CPU at creation, kept"},
    EnumWord{"pinned", number(kernel::PlacementPolicy::kPinned), "the listed CPUs in order at creation, kept"},
};
constexpr std::array kPlacementFields{
    enum_field<&Placement::policy>("policy", "where io-wq workers run", kPolicyWords),
    list_field<&Placement::cpus>("cpus", "CPUs to choose from; empty: all but the submitter's", 1023),
    integer_field<&Placement::seed>("seed", "which draw"),
};
constexpr StructTable kPlacement{"the placement of workers", kPlacementFields};

constexpr std::array kCostFields{
    duration_field<&HostCosts::submit_write_ns>("submit_write", "submitting one read or write, up to the doorbell"),
    duration_field<&HostCosts::submit_write_tail_ns>("submit_write_tail",
                                                     "from the doorbell to the return of the system call"),
    duration_field<&HostCosts::submit_fsync_ns>("submit_fsync", "submitting one fsync: queue it for a worker"),
    duration_field<&HostCosts::reap_one_ns>("reap_one", "taking one completion"),
    duration_field<&HostCosts::irq_ns>("irq", "interrupt and completion work of one command, on the queue's CPU"),
    duration_field<&HostCosts::task_wake_ns>("task_wake", "a sleeping user task, from wake-up to running"),
    duration_field<&HostCosts::worker_wake_ns>("worker_wake", "an idle worker, from wake-up to running"),
    duration_field<&HostCosts::worker_run_ns>("worker_run",
                                              "a worker, until its system call has done its block-layer work"),
    duration_field<&HostCosts::worker_post_ns>("worker_post", "a worker, posting the completion"),
    duration_field<&HostCosts::worker_create_ns>("worker_create", "a new worker, until it runs"),
    duration_field<&HostCosts::flush_requeue_ns>("flush_requeue", "kblockd, from the requeue list to the driver"),
    duration_field<&HostCosts::flush_waiter_wake_ns>("flush_waiter_wake",
                                                     "a worker that slept through a Flush, from wake-up to running"),
    duration_field<&HostCosts::buffered_write_ns>("buffered_write", "copying one page into the page cache"),
    duration_field<&HostCosts::writeback_page_ns>("writeback_page", "writing back one page, up to the doorbell"),
    duration_field<&HostCosts::fsync_call_ns>("fsync_call", "fsync(2) around its I/O"),
    duration_field<&HostCosts::md_thread_wake_ns>("md_thread_wake", "waking the md thread"),
    duration_field<&HostCosts::md_wait_wake_ns>("md_wait_wake", "waking a task that waited for md's metadata"),
    duration_field<&HostCosts::passthru_ns>("passthru", "an NVMe ioctl up to the doorbell"),
    duration_field<&HostCosts::process_ns>("process", "start and end of one nvme-cli process"),
};
constexpr StructTable kCosts{"the host's costs", kCostFields};

constexpr std::array kHostFields{
    string_field<&HostProfile::name>("name", "the profile's name", 1, 100),
    string_field<&HostProfile::description>("description", "which machine it is"),
    integer_field<&HostProfile::cpus>("cpus", "CPUs", 1, 1024),
    integer_field<&HostProfile::fio_cpu>("fio_cpu", "the CPU of the first job", 0, 1023),
    size_field<&HostProfile::page_cache_bytes>("page_cache", "page cache of a raw device", 1 << 20,
                                               std::uint64_t{1} << 40),
    size_field<&HostProfile::dirty_limit_bytes>("dirty_limit", "a writer beyond it writes back first", 1 << 16,
                                                std::uint64_t{1} << 40),
    object_field<&HostProfile::placement>("placement", "where io-wq workers run", kPlacement),
    object_field<&HostProfile::costs>("costs", "CPU time and latencies", kCosts),
};
constexpr StructTable kHost{"a host profile", kHostFields};

// ---- the array of a scenario ----

constexpr std::array kArrayFields{
    integer_field<&ArrayConfig::level>("level", "1 or 10", 1, 10),
    string_field<&ArrayConfig::layout>("layout", "RAID10: n2, f2, o2, ...", 2, 4),
    integer_field<&ArrayConfig::raid_devices>("raid_devices", "members: drives of the device profile", 1, 64),
    size_field<&ArrayConfig::chunk_bytes>("chunk", "RAID10: the chunk", 4096, std::uint64_t{1} << 40),
    size_field<&ArrayConfig::size_bytes>("size", "of each member that is used; 0: all that there is", 0,
                                         kMaxDriveBytes),
    string_field<&ArrayConfig::metadata>("metadata", "0.90, 1.0, 1.1 or 1.2", 1, 4),
    string_field<&ArrayConfig::bitmap>("bitmap", "internal or none", 1, 9),
    size_field<&ArrayConfig::bitmap_chunk_bytes>("bitmap_chunk", "of the write-intent bitmap; 0: as mdadm chooses", 0,
                                                 std::uint64_t{1} << 40),
    integer_field<&ArrayConfig::data_offset_sectors>("data_offset", "sectors in front of the data; 0: as mdadm chooses",
                                                     0, std::uint64_t{1} << 40),
    duration_field<&ArrayConfig::daemon_sleep_ns>("daemon_sleep", "between two passes of the bitmap's daemon",
                                                  3600 * kSecondNs),
    bool_field<&ArrayConfig::fresh>("fresh", "just created with --assume-clean: every bit is set"),
};
constexpr StructTable kArray{"an array", kArrayFields};

}  // namespace

const StructTable& device_table() {
  return kDevice;
}
const StructTable& kernel_table() {
  return kKernel;
}
const StructTable& host_table() {
  return kHost;
}
const StructTable& array_table() {
  return kArray;
}

const StructTable& table_of(ConfigKind kind) {
  return kind == ConfigKind::kDevice ? kDevice : kind == ConfigKind::kKernel ? kKernel : kHost;
}

}  // namespace flushlab::lab
