/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detaching closes links, each with all signals blocked (core/host/signals.h).
 *
 * The kernel removes the breakpoints of a uprobe.multi link quickly, and then waits for some grace periods. Links that are closed
 * at the same time share the wait: 1,000 places in 20 links take 0.1 s instead of 1.2. Child processes close them, not threads: a
 * SIGKILL for us does not stop the children, so no breakpoint is left.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"

enum {
	LINKS_AT_ONCE = 16,
	STACK_BYTES = 16 << 10,
};

struct closing {
	int fd;
	pid_t helper; /* negative: there is none */
	_Alignas(16) char stack[STACK_BYTES];
};

static void end_link(struct attached_link *attached)
{
	sigset_t before;

	signals_hold(&before);
	if (attached->link)
		bpf_link__destroy(attached->link);
	else
		closep(&attached->fd);
	signals_release(&before);
}

/* Runs in the child, which shares our memory and descriptors. It shares errno too, so it must not set it. */
static int close_link(void *argument)
{
	const struct closing *closing = argument;

	syscall(SYS_close, closing->fd);
	return 0;
}

static void begin_to_close(struct closing *closing, struct bpf_link *link)
{
	closing->fd = bpf_link__fd(link);
	bpf_link__disconnect(link); /* else bpf_link__destroy() closes the descriptor */
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

/* How many of the last links are closed together. */
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
		end_link(&attachment->links.data[--attachment->links.nr]);
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
	/* The last first: the programs that follow a command's children were attached first, and other programs need them. */
	while (attachment->links.nr) {
		end_last(attachment);
		if (attachment->between)
			attachment->between(attachment->between_context);
	}
}

/*
 * ---- one of several places, while the run goes on ----
 *
 * A link of several places cannot lose one of them. It is closed, and the other places are attached again. Their events are missed
 * meanwhile, so attachment_drop() returns how long that took.
 */

bool attachment_tells_places(const struct attachment *attachment)
{
	const struct loaded *loaded = attachment->loaded;

	return !loaded->traits->has_no_places &&
	       (loaded_config(loaded)->has_cookie || loaded->needs_copies || loaded->traits->has_numbers);
}

static struct attached_link *link_of(struct attachment *attachment, size_t place)
{
	for (size_t i = 0; i < attachment->links.nr; i++) {
		struct attached_link *attached = &attachment->links.data[i];

		if (place >= attached->first && place < attached->first + attached->nr)
			return attached;
	}
	return NULL;
}

/* Closes a link and removes it from the list; the last link takes its position. */
static void destroy(struct attachment *attachment, struct attached_link *attached)
{
	attach_keep_misses(attachment, attached->fd);
	end_link(attached);
	attachment->nr_attached -= attached->nr;
	*attached = vec_last(&attachment->links);
	attachment->links.nr--;
}

static void drop_from_link(struct attachment *attachment, size_t place, struct attachment_drop *drop)
{
	struct attached_link *attached = link_of(attachment, place), old;
	size_t nr_before = attachment->nr_attached;
	uint64_t begun = clock_monotonic_ns();

	if (!attached)
		return;
	old = *attached;
	destroy(attachment, attached);
	if (old.nr == 1)
		return;
	if (place > old.first)
		attachment->way->again(attachment, old.first, place - old.first);
	if (place + 1 < old.first + old.nr)
		attachment->way->again(attachment, place + 1, old.first + old.nr - place - 1);
	drop->gap_ns = clock_monotonic_ns() - begun;
	drop->nr_gap = old.nr - 1;
	drop->nr_refused = nr_before - 1 - attachment->nr_attached;
}

int attachment_drop(struct attachment *attachment, size_t place, struct attachment_drop *ret_drop)
{
	*ret_drop = (struct attachment_drop){};
	if (!attachment->dropped_since_ns)
		attachment->dropped_since_ns = clock_monotonic_ns();
	if (attachment->way->drop)
		return attachment->way->drop(attachment, place);
	drop_from_link(attachment, place, ret_drop);
	return 0;
}

uint64_t attachment_dropped_ns(const struct attachment *attachment)
{
	uint64_t now_ns = clock_monotonic_ns(), since_ns = attachment->dropped_since_ns;

	return since_ns && now_ns > since_ns ? now_ns - since_ns : 0;
}
