/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Failures that mean that a limit of this process or of the host was met: the status is the host's, and the hint what to raise. */
#pragma once

/* fail_host() for a process or a thread that could not be started; -EAGAIN has advice. Returns `code`. */
int fail_start(int code, const char *what);

/* fail() for an output that cannot be written; -EFBIG, where the size of files is limited, has advice. Returns `code`. */
int fail_write(int code, const char *what);
