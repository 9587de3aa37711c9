/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries and exits of system calls: one link for all entries, one for all exits, and a map with the numbers of the probed calls. */
#include <string.h>

#include "core/base/err.h"
#include "core/session/attach_private.h"

static __u64 key_of(const struct probe_place *place)
{
	return place->number | (place->is_exit ? ST_SYSCALL_EXIT : 0);
}

static int note_calls(const struct attachment *attachment)
{
	for (size_t i = 0; i < attachment->plan->places.nr; i++) {
		const __u64 key = key_of(&attachment->plan->places.data[i]);
		const __u32 probe = (__u32)i;
		int err = bpf_map__update_elem(attachment->loaded->skeleton->maps.st_syscalls, &key, sizeof(key),
					       &probe, sizeof(probe), BPF_ANY);

		if (err)
			return fail(err, "%s: cannot be recorded: %s", attachment->plan->places.data[i].name,
				    strerror(-err));
	}
	return 0;
}

/* One program gets the entries of all system calls, another the exits. Places are sorted by name, so all entries come first. */
static int attach_calls(struct attachment *attachment, const struct plan *plan)
{
	const struct probe_place *places = attachment->plan->places.data;
	size_t nr = attachment->plan->places.nr, end;
	int err = note_calls(attachment);

	for (size_t first = 0; !err && first < nr; first = end) {
		struct bpf_program *program = loaded_program(attachment->loaded, places[first].program);
		const char *tracepoint = places[first].is_exit ? "sys_exit" : "sys_enter";

		for (end = first + 1; end < nr && places[end].is_exit == places[first].is_exit; end++)
			;
		err = attach_keep(attachment, bpf_program__attach_raw_tracepoint(program, tracepoint), first,
				  end - first);
		if (err)
			return attach_failed(attachment, &places[first], err);
	}
	return err;
}

/* Keeps the links, but the programs no longer find this call in the map. */
static int drop_call(struct attachment *attachment, size_t place)
{
	const __u64 key = key_of(&attachment->plan->places.data[place]);
	int err = bpf_map__delete_elem(attachment->loaded->skeleton->maps.st_syscalls, &key, sizeof(key), 0);

	if (err)
		return fail(err, "%s: cannot be skipped: %s", attachment->plan->places.data[place].name,
			    strerror(-err));
	attachment->nr_attached--;
	return 0;
}

const struct attach_way way_system_calls = { .all = attach_calls, .drop = drop_call };
