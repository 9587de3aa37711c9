/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stacktool does itself, without an applet: --help, --list, --version, --install, help. */
#pragma once

#include <stdbool.h>

/* The command that argv[1] names; *ret_err is its result. False when argv[1] is none of them. */
bool command_run(int argc, char **argv, int *ret_err);
