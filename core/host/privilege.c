/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/privilege.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/host.h"

#define INITIAL_USERNS_INODE 0xeffffffd /* PROC_USER_INIT_INO, include/linux/proc_ns.h */

/* CAP_SYS_ADMIN implies capabilities that were split from it: CAP_BPF and CAP_PERFMON in v5.8, CAP_CHECKPOINT_RESTORE in v5.9. */
static const struct need {
	cap_value_t capability;
	bool by_sys_admin; /* CAP_SYS_ADMIN implies it */
	bool kept; /* after attaching */
	struct privilege privilege;
} needs[] = {
	{ CAP_BPF,
	  true,
	  true,
	  { .name = "CAP_BPF",
	    .essential = true,
	    .purpose = "larger maps while running; every access to a map on kernels before 5.19" } },
	{ CAP_PERFMON,
	  true,
	  true,
	  { .name = "CAP_PERFMON", .essential = true, .purpose = "perf events of CPUs that come online" } },
	{ CAP_SYSLOG,
	  false,
	  false,
	  { .name = "CAP_SYSLOG", .purpose = "addresses in /proc/kallsyms", .loss = "kernel functions have no names" } },
	{ CAP_SYS_PTRACE,
	  false,
	  true,
	  { .name = "CAP_SYS_PTRACE",
	    .purpose = "maps and files of processes of other users",
	    .loss = "code of other users' processes has no names" } },
	{ CAP_DAC_READ_SEARCH,
	  false,
	  true,
	  { .name = "CAP_DAC_READ_SEARCH",
	    .purpose = "program files that only their owner can read",
	    .loss = "no names from files that only their owner can read" } },
	{ CAP_CHECKPOINT_RESTORE,
	  true,
	  true,
	  { .name = "CAP_CHECKPOINT_RESTORE",
	    .purpose = "/proc/PID/map_files: the exact file that is mapped",
	    .loss = "no names from deleted or replaced files" } },
};

#define NR_NEEDS (sizeof(needs) / sizeof(needs[0]))

static void free_capabilities(cap_t *capabilities)
{
	if (*capabilities)
		cap_free(*capabilities);
}

static bool has(cap_t capabilities, cap_value_t capability)
{
	cap_flag_value_t value = CAP_CLEAR;

	return !cap_get_flag(capabilities, capability, CAP_EFFECTIVE, &value) && value == CAP_SET;
}

static bool is_met(cap_t capabilities, const struct need *need)
{
	return has(capabilities, need->capability) || (need->by_sys_admin && has(capabilities, CAP_SYS_ADMIN));
}

bool privilege_in_user_namespace(void)
{
	struct stat status;

	return !stat("/proc/self/ns/user", &status) && status.st_ino != INITIAL_USERNS_INODE;
}

