/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detaching one of several places while the run goes on. A link of many places cannot lose one of them: it is taken away
 * and made anew without it, and what happens at the others meanwhile is missed, which is why the time is told.
 */
#include <errno.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/session/attach_private.h"
#include "core/session/drain_private.h"

bool session_tells_places(const struct session *session)
{
	const struct st_config *config = &session->skeleton->rodata->st_config;
	enum mechanism mechanism = session->attach->mechanism;

	if (mechanism == MECHANISM_PERF_EVENT || mechanism == MECHANISM_TP_BTF)
		return false;
	return config->has_cookie || session->needs_copies || mechanism == MECHANISM_SYSTEM_CALLS;
}

static struct attached_link *link_of(struct session *session, size_t place)
{
	for (size_t i = 0; i < session->links.nr; i++) {
		struct attached_link *attached = &session->links.data[i];

		if (place >= attached->first && place < attached->first + attached->nr)
			return attached;
	}
	return NULL;
}

/* Takes a link out of the list; its place in it goes to the last one. */
static void destroy(struct session *session, struct attached_link *attached)
{
	drain_forget_link(session, attached->fd);
	attached_link_end(attached);
	session->nr_attached -= attached->nr;
	*attached = vec_last(&session->links);
	session->links.nr--;
}

static void attach_again(struct session *session, size_t first, size_t nr)
{
	if (!nr)
		return;
	if (session->attach->mechanism == MECHANISM_KPROBE_MULTI)
		attach_kprobe_multi(session, session->attach, first, nr);
	else
		attach_uprobe_multi(session, session->attach, first, nr);
}

/* The programs of all system calls go on without this one. */
static int drop_system_call(struct session *session, size_t place)
{
	const __u64 key = attach_call_key(&session->attach->points.data[place]);
	int err = bpf_map__delete_elem(session->skeleton->maps.st_syscalls, &key, sizeof(key), 0);

	if (err)
		return fail(err, "%s: cannot be skipped: %s", session->attach->points.data[place].name,
			    strerror(-err));
	session->nr_attached--;
	return 0;
}

static void drop_from_link(struct session *session, size_t place, struct session_drop *drop)
{
	struct attached_link *attached = link_of(session, place), old;
	size_t nr_before = session->nr_attached;
	uint64_t begun = clock_monotonic_ns();

	if (!attached)
		return;
	old = *attached;
	destroy(session, attached);
	if (old.nr == 1)
		return;
	attach_again(session, old.first, place - old.first);
	attach_again(session, place + 1, old.first + old.nr - place - 1);
	drop->gap_ns = clock_monotonic_ns() - begun;
	drop->nr_gap = old.nr - 1;
	drop->nr_refused = nr_before - 1 - session->nr_attached;
}

int session_drop(struct session *session, size_t place, struct session_drop *ret_drop)
{
	int err = 0;

	*ret_drop = (struct session_drop){};
	if (!session->missing_since_ns)
		session->missing_since_ns = clock_monotonic_ns();
	if (session->attach->mechanism == MECHANISM_SYSTEM_CALLS)
		err = drop_system_call(session, place);
	else
		drop_from_link(session, place, ret_drop);
	return err;
}
