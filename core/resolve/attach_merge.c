/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/attach_merge.h"

#include <errno.h>
#include <string.h>

#include "core/base/err.h"
#include "core/files/same_file.h"

/* Whether two places with the same offset are in one file: 1, 0, or a recorded failure. */
static int in_one_file(const struct probe_place *one, const struct probe_place *other)
{
	struct file_identity first, second;
	int same = file_identity(one->fd, &first) ?: file_identity(other->fd, &second);

	same = same ?: file_is_same(one->fd, &first, other->fd, &second);
	return same < 0 ? fail(same, "'%s' and '%s' may be the same file; they could not be compared: %s", one->path,
			       other->path, strerror(-same))
			: same;
}

static int is_same_place(const struct probe_place *one, const struct probe_place *other)
{
	if (one->path)
		return one->offset == other->offset ? in_one_file(one, other) : 0;
	if (one->address)
		return one->address == other->address;
	return !strcmp(one->name, other->name);
}

/* Whether an earlier pattern has the place: 1, 0, or a recorded failure. */
static int is_among(const struct attach_plan *attach, size_t nr, const struct probe_place *place)
{
	int same = 0;

	for (size_t i = 0; !same && i < nr; i++)
		same = is_same_place(&attach->places.data[i], place);
	return same;
}

/* Moves the new places; the others stay in `part`. */
static int move_places(struct attach_plan *attach, struct attach_plan *part)
{
	size_t nr_before = attach->places.nr, kept = 0;

	for (size_t i = 0; i < part->places.nr; i++) {
		int same = is_among(attach, nr_before, &part->places.data[i]);

		if (same < 0)
			return same;
		if (same)
			part->places.data[kept++] = part->places.data[i];
		else
			vec_push(&attach->places, part->places.data[i]);
	}
	part->places.nr = kept;
	for (size_t i = 0; i < part->fds.nr; i++)
		vec_push(&attach->fds, part->fds.data[i]);
	part->fds.nr = 0;
	return 0;
}

/* Chooses one that works for the places of both: system calls can also be probed by classic tracepoints. */
static int join_mechanisms(struct attach_plan *attach, const struct attach_plan *part)
{
	const struct attach_plan *wanted = attach;

	if (attach->mechanism == part->mechanism)
		return 0;
	if (part->mechanism == MECHANISM_UPROBE_MULTI || part->mechanism == MECHANISM_TRACEPOINT)
		wanted = part;
	if (wanted->mechanism != MECHANISM_UPROBE_MULTI && wanted->mechanism != MECHANISM_TRACEPOINT)
		return fail_host(-EOPNOTSUPP, "without tracefs, system calls and other tracepoints cannot share a run");
	attach->mechanism = wanted->mechanism;
	attach->program = wanted->program;
	memcpy(attach->why, wanted->why, sizeof(attach->why));
	for (size_t i = 0; attach->mechanism == MECHANISM_TRACEPOINT && i < attach->places.nr; i++)
		attach->places.data[i].program = NULL;
	return 0;
}

/* The object is loaded for the first place, which must have a BTF id. */
static void put_known_first(struct attach_plan *attach)
{
	for (size_t i = 0; i < attach->places.nr; i++)
		if (attach->places.data[i].number) {
			struct probe_place first = attach->places.data[0];

			attach->places.data[0] = attach->places.data[i];
			attach->places.data[i] = first;
			return;
		}
}

static void add_lines(struct buf *text, const struct buf *more)
{
	if (more->nr && !strstr(buf_text(text), more->data))
		buf_add(text, more->data, more->nr);
}

int attach_plan_merge(struct attach_plan *attach, struct attach_plan *part)
{
	bool is_first = !attach->places.nr;
	int err = move_places(attach, part);

	if (err)
		return err;
	if (is_first) {
		attach->mechanism = part->mechanism;
		attach->program = part->program;
		attach->only_process = part->only_process;
		attach->inside_functions = part->inside_functions;
		memcpy(attach->why, part->why, sizeof(attach->why));
	}
	attach->nr_files = part->nr_files;
	add_lines(&attach->note, &part->note);
	add_lines(&attach->missing, &part->missing);
	err = join_mechanisms(attach, part);
	if (!err && attach->mechanism == MECHANISM_FENTRY)
		put_known_first(attach);
	return err;
}
