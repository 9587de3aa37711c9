/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/probe_wait.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/escape.h"
#include "core/base/waiting.h"
#include "core/files/lock_holder.h"
#include "core/host/process.h"
#include "core/host/signals.h"

enum {
	STEP_MS = 50,
	LOOK_MS = 1000, /* without progress; RCU grace periods are shorter */
	LOOK_SOON_MS = 300, /* the same, and the interval, if the user does not want to wait */
	LOOK_EVERY_MS = 500,
	LATE_MS = 30000, /* if nobody is found */
};

/* Adds the command name, which is read without mmap_lock. */
static void add_name(struct buf *text, uint32_t tgid)
{
	_cleanup_(freep) char *path = xasprintf("/proc/%u/comm", tgid);
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	char name[17] = "?";
	ssize_t nr = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

	if (nr > 0)
		name[nr - 1] = '\0';
	escape_add(text, name, ESCAPE_LINE);
}

static void explain(struct probe_wait *wait)
{
	_cleanup_(buf_done) struct buf why = {};

	if (wait->suspect) {
		buf_addf(&why, "process %u (", wait->suspect);
		add_name(&why, wait->suspect);
		buf_addf(&why, ") holds the lock of its memory");
	} else {
		buf_addf(&why, "a process holds the lock of its memory, or the kernel is very slow");
	}
	snprintf(wait->why, sizeof(wait->why), "%s; until it lets go, no process of this host can fork",
		 buf_text(&why));
}

bool probe_wait_step(struct probe_wait *wait, struct probe_call *call)
{
	if (probe_call_has_ended(call, STEP_MS))
		return true;
	process_continue(probe_call_pid(call));
	wait->waited_ms = process_state((uint32_t)probe_call_pid(call)) == 'R' ? 0 : wait->waited_ms + STEP_MS;
	return false;
}

/* A process that is found twice in a row holds the lock for long. If the user does not want to wait, once is enough. */
bool probe_wait_is_stuck(struct probe_wait *wait)
{
	const bool is_unwanted = waiting_is_unwanted() || signals_end_is_pending();
	const uint32_t before = wait->suspect;

	if (is_unwanted ? wait->waited_ms < LOOK_SOON_MS || wait->waited_ms % LOOK_SOON_MS
			: wait->waited_ms < LOOK_MS || wait->waited_ms % LOOK_EVERY_MS)
		return false;
	wait->suspect = lock_holder_find();
	if (is_unwanted ? !wait->suspect && wait->waited_ms < LOOK_MS
			: wait->waited_ms < LATE_MS && (!wait->suspect || wait->suspect != before))
		return false;
	explain(wait);
	return true;
}
