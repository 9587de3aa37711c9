/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detaching. Links are closed with all signals blocked (core/host/signals.h), links of user probes in child processes (attach_calls.c). */
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"

#define LINKS_AT_ONCE 3 /* if these are stuck, one more child takes all other links: at most four children wait */

static void end_link(struct attachment *attachment, struct attached_link *attached)
{
	sigset_t before;

	if (attached->nr && attachment->way->is_user_code) {
		attach_close_links(attachment, attached, 1);
		return;
	}
	signals_hold(&before);
	if (attached->link)
		bpf_link__destroy(attached->link);
	else
		closep(&attached->fd);
	signals_release(&before);
}

/* The number of links at the end of the list that can be closed together. */
static size_t nr_together(const struct attachment *attachment)
{
	size_t nr = 0;

	if (!attachment->way->is_user_code)
		return 0;
	while (nr < LINKS_AT_ONCE && nr < attachment->links.nr &&
	       attachment->links.data[attachment->links.nr - 1 - nr].nr)
		nr++;
	return nr;
}

static void end_last(struct attachment *attachment)
{
	size_t nr = nr_together(attachment);

	if (nr) {
		attachment->links.nr -= nr;
		attach_close_links(attachment, &attachment->links.data[attachment->links.nr], nr);
	} else {
		end_link(attachment, &attachment->links.data[--attachment->links.nr]);
	}
	if (attach_is_stuck(attachment))
		attach_leave_links(attachment);
}

void attachment_detach(struct attachment *attachment)
{
	if (!attachment)
		return;
	attachment->loaded->control->paused = 1;
	if (attachment->sampling)
		sampling_stop(attachment->sampling);
	attach_end_misses(attachment);
	/* In reverse order: the programs that follow a command's children were attached first, and the others depend on them. */
	while (attachment->links.nr) {
		end_last(attachment);
		if (attachment->between)
			attachment->between(attachment->between_context);
	}
}

/*
 * ---- removing one place while the run continues ----
 *
 * A link cannot lose one of its places. So attachment_drop() closes the link and attaches its other places again. Their events are lost in
 * between, and attachment_drop() returns how long that took.
 */

bool attachment_tells_places(const struct attachment *attachment)
{
	const struct loaded *loaded = attachment->loaded;

	/* no function calls: without one of its places, a function would seem to take longer */
	return !loaded->traits->has_no_places && !loaded->attach->nr_functions &&
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

/* Closes a link and removes it from the list. The last link takes its position. */
static void destroy(struct attachment *attachment, struct attached_link *attached)
{
	attach_keep_misses(attachment, attached->fd);
	end_link(attachment, attached);
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
