/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes attach and remove user probes (core/host/probe_call.h). If a child waits for another process, this process stops waiting
 * for the child once that other process is known or the user interrupts.
 *
 * The kernel removes the breakpoints of a uprobe.multi link quickly and then waits for several grace periods. Links that are closed at the
 * same time share this wait: 1,000 places in 20 links take 0.4 s instead of 1.2 s.
 */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/files/probe_wait.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"

#define BETWEEN_MS 1000 /* most calls take less */

static bool leave(struct attachment *attachment, struct probe_call *call)
{
	if (!probe_call_leave(call))
		return false;
	attachment->stuck.remover = probe_call_pid(call);
	vec_push(&attachment->stuck.calls, call);
	return true;
}

/* True: the call has ended. False: this process no longer waits for it, and the attachment owns it. */
static bool await(struct attachment *attachment, struct probe_call *call)
{
	struct probe_wait wait = {};

	while (attachment->stuck.calls.nr ? !probe_call_has_ended(call, 0) : !probe_wait_step(&wait, call)) {
		const bool is_first = !attachment->stuck.calls.nr;

		if (attachment->between && wait.waited_ms > BETWEEN_MS)
			attachment->between(attachment->between_context);
		if (is_first && !probe_wait_is_stuck(&wait))
			continue;
		if (is_first)
			memcpy(attachment->stuck.why, wait.why, sizeof(wait.why));
		if (leave(attachment, call))
			return false;
	}
	return true;
}

bool attach_is_stuck(struct attachment *attachment)
{
	while (attachment->stuck.calls.nr && probe_call_has_ended(vec_last(&attachment->stuck.calls), 0))
		probe_call_free(attachment->stuck.calls.data[--attachment->stuck.calls.nr]);
	return attachment->stuck.calls.nr;
}

static int do_it_here(struct probe_call *call, probe_work *work, int ret_fds[PROBE_CALL_FDS])
{
	_cleanup_(signals_release) sigset_t before;

	signals_hold(&before);
	return work(probe_call_memory(call), ret_fds);
}

int attach_by_call(struct attachment *attachment, struct probe_call *call, probe_work *work,
		   int ret_fds[PROBE_CALL_FDS])
{
	int result = -REFUSED_STUCK;

	for (size_t i = 0; i < PROBE_CALL_FDS; i++)
		ret_fds[i] = -1;
	if (!attach_is_stuck(attachment)) {
		if (probe_call_start(call, work, false))
			result = do_it_here(call, work, ret_fds);
		else if (!await(attachment, call))
			return result;
		else
			result = probe_call_end(call, ret_fds);
	}
	probe_call_free(call);
	return result;
}

struct closing {
	size_t nr;
	int fds[];
};

static int close_all(void *memory, int fds[PROBE_CALL_FDS])
{
	const struct closing *closing = memory;

	(void)fds;
	for (size_t i = 0; i < closing->nr; i++)
		syscall(SYS_close, closing->fds[i]);
	return 0;
}

static void add_fd(struct probe_call *call, int fd)
{
	struct closing *closing = probe_call_memory(call);

	if (fd < 0)
		return;
	closing->fds[closing->nr++] = fd;
	probe_call_give(call, fd);
}

/*
 * Closes our descriptors of the links. The child has copies of them, so the kernel detaches nothing until probe_calls_go() lets the child
 * close its copies. NULL: no child could be started, and the links are detached.
 */
static struct probe_call *start_to_close(const struct attached_link *links, size_t nr)
{
	struct probe_call *call = probe_call_new(sizeof(struct closing) + 2 * nr * sizeof(int), 2 * nr);
	bool is_started = false;
	sigset_t before;

	for (size_t i = 0; call && i < nr; i++) {
		add_fd(call, links[i].fd);
		add_fd(call, links[i].event);
	}
	signals_hold(&before);
	is_started = call && !probe_call_start(call, close_all, true);
	for (size_t i = 0; i < nr; i++) {
		int event = links[i].event;

		close(links[i].fd);
		closep(&event);
	}
	signals_release(&before);
	if (is_started)
		return call;
	probe_call_free(call);
	return NULL;
}

void attach_close_links(struct attachment *attachment, const struct attached_link *links, size_t nr)
{
	_cleanup_(freep) struct probe_call **calls = xcalloc(nr, sizeof(*calls));

	attach_is_stuck(attachment);
	for (size_t i = 0; i < nr; i++)
		calls[i] = start_to_close(&links[i], 1);
	probe_calls_go(calls, nr);
	for (size_t i = 0; i < nr; i++) {
		if (!calls[i] || await(attachment, calls[i]))
			probe_call_free(calls[i]);
		else
			attachment->stuck.nr_places += links[i].nr;
	}
}

void attach_leave_links(struct attachment *attachment)
{
	size_t end = attachment->links.nr, first = end;
	struct probe_call *call;

	while (first && attachment->links.data[first - 1].nr)
		attachment->stuck.nr_places += attachment->links.data[--first].nr;
	attachment->links.nr = first;
	call = first < end ? start_to_close(&attachment->links.data[first], end - first) : NULL;
	probe_calls_go(&call, 1);
	if (call && !leave(attachment, call))
		probe_call_free(call);
}

void attachment_describe_stuck(struct attachment *attachment, struct buf *ret_line)
{
	size_t nr = attachment->stuck.nr_places;

	if (!attach_is_stuck(attachment) || !nr)
		return;
	buf_addf(ret_line, "%zu probe%s not removed yet: %s; process %d removes %s then\n", nr,
		 nr == 1 ? " is" : "s are", attachment->stuck.why, (int)attachment->stuck.remover,
		 nr == 1 ? "it" : "them");
}

void attach_forget_stuck(struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->stuck.calls.nr; i++)
		probe_call_free(attachment->stuck.calls.data[i]);
	vec_done(&attachment->stuck.calls);
}
