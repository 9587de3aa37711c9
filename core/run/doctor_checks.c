/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/doctor_checks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/host.h"
#include "core/host/libbpf_log.h"
#include "core/host/privilege.h"
#include "core/host/process.h"
#include "core/host/red_zone.h"
#include "core/resolve/resolve.h"
#include "core/run/breakpoints.h"
#include "core/spaces/sideband.h"
#include "symbolize/symbolize.h"

#define NEEDS_ROOT "run it as root, or give the program CAP_BPF and CAP_PERFMON"

void ability_list_done(ability_list *abilities)
{
	for (size_t i = 0; i < abilities->nr; i++) {
		free(abilities->data[i].finding);
		free(abilities->data[i].remedy);
	}
	vec_done(abilities);
}

const char *ability_state_name(enum ability_state state)
{
	static const char *const names[] = {
		[ABILITY_YES] = "yes",
		[ABILITY_PARTLY] = "partly",
		[ABILITY_NO] = "no",
		[ABILITY_UNKNOWN] = "unknown",
	};

	return names[state];
}

const struct ability *doctor_obstacle(const ability_list *abilities)
{
	for (size_t i = 0; i < abilities->nr; i++)
		if (abilities->data[i].essential && abilities->data[i].state == ABILITY_NO)
			return &abilities->data[i];
	return NULL;
}

/* ---- answers ---- */

__attribute__((format(printf, 4, 5))) static void answer(struct ability *ability, enum ability_state state,
							 const char *remedy, const char *format, ...)
{
	va_list arguments;
	char text[512];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	ability->state = state;
	ability->finding = xstrdup(text);
	ability->remedy = remedy ? xstrdup(remedy) : NULL;
}

/* yes(ability, finding...); the others: (ability, remedy, finding...) */
#define yes(ability, ...) answer(ability, ABILITY_YES, NULL, __VA_ARGS__)
#define partly(ability, ...) answer(ability, ABILITY_PARTLY, __VA_ARGS__)
#define no(ability, ...) answer(ability, ABILITY_NO, __VA_ARGS__)
#define unknown(ability, ...) answer(ability, ABILITY_UNKNOWN, __VA_ARGS__)

/* ---- helpers ---- */

static bool holds(const char *name)
{
	struct privilege privilege;

	for (size_t i = 0; privilege_look(i, &privilege); i++)
		if (!strcmp(privilege.name, name))
			return privilege.held;
	return false;
}

static bool may_trace(void)
{
	return holds("CAP_BPF") && holds("CAP_PERFMON") && !privilege_in_user_namespace();
}

/* False, with the answer "unknown", if checking needs privileges. */
static bool may_check(struct ability *ability)
{
	if (!may_trace())
		unknown(ability, NEEDS_ROOT, "cannot be checked without CAP_BPF and CAP_PERFMON");
	return may_trace();
}

static void yes_or_no(struct ability *ability, bool is_there, const char *found, const char *remedy, const char *lacks)
{
	if (is_there)
		yes(ability, "%s", found);
	else
		no(ability, remedy, "%s", lacks);
}

static void forbidden_by_lockdown(struct ability *ability)
{
	no(ability, "boot without lockdown=confidentiality", "forbidden by lockdown=confidentiality");
}

/* Opens an event without enabling it. A descriptor or a negative errno. */
static int open_event(uint32_t type, uint64_t config, const char *function)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = type,
		.config = config,
		.kprobe_func = (uint64_t)(uintptr_t)function,
		.sample_period = function ? 1 : 1000000000,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* ---- essential abilities ---- */

static void ask_user_namespace(struct ability *ability)
{
	yes_or_no(ability, !privilege_in_user_namespace(), "this is the host's user namespace",
		  "run it as root of the host, or in a container without a user namespace of its own",
		  "in a user namespace: capabilities there do not give access to kernel events");
}

