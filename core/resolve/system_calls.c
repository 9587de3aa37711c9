/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/resolve/system_calls.h"

#include <seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Events are named after the kernel's function, whose name may differ from that of the call. */
static const struct {
	const char *function, *name;
} renamed[] = {
	{ "newstat", "stat" },   { "newfstat", "fstat" }, { "newlstat", "lstat" },
	{ "newuname", "uname" }, { "umount", "umount2" }, { "sendfile64", "sendfile" },
};

/* Unknown to older versions of libseccomp. Numbers from 424 on are the same on all machines. */
static const struct {
	const char *name;
	int number;
} young[] = {
	{ "statmount", 457 },         { "listmount", 458 },        { "lsm_get_self_attr", 459 },
	{ "lsm_set_self_attr", 460 }, { "lsm_list_modules", 461 }, { "mseal", 462 },
	{ "setxattrat", 463 },        { "getxattrat", 464 },       { "listxattrat", 465 },
	{ "removexattrat", 466 },     { "open_tree_attr", 467 },   { "file_getattr", 468 },
	{ "file_setattr", 469 },      { "listns", 470 },           { "rseq_slice_yield", 471 },
#if defined(__x86_64__)
	{ "uretprobe", 335 },         { "uprobe", 336 },
#endif
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static int number_of(const char *function)
{
	const char *name = function;

	for (size_t i = 0; i < LENGTH(renamed); i++)
		if (!strcmp(function, renamed[i].function))
			name = renamed[i].name;
	for (size_t i = 0; i < LENGTH(young); i++)
		if (!strcmp(name, young[i].name))
			return young[i].number;
	return seccomp_syscall_resolve_name(name);
}

bool system_call_of_event(const char *event, struct system_call *ret_call)
{
	static const char enter[] = "sys_enter_", leave[] = "sys_exit_";
	bool is_exit = !strncmp(event, leave, strlen(leave));
	int number;

	if (!is_exit && strncmp(event, enter, strlen(enter)))
		return false;
	number = number_of(event + strlen(is_exit ? leave : enter));
	*ret_call = (struct system_call){ number, is_exit };
	return number >= 0;
}

static void note_missing_stacks(const struct plan *plan, struct attach_plan *attach, const char *other)
{
	for (size_t i = 0; plan->want_kernel && i < attach->places.nr; i++)
		if (!strcmp(attach->places.data[i].category, "syscalls")) {
			attach_plan_note(attach,
					 "on kernels before Linux 6.12, system calls have no kernel stacks in this "
					 "run, because %s is traced too: trace t:syscalls:sys_enter_* and sys_exit_* "
					 "alone",
					 other);
			return;
		}
}

static void note_ends(const struct plan *plan, struct attach_plan *attach)
{
	for (size_t i = 0; plan->want_kernel && i < attach->places.nr; i++)
		if (attach->places.data[i].is_exit) {
			attach_plan_note(
				attach,
				"at the end of a system call its kernel functions have returned: kernel stacks of %s "
				"show only the exit path",
				attach->places.data[i].event);
			return;
		}
}

void system_calls_prefer_raw(const struct plan *plan, struct attach_plan *attach)
{
	struct system_call call;

	for (size_t i = 0; i < attach->places.nr; i++) {
		struct probe_place *place = &attach->places.data[i];

		if (strcmp(place->category, "syscalls") || !system_call_of_event(place->event, &call)) {
			note_missing_stacks(plan, attach, place->name);
			return;
		}
		place->number = (uint64_t)call.number;
		place->is_exit = call.is_exit;
	}
	for (size_t i = 0; i < attach->places.nr; i++)
		attach->places.data[i].program = attach->places.data[i].is_exit ? "on_sys_exit" : "on_sys_enter";
	attach->program = PROGRAM_RAW_TRACEPOINT;
	attach->mechanism = MECHANISM_SYSTEM_CALLS;
	snprintf(attach->why, sizeof(attach->why), "the classic tracepoint has no kernel stack before 6.12");
	note_ends(plan, attach);
}
