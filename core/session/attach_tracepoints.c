/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching to tracepoints: classic, raw and by BTF. */
#include <errno.h>

#include "core/session/attach_private.h"

static int attach_classic(struct attachment *attachment, size_t index)
{
	const struct probe_place *place = &attachment->plan->places.data[index];
	LIBBPF_OPTS(bpf_tracepoint_opts, options, .bpf_cookie = attach_cookie(attachment, index));
	struct bpf_program *program = attach_program(attachment, index);

	if (!program)
		return -errno;
	return attach_keep(attachment,
			   bpf_program__attach_tracepoint_opts(program, place->category, place->event, &options), index,
			   1);
}

static int attach_raw(struct attachment *attachment, size_t index)
{
	const char *event = attachment->plan->places.data[index].event;
	struct bpf_program *program = attach_program(attachment, index);

	if (!program)
		return -errno;
	return attach_keep(attachment, bpf_program__attach_raw_tracepoint(program, event), index, 1);
}

/* In reverse order: the tracepoints of wakers come after sched_switch in the plan, and the first sleep already needs its waker. */
static int attach_by_type(struct attachment *attachment, const struct plan *plan)
{
	for (size_t i = attachment->plan->places.nr; i-- > 0;) {
		const struct probe_place *place = &attachment->plan->places.data[i];
		struct bpf_program *program = loaded_program(attachment->loaded, place->program);
		int err = attach_keep(attachment, bpf_program__attach_trace(program), i, 1);

		if (err)
			return attach_failed(attachment, place, err);
	}
	return 0;
}

static int attach_wall(struct attachment *attachment, const struct plan *plan)
{
	struct bpf_program *sample = loaded_program(attachment->loaded, load_wall_sample(plan));
	int err = attach_by_type(attachment, plan);

	err = err ?: sampling_new(plan, &attachment->plan->sample, bpf_program__fd(sample), &attachment->sampling);
	return err ?: sampling_start(attachment->sampling);
}

const struct attach_way way_tracepoint = { .one = attach_classic };

const struct attach_way way_raw_tracepoint = { .one = attach_raw };

const struct attach_way way_tp_btf = { .all = attach_by_type, .counts_from_start = true };

const struct attach_way way_wall = { .all = attach_wall, .counts_from_start = true };
