/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flushes the standard output at the end and reports what failed. */
#pragma once

#include <stdio.h>

/*
 * Writes the rest of `out`. `err` is the result of the run. 0, or a negative errno with a recorded cause: that of the
 * run, or why `out` cannot be written. If the reader of a pipe has closed it (`stacktool … | head`), prints a NOTE and
 * returns 0.
 */
int finish_output(FILE *out, int err);
