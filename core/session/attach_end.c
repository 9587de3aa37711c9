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
#include "core/session/attach_ways.h"

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

/* How many of the last links end together. */
static size_t nr_together(const struct attachment *attachment)
{
	size_t nr = 0;

	if (!attachment->way->detaches_together)
		return 0;
	while (nr < LINKS_AT_ONCE && nr < attachment->links.nr &&
	       attachment->links.data[attachment->links.nr - 1 - nr].nr)
		nr++;
	return nr;
}

static void end_last(struct attachment *attachment)
{
	size_t nr = nr_together(attachment);

	if (nr > 1) {
		attachment->links.nr -= nr;
		end_together(&attachment->links.data[attachment->links.nr], nr);
	} else {
		attached_link_end(&attachment->links.data[--attachment->links.nr]);
	}
}

void attachment_detach(struct attachment *attachment)
{
	if (!attachment)
		return;
	attachment->loaded->control->shut = 1;
	if (attachment->sampling)
		sampling_stop(attachment->sampling);
	attach_end_misses(attachment);
	/* backwards: the programs that follow a command's children stay until nothing counts them */
	while (attachment->links.nr) {
		end_last(attachment);
		if (attachment->between)
			attachment->between(attachment->between_context);
	}
}
