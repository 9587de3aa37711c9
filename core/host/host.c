/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/host/kernel_types.h"

static void free_btf(struct btf **btf)
{
	btf__free(*btf);
}

int host_require_btf(void)
{
	if (access(KERNEL_BTF, R_OK) == 0)
		return 0;
	fail_host(-ENOENT, "kernel: no type information in " KERNEL_BTF ": %s", strerror(errno));
	hint("the kernel needs CONFIG_DEBUG_INFO_BTF, and /sys must be mounted");
	return -ENOENT;
}

const char *host_tracefs(void)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (access(path, R_OK | X_OK) == 0)
			return places[i];
	}
	return NULL;
}

bool host_tracefs_is_denied(void)
{
	return access("/sys/kernel/tracing/events", R_OK | X_OK) && errno == EACCES;
}

int host_raw_tracepoints(name_list *ret_names)
{
	static const char prefix[] = "btf_trace_";
	_cleanup_(free_btf) struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		return fail_host(-errno, "kernel: its type information cannot be read: %s", strerror(errno));
	for (__u32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = btf__name_by_offset(btf, type->name_off);

		if (btf_is_typedef(type) && name && !strncmp(name, prefix, strlen(prefix)))
			vec_push(ret_names, xstrdup(name + strlen(prefix)));
	}
	return 0;
}

static enum bpf_prog_type libbpf_type(enum program_kind kind)
{
	switch (kind) {
	case PROGRAM_SAMPLE:
		return BPF_PROG_TYPE_PERF_EVENT;
	case PROGRAM_TRACEPOINT:
		return BPF_PROG_TYPE_TRACEPOINT;
	case PROGRAM_RAW_TRACEPOINT:
	case PROGRAM_TEST:
		return BPF_PROG_TYPE_RAW_TRACEPOINT;
	default: /* tracing programs can call what kprobe programs can, but cannot be loaded without a function */
		return BPF_PROG_TYPE_KPROBE;
	}
}

/*
 * Whether a program of this kind can call a helper. The call has no arguments, so the verifier refuses it anyway; its log shows whether it
 * knows the helper. libbpf 1.4 does not know the message of newer kernels ("program of this type cannot use helper", v6.12).
 */
static bool has_helper(enum program_kind kind, int helper)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = helper },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	char log[4096] = "";
	LIBBPF_OPTS(bpf_prog_load_opts, options, .log_buf = log, .log_size = sizeof(log), .log_level = 1);
	_cleanup_(closep) int program = bpf_prog_load(libbpf_type(kind), "st_ask_helper", "GPL", code, 2, &options);

	if (program >= 0)
		return true;
	return log[0] && !strstr(log, "unknown func") && !strstr(log, "invalid func") &&
	       !strstr(log, "cannot use helper");
}

/* bpf_probe_read_kernel: v5.5, but not under lockdown=confidentiality; bpf_get_current_task_btf: v5.11 for these types. */
enum task_access host_task_access(enum program_kind kind)
{
	if (has_helper(kind, BPF_FUNC_probe_read_kernel))
		return TASK_ACCESS_PROBE_READ;
	return has_helper(kind, BPF_FUNC_get_current_task_btf) ? TASK_ACCESS_BTF : TASK_ACCESS_NONE;
}

struct host_reads host_reads(enum program_kind kind)
{
	enum task_access task = host_task_access(kind);

	return (struct host_reads){
		.user = has_helper(kind, BPF_FUNC_probe_read_user),
		.kernel = task == TASK_ACCESS_PROBE_READ,
		.task = task,
	};
}

bool host_has_cookies(enum program_kind kind)
{
	bool by_perf_event = kind == PROGRAM_TRACEPOINT || kind == PROGRAM_KPROBE || kind == PROGRAM_UPROBE;

	return by_perf_event && has_helper(kind, BPF_FUNC_get_attach_cookie);
}

/* Debian's release is the same for a whole series; the patch level is in the version: "#1 SMP Debian 6.1.170-1 (2026-…)". */
bool release_freezes_on_user_reads(const char *release, const char *version)
{
	const char *debian = strstr(version, "Debian ");
	unsigned int major, minor, patch = 0;

	if (sscanf(debian ? debian + strlen("Debian ") : release, "%u.%u.%u", &major, &minor, &patch) < 2)
		return false;
	if (major == 5)
		return minor == 19;
	if (major != 6 || minor > 3)
		return false;
	return minor == 1 ? patch < 36 : minor == 3 ? patch < 10 : true;
}

bool host_freezes_on_user_reads(void)
{
	struct utsname name;

	return !uname(&name) && release_freezes_on_user_reads(name.release, name.version);
}

