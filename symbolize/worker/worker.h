/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbol worker: reads the files that it is handed and answers questions about them, one message at a time.
 *
 * It runs confined (sandbox.h), never opens anything, and knows files by the caller's numbers. A separate debug file is
 * asked for when the first question about a stripped file comes, because only then is the caller there to answer.
 */
#pragma once

#include "symbolize/worker/worker_protocol.h"

/* Serves the socket until its other end closes. */
_Noreturn void worker_run(int socket, const struct worker_options *options);
