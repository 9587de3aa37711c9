/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this host can do. Each function tries it or reads it from the kernel; only host_freezes_on_user_reads() compares versions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/kinds.h"
#include "core/base/notes.h"
#include "core/base/names.h"
#include "core/base/vec.h"

typedef VEC(int) cpu_list;

/* CO-RE programs need the kernel's type information (BTF): 0, or an ERR_HOST failure without it. */
int host_require_btf(void);

/* Where tracefs is mounted ("/sys/kernel/tracing"), or NULL. */
const char *host_tracefs(void);
/* Whether tracefs is mounted but not readable for this user. */
bool host_tracefs_is_denied(void);

/* Names of all raw tracepoints, unsorted. 0, or a negative errno with a recorded cause. */
int host_raw_tracepoints(name_list *ret_names);

/* How programs of a kind can read the current task. */
enum task_access host_task_access(enum program_kind kind);

/* What programs of a kind can read. lockdown=confidentiality denies reading user and kernel memory. */
struct host_reads {
	bool user;
	bool kernel; /* also saved registers */
	enum task_access task;
};

/* Tries to load a program for each. */
struct host_reads host_reads(enum program_kind kind);

/*
 * Whether programs of this kind can read all pid namespaces of the current task. Programs that dereference BTF pointers can only if the
 * array in struct pid has no fixed length (commit b69f0aeb0689 ("pid: Replace struct pid 1-element array with flex-array"), v6.5).
 */
bool host_tells_pid_namespaces(enum program_kind kind);

/*
 * Whether this kernel may freeze when a program reads user memory: copy_from_user_nofault() took a lock with CONFIG_HARDENED_USERCOPY, from
 * commit 0aef499f3172 ("mm/usercopy: Detect vmalloc overruns"), v5.19, until commit d319f344561d ("mm: Fix copy_from_user_nofault()."),
 * v6.4, 6.3.10 and 6.1.36. Only the version shows that.
 */
bool host_freezes_on_user_reads(void);

/* The same for the release and version of uname(2). */
bool release_freezes_on_user_reads(const char *release, const char *version);

/* Loads a program for uprobe.multi links that does nothing. Returns its descriptor or a negative errno. */
int host_load_empty_uprobe_multi(void);

/* Whether uprobe.multi links work (v6.6, CONFIG_UPROBE_EVENTS); tries an impossible one. */
bool host_has_uprobe_multi(void);

/* Whether a uprobe.multi link can be limited to one process with all its threads (v6.10). */
bool host_limits_uprobe_multi(void);

/* Whether these work: kprobe.multi links (v5.18, CONFIG_FPROBE), perf kprobes (CONFIG_KPROBE_EVENTS), fentry programs. */
bool host_has_kprobe_multi(void);
bool host_has_kprobes(void);
bool host_has_fentry(void);

/* The type of perf events for kprobes or uprobes; a negative errno: none. */
int host_kprobe_event_type(void);
int host_uprobe_event_type(void);

/* Whether the kernel counts events missed while another program of this kind ran: v5.12 for fentry, v6.7 for others. */
bool host_counts_misses(enum program_kind kind);

/* Whether programs of this kind on perf events have cookies, which identify the probe (v5.15). Those of multi links always do. */
bool host_has_cookies(enum program_kind kind);

/*
 * The order of the arguments of sched_switch. *ret_tells_end (may be NULL): whether a tracepoint marks the end of a switch, when the thread
 * is back. 0, or an ERR_HOST failure if programs cannot read the arguments of sched_switch and sched_waking.
 */
int host_scheduler_events(enum switch_order *ret_order, bool *ret_tells_end);

/* Whether a program can be run for each thread (an iterator of tasks) and read the threads. 0, or an ERR_HOST failure with the remedy. */
int host_require_task_iterator(void);

/* Whether programs can read that they run in an interrupt: from the per-CPU variable with this BTF id; id 0: from a field of the thread. */
bool host_tells_interrupts(uint32_t *ret_variable);

/* The number of threads on the host (0: unknown), and of those that run or wait for a CPU, including the caller. */
uint32_t host_nr_threads(uint32_t *ret_nr_runnable);

/* The highest sampling frequency, in Hz, that the kernel accepts now (kernel.perf_event_max_sample_rate); 0: unknown. */
uint64_t host_max_sample_rate(void);

/* Appends the numbers of the online CPUs, ascending. 0 or a negative errno with a recorded cause. */
int host_online_cpus(cpu_list *ret_cpus);

/* The same; returns false if the list cannot be read, without changing the recorded cause. */
bool host_tells_online_cpus(cpu_list *ret_cpus);

/* Reads the first line of a file, without newline; "" on failure. 0 or a negative errno. */
int host_first_line(const char *path, char *ret_text, size_t room);

/*
 * The mode of lockdown: none, integrity or confidentiality; false if unknown. Without securityfs only "confidentiality" on the kernel's
 * command line is detected, which cannot be lowered later.
 */
bool host_lockdown(char *ret_mode, size_t room);
bool host_is_confidential(void);

/* The build id of the running kernel in lower-case hex; "" if it has none. */
void host_kernel_build_id(char ret_hex[BUILD_ID_HEX_SIZE]);

/* The same for a loaded module ("ext4"). */
void host_module_build_id(const char *module, char ret_hex[BUILD_ID_HEX_SIZE]);

/* "Linux 6.18.44 x86_64", for headers of saved profiles. */
void host_describe(char *ret_text, size_t room);
