// SPDX-License-Identifier: GPL-2.0-only
// The program's command line. Exit codes: 0 holds, 1 an expectation failed, 2 bad usage or bad input.
#pragma once

namespace flushlab::cli {

int run(int argc, char** argv);

}  // namespace flushlab::cli