static void ask_bpf(struct ability *ability)
{
	/* r0 = 0; exit */
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_(closep) int program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "st_ask", "GPL", code, 2, NULL);

	if (program >= 0)
		yes(ability, "tracing programs can be loaded");
	else if (program == -ENOSYS)
		no(ability, "a kernel with CONFIG_BPF_SYSCALL", "the kernel has no bpf()");
	else if (!may_trace())
		no(ability, NEEDS_ROOT, "tracing programs are refused without CAP_BPF and CAP_PERFMON");
	else if (program == -EPERM)
		no(ability,
		   "allow bpf() in the container's seccomp profile (docker: --security-opt seccomp=unconfined) and "
		   "in the security module's policy",
		   "tracing programs are refused although this user has the capabilities");
	else
		no(ability, "a kernel with CONFIG_BPF_EVENTS", "tracing programs cannot be loaded: %s",
		   strerror(-program));
}

static void ask_btf(struct ability *ability)
{
	err_clear();
	if (host_require_btf())
		no(ability, "a kernel with CONFIG_DEBUG_INFO_BTF; in a container: mount /sys", "%s", err_cause());
	else
		yes(ability, "/sys/kernel/btf/vmlinux");
}

static void ask_proc(struct ability *ability)
{
	err_clear();
	if (process_require_proc())
		no(ability, err_hint(), "%s", err_cause());
	else
		yes(ability, "/proc shows the processes of this pid namespace");
}

/* ---- timed samples ---- */

#define KEPT_FROM_PERF "run it as root, or: sysctl kernel.perf_event_paranoid=2"

static void ask_perf_events(struct ability *ability)
{
	long paranoid;
	_cleanup_(closep) int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NULL);

	if (fd >= 0)
		yes(ability, "clock events of whole CPUs can be opened");
	else if (fd == -ENOSYS)
		no(ability, "a kernel with CONFIG_PERF_EVENTS", "the kernel has no perf_event_open()");
	else if (!holds("CAP_PERFMON"))
		no(ability, NEEDS_ROOT, "refused without CAP_PERFMON");
	else if (privilege_is_kept_from_perf(&paranoid))
		no(ability, KEPT_FROM_PERF, "refused without CAP_SYS_ADMIN: kernel.perf_event_paranoid is %ld",
		   paranoid);
	else
		no(ability,
		   "allow perf_event_open() in the container's seccomp profile (docker: --security-opt "
		   "seccomp=unconfined)",
		   "refused: %s", strerror(-fd));
}

static void ask_pmu(struct ability *ability)
{
	long paranoid;
	_cleanup_(closep) int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL);

	if (fd >= 0)
		yes(ability, "cpu-cycles can be sampled");
	else if (holds("CAP_PERFMON") && privilege_is_kept_from_perf(&paranoid))
		unknown(ability, KEPT_FROM_PERF, "cannot be checked without CAP_SYS_ADMIN");
	else if (fd == -EACCES || fd == -EPERM)
		unknown(ability, NEEDS_ROOT, "cannot be checked without CAP_PERFMON");
	else
		no(ability,
		   "in a virtual machine, enable a virtual PMU on its host (qemu: -cpu host,pmu=on); profile uses "
		   "cpu-clock instead",
		   "no counter for cpu-cycles: %s", strerror(-fd));
}

static void ask_sideband(struct ability *ability)
{
	struct sideband *sideband = NULL;
	const char *remedy = "a kernel with CONFIG_PERF_EVENTS";
	long paranoid;

	err_clear();
	if (sideband_new(&sideband)) {
		if (!holds("CAP_PERFMON"))
			remedy = NEEDS_ROOT;
		else if (privilege_is_kept_from_perf(&paranoid))
			remedy = KEPT_FROM_PERF;
		no(ability, remedy, "%s", err_cause());
		return;
	}
	yes(ability, "the kernel reports every executable mapping%s",
	    sideband_has_build_ids(sideband) ? ", with build ids" : "");
	sideband_free(sideband);
}

/* ---- tracepoints ---- */

