// SPDX-License-Identifier: GPL-2.0-only
// Whole jobs of fio 3.33 at queue depth 1, as recorded with write_iolog from the real program (psync, one new file), to
// the last I/O of the last pass: the number of lines `write OFFSET LENGTH`, `read ...`, `sync`, `datasync` and
// `sync_file_range`, and their FNV-1a hash.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <iterator>
#include <sstream>

#include "hostmodel/fio/job_file.hpp"
#include "hostmodel/fio/next_io.hpp"

namespace flushlab::fio {
namespace {

struct Recording {
  const char* arguments;
  std::uint64_t lines;
  std::uint64_t hash;
};
// clang-format off
const Recording kRecordings[] = {
    {"--rw=randwrite --bs=4k --size=1M", 256, 0xf98b207c3fc2930e},
    {"--rw=randwrite --bs=4k --size=64M --number_ios=16", 16, 0xaac389f96279da9a},
    {"--rw=randwrite --bs=4k --size=1M --loops=3", 768, 0xa32cce0c9430b5aa},
    {"--rw=randwrite --bs=4k --size=1M --loops=3 --randrepeat=0 --randseed=5", 768, 0x5b45cf4f8601e862},
    {"--rw=randwrite --bs=4k --size=1M --randseed=5 --loops=2", 512, 0x2cddb24a092ea15d},
    {"--rw=randwrite --bs=4k --size=1M --norandommap --loops=2", 512, 0x8130735eeb9d3109},
    {"--rw=randwrite --bs=4k --size=1M --io_size=3M", 768, 0xa32cce0c9430b5aa},
    {"--rw=write --bs=4k --size=1M --io_size=3M", 768, 0x4bf1ad6d1effd6dc},
    {"--rw=write --bs=4k --size=1M --io_size=512k", 128, 0x13ebce8bbc37e9e1},
    {"--rw=randrw --bs=4k --size=1M --rwmixread=70 --fsync=3", 347, 0x323d3b9b3ad4182f},
    {"--rw=rw --bs=4k --size=1M --rwmixread=30 --fsync=3", 343, 0xd754ad9a9cd16089},
    {"--rw=rw --bs=4k,8k --size=1M --rwmixwrite=30 --fdatasync=3", 262, 0xe3b7ebdae45ed9d0},
    {"--rw=randrw --bs=4k,8k --size=1M", 128, 0x8d9daecf3475c0e7},
    {"--rw=randwrite --bs=,8k --size=1M", 51, 0x269a04568b914a92},
    {"--rw=randwrite --bsrange=4k-16k --size=1M", 119, 0x44b3c38a6e28ad7b},
    {"--rw=randrw --bsrange=4k-16k,8k-32k --size=1M --fsync=1", 111, 0xbc9201252b61e05d},
    {"--rw=randwrite --bsrange=512-16k --size=1001k", 177, 0xfac1eb57c6914da2},
    {"--rw=write --bsrange=512-16k --size=1001k", 118, 0x54db130e048b80ae},
    {"--rw=randwrite --bssplit=4k/50:8k/30:16k/20 --size=1M", 160, 0x36342af81a95bebd},
    {"--rw=randwrite --bssplit=4k/50:8k/30 --size=1M", 214, 0x8a90cd857278484d},
    {"--rw=randrw --bssplit=4k/10:64k/:32k/,8k/50:4k/50 --size=2M", 138, 0xcd42c6f7538e5d62},
    {"--rw=write --bssplit=4k/10:64k/:32k/ --size=2M", 48, 0x623f7f83acb3588f},
    {"--rw=randwrite --bssplit=4k/0:8k/100 --size=100k", 16, 0xd8798c12c2e8880a},
    {"--rw=randwrite --bs=4k --blockalign=8k --size=1M --number_ios=100", 100, 0xe743b55e6b0f6cc1},
    {"--rw=randwrite --bs=8k --blockalign=4k --size=1M --number_ios=100", 100, 0xb3ee59018b996e1e},
    {"--rw=randwrite --bs=4k --size=1M --offset=128k", 256, 0x9050552d7dab5a89},
    {"--rw=randwrite --bs=4k --size=1M --percentage_random=50", 256, 0xf04a93cdc7bf18b3},
    {"--rw=randrw --bs=4k --size=1M --percentage_random=50,20", 256, 0x86772db92f346329},
    {"--rw=randwrite --bs=4k --size=1M --percentage_random=0", 256, 0xcdbb04ae56ade634},
    {"--rw=randwrite:4 --bs=4k --size=1M", 256, 0xa406cc030fe2fc7d},
    {"--rw=randwrite:4 --bs=4k --size=1M --rw_sequencer=identical", 256, 0x41625e16558666a5},
    {"--rw=randwrite:3 --bs=4k --size=1M --loops=2", 512, 0x37593d877de02cb6},
    {"--rw=randread:3 --bs=4k --size=1M --loops=2 --percentage_random=60", 512, 0xabff8cdbfeb44424},
    {"--rw=write:8k --bs=4k --size=256k", 22, 0xdc0c766e5fc3b8bb},
    {"--rw=write:8k --bs=4k --size=256k --offset=64k", 22, 0x201a930182e4dc5b},
    {"--rw=write:6k --bs=4k --size=256k --offset=64k", 26, 0xe52eba1bd7e70d8c},
    {"--rw=read:4k --bs=4k --size=256k --io_size=128k", 32, 0x8f9800c651e554f4},
    {"--rw=randwrite --bs=4k --size=1M --random_generator=tausworthe64", 256, 0xe5a816908a95c964},
    {"--rw=randwrite --bsrange=4k-16k --size=1M --random_generator=tausworthe64 --loops=2", 244, 0x3bf27a6e136aca19},
    {"--rw=randwrite --bssplit=4k/60:8k/40 --size=1M --random_generator=tausworthe64", 206, 0x920a775c3352cb9a},
    {"--rw=randwrite --bs=4k --size=1M --random_generator=lfsr", 256, 0x5a5562ef4ae48b40},
    {"--rw=randwrite --bs=4k --size=1M --random_generator=lfsr --loops=3", 768, 0x5f3050c2ef4ff268},
    {"--rw=randrw --bs=4k --size=1M --random_generator=lfsr", 256, 0x8a5fc671125f771a},
    {"--rw=randwrite --bs=4k --size=1000k --random_generator=lfsr --randrepeat=0 --randseed=77", 250, 0x531e71b08b4fbee2},
    {"--rw=randwrite --bs=4k --size=12k --random_generator=lfsr", 3, 0x61ae684266388802},
    {"--rw=randwrite --bs=4k --size=7M --random_generator=lfsr --number_ios=300", 300, 0xb17310b5bba6ee9c},
    {"--rw=randwrite --bs=4k --size=30M --random_generator=lfsr --number_ios=300", 300, 0x86a22e12b27a5681},
    {"--rw=randwrite --bs=512 --size=30M --random_generator=lfsr --number_ios=300", 300, 0x282ebf4bd3d53241},
    {"--rw=randwrite --bs=4k --size=200M --random_generator=lfsr --number_ios=300", 300, 0x8df3d58a2415eca9},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=zipf:1.1 --number_ios=500 --randrepeat=0 --randseed=7", 500, 0x56bd3d42aa42fec4},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=zipf:0.6 --number_ios=500", 500, 0x86841a2f9f7a4888},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=zipf:0.6:0.3 --number_ios=500", 500, 0x9336b519b5385e54},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=pareto:0.3 --number_ios=500", 500, 0xe775ce978ab3ac68},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=pareto:0.3:0.7 --number_ios=500 --randseed=9", 500, 0x016f96299bedac68},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=normal:10 --number_ios=500", 500, 0x22bc7a6249fe8419},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=normal:30:0.2 --number_ios=500", 500, 0x1a17a088c4e61e2b},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=normal:30:0.8 --number_ios=500", 500, 0xc0d9db57923408ed},
    {"--rw=randwrite --bs=4k --size=64M --random_distribution=normal --number_ios=500", 500, 0x8af07344269afaf0},
    {"--rw=randrw --bs=4k --size=64M --random_distribution=zoned:60/10:30/20:8/30:2/40 --number_ios=500", 500, 0xeb6c17b3219ed549},
    {"--rw=randwrite --bs=4k --size=1M --random_distribution=zipf:1.1 --loops=2", 512, 0x8600640b6ab1281e},
    {"--rw=write --bs=4k --size=1M --number_ios=20 --fsync=1", 39, 0x8f22bf364a638cca},
    {"--rw=write --bs=4k --size=1M --number_ios=20 --fsync=1 --end_fsync=1", 40, 0x69a262b8f8a7bc51},
    {"--rw=write --bs=4k --size=64k --fsync=1", 31, 0x7466b641044c3e3e},
    {"--rw=write --bs=4k --size=64k --fsync=4 --fdatasync=2 --loops=2", 48, 0xf896c46836ed1029},
    {"--rw=write --bs=4k --size=64k --sync_file_range=write:3 --end_fsync=1 --loops=2", 44, 0x1792c025b64b244b},
    {"--rw=randrw --bs=4k --size=1M --fsync=1", 508, 0x4df31301b72d26aa},
    {"--rw=randread --bs=4k --size=1M --fsync=1", 256, 0x6c48606620125206},
    {"--rw=read --bs=4k --size=1M", 256, 0x5459c3940098be74},
    {"--rw=randwrite --bs=8k --size=1001k --loops=2", 250, 0x90307a7af9bd9541},
    {"--rw=write --bs=8k --size=1001k --loops=2", 250, 0x110afad75ddc18cd},
    {"--rw=randwrite --bs=4k --size=1M --io_size=50%", 128, 0x06136dbba21c5657},
    {"--rw=write --bs=4k --size=1M --io_size=50%", 128, 0x13ebce8bbc37e9e1},
    {"--rw=write --bs=4k --size=1M --io_size=1000k --loops=2", 500, 0xaf12c6c8e0ab29b6},
    {"--rw=randwrite --bs=4k --size=1M --number_ios=50 --loops=2", 100, 0x488f22e2f0a56655},
    {"--rw=randwrite --bs=4k --size=128k --number_ios=50", 32, 0x7f3e7e3b46b74604},
    {"--rw=randwrite --bs=4k --size=128k --number_ios=50 --io_size=1M", 50, 0x90e502929822777e},
    {"--rw=randwrite --bs=4k --size=1M --norandommap --io_size=2M", 512, 0x8130735eeb9d3109},
    {"--rw=write:64k --bs=4k --size=1M", 16, 0x3f028e6a1663746f},
    {"--rw=randwrite --bs=4k --size=1M --allrandrepeat=1 --loops=2", 512, 0xd207da3420da7349},
    {"--rw=randrw --bsrange=4k-8k --size=1M --allrandrepeat=1 --randseed=4", 193, 0x3d6c3940041f21ae},
    {"--rw=randwrite --bs=4k --size=1M --numjobs=1 --randseed=0x1234567890", 256, 0xf98b207c3fc2930e},
    {"--rw=randrw --bs=4k --size=64M --random_distribution=zoned:60/10:40/90 --number_ios=500", 500, 0x17e8ea9d619269ca},
    {"--rw=randrw --bs=4k,8k --size=64M --random_distribution=zoned:5/1:15/39:80/60 --number_ios=500", 500, 0x0bc5d7d901f27815},
    {"--rw=write:8k --bs=4k --size=64k --offset=64k --io_size=256k", 64, 0xfcc0c1014ca653b8},
    {"--rw=write:60k --bs=4k --size=64k --offset=64k --io_size=256k", 64, 0x7b7d47ad3bdfa4e5},
    {"--rw=write:8k --bs=4k --size=64k --offset=64k --loops=3", 18, 0xf38f8196491cfeab},
    {"--rw=write:12k --bs=4k --size=1M --offset=64k --number_ios=100", 64, 0x0eb8935956342f57},
    {"--rw=write:12k --bs=4k --size=128k --io_size=1M", 256, 0xc89d3da71459a525},
    {"--rw=randrw --bs=4k --size=1M --rwmixread=0", 256, 0xf98b207c3fc2930e},
    {"--rw=randrw --bs=4k --size=1M --rwmixread=100", 256, 0x6c48606620125206},
    {"--rw=randwrite --bsrange=1k-1M --size=5M --norandommap --randseed=3", 10, 0x33a8373404577ff9},
    {"--rw=rw:8k --bsrange=512-8k,1k-4k --size=300k --randseed=549512532852 --norandommap --rwmixread=69 --fsync=2 --fdatasync=2 --random_generator=tausworthe64 --random_distribution=zoned:50/5:50/95", 118, 0x8a85a11c05d78404},
    {"--rw=randread --bs=4k,8k --size=64k --io_size=32k --number_ios=7 --randseed=437921213426 --rw_sequencer=identical --random_distribution=zipf:1.2", 7, 0x166bc56fb132e19e},
    {"--rw=randrw --bsrange=512-8k,1k-4k --size=2M --number_ios=50 --rwmixread=2", 50, 0x03d7b3ab233e38b4},
    {"--rw=randrw:2 --bs=4k --size=1M --loops=2 --randrepeat=1 --percentage_random=95", 512, 0x36f3e215e351761f},
    {"--rw=randread --bssplit=4k/30:8k/70 --size=300k --number_ios=7 --fdatasync=4 --end_fsync=1", 7, 0xe379ac9851308457},
    {"--rw=randread --bs=4k --size=64k --loops=2 --randrepeat=1 --allrandrepeat=1 --percentage_random=58 --end_fsync=1", 32, 0x0e194532e496aa3e},
    {"--rw=rw --bsrange=512-8k,1k-4k --size=777k --io_size=500k --randseed=1099241665461 --allrandrepeat=1 --fdatasync=3", 203, 0xb52e65b82700aac6},
    {"--rw=rw --bs=3000 --size=300k --loops=3 --randrepeat=1", 308, 0x5f2af0e1a5f05ed5},
    {"--rw=randread --bs=3000 --size=300k --number_ios=50 --fsync=4", 50, 0xef2dbaafa42f2b75},
    {"--rw=rw:8k --bs=3000 --size=2M --io_size=3M --loops=2 --randrepeat=1 --allrandrepeat=1 --random_generator=lfsr", 2098, 0x95a1a57b7a5aa99a},
    {"--rw=randwrite:3 --bsrange=512-8k,1k-4k --size=777k --randrepeat=1 --percentage_random=45 --rw_sequencer=identical", 311, 0xf8144de438f7169b},
    {"--rw=rw:8k --bs=3000 --size=1M --randseed=713428076893 --norandommap", 350, 0xe325ff95538e25a8},
    {"--rw=randread --bsrange=512-8k,1k-4k --size=300k --randrepeat=1 --allrandrepeat=1 --fsync=2 --end_fsync=1", 114, 0x5e260a158c980fcd},
    {"--rw=randwrite --bs=3000 --size=300k --loops=3 --percentage_random=97 --fsync=3", 410, 0x11c15aa48bd25d71},
    {"--rw=rw:8k --bs=4k,8k --size=64k --offset=1M --randrepeat=1 --rw_sequencer=identical", 10, 0x50aea9085177dff4},
    {"--rw=write --bsrange=512-8k,1k-4k --size=64k --loops=3 --randseed=932667299877 --norandommap --percentage_random=10 --end_fsync=1", 80, 0xbd0c744b245c019a},
    {"--rw=read --bs=512 --size=64k --offset=1M --loops=2 --allrandrepeat=1 --norandommap --fsync=2 --fdatasync=1 --random_distribution=zoned:50/5:50/95", 256, 0xbd1b5ae80b31009d},
    {"--rw=rw:8k --bs=4k,8k --size=64k --randrepeat=1 --norandommap", 11, 0x55e982ece3f8ec8d},
    {"--rw=write:4k --bs=4k,8k --size=1M --number_ios=7 --randrepeat=1 --allrandrepeat=1 --norandommap --fsync=4 --blockalign=16k", 8, 0x4865256e6e8b4984},
    {"--rw=randwrite:3 --bsrange=4k-16k --size=64k --offset=1M --loops=3 --number_ios=7 --randseed=767533527079 --fsync=4 --random_generator=lfsr", 24, 0xa385c14cc5976d24},
    {"--rw=read --bs=4k,8k --size=1M --offset=64k --randseed=659149432195 --fsync=2 --end_fsync=1", 256, 0xd2899b2c14b0479f},
    {"--rw=write --bsrange=512-8k,1k-4k --size=1M --loops=2 --number_ios=50 --randrepeat=1 --percentage_random=100 --random_distribution=pareto:0.3", 100, 0xd131a04b7e3b369b},
    {"--rw=write --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=300k --io_size=500k --loops=3 --number_ios=7 --randseed=947507069278 --fdatasync=1 --random_distribution=zipf:1.2", 41, 0x37ff7b7edf6db615},
    {"--rw=randwrite --bs=3000 --size=64k --io_size=32k --randrepeat=1 --fdatasync=4 --end_fsync=1 --random_generator=tausworthe64 --rw_sequencer=identical", 14, 0x8779d1f978efba1f},
    {"--rw=randread --bs=512 --size=1M --allrandrepeat=1 --norandommap --blockalign=4k --rw_sequencer=identical", 2048, 0x0362eaddc2932a60},
    {"--rw=randwrite:3 --bssplit=4k/30:8k/70 --size=1M --offset=4k --percentage_random=90 --fsync=3 --random_generator=tausworthe64 --random_distribution=normal:20", 199, 0x87e3d2e5ac586ac1},
    {"--rw=randread --bs=4k --size=777k --offset=1M --randrepeat=1 --norandommap --percentage_random=21 --fsync=4 --random_generator=lfsr --blockalign=2k", 195, 0xf82bf216662faf2f},
    {"--rw=randwrite:3 --bsrange=512-8k,1k-4k --size=2M --offset=1M --number_ios=7 --randseed=210380111028 --randrepeat=0 --norandommap", 7, 0x8407f48a15fab724},
    {"--rw=read --bs=4k,8k --size=2M --loops=2 --randrepeat=1 --allrandrepeat=1", 1024, 0x2f6b6a1d7e59f789},
    {"--rw=randwrite --bssplit=4k/30:8k/70 --size=300k --randseed=882591626635 --randrepeat=1 --percentage_random=50 --fsync=3 --end_fsync=1", 60, 0x2228c8c2b0bd397e},
    {"--rw=rw:8k --bs=512 --size=1M --io_size=3M --randrepeat=1 --random_distribution=pareto:0.3", 6144, 0x07a3ae450ae058bc},
    {"--rw=randwrite:3 --bssplit=4k/30:8k/70 --size=2M --offset=1M --io_size=500k --loops=2 --fsync=2 --fdatasync=1", 295, 0x14c5d5961336f9ee},
    {"--rw=rw:8k --bsrange=4k-16k --size=777k --loops=3 --number_ios=7 --randrepeat=1 --rwmixread=41 --fsync=3 --end_fsync=1 --random_distribution=pareto:0.3", 27, 0x8dc35150e37af682},
    {"--rw=write --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=1M --offset=4k --fsync=4 --rw_sequencer=identical --random_distribution=pareto:0.3", 106, 0xbbb1d9fb03f6874d},
    {"--rw=randwrite:3 --bsrange=4k-16k --size=300k --randseed=302729468193 --random_distribution=pareto:0.3", 32, 0x5f5e246ecfc18ad0},
    {"--rw=randread --bs=512 --size=64k --randrepeat=1 --allrandrepeat=1 --rw_sequencer=identical", 128, 0xccf9fe910570143c},
    {"--rw=randread --bs=3000 --size=64k --offset=1M --loops=3 --number_ios=7 --norandommap --end_fsync=1", 21, 0x9542e08a7bc7c6af},
    {"--rw=randwrite:3 --bs=4k,8k --size=300k --number_ios=7 --randseed=141081144139 --allrandrepeat=1 --percentage_random=85 --fdatasync=1", 13, 0x396659efb275cc64},
    {"--rw=randwrite --bs=512 --size=777k --loops=2 --number_ios=7 --randseed=1007437536228 --norandommap --fsync=4 --fdatasync=1 --random_distribution=pareto:0.3", 27, 0x456cb775f7ac0e1d},
    {"--rw=randwrite:3 --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=2M --randseed=909344487759 --fsync=2 --end_fsync=1", 257, 0xbc83dd7d435116f5},
    {"--rw=randread --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=64k --offset=1M --number_ios=300 --percentage_random=51", 27, 0x98ccef769dd78680},
    {"--rw=rw --bs=4k --size=2M --offset=64k --io_size=500k --number_ios=7 --rwmixread=64 --fsync=4 --rw_sequencer=identical --random_distribution=normal:20", 7, 0x37fca392adbaba0d},
    {"--rw=rw:8k --bsrange=512-8k,1k-4k --size=2M --number_ios=7 --norandommap --percentage_random=79 --rwmixread=65 --fsync=3 --end_fsync=1", 8, 0x99c918691d3a4bec},
    {"--rw=randrw:2 --bs=4k --size=64k --io_size=32k --number_ios=50 --randrepeat=1 --norandommap --percentage_random=21 --fsync=3", 8, 0x1dc153437367e00b},
    {"--rw=randrw --bs=512 --size=64k --randrepeat=1 --rw_sequencer=identical", 128, 0xb411a56639ae715c},
    {"--rw=rw --bs=512 --size=300k --offset=64k --io_size=500k --loops=3 --allrandrepeat=1 --percentage_random=78 --rwmixread=11 --fsync=1 --rw_sequencer=identical", 4112, 0xda36e5f03d21af98},
    {"--rw=randread --bs=3000 --size=2M --io_size=500k --loops=3 --randrepeat=1 --allrandrepeat=1 --percentage_random=40 --fsync=1 --fdatasync=4", 512, 0x58774e0955fe15e1},
    {"--rw=write --bs=512 --size=300k --offset=1M --io_size=3M --loops=3 --number_ios=50 --randrepeat=1 --norandommap --percentage_random=91 --random_generator=lfsr", 150, 0x852278cdd11cad5c},
    {"--rw=write:4k --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=64k --io_size=500k --loops=3 --randrepeat=1 --allrandrepeat=1 --percentage_random=31 --fsync=1 --fdatasync=4", 120, 0xda6f44555fd94b2f},
    {"--rw=randwrite --bs=4k,8k --size=777k --io_size=32k --randrepeat=1", 4, 0xe8af54d44622c11f},
    {"--rw=rw:8k --bs=512 --size=1M --randrepeat=1 --percentage_random=59 --fsync=4 --fdatasync=3", 3087, 0x5b18cd642301720a},
    {"--rw=read --bssplit=4k/30:8k/70 --size=2M --randrepeat=1 --norandommap --end_fsync=1 --random_distribution=pareto:0.3", 304, 0xfb0ea3ab4ea926f3},
    {"--rw=rw --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=300k --number_ios=300 --randrepeat=1 --norandommap --rw_sequencer=identical", 43, 0xd2ddbda9f598effc},
    {"--rw=randwrite --bs=4k,8k --size=1M --io_size=500k --number_ios=300 --percentage_random=8", 63, 0x613fea43396d5b6b},
    {"--rw=randrw:2 --bs=4k --size=300k --io_size=500k --loops=2 --number_ios=7 --randseed=1034240622198 --norandommap --random_distribution=zoned:50/5:50/95", 14, 0x4df55c9fc4586823},
    {"--rw=write:4k --bsrange=4k-16k --size=64k --io_size=3M --number_ios=7 --randrepeat=1 --allrandrepeat=1 --fdatasync=4 --random_generator=tausworthe64 --rw_sequencer=identical", 8, 0x0dfd25b92f7120cf},
    {"--rw=rw --bs=3000 --size=2M", 700, 0x890fdaf33f4542fe},
    {"--rw=read --bsrange=4k-16k --size=2M --io_size=3M --loops=3 --number_ios=7 --randrepeat=1", 21, 0x5873d29422725702},
    {"--rw=write --bs=512 --size=300k --allrandrepeat=1 --percentage_random=82 --end_fsync=1", 601, 0x339467dff4d1c095},
    {"--rw=randwrite:3 --bsrange=512-8k,1k-4k --size=2M --io_size=3M --allrandrepeat=1 --fsync=4 --fdatasync=3 --blockalign=4k --rw_sequencer=identical", 1838, 0xe0d699ed340d07c1},
    {"--rw=randrw --bs=4k --size=777k --rwmixread=65 --random_distribution=zoned:50/5:50/95", 195, 0x561521704013497c},
    {"--rw=randrw --bs=4k --size=300k --number_ios=7 --allrandrepeat=1 --norandommap --fsync=1", 13, 0x87c5c843b486aa03},
    {"--rw=randrw --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=777k --loops=3 --randrepeat=1 --fsync=4 --random_generator=tausworthe64 --rw_sequencer=identical", 242, 0x9764f8805f7700c6},
    {"--rw=read --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=300k --offset=1M --io_size=3M --number_ios=50 --randseed=428716539275", 50, 0xd15acb28792b66a3},
    {"--rw=read --bs=4k --size=1M --io_size=3M --loops=2 --randrepeat=1 --allrandrepeat=1 --fsync=3 --fdatasync=1", 768, 0xef52ce84c0e82ca4},
    {"--rw=randrw --bssplit=4k/30:8k/70 --size=300k --number_ios=7 --allrandrepeat=1", 7, 0x8fea8104afe9a686},
    {"--rw=read --bsrange=512-8k,1k-4k --size=64k --io_size=32k --number_ios=7", 7, 0xfafc8041eb858d4b},
    {"--rw=randread --bs=4k --size=2M --io_size=32k --number_ios=7 --randseed=479251125751 --randrepeat=0 --percentage_random=75 --random_generator=tausworthe64 --random_distribution=pareto:0.3", 7, 0x41be3d50272f3c8e},
    {"--rw=rw:8k --bs=3000 --size=2M --allrandrepeat=1 --norandommap --percentage_random=20 --rw_sequencer=identical", 700, 0x641b641a85c7ed16},
    {"--rw=write:4k --bsrange=4k-16k --size=64k --number_ios=300 --randseed=606283749757 --norandommap --end_fsync=1 --random_generator=tausworthe64", 6, 0x01fa9636624aa54f},
    {"--rw=write --bs=3000 --size=777k --io_size=3M --randrepeat=1 --percentage_random=98", 1049, 0xf78b49612e63709b},
    {"--rw=randwrite:3 --bsrange=4k-16k --size=2M --loops=2 --allrandrepeat=1 --random_generator=lfsr --rw_sequencer=identical", 410, 0x9d9cc910de0e51ba},
    {"--rw=randrw:2 --bs=4k --size=1M --offset=1M --allrandrepeat=1", 256, 0xe47c9c60cfd7c54a},
    {"--rw=randwrite --bs=4k,8k --size=777k --number_ios=300 --allrandrepeat=1 --norandommap --fsync=3 --blockalign=4k", 130, 0x0ce9082cbe99dc7c},
    {"--rw=randrw --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=300k --offset=64k --io_size=32k --number_ios=50 --percentage_random=80 --fsync=3 --fdatasync=1 --end_fsync=1 --blockalign=2k", 13, 0xc7c7fa997a0fd2f7},
    {"--rw=read --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=777k --io_size=3M --randrepeat=1 --fsync=3 --blockalign=4k", 1207, 0x0801088f0edf223a},
    {"--rw=randrw:2 --bs=512 --size=300k --io_size=500k --loops=2 --randrepeat=1 --rwmixread=90 --fsync=1", 3994, 0xcaab1447dc3139a4},
    {"--rw=randrw:2 --bsrange=512-8k,1k-4k --size=1M --offset=64k --loops=2 --rwmixread=6 --fdatasync=4", 1040, 0xdfa05d610d898588},
    {"--rw=write:4k --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=1M --offset=1M --number_ios=7 --rw_sequencer=identical", 7, 0x85a07df6b6f46508},
    {"--rw=randrw --bsrange=512-8k,1k-4k --size=2M --offset=64k --rwmixread=23 --end_fsync=1 --blockalign=2k", 710, 0x48dff660830beb1d},
    {"--rw=write:4k --bs=3000 --size=64k --io_size=32k --randrepeat=1 --allrandrepeat=1", 11, 0x62096499980a66d6},
    {"--rw=write --bs=3000 --size=300k --io_size=32k", 11, 0x0b9e9388da3904e6},
    {"--rw=randwrite:3 --bs=4k,8k --size=2M --offset=1M --fdatasync=2", 383, 0xa3337c3fffdc3974},
    {"--rw=randwrite --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=1M --offset=64k --io_size=3M --randrepeat=1 --blockalign=2k", 256, 0x862dab0a2bbd0fc0},
    {"--rw=rw:8k --bs=512 --size=300k --norandommap --blockalign=2k --random_distribution=normal:20", 600, 0x530e6f1e6ce51b5f},
    {"--rw=randread --bsrange=4k-16k --size=64k --io_size=32k --loops=3 --randseed=219052736283 --fsync=4 --random_generator=lfsr", 13, 0xa569f964d4d2addd},
    {"--rw=rw:8k --bs=3000 --size=64k --number_ios=300 --randseed=84837812059 --rwmixread=53", 22, 0x51058f977e703869},
    {"--rw=read --bs=4k --size=1M --number_ios=50 --fsync=1 --fdatasync=2 --end_fsync=1", 50, 0xe3f0155a88d7fc11},
    {"--rw=randwrite:3 --bsrange=4k-16k --size=2M --loops=3 --number_ios=300 --fsync=2 --fdatasync=4 --random_generator=lfsr", 898, 0xc24300043d91071f},
    {"--rw=randrw:2 --bs=512 --size=777k --fsync=1", 3104, 0x31e5321a4be1666c},
    {"--rw=read --bsrange=4k-16k --size=777k --io_size=32k --randseed=516298113222 --norandommap --percentage_random=93 --end_fsync=1 --random_distribution=zipf:1.2", 5, 0x74cfc409c1aaa748},
    {"--rw=write:4k --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=1M --offset=64k --io_size=3M --loops=3 --number_ios=7 --percentage_random=55 --random_generator=tausworthe64", 21, 0xffb37bb7877db035},
    {"--rw=randrw:2 --bs=512 --size=64k --io_size=500k --loops=3 --randrepeat=1 --fsync=3 --rw_sequencer=identical", 1366, 0xa07c9a376cde1591},
    {"--rw=randwrite --bssplit=4k/30:8k/70 --size=64k --io_size=500k --norandommap --blockalign=16k", 75, 0xb5d273f38f0d0ded},
    {"--rw=randrw:2 --bsrange=4k-16k --size=777k --loops=2 --number_ios=50 --norandommap --percentage_random=16 --rwmixread=95 --fsync=1 --fdatasync=1 --end_fsync=1", 191, 0xd9edf53ec9e612fe},
    {"--rw=rw --bssplit=1k/20:2k/:4k/,8k/50:16k/ --size=64k --allrandrepeat=1 --fsync=2 --end_fsync=1 --random_distribution=normal:20", 21, 0x2d05be14e7577cd5},
    {"--rw=write --bssplit=4k/30:8k/70 --size=1M --norandommap --fsync=1 --random_generator=tausworthe64 --rw_sequencer=identical", 299, 0xfa1be3977627b889},
    {"--rw=randread --bsrange=4k-16k --size=777k --io_size=500k --loops=3 --percentage_random=31 --fsync=2 --end_fsync=1", 154, 0x745bb91f7dd76103},
    {"--rw=randwrite:3 --bs=4k --size=1M --offset=64k --loops=3 --randseed=24323028692 --randrepeat=1 --norandommap --percentage_random=58 --end_fsync=1", 770, 0x21b38c9598ebc992},
    {"--rw=randrw:2 --bsrange=4k-16k --size=300k --io_size=32k --number_ios=7 --randrepeat=1 --rwmixread=97 --blockalign=4k", 3, 0x0bd99a9aef7ef014},
    {"--rw=read --bs=4k,8k --size=64k --randrepeat=1 --random_generator=tausworthe64 --rw_sequencer=identical", 16, 0x248bdd13ce27ef9d},
    {"--rw=rw:8k --bsrange=4k-16k --size=1M --number_ios=300 --allrandrepeat=1 --rwmixread=46", 106, 0x097dd8af86aa555a},
    {"--rw=rw --bs=4k,8k --size=64k --io_size=500k --number_ios=50 --randrepeat=1 --norandommap --percentage_random=50 --rw_sequencer=identical --random_distribution=normal:20", 50, 0x462ece82829bd869},
    {"--rw=rw --bssplit=4k/30:8k/70 --size=777k --io_size=500k --number_ios=7 --norandommap --percentage_random=72 --fsync=2", 7, 0x3b757cd4a0b9c414},
    {"--rw=read --bs=3000 --size=1M --offset=4k --number_ios=7", 7, 0x940e88cff1e8ecc6},
    {"--rw=randread --bsrange=512-8k,1k-4k --size=2M --randseed=1079333055764 --allrandrepeat=1 --percentage_random=39 --rw_sequencer=identical", 508, 0xf13bc2f534b31d84},
    {"--rw=rw --bsrange=4k-16k --size=1M --io_size=500k --randseed=267049684063 --rwmixread=84 --fsync=1 --rw_sequencer=identical", 77, 0x81f491cbbcd7374f},
};
// clang-format on

