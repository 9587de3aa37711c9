/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that runs debuginfod-find. That program is a network client, so it gets none of the tracer's privileges and files.
 *
 * The process is forked before anything privileged is open. It becomes the user who called the tool (SUDO_UID), or nobody if root did not
 * act for another user. It has no capabilities and cannot gain any, a session of its own, one socket, and only the environment that the
 * program needs (PATH, HOME, DEBUGINFOD_*, proxies). The program runs as its child, in a group and with limits of its own. The group is
 * killed when the program has ended or its time is over. Another child opens the file that the program names, as that user, and passes the
 * descriptor.
 *
 * The cache is the user's: DEBUGINFOD_CACHE_PATH if that user can write to it, else in the home directory. If that cannot be written to
 * either, as for nobody, the process makes a directory below /tmp and removes it at its end.
 */
#pragma once

#include <stdint.h>

struct caller;

#define ASKER_BUILD_ID_MAX 130

struct asker_request {
	uint32_t time_ms; /* the program is ended after this time */
	char build_id[ASKER_BUILD_ID_MAX];
};

enum asker_answer {
	ASKER_FILE,    /* with a descriptor for reading */
	ASKER_NONE, /* no such file */
	ASKER_MISSING, /* debuginfod-find is not installed */
};

/* Runs the process. `socket` is SOCK_SEQPACKET: one answer for each request. The process ends when the other end is closed. */
_Noreturn void debuginfod_asker_run(int socket, const struct caller *caller);

/* Receives an answer, and the descriptor of ASKER_FILE. 0; -EPIPE: there is no answer; -EPROTO. */
int debuginfod_asker_receive(int socket, enum asker_answer *ret_answer, int *ret_fd);
