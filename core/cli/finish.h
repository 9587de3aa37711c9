/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last word on what was printed. */
#pragma once

#include <stdio.h>

/*
 * Writes what is left in `out`. `err` is how the run ended. 0, or a negative errno with a recorded cause: that of the run, or
 * why `out` cannot be written, which is a failure whatever has been recorded before. When the reader of a pipe has gone, a
 * NOTE is printed, and that is no failure (`stacktool … | head`).
 */
int finish_output(FILE *out, int err);