class Log {
 public:
  void add(const IoRequest& request) {
    static constexpr const char* kNames[] = {"read", "write", "sync", "datasync", "sync_file_range"};
    const char* name = kNames[static_cast<std::size_t>(request.kind)];
    text(request.is_sync() ? fmt::format("{}\n", name)
                           : fmt::format("{} {} {}\n", name, request.offset_bytes, request.length_bytes));
  }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  void text(const std::string& line) {
    ++lines_;
    for (const char c : line) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  std::uint64_t lines_ = 0;
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

TEST_CASE("fio next I/O: whole jobs as recorded with fio 3.33", "[fio]") {
  JobFileContext context;
  context.settings.version = FioVersion::k3_33;
  for (const Recording& recording : kRecordings) {
    INFO(recording.arguments);
    std::istringstream stream(recording.arguments);
    std::vector<std::string> arguments = {"--name=a", "--filename=v", "--ioengine=psync"};
    std::copy(std::istream_iterator<std::string>(stream), {}, std::back_inserter(arguments));
    const JobOptions job = parse_command_line(arguments, context).jobs.at(0);
    NextIo io(job, FioVersion::k3_33, 1, 0, job.size->value + job.offset.value);
    Log log;
    do {
      io.start_pass();
      while (const auto request = io.next()) {
        io.on_issued(*request);
        log.add(*request);
        io.on_completed(*request);
      }
      if (io.end_fsync_due()) log.add({IoRequest::Kind::kFsync, 0, 0});
    } while (io.another_pass());
    CHECK(log.lines() == recording.lines);
    CHECK(log.hash() == recording.hash);
  }
}

}  // namespace
}  // namespace flushlab::fio