static int load_empty(enum bpf_prog_type type, const char *name, struct bpf_prog_load_opts *options)
{
	/* r0 = 0; exit */
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(type, name, "GPL", code, 2, options);
}

int host_load_empty_uprobe_multi(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_UPROBE_MULTI);

	return load_empty(BPF_PROG_TYPE_KPROBE, "st_ask_multi", &options);
}

/* The errno for a link to a place in the root directory, which is not a regular file. */
static int refusal_of_uprobe_multi(int pid)
{
	_cleanup_(closep) int program = host_load_empty_uprobe_multi();
	_cleanup_(closep) int link = -1;
	const unsigned long offset = 0;
	LIBBPF_OPTS(bpf_link_create_opts, options, .uprobe_multi.path = "/", .uprobe_multi.offsets = &offset,
		    .uprobe_multi.cnt = 1, .uprobe_multi.pid = (__u32)pid);

	if (program < 0)
		return program;
	link = bpf_link_create(program, -1, BPF_TRACE_UPROBE_MULTI, &options);
	return link < 0 ? link : 0;
}

/*
 * A kernel that knows the link type refuses the file with EBADF (bpf_uprobe_multi_link_attach, commit 89ae89f53d20 ("bpf: Add multi uprobe
 * link"), v6.6); others return EINVAL.
 */
bool host_has_uprobe_multi(void)
{
	int err = refusal_of_uprobe_multi(0);

	return !err || err == -EBADF;
}

/*
 * Since commit 46ba0e49b642 ("bpf: fix multi-uprobe PID filtering logic"), v6.10, a negative pid is refused before the file is checked.
 * Before that the pid meant one thread, and the other threads of its process were not counted.
 */
bool host_limits_uprobe_multi(void)
{
	return host_has_uprobe_multi() && refusal_of_uprobe_multi(-1) == -EINVAL;
}

/* A struct of the kernel, and its BTF, which the caller frees; NULL: not found. */
static const struct btf_type *pick_struct(const char *name, struct btf **ret_btf)
{
	int id = kernel_types_pick(&name, 1, ret_btf) ? 0 : btf__find_by_name_kind(*ret_btf, name, BTF_KIND_STRUCT);

	return id > 0 ? btf__type_by_id(*ret_btf, (unsigned int)id) : NULL;
}

/* Needs CONFIG_FPROBE; without it, EOPNOTSUPP (commit 0dcac2725406 ("bpf: Add multi kprobe link"), v5.18). */
bool host_has_kprobe_multi(void)
{
	_cleanup_(free_btf) struct btf *btf = NULL;

	return pick_struct("bpf_kprobe_multi_link", &btf);
}

static int event_type(const char *path)
{
	char text[16];
	int err = host_first_line(path, text, sizeof(text));

	return err ? err : (int)strtol(text, NULL, 10);
}

int host_kprobe_event_type(void)
{
	return event_type("/sys/bus/event_source/devices/kprobe/type");
}

int host_uprobe_event_type(void)
{
	return event_type("/sys/bus/event_source/devices/uprobe/type");
}

bool host_has_kprobes(void)
{
	return host_kprobe_event_type() >= 0;
}

/* Loads and attaches an empty program: its trampoline needs an ftrace call site with direct calls. */
bool host_has_fentry(void)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY);
	_cleanup_(closep) int program = -1, attached = -1;
	int id = libbpf_find_vmlinux_btf_id("bpf_fentry_test1", BPF_TRACE_FENTRY); /* never called */

	if (id <= 0)
		return false;
	options.attach_btf_id = (__u32)id;
	program = load_empty(BPF_PROG_TYPE_TRACING, "st_ask_fentry", &options);
	if (program < 0)
		return false;
	/* aarch64 loads such programs from 5.10 on, but attaches them only from 6.4 on */
	attached = bpf_raw_tracepoint_open(NULL, program);
	return attached >= 0;
}

static bool has_member(const struct btf *btf, const struct btf_type *type, const char *name, unsigned int depth)
{
	const struct btf_member *member = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const struct btf_type *inner = btf__type_by_id(btf, member[i].type);

		if (strcmp(btf__name_by_offset(btf, member[i].name_off), name) == 0)
			return true;
		if (depth && inner && btf_is_composite(inner) && has_member(btf, inner, name, depth - 1))
			return true;
	}
	return false;
}

static bool has_open_end(const char *name)
{
	_cleanup_(free_btf) struct btf *btf = NULL;
	const struct btf_type *type = pick_struct(name, &btf), *last;

	if (!type || !btf_vlen(type))
		return false;
	last = btf__type_by_id(btf, btf_members(type)[btf_vlen(type) - 1].type);
	return last && btf_is_array(last) && !btf_array(last)->nelems;
}

