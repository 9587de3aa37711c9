/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detaching one of several places while the run goes on. A link of many places cannot lose one of them: it is taken away
 * and made anew without it, and what happens at the others meanwhile is missed, which is why each interval says how long.
 */
#include "core/base/clock.h"
#include "core/session/attach_ways.h"

bool attachment_tells_places(const struct attachment *attachment)
{
	const struct st_config *config = &attachment->loaded->skeleton->rodata->st_config;

	if (attachment->way->has_no_places)
		return false;
	return config->has_cookie || attachment->loaded->needs_copies || attachment->way->drop;
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

/* Takes a link out of the list; its place in it goes to the last one. */
static void destroy(struct attachment *attachment, struct attached_link *attached)
{
	attach_keep_misses(attachment, attached->fd);
	attached_link_end(attached);
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
	int err = 0;

	*ret_drop = (struct attachment_drop){};
	if (!attachment->dropped_since_ns)
		attachment->dropped_since_ns = clock_monotonic_ns();
	if (attachment->way->drop)
		err = attachment->way->drop(attachment, place);
	else
		drop_from_link(attachment, place, ret_drop);
	return err;
}

uint64_t attachment_dropped_ns(const struct attachment *attachment)
{
	uint64_t now_ns = clock_monotonic_ns(), since_ns = attachment->dropped_since_ns;

	return since_ns && now_ns > since_ns ? now_ns - since_ns : 0;
}