static void ask_tracefs(struct ability *ability)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[64];

	if (host_tracefs()) {
		yes(ability, "%s", host_tracefs());
		return;
	}
	if (host_is_confidential()) {
		forbidden_by_lockdown(ability);
		return;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (access(path, F_OK) && errno != EACCES)
			continue;
		no(ability, "run it as root, or: mount -o remount,mode=755 /sys/kernel/tracing",
		   "%s is not readable for this user", places[i]);
		return;
	}
	no(ability, "mount -t tracefs tracefs /sys/kernel/tracing", "not mounted, or the kernel has no CONFIG_TRACING");
}

static void ask_raw_tracepoints(struct ability *ability)
{
	if (may_check(ability))
		yes_or_no(ability, host_task_access(PROGRAM_RAW_TRACEPOINT) != TASK_ACCESS_NONE,
			  "raw tracepoint programs work and can read the current task",
			  "a kernel from 5.11 on, or boot without lockdown=confidentiality",
			  "raw tracepoint programs cannot read the current task");
}

static void ask_scheduler_events(struct ability *ability)
{
	enum switch_order order;

	err_clear();
	if (host_scheduler_events(&order, NULL))
		no(ability, err_hint()[0] ? err_hint() : "a kernel with CONFIG_DEBUG_INFO_BTF", "%s", err_cause());
	else
		yes(ability, "sched_switch and sched_waking are in the kernel's BTF");
}

static void ask_task_iterator(struct ability *ability)
{
	err_clear();
	if (host_require_task_iterator())
		no(ability, err_hint()[0] ? err_hint() : "a kernel with CONFIG_DEBUG_INFO_BTF", "%s", err_cause());
	else
		yes(ability, "programs can be run for each thread");
}

/* ---- functions ---- */

static void ask_kprobe_multi(struct ability *ability)
{
	yes_or_no(ability, host_has_kprobe_multi(), "all functions of a pattern in one link",
		  "a kernel from 5.18 on with CONFIG_FPROBE", "not in this kernel");
}

/* Tries a function that runs only once, at boot. */
static void ask_kprobe(struct ability *ability)
{
	int type = host_kprobe_event_type();
	_cleanup_(closep) int fd = -1;
	long paranoid;

	if (type < 0) {
		no(ability, "a kernel with CONFIG_KPROBES and CONFIG_KPROBE_EVENTS", "not in this kernel");
		return;
	}
	if (!may_trace()) {
		unknown(ability, NEEDS_ROOT,
			"the kernel has them; whether they are allowed cannot be checked without CAP_BPF and CAP_PERFMON");
		return;
	}
	fd = open_event((uint32_t)type, 0, "kernel_halt");
	if (fd >= 0)
		yes(ability, "a perf event for each function");
	else if (host_is_confidential())
		forbidden_by_lockdown(ability);
	else if (privilege_is_kept_from_perf(&paranoid))
		no(ability, KEPT_FROM_PERF, "refused without CAP_SYS_ADMIN: kernel.perf_event_paranoid is %ld",
		   paranoid);
	else
		no(ability, "look for lockdown in the kernel's log (dmesg); if it is the cause, boot without it",
		   "refused: %s", strerror(-fd));
}

static void ask_fentry(struct ability *ability)
{
	if (may_check(ability))
		yes_or_no(ability, host_has_fentry(), "a program for each function",
			  "a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS (aarch64: from 6.4 on)",
			  "refused by this kernel");
}

static void ask_uprobe(struct ability *ability)
{
	yes_or_no(ability, !access("/sys/bus/event_source/devices/uprobe/type", F_OK), "a perf event for each function",
		  "a kernel with CONFIG_UPROBE_EVENTS; in a container: mount /sys", "not in this kernel");
}

static void ask_uprobe_multi(struct ability *ability)
{
	if (may_check(ability))
		yes_or_no(ability, host_has_uprobe_multi(), "all functions of a file in one link",
			  "a kernel from 6.6 on with CONFIG_UPROBE_EVENTS", "not in this kernel");
}

