/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The programs that keep the table of what a command has started: bpf/on_fork.bpf.c. */
#include <errno.h>
#include <string.h>

#include "core/base/err.h"
#include "core/host/host.h"
#include "core/session/attach_private.h"

#define MIN_CHILDREN 16384U
#define MAX_CHILDREN (1U << 17) /* 8 MB of kernel memory */

/* Attached in this order and removed in the other: what the second report finds not dealt with was missed by the first. */
static const char *const by_memory[NR_CHILD_PROGRAMS] = { "on_birth", "on_fork", "on_free" };
static const char *const by_type[NR_CHILD_PROGRAMS] = { "on_birth_by_type", "on_fork_by_type", "on_free_by_type" };
static const char *const tracepoints[] = { "task_newtask", "sched_process_fork", "sched_process_free" };

/* Children live beside what the host has now; each takes an entry until the kernel has forgotten it. */
static uint32_t nr_children(void)
{
	uint32_t entries = 2 * host_nr_threads();

	if (entries < MIN_CHILDREN)
		return MIN_CHILDREN;
	return entries < MAX_CHILDREN ? entries : MAX_CHILDREN;
}

void session_prepare_children(struct session *session, const struct plan *plan)
{
	struct bpf_map *map = session->skeleton->maps.st_children;

	bpf_map__set_autocreate(map, plan->follow_children);
	bpf_map__set_autocreate(session->skeleton->maps.st_births, plan->follow_children);
	if (!plan->follow_children)
		return;
	bpf_map__set_max_entries(map, nr_children());
	session->child_programs = host_task_access(PROGRAM_RAW_TRACEPOINT) == TASK_ACCESS_PROBE_READ ? by_memory
												     : by_type;
	for (size_t i = 0; i < NR_CHILD_PROGRAMS; i++)
		bpf_program__set_autoload(session_program(session, session->child_programs[i]), true);
}

static struct bpf_link *link_child_program(const struct session *session, size_t i)
{
	struct bpf_program *program = session_program(session, session->child_programs[i]);

	return session->child_programs == by_memory ? bpf_program__attach_raw_tracepoint(program, tracepoints[i])
						    : bpf_program__attach_trace(program);
}

int attach_children(struct session *session)
{
	for (size_t i = 0; session->child_programs && i < NR_CHILD_PROGRAMS; i++) {
		struct bpf_link *link = link_child_program(session, i);

		if (!link) {
			int err = -errno;

			fail_host(err, "children: tracepoint %s: the kernel refuses to attach: %s", tracepoints[i],
				  strerror(-err));
			hint("--no-children follows the command alone");
			return err;
		}
		attach_keep(session, link, 0, 0);
	}
	return 0;
}
