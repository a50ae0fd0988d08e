#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the table of standard normal quantiles into emulator/sim/distribution.cpp, between its two markers.

Entry k is -z(p) * 2^28, z the normal quantile, at the tail probability of cell end k:
p = (32 + k % 32) * 2^(k // 32 - 38), for k = 0 (p = 2^-33) to 1024 (p = 1/2).

    tools/normal_quantiles.py           rewrites the table
    tools/normal_quantiles.py --check   exit 1 when the table is not what this script would write
"""

import pathlib
import statistics
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "emulator" / "sim" / "distribution.cpp"
BEGIN = "// BEGIN tools/normal_quantiles.py\n"
END = "// END tools/normal_quantiles.py\n"
CELLS = 1024
PER_LINE = 9


def entry(k: int) -> int:
    probability = (32 + k % 32) * 2.0 ** (k // 32 - 38)
    return round(-statistics.NormalDist().inv_cdf(probability) * 2**28)


def table() -> str:
    values = [entry(k) for k in range(CELLS + 1)]
    assert values[-1] == 0 and all(a > b for a, b in zip(values, values[1:])) and values[0] < 2**32
    lines = [f"constexpr std::array<std::uint32_t, {CELLS + 1}> kNormalQuantilesQ28{{\n"]
    for first in range(0, len(values), PER_LINE):
        lines.append("    " + ", ".join(str(v) for v in values[first : first + PER_LINE]) + ",\n")
    return "".join(lines) + "};\n"


def main() -> int:
    text = SOURCE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    old, tail = rest.split(END)
    new = "// clang-format off\n" + table() + "// clang-format on\n"
    if "--check" in sys.argv[1:]:
        return 0 if old == new else 1
    SOURCE.write_text(head + BEGIN + new + END + tail, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
