/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flushes the standard output at the end and reports what failed. */
#pragma once

#include <stdio.h>

/*
 * Writes what is left in `out`. `err` is the result of the run. 0, or a negative errno with a recorded cause: that of the run, or
 * why `out` cannot be written. When the reader of a pipe has closed it (`stacktool … | head`), a NOTE is printed; that is
 * no failure.
 */
int finish_output(FILE *out, int err);
