/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol worker: reads files and answers requests about them, one message at a time.
 *
 * It is confined (sandbox.h), opens nothing, and identifies files by the caller's numbers. It requests a separate debug file during the
 * first request about a file that needs one: only then does the caller wait and can answer.
 */
#pragma once

#include "symbolize/worker/worker_protocol.h"

/* Serves the socket until the other end is closed. */
_Noreturn void worker_run(int socket, const struct worker_options *options);
