/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol worker: reads the files that it gets, and answers questions about them, one message at a time.
 *
 * It is confined (sandbox.h), never opens anything, and identifies files by the caller's numbers. It requests a
 * separate debug file at the first question about a stripped file, because only then is the caller waiting and able to
 * answer.
 */
#pragma once

#include "symbolize/worker/worker_protocol.h"

/* Serves the socket until its other end is closed. */
_Noreturn void worker_run(int socket, const struct worker_options *options);