bool host_tells_pid_namespaces(enum program_kind kind)
{
	enum task_access access = host_task_access(kind);

	return access == TASK_ACCESS_PROBE_READ || (access == TASK_ACCESS_BTF && has_open_end("pid"));
}

/*
 * Trampolines count since bpf_prog_info has `recursion_misses` (commit 9ed9e9ba2337 ("bpf: Count the number of times recursion was
 * prevented"), v5.12). The other counters of missed runs came together with the member `missed` of struct bpf_link_info (commits
 * dd8657894c11 ("bpf: Count missed stats in trace_call_bpf") and e2b2cd592ada ("bpf: Add missed value to kprobe_multi link info"), v6.7).
 */
bool host_counts_misses(enum program_kind kind)
{
	_cleanup_(free_btf) struct btf *btf = NULL;
	bool is_fentry = kind == PROGRAM_FENTRY;
	const struct btf_type *type = pick_struct(is_fentry ? "bpf_prog_info" : "bpf_link_info", &btf);

	return type && has_member(btf, type, is_fentry ? "recursion_misses" : "missed", 3);
}

/* The parameters of a tracepoint in BTF, without the first, which is the program's context; NULL: unknown. */
static const struct btf_param *tracepoint_parameters(const struct btf *btf, const char *name, unsigned int *ret_nr)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, (unsigned int)id) : NULL;

	if (type)
		type = btf__type_by_id(btf, type->type);
	if (type && btf_is_ptr(type))
		type = btf__type_by_id(btf, type->type);
	if (!type || !btf_is_func_proto(type) || !btf_vlen(type))
		return NULL;
	*ret_nr = btf_vlen(type) - 1U;
	return btf_params(type) + 1;
}

static bool is_pointer(const struct btf *btf, const struct btf_param *parameter)
{
	const struct btf_type *type = btf__type_by_id(btf, parameter->type);

	return type && btf_is_ptr(type);
}

int host_scheduler_events(enum switch_order *ret_order, bool *ret_tells_end)
{
	_cleanup_(free_btf) struct btf *btf = btf__load_vmlinux_btf();
	const struct btf_param *parameters;
	unsigned int nr = 0, nr_waking = 0, nr_end = 0;

	if (!btf)
		return fail_host(-errno, "scheduler: the kernel's BTF cannot be read: %s", strerror(errno));
	parameters = tracepoint_parameters(btf, "btf_trace_sched_switch", &nr);
	if (!parameters || !tracepoint_parameters(btf, "btf_trace_sched_waking", &nr_waking) || nr < 3 ||
	    nr_waking != 1)
		return fail_host(-EOPNOTSUPP,
				 "scheduler: unknown arguments of the tracepoints sched_switch and sched_waking in "
				 "this kernel's BTF");
	if (ret_tells_end)
		*ret_tells_end = tracepoint_parameters(btf, "btf_trace_sched_exit_tp", &nr_end) && nr_end == 1;
	if (nr == 3)
		*ret_order = SWITCH_PREV_NEXT;
	else
		*ret_order = is_pointer(btf, &parameters[1]) ? SWITCH_PREV_NEXT_STATE : SWITCH_STATE_PREV_NEXT;
	return 0;
}

int host_require_task_iterator(void)
{
	static const char *const name = "bpf_iter_task";
	uint32_t id = 0;
	int err = kernel_types_functions(&name, 1, &id);

	if (err)
		return fail_host(err, "threads: the kernel's BTF cannot be read: %s", strerror(-err));
	if (!id) {
		fail_host(-EOPNOTSUPP, "threads: this kernel has no iterator of tasks");
		hint("use a kernel with CONFIG_BPF_SYSCALL and CONFIG_DEBUG_INFO_BTF, from 5.8 on");
		return -EOPNOTSUPP;
	}
	if (host_is_confidential()) {
		fail_host(-EPERM, "threads: lockdown=confidentiality forbids programs to read other threads");
		hint("boot without lockdown=confidentiality");
		return -EPERM;
	}
	return 0;
}

/* The BTF id of a per-CPU variable whose address programs may take, else 0. */
static uint32_t variable_to_name(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_VAR);
	/* r1 = &variable; r0 = 0; exit */
	const struct bpf_insn code[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_BTF_ID, .imm = id },
		{},
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_(closep) int program = -1;

	if (id <= 0)
		return 0;
	program = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "st_ask_variable", "GPL", code, 4, NULL);
	return program >= 0 ? (uint32_t)id : 0;
}

