/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detaching: links are closed, each call with all signals blocked (core/host/signals.h).
 *
 * The kernel takes the breakpoints of a uprobe.multi link out in a moment and then waits for some grace periods. Links that are
 * closed at the same time share them: 1,000 places in 20 links take 0.1 s instead of 1.2. Processes of their own close them, not
 * threads: a SIGKILL for us does not reach these, and what they have begun is done to the end.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"
#include "core/session/drain_private.h"

enum {
	LINKS_AT_ONCE = 16,
	STACK_BYTES = 16 << 10,
};

struct closing {
	int fd;
	pid_t helper; /* negative: there is none */
	_Alignas(16) char stack[STACK_BYTES];
};

void attached_link_end(struct attached_link *attached)
{
	sigset_t before;

	signals_hold(&before);
	if (attached->link)
		bpf_link__destroy(attached->link);
	else
		closep(&attached->fd);
	signals_release(&before);
}

/* In the helper, which shares our memory, our errno and our descriptors. */
static int close_link(void *argument)
{
	const struct closing *closing = argument;

	syscall(SYS_close, closing->fd);
	return 0;
}

static void begin_to_close(struct closing *closing, struct bpf_link *link)
{
	closing->fd = bpf_link__fd(link);
	bpf_link__disconnect(link); /* the descriptor is ours */
	bpf_link__destroy(link);
	closing->helper = clone(close_link, closing->stack + STACK_BYTES, CLONE_VM | CLONE_FILES, closing);
}

static void await_close(struct closing *closing)
{
	if (closing->helper < 0)
		close(closing->fd);
	while (closing->helper > 0 && waitpid(closing->helper, NULL, __WALL) < 0 && errno == EINTR)
		;
}

static void end_together(const struct attached_link *links, size_t nr)
{
	_cleanup_(freep) struct closing *closing = xcalloc(nr, sizeof(*closing));
	sigset_t before;

	signals_hold(&before);
	for (size_t i = 0; i < nr; i++)
		begin_to_close(&closing[i], links[i].link);
	for (size_t i = 0; i < nr; i++)
		await_close(&closing[i]);
	signals_release(&before);
}

/* How many of the last links are of uprobe.multi. */
static size_t nr_together(const struct session *session)
{
	size_t nr = 0;

	if (session->attach->mechanism != MECHANISM_UPROBE_MULTI)
		return 0;
	while (nr < LINKS_AT_ONCE && nr < session->links.nr && session->links.data[session->links.nr - 1 - nr].nr)
		nr++;
	return nr;
}

static void end_last(struct session *session)
{
	size_t nr = nr_together(session);

	if (nr > 1) {
		session->links.nr -= nr;
		end_together(&session->links.data[session->links.nr], nr);
	} else {
		attached_link_end(&session->links.data[--session->links.nr]);
	}
}

void session_detach(struct session *session)
{
	if (!session)
		return;
	if (session->control)
		session->control->shut = 1;
	if (session->sampling)
		sampling_stop(session->sampling);
	drain_end_misses(session);
	while (session->links.nr) { /* backwards: who follows a command's children is there until nothing counts them */
		end_last(session);
		if (session->between)
			session->between(session->between_context);
	}
}