bool privilege_is_kept_from_perf(long *ret_paranoid)
{
	_cleanup_(free_capabilities) cap_t capabilities = cap_get_proc();
	char text[16];

	if (host_first_line("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)))
		return false;
	*ret_paranoid = strtol(text, NULL, 10);
	return *ret_paranoid > 2 && capabilities && !has(capabilities, CAP_SYS_ADMIN);
}

bool privilege_may_trace(void)
{
	_cleanup_(free_capabilities) cap_t capabilities = cap_get_proc();

	return capabilities && has(capabilities, CAP_SYS_PTRACE);
}

bool privilege_look(size_t index, struct privilege *ret_privilege)
{
	_cleanup_(free_capabilities) cap_t capabilities = cap_get_proc();

	if (index >= NR_NEEDS)
		return false;
	*ret_privilege = needs[index].privilege;
	ret_privilege->held = is_met(capabilities, &needs[index]);
	return true;
}

int privilege_check(void)
{
	_cleanup_(free_capabilities) cap_t capabilities = cap_get_proc();
	_cleanup_(buf_done) struct buf missing = {};

	if (!capabilities)
		return fail_host(-errno, "capabilities: %s", strerror(errno));
	for (size_t i = 0; i < NR_NEEDS; i++)
		if (needs[i].privilege.essential && !is_met(capabilities, &needs[i]))
			buf_addf(&missing, "%s%s", missing.nr ? " and " : "", needs[i].privilege.name);
	if (missing.nr) {
		fail_host(-EPERM, "permission denied: this needs %s", buf_text(&missing));
		hint("run it as root, with sudo, or once: setcap "
		     "cap_bpf,cap_perfmon,cap_syslog,cap_sys_ptrace+ep on the program's file");
		return -EPERM;
	}
	if (privilege_in_user_namespace()) {
		fail_host(-EPERM,
			  "permission denied: capabilities in a user namespace do not give access to kernel events");
		hint("run it as root of the host, or in a container without a user namespace of its own");
		return -EPERM;
	}
	return 0;
}

void privilege_note(struct buf *ret_text)
{
	struct privilege privilege;

	for (size_t i = 0; privilege_look(i, &privilege); i++)
		if (privilege.loss && !privilege.held)
			buf_addf(ret_text, "%swithout %s %s", ret_text->nr ? "; " : "", privilege.name, privilege.loss);
}

void privilege_describe(struct buf *ret_text)
{
	_cleanup_(free_capabilities) cap_t capabilities = cap_get_proc();

	for (size_t i = 0; i < NR_NEEDS; i++)
		if (has(capabilities, needs[i].capability))
			buf_addf(ret_text, "%s: %s\n", needs[i].privilege.name, needs[i].privilege.purpose);
	if (has(capabilities, CAP_SYS_ADMIN))
		buf_adds(ret_text, "CAP_SYS_ADMIN: instead of the capabilities that are missing\n");
}

static void keep(cap_t kept, cap_value_t capability)
{
	cap_set_flag(kept, CAP_PERMITTED, 1, &capability, CAP_SET);
	cap_set_flag(kept, CAP_EFFECTIVE, 1, &capability, CAP_SET);
}

/* Keeps CAP_SYS_ADMIN if it stands in for a missing capability. */
static cap_t kept_to_trace(cap_t present)
{
	cap_t kept = cap_init();

	for (size_t i = 0; kept && i < NR_NEEDS; i++)
		if (needs[i].kept && is_met(present, &needs[i]))
			keep(kept, has(present, needs[i].capability) ? needs[i].capability : CAP_SYS_ADMIN);
	return kept;
}

/* Without CAP_SETPCAP the set cannot be reduced; no_new_privs makes that harmless. */
static void shrink_bounding_set(cap_t kept)
{
	for (cap_value_t capability = 0; cap_get_bound(capability) >= 0; capability++)
		if (!has(kept, capability))
			cap_drop_bound(capability);
}

/*
 * Other processes of the same user cannot attach to a process that is not dumpable and use its capabilities. The process can still read its
 * own /proc (ptrace_may_access()). The sanitizers' leak checker has to attach.
 */
static int forbid_attaching(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 0;
#else
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

static cap_t kept_to_write(cap_t present)
{
	cap_t kept = cap_init();

	if (kept && has(present, CAP_DAC_OVERRIDE))
		keep(kept, CAP_DAC_OVERRIDE);
	return kept;
}

static cap_t kept_to_give_away(cap_t present)
{
	cap_t kept = kept_to_write(present);

	if (kept && has(present, CAP_CHOWN))
		keep(kept, CAP_CHOWN);
	return kept;
}

static int drop(cap_t (*choose)(cap_t present))
{
	_cleanup_(free_capabilities) cap_t present = cap_get_proc();
	_cleanup_(free_capabilities) cap_t kept = present ? choose(present) : NULL;

	if (!kept)
		return fail(-errno, "capabilities: %s", strerror(errno));
	shrink_bounding_set(kept);
	cap_reset_ambient();
	if (cap_set_proc(kept))
		return fail(-errno, "capabilities: cannot be dropped: %s", strerror(errno));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return fail(-errno, "no_new_privs: %s", strerror(errno));
	if (forbid_attaching())
		return fail(-errno, "PR_SET_DUMPABLE: %s", strerror(errno));
	return 0;
}

int privilege_drop(void)
{
	return drop(kept_to_trace);
}

int privilege_keep_writing(bool gives_away)
{
	return drop(gives_away ? kept_to_give_away : kept_to_write);
}