bool host_tells_interrupts(uint32_t *ret_variable)
{
	_cleanup_(free_btf) struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, "thread_info", BTF_KIND_STRUCT) : 0;
	bool has_hot;

	*ret_variable = 0;
	if (id > 0 && has_member(btf, btf__type_by_id(btf, (unsigned int)id), "preempt_count", 1))
		return true;
	if (!btf)
		return false;
	has_hot = btf__find_by_name_kind(btf, "pcpu_hot", BTF_KIND_STRUCT) > 0;
	*ret_variable = variable_to_name(btf, has_hot ? "pcpu_hot" : "__preempt_count");
	return *ret_variable;
}

uint32_t host_nr_threads(uint32_t *ret_nr_runnable)
{
	uint32_t nr = 0;
	char text[128];

	*ret_nr_runnable = 0;
	if (host_first_line("/proc/loadavg", text, sizeof(text)) ||
	    sscanf(text, "%*s %*s %*s %" SCNu32 "/%" SCNu32, ret_nr_runnable, &nr) != 2)
		return 0;
	return nr;
}

uint64_t host_max_sample_rate(void)
{
	char text[32];

	host_first_line("/proc/sys/kernel/perf_event_max_sample_rate", text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* "0-3,8,10-11": Documentation/admin-guide/cputopology.rst. */
static int parse_cpu_list(const char *text, cpu_list *ret_cpus)
{
	for (char *end;; text = end + 1) {
		long first = strtol(text, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (end == text || first < 0 || last < first || (*end && *end != ','))
			return -EINVAL;
		for (long cpu = first; cpu <= last && cpu < 65536; cpu++)
			vec_push(ret_cpus, (int)cpu);
		if (!*end)
			return 0;
	}
}

int host_online_cpus(cpu_list *ret_cpus)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	char line[4096];
	int err = host_first_line(path, line, sizeof(line));

	if (err)
		return fail_host(-ENOENT, "%s: cannot read the list of CPUs: %s", path, strerror(-err));
	return parse_cpu_list(line, ret_cpus) ? fail(-EINVAL, "%s: unexpected content", path) : 0;
}

bool host_tells_online_cpus(cpu_list *ret_cpus)
{
	_cleanup_(err_restore) struct err_saved before = err_save();

	return !host_online_cpus(ret_cpus);
}

int host_first_line(const char *path, char *ret_text, size_t room)
{
	_cleanup_(fclosep) FILE *file = fopen(path, "re");
	int err = file ? 0 : -errno;

	ret_text[0] = '\0';
	if (file && !fgets(ret_text, (int)room, file))
		err = -EIO;
	ret_text[strcspn(ret_text, "\n")] = '\0';
	return err;
}

/* "none [integrity] confidentiality" */
bool host_lockdown(char *ret_mode, size_t room)
{
	char line[4096], *start;

	if (host_first_line("/sys/kernel/security/lockdown", line, sizeof(line))) {
		if (host_first_line("/proc/cmdline", line, sizeof(line)) || !strstr(line, "lockdown=confidentiality"))
			return false;
		snprintf(ret_mode, room, "confidentiality");
		return true;
	}
	start = strchr(line, '[');
	if (!start)
		return false;
	start[strcspn(start, "]")] = '\0';
	snprintf(ret_mode, room, "%s", start + 1);
	return true;
}

bool host_is_confidential(void)
{
	char mode[32];

	return host_lockdown(mode, sizeof(mode)) && !strcmp(mode, "confidentiality");
}

void host_describe(char *ret_text, size_t room)
{
	struct utsname name;

	if (uname(&name))
		snprintf(ret_text, room, "Linux");
	else
		snprintf(ret_text, room, "%s %s %s", name.sysname, name.release, name.machine);
}

/* Reads the notes of the kernel (/sys/kernel/notes) or of a module (/sys/module/NAME/notes). */
static void read_notes(const char *path, char ret_hex[BUILD_ID_HEX_SIZE])
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char bytes[4096];
	ssize_t nr = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	struct build_id id = {};

	notes_build_id(notes_of(bytes, nr > 0 ? (size_t)nr : 0, 4), &id);
	build_id_format(&id, ret_hex);
}

void host_kernel_build_id(char ret_hex[BUILD_ID_HEX_SIZE])
{
	read_notes("/sys/kernel/notes", ret_hex);
}

void host_module_build_id(const char *module, char ret_hex[BUILD_ID_HEX_SIZE])
{
	char path[256];

	ret_hex[0] = '\0';
	if (*module && module[0] != '.' && !strchr(module, '/') &&
	    snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module) < (int)sizeof(path))
		read_notes(path, ret_hex);
}
