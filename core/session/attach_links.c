/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every way to attach needs: links that are kept, places that are refused. */
#include <errno.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/host/libbpf_log.h"
#include "core/host/signals.h"
#include "core/session/attach_private.h"

void attach_keep(struct attachment *attachment, struct bpf_link *link, size_t first, size_t nr)
{
	const struct attached_link attached = { link, bpf_link__fd(link), first, nr };

	vec_push(&attachment->links, attached);
	attachment->nr_attached += nr;
}

void attach_keep_fd(struct attachment *attachment, int fd, size_t place)
{
	const struct attached_link attached = { NULL, fd, place, 1 };

	vec_push(&attachment->links, attached);
	attachment->nr_attached++;
}

void attach_refused(struct attachment *attachment, const struct probe_place *place, int err)
{
	if (!attachment->refused.nr++) {
		attachment->refused.err = err;
		attachment->refused.example = xstrdup(place->name);
	}
}

/* The kernel's own ENOTSUPP has no name in the C library. */
#define KERNEL_ENOTSUPP 524

static const char *reason_of(int err)
{
	if (err == -REFUSED_MISREAD)
		return first_instruction_obstacle(FIRST_MISREAD);
	if (err == -REFUSED_NOP5)
		return first_instruction_obstacle(FIRST_NOP5);
	if (err == -REFUSED_UNTRIED)
		return first_instruction_obstacle(FIRST_UNTRIED);
	if (err == -REFUSED_SAME_NAME)
		return "fentry attaches by name, and another function of this name is already probed";
	if (err == -REFUSED_NO_TYPE)
		return "the kernel's type information has no function of this name";
	return err == -KERNEL_ENOTSUPP ? "the kernel cannot set a breakpoint on the instruction there" : strerror(-err);
}

int attach_failed(const struct probe_place *place, int err)
{
	if (err == -EPERM || err == -EACCES) {
		fail_host(err, "%s: the kernel refuses to attach: %s", place->name, strerror(-err));
		hint("this needs CAP_PERFMON and, for user functions, CAP_SYS_ADMIN (or root)");
		return err;
	}
	if (err == -REFUSED_NOP5 || err == -REFUSED_UNTRIED)
		return fail_host(err, "%s: cannot attach: %s", place->name, reason_of(err));
	fail(err, "%s: cannot attach: %s", place->name, reason_of(err));
	if (libbpf_log_last()[0])
		hint("%s", libbpf_log_last());
	return err;
}

void attach_halves(struct attachment *attachment, size_t first, size_t nr, attach_link *link_places)
{
	struct bpf_link *link = link_places(attachment, first, nr);
	int err = link ? 0 : -errno;

	if (link) {
		attach_keep(attachment, link, first, nr);
	} else if (nr == 1 || err == -EPERM || err == -EACCES) {
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
		buf_addf(ret_lines, ": %s\n", reason_of(attachment->refused.err));
	}
	if (attachment->nr_left)
		buf_addf(ret_lines, "%zu of %zu probes %s not attached: the run stopped first\n", attachment->nr_left,
			 nr, attachment->nr_left == 1 ? "was" : "were");
}
