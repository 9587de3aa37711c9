/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/profile/tracer.h"

#include <ctype.h>
#include <string.h>

/* Whole names, without a compiler's suffix (".isra.0"). */
static const char *const names[] = {
	/* perf, called by a classic tracepoint */
	"perf_syscall_enter",
	"perf_syscall_exit",
	"perf_call_bpf_enter",
	"perf_call_bpf_exit",
	"perf_trace_run_bpf_submit",
	"perf_ftrace_function_call",
	"trace_call_bpf",
	/* kprobes */
	"kprobe_ftrace_handler",
	"kprobe_int3_handler",
	"kprobe_dispatcher",
	"kprobe_perf_func",
	"aggr_pre_handler",
	"opt_pre_handler",
	"optimized_callback",
	"kretprobe_dispatcher",
	"kretprobe_perf_func",
	"kretprobe_rethook_handler",
	"rethook_trampoline_handler",
	"arch_rethook_trampoline_callback",
	/* fprobe and kprobe.multi */
	"kprobe_multi_link_prog_run",
	"kprobe_multi_link_handler",
	"kprobe_multi_link_exit_handler",
	"fprobe_handler",
	"fprobe_kprobe_handler",
	"fprobe_exit_handler",
	"fprobe_entry",
	"fprobe_ftrace_entry",
	"fprobe_return",
	"__fprobe_handler",
	"__fprobe_kprobe_handler",
	/* ftrace */
	"ftrace_trampoline",
	"ftrace_caller",
	"ftrace_regs_caller",
	"ftrace_call",
	"ftrace_regs_call",
	"ftrace_ops_list_func",
	"arch_ftrace_ops_list_func",
	"__ftrace_ops_list_func",
	"ftrace_ops_assist_func",
	"ftrace_graph_func",
	"call_direct_funcs",
};

static bool starts_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* `prefix` and a digit: bpf_trace_run2, bpf_trampoline_6442536467; not bpf_trampoline_link_prog. */
static bool is_numbered(const char *name, const char *prefix)
{
	return starts_with(name, prefix) && isdigit((unsigned char)name[strlen(prefix)]);
}

/* bpf_prog_<16 hex digits>[_name]. Other names with this prefix are functions of the kernel. */
static bool is_program(const char *name)
{
	const char *tag = name + strlen("bpf_prog_");

	return starts_with(name, "bpf_prog_") && strspn(tag, "0123456789abcdefABCDEF") == 16 &&
	       (tag[16] == '_' || !tag[16]);
}

/* perf_trace_EVENT, which the kernel has for each tracepoint. Four other functions share the prefix. */
static bool is_perf_trace(const char *name)
{
	static const char *const others[] = { "init", "destroy", "add", "del" };

	if (!starts_with(name, "perf_trace_"))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(name + strlen("perf_trace_"), others[i]))
			return false;
	return true;
}

static bool is_glue(const char *name)
{
	size_t length = strcspn(name, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == length && !strncmp(name, names[i], length))
			return true;
	return false;
}

bool frame_is_tracer(const char *name, const char *module)
{
	if (!name || !*name)
		return false;
	if (module && starts_with(module, "__builtin__"))
		return true; /* generated trampolines: __builtin__ftrace, __builtin__kprobes */
	return is_program(name) || is_numbered(name, "bpf_trace_run") || is_numbered(name, "bpf_trampoline_") ||
	       starts_with(name, "bpf_dispatcher_") || starts_with(name, "__bpf_trace_") ||
	       starts_with(name, "__traceiter_") || is_perf_trace(name) || is_glue(name);
}
