/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of stacktool itself: --help, --list, --version, --install, --completions, help. */
#pragma once

#include <stdbool.h>

/* Runs the command in argv[1]; *ret_err is its result. False if there is no such command. */
bool command_run(int argc, char **argv, int *ret_err);
