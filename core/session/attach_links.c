/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by all mechanisms: links, refused places and copies of the program. */
#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/host/libbpf_log.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"

int attach_keep(struct attachment *attachment, struct bpf_link *link, size_t first, size_t nr)
{
	if (!link)
		return -errno;
	vec_push(&attachment->links, (struct attached_link){ link, bpf_link__fd(link), -1, first, nr });
	attachment->nr_attached += nr;
	return 0;
}

void attach_keep_fd(struct attachment *attachment, int fd, int event, size_t first, size_t nr)
{
	vec_push(&attachment->links, (struct attached_link){ NULL, fd, event, first, nr });
	attachment->nr_attached += nr;
}

void attach_refused(struct attachment *attachment, const struct probe_place *place, int err)
{
	if (!attachment->refused.nr++) {
		attachment->refused.err = err;
		attachment->refused.place = place;
		attachment->refused.example = xstrdup(place->name);
	}
	if (!attachment->refused.end && place->part != CALL_BEGINS && place->part != CALL_AT_ONCE) {
		attachment->refused.end = place;
		attachment->refused.end_err = err;
	}
}

#define KERNEL_ENOTSUPP 524 /* the kernel's ENOTSUPP, which the C library does not define */

static const char *reason_of(const struct attachment *attachment, int err)
{
	if (-err >= REFUSED_INSTRUCTION)
		return first_instruction_obstacle((enum first_instruction)(-err - REFUSED_INSTRUCTION));
	if (err == -REFUSED_SAME_NAME)
		return "fentry attaches by name, and another function of this name is already probed";
	if (err == -REFUSED_NO_TYPE)
		return "the kernel's type information has no function of this name";
	if (err == -REFUSED_STUCK)
		return attachment->stuck.why;
	return err == -KERNEL_ENOTSUPP ? "the kernel cannot set a breakpoint on the instruction there" : strerror(-err);
}

int attach_failed(const struct attachment *attachment, const struct probe_place *place, int err)
{
	if (err == -EPERM || err == -EACCES) {
		fail_host(err, "%s: the kernel refuses to attach: %s", place->name, strerror(-err));
		hint("this needs CAP_PERFMON and, for user functions, CAP_SYS_ADMIN (or root)");
		return err;
	}
	if (-err == REFUSED_INSTRUCTION + FIRST_NOP5 || -err == REFUSED_INSTRUCTION + FIRST_UNTRIED)
		return fail_host(err, "%s: cannot attach: %s", place->name, reason_of(attachment, err));
	fail(err, "%s: cannot attach: %s", place->name, reason_of(attachment, err));
	if (!attachment->way->is_user_code && libbpf_log_last()[0])
		hint("%s", libbpf_log_last());
	return err;
}

void attach_halves(struct attachment *attachment, size_t first, size_t nr, attach_link *link_places)
{
	int err = link_places(attachment, first, nr);

	if (!err)
		return;
	if (nr == 1 || err == -EPERM || err == -EACCES || err == -REFUSED_STUCK) {
		for (size_t i = first; i < first + nr; i++)
			attach_refused(attachment, &attachment->plan->places.data[i], err);
	} else {
		attach_halves(attachment, first, nr / 2, link_places);
		attach_halves(attachment, first + nr / 2, nr - nr / 2, link_places);
	}
}

bool attach_ends_before(struct attachment *attachment, size_t place)
{
	bool ends = attachment->nr_attached && signals_end_is_pending();

	if (ends)
		attachment->nr_left = attachment->plan->places.nr - place;
	else if (attachment->between)
		attachment->between(attachment->between_context);
	return ends;
}

void attachment_describe_refused(const struct attachment *attachment, struct buf *ret_lines)
{
	size_t nr = attachment->refused.nr + attachment->nr_left + attachment->nr_attached;

	if (attachment->refused.nr) {
		buf_addf(ret_lines, "%zu of %zu probes %s refused, such as ", attachment->refused.nr, nr,
			 attachment->refused.nr == 1 ? "was" : "were");
		escape_add(ret_lines, attachment->refused.example, ESCAPE_LINE);
		buf_addf(ret_lines, ": %s\n", reason_of(attachment, attachment->refused.err));
	}
	if (attachment->nr_left)
		buf_addf(ret_lines, "%zu of %zu probes %s not attached: the run stopped first\n", attachment->nr_left,
			 nr, attachment->nr_left == 1 ? "was" : "were");
}

/*
 * ---- which place was hit ----
 *
 * The attach cookie is the number of the place. If the kernel has no cookies, each place has a copy of the program with the same maps. A
 * copy takes some milliseconds to load.
 */

__u64 attach_cookie(const struct attachment *attachment, size_t index)
{
	return loaded_config(attachment->loaded)->has_cookie ? index : 0;
}

__u64 *attach_cookies(const struct attachment *attachment, size_t first, size_t nr)
{
	__u64 *cookies;

	if (!loaded_config(attachment->loaded)->has_cookie)
		return NULL;
	cookies = xcalloc(nr, sizeof(*cookies));
	for (size_t i = 0; i < nr; i++)
		cookies[i] = first + i;
	return cookies;
}

static int configure_copy(struct stacktool *copy, const struct attachment *attachment, size_t index)
{
	struct bpf_program *program =
		bpf_object__find_program_by_name(copy->obj, attach_place_program(attachment->plan, index));

	*copy->rodata = *attachment->loaded->skeleton->rodata;
	copy->rodata->st_config.probe = (__u32)index;
	loaded_share_maps(copy, attachment->loaded);
	return load_want_program(attachment->loaded, program, index);
}

static struct bpf_program *load_copy(struct attachment *attachment, size_t index)
{
	struct stacktool *copy = loaded_open_copy(attachment->loaded);
	int err = copy ? configure_copy(copy, attachment, index) ?: stacktool__load(copy) : -errno;

	if (err) {
		stacktool__destroy(copy);
		errno = -err;
		return NULL;
	}
	vec_push(&attachment->copies, copy);
	return bpf_object__find_program_by_name(copy->obj, attach_place_program(attachment->plan, index));
}

struct bpf_program *attach_program(struct attachment *attachment, size_t index)
{
	return index && attachment->loaded->needs_copies ? load_copy(attachment, index) : attachment->loaded->program;
}
