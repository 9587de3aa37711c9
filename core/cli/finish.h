/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdio.h>

/*
 * Flushes `out` at the end of a run whose result is `err`. Returns 0, or a negative errno with a recorded cause: that of the run, or why
 * `out` could not be written. If the reader of a pipe has closed it (`stacktool … | head`), prints a NOTE and returns 0.
 */
int finish_output(FILE *out, int err);
