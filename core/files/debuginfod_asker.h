/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that runs debuginfod-find: a client of the network, which must have nothing of what a tracer has.
 *
 * It is forked before anything privileged is open, and gives up everything at once: it is the user who called the tool (SUDO_UID),
 * or nobody where root was not called by anyone else, without capabilities and without a way to new ones, in a session of its
 * own, with one socket and an environment that has no more than the program needs (PATH, HOME, DEBUGINFOD_*, proxies). The
 * program runs below it, in a group and within limits of its own, and is killed with its group when it has ended or its time is
 * over. Whatever file it names is opened by a further child as that user, and the descriptor is handed over.
 *
 * The cache is that of the user: DEBUGINFOD_CACHE_PATH if it can be written to, else in the home directory. Nobody has none, and
 * gets a directory below /tmp that goes with the process.
 */
#pragma once

#include <stdint.h>

struct caller;

#define ASKER_BUILD_ID_MAX 130

struct asker_request {
	uint32_t time_ms; /* until the program is ended */
	char build_id[ASKER_BUILD_ID_MAX];
};

enum asker_answer {
	ASKER_FILE,    /* with a descriptor for reading */
	ASKER_NONE,    /* no file */
	ASKER_MISSING, /* there is no such program */
};

/* The process: `socket` is SOCK_SEQPACKET and has requests and answers in turn; its end is the end of the process. */
_Noreturn void debuginfod_asker_run(int socket, const struct caller *caller);

/* An answer, and the descriptor that came with ASKER_FILE. -EPIPE when there is none any more, -EPROTO. */
int debuginfod_asker_receive(int socket, enum asker_answer *ret_answer, int *ret_fd);