static void ask_red_zone(struct ability *ability)
{
	switch (may_trace() ? red_zone_try() : RED_ZONE_UNKNOWN) {
	case RED_ZONE_SPARED:
		yes(ability, "a probe does not overwrite data below the program's stack pointer");
		break;
	case RED_ZONE_OVERWRITTEN:
		partly(ability,
		       "a kernel without optimized uprobes of 5-byte nops; or build the program with a sys/sdt.h of "
		       "1-byte nops",
		       "this kernel replaces a probed 5-byte nop by a call, which overwrites data below the stack "
		       "pointer: stacktool refuses such probes inside functions");
		break;
	case RED_ZONE_UNKNOWN:
		unknown(ability, may_trace() ? "a kernel with CONFIG_UPROBE_EVENTS" : NEEDS_ROOT,
			"the check could not set a uprobe");
	}
}

static void ask_breakpoints(struct ability *ability)
{
	_cleanup_(breakpoints_done) struct breakpoints found = {};
	_cleanup_(buf_done) struct buf text = {};
	int err = breakpoints_find(&found);

	if (!err && breakpoints_example(&found)) {
		breakpoints_describe(&found, &text);
		partly(ability, "stacktool doctor --heal", "%s", buf_text(&text));
	} else if (err == -EMFILE || err == -ENFILE) {
		unknown(ability, "raise the limit of open files: ulimit -n 1024",
			"none found, but not all processes could be inspected");
	} else if (err || !holds("CAP_SYS_PTRACE")) {
		unknown(ability, "run it as root, or give the program CAP_SYS_PTRACE",
			"this user may not read the memory of other users' processes");
	} else if (found.nr_left) {
		unknown(ability, "run it again when the host is less busy",
			"none found, but not all processes could be inspected");
	} else {
		yes(ability, "none found%s", found.nr_denied ? " in the processes that this user may inspect" : "");
	}
}

/* ---- losses and names ---- */

static void ask_misses(struct ability *ability)
{
	yes_or_no(ability, host_counts_misses(PROGRAM_KPROBE), "the kernel counts events missed by recursion",
		  "a kernel from 6.7 on", "the kernel does not count events missed by recursion");
}

static bool shows_addresses(FILE *kallsyms)
{
	char line[512];

	for (int i = 0; i < 100 && fgets(line, sizeof(line), kallsyms); i++)
		if (strtoull(line, NULL, 16))
			return true;
	return false;
}

static void ask_kallsyms(struct ability *ability)
{
	_cleanup_(fclosep) FILE *file = fopen("/proc/kallsyms", "re");
	char restrict_level[16];

	if (!file)
		no(ability, "a kernel with CONFIG_KALLSYMS; /proc must be mounted", "/proc/kallsyms: %s",
		   strerror(errno));
	else if (shows_addresses(file))
		yes(ability, "/proc/kallsyms shows addresses");
	else if (!host_first_line("/proc/sys/kernel/kptr_restrict", restrict_level, sizeof(restrict_level)) &&
		 !strcmp(restrict_level, "2"))
		no(ability, "sysctl kernel.kptr_restrict=1, and CAP_SYSLOG (or root)",
		   "/proc/kallsyms shows no addresses: kernel.kptr_restrict is 2");
	else
		no(ability, "run it as root, or give the program CAP_SYSLOG",
		   "/proc/kallsyms shows no addresses without CAP_SYSLOG");
}

static void ask_symbol_worker(struct ability *ability)
{
	unsigned int lacks = symbolizer_confinement();

	if (!(lacks & ~(unsigned int)CONFINED_WITHOUT_LANDLOCK))
		yes(ability, "reads files without privileges, as another user, with a system call filter%s",
		    lacks ? "; this kernel has no Landlock" : " and Landlock");
	else if (lacks & CONFINED_WITHOUT_FILTER)
		partly(ability,
		       "a kernel with CONFIG_SECCOMP_FILTER, and seccomp() allowed in the container's seccomp profile",
		       "reads files without privileges, but no process of stacktool has a system call filter: the kernel has "
		       "no seccomp filters, or the container's filter refuses seccomp()");
	else
		partly(ability, "map the user and the group 65534 into the user namespace",
		       "reads files without privileges, but as the same user or group");
}

/* ---- settings ---- */

