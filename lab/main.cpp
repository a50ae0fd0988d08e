// SPDX-License-Identifier: GPL-2.0-only
#include "lab/cli/cli.hpp"

int main(int argc, char** argv) {
  return flushlab::cli::run(argc, argv);
}
