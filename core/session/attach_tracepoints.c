/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching to tracepoints: classic, raw, and by the kernel's types. */
#include <errno.h>

#include "core/session/attach_ways.h"

static int attach_classic(struct attachment *attachment, size_t index)
{
	const struct probe_place *place = &attachment->plan->places.data[index];
	LIBBPF_OPTS(bpf_tracepoint_opts, options, .bpf_cookie = attach_cookie(attachment, index));
	struct bpf_program *program = attach_program(attachment, index);
	struct bpf_link *link =
		program ? bpf_program__attach_tracepoint_opts(program, place->category, place->event, &options) : NULL;

	if (!link)
		return -errno;
	attach_keep(attachment, link, index, 1);
	return 0;
}

static int attach_raw(struct attachment *attachment, size_t index)
{
	struct bpf_program *program = attach_program(attachment, index);
	const char *event = attachment->plan->places.data[index].event;
	struct bpf_link *link = program ? bpf_program__attach_raw_tracepoint(program, event) : NULL;

	if (!link)
		return -errno;
	attach_keep(attachment, link, index, 1);
	return 0;
}

static int attach_by_type(struct attachment *attachment, const struct plan *plan)
{
	for (size_t i = attachment->plan->places.nr; i > 0;
	     i--) { /* wakers before sleeps, so that the first sleep has its waker */
		const struct probe_place *place = &attachment->plan->places.data[i - 1];
		struct bpf_link *link = bpf_program__attach_trace(loaded_program(attachment->loaded, place->program));

		if (!link)
			return attach_failed(place, -errno);
		attach_keep(attachment, link, i - 1, 1);
	}
	return 0;
}

const struct attach_way way_tracepoint = { .one = attach_classic };

const struct attach_way way_raw_tracepoint = { .one = attach_raw };

const struct attach_way way_tp_btf = { .all = attach_by_type, .has_no_places = true, .counts_from_start = true };