static void ask_lockdown(struct ability *ability)
{
	char mode[32];

	if (!host_lockdown(mode, sizeof(mode))) {
		if (!access("/sys/kernel/security/lsm", F_OK))
			yes(ability, "not in this kernel");
		else
			unknown(ability, "mount -t securityfs securityfs /sys/kernel/security",
				"cannot be checked: securityfs is not mounted or not readable");
	} else if (!strcmp(mode, "confidentiality")) {
		partly(ability, "boot without lockdown=confidentiality (Secure Boot alone enables integrity only)",
		       "confidentiality: no kprobes, no tracefs, BPF programs cannot read memory");
	} else {
		yes(ability, "%s: forbids nothing that stacktool needs", mode);
	}
}

static void ask_user_stacks(struct ability *ability)
{
	const struct host_reads reads = host_reads(PROGRAM_SAMPLE);
	const char *obstacle = resolve_unwind_obstacle(&reads);

	if (obstacle)
		partly(ability, "build the programs with frame pointers, or see 'lockdown' above for the kernel",
		       "by frame pointers: %s", obstacle);
	else
		yes(ability, "by unwind tables; by frame pointers where code has none");
}

/* For a sysctl that forbids something from the value `limit` on without the capability. */
static void ask_setting(struct ability *ability, const char *path, long limit, const char *capability,
			const char *remedy)
{
	char text[32];
	int err = host_first_line(path, text, sizeof(text));

	if (err == -ENOENT)
		yes(ability, "this kernel has no such setting");
	else if (err)
		unknown(ability, "mount -t proc proc /proc", "%s: %s", path, strerror(-err));
	else if (strtol(text, NULL, 10) < limit)
		yes(ability, "%s", text);
	else if (holds(capability))
		yes(ability, "%s: needs %s, which is present", text, capability);
	else
		partly(ability, remedy, "%s: needs %s, which is missing", text, capability);
}

static void ask_perf_paranoid(struct ability *ability)
{
	long paranoid;

	if (holds("CAP_PERFMON") && privilege_is_kept_from_perf(&paranoid))
		partly(ability, KEPT_FROM_PERF, "%ld: needs CAP_SYS_ADMIN, which is missing", paranoid);
	else
		ask_setting(ability, "/proc/sys/kernel/perf_event_paranoid", 0, "CAP_PERFMON",
			    "give the program CAP_PERFMON, or: sysctl kernel.perf_event_paranoid=-1");
}

static void ask_unprivileged_bpf(struct ability *ability)
{
	ask_setting(ability, "/proc/sys/kernel/unprivileged_bpf_disabled", 1, "CAP_BPF",
		    "give the program CAP_BPF; tracing needs it at every value of this setting");
}

static void ask_kptr_restrict(struct ability *ability)
{
	char text[16];
	int err = host_first_line("/proc/sys/kernel/kptr_restrict", text, sizeof(text));

	if (err)
		unknown(ability, "mount -t proc proc /proc", "kernel.kptr_restrict: %s", strerror(-err));
	else if (strtol(text, NULL, 10) >= 2)
		partly(ability, "sysctl kernel.kptr_restrict=1", "%s: hides kernel addresses even from root", text);
	else
		yes(ability, "%s", text);
}

/* ---- all ---- */

#define EVERYTHING "everything that collects"

