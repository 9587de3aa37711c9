/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that keep the table of what a command has started: bpf/on_fork.bpf.c. */
#include <errno.h>
#include <string.h>

#include "core/base/err.h"
#include "core/session/attach_private.h"

static const char *const tracepoints[] = { "task_newtask", "sched_process_fork", "sched_process_free" };

int attach_children(struct attachment *attachment)
{
	const char *const *programs = attachment->loaded->child_programs;

	for (size_t i = 0; programs && i < NR_CHILD_PROGRAMS; i++) {
		struct bpf_link *link = bpf_program__attach(loaded_program(attachment->loaded, programs[i]));

		if (!link) {
			int err = -errno;

			fail_host(err, "children: tracepoint %s: the kernel refuses to attach: %s", tracepoints[i],
				  strerror(-err));
			hint("--no-children follows only the command itself");
			return err;
		}
		attach_keep(attachment, link, 0, 0);
	}
	return 0;
}