static const struct question {
	const char *id, *name, *concerns;
	bool essential;
	void (*ask)(struct ability *ability);
} questions[] = {
	{ "bpf", "BPF programs", EVERYTHING, true, ask_bpf },
	{ "btf", "kernel type information (BTF)", EVERYTHING, true, ask_btf },
	{ "proc", "/proc", EVERYTHING, true, ask_proc },
	{ "user-namespace", "user namespace", EVERYTHING, true, ask_user_namespace },
	{ "perf-events", "perf events", "profile", false, ask_perf_events },
	{ "pmu", "hardware counters (PMU)", "profile -e cpu-cycles, instructions, cache-misses, branch-misses", false,
	  ask_pmu },
	{ "sideband", "perf side-band", "names of processes that end early", false, ask_sideband },
	{ "tracefs", "tracefs", "count t:…: wildcards in categories, and events other than raw tracepoints", false,
	  ask_tracefs },
	{ "raw-tracepoint", "raw tracepoints", "count t:… without tracefs, count t:syscalls:sys_…", false,
	  ask_raw_tracepoints },
	{ "scheduler-events", "the scheduler's events", "offcputime, offwaketime, wakeuptime, wall", false,
	  ask_scheduler_events },
	{ "task-iterator", "iterator of tasks", "dump, wall", false, ask_task_iterator },
	{ "kprobe.multi", "kprobe.multi links", "count FUNCTION: many functions at once (else: kprobe or fentry)",
	  false, ask_kprobe_multi },
	{ "kprobe", "kprobes", "count FUNCTION, where kprobe.multi is missing", false, ask_kprobe },
	{ "fentry", "fentry programs", "count FUNCTION, where kprobes are missing", false, ask_fentry },
	{ "uprobe", "uprobes", "count LIB:FUNCTION, count u:LIB:PROBE", false, ask_uprobe },
	{ "uprobe.multi", "uprobe.multi links", "count LIB:FUNCTION: many functions at once (else: uprobes)", false,
	  ask_uprobe_multi },
	{ "red-zone", "memory below the stack pointer", "count u:LIB:PROBE, where the probe is a nop of five bytes",
	  false, ask_red_zone },
	{ "breakpoints", "breakpoints left by killed tools", "the speed of the processes that have them", false,
	  ask_breakpoints },
	{ "miss-counter", "counter of missed events", "count: the number of missed events", false, ask_misses },
	{ "kallsyms", "kernel symbols", "names of kernel frames; count FUNCTION", false, ask_kallsyms },
	{ "symbol-worker", "confinement of the symbol worker", "security when it reads files of other users", false,
	  ask_symbol_worker },
	{ "lockdown", "lockdown", "count FUNCTION, count t:…", false, ask_lockdown },
	{ "user-stacks", "how user stacks are walked", "stacks of programs without frame pointers", false,
	  ask_user_stacks },
	{ "perf_event_paranoid", "kernel.perf_event_paranoid", "profile", false, ask_perf_paranoid },
	{ "unprivileged_bpf_disabled", "kernel.unprivileged_bpf_disabled", EVERYTHING, false, ask_unprivileged_bpf },
	{ "kptr_restrict", "kernel.kptr_restrict", "names of kernel frames; count FUNCTION", false, ask_kptr_restrict },
};

static void ask_capability(const struct privilege *privilege, struct ability *ability)
{
	_cleanup_(freep) char *remedy = xasprintf("run it as root, or give the program %s", privilege->name);

	if (privilege->held)
		yes(ability, "held");
	else
		no(ability, remedy, "missing: %s",
		   privilege->essential ? "the kernel refuses programs, maps and perf events for tracing"
					: privilege->loss);
}

static void add_capabilities(ability_list *abilities)
{
	struct privilege privilege;

	for (size_t i = 0; privilege_look(i, &privilege); i++) {
		struct ability ability = {
			.id = privilege.name,
			.name = privilege.name,
			.concerns = privilege.essential ? EVERYTHING : privilege.purpose,
			.essential = privilege.essential,
		};

		ask_capability(&privilege, &ability);
		vec_push(abilities, ability);
	}
}

/* If no question has this id, all are asked: it may be a capability, or a wrong name, for which similar ones are suggested. */
static bool is_asked(const char *id, const char *only)
{
	bool known = false;

	for (size_t i = 0; only && i < sizeof(questions) / sizeof(questions[0]); i++)
		known |= !strcmp(questions[i].id, only);
	return !known || !strcmp(id, only);
}

void doctor_examine(const char *only, ability_list *ret_abilities)
{
	libbpf_log_start();
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		struct ability ability = {
			.id = questions[i].id,
			.name = questions[i].name,
			.concerns = questions[i].concerns,
			.essential = questions[i].essential,
		};

		if (!is_asked(questions[i].id, only))
			continue;
		questions[i].ask(&ability);
		vec_push(ret_abilities, ability);
	}
	add_capabilities(ret_abilities);
	err_clear();
}
