/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this host can do: each function tries it or asks the kernel; only host_freezes_on_user_reads() compares versions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/kinds.h"
#include "core/base/notes.h"
#include "core/base/names.h"
#include "core/base/vec.h"

typedef VEC(int) cpu_list;

/* 0, or an ERR_HOST failure: CO-RE programs need the kernel's type information. */
int host_require_btf(void);

/* Where tracefs is mounted ("/sys/kernel/tracing"), or NULL. */
const char *host_tracefs(void);
/* It is there, and this user may not read it. */
bool host_tracefs_is_denied(void);

/* Names of all raw tracepoints, unsorted. 0 or a recorded failure. */
int host_raw_tracepoints(name_list *ret_names);

/* How programs of a kind can read the current task. */
enum task_access host_task_access(enum program_kind kind);

/* What programs of a kind may read: lockdown=confidentiality forbids both kinds of memory. */
struct host_reads {
	bool user;
	bool kernel; /* saved registers, too */
	enum task_access task;
};

/* Asks the kernel, by a program for each question. */
struct host_reads host_reads(enum program_kind kind);

/*
 * Whether programs of this kind may read the pid namespaces of the current task, all of them. By dereference only where
 * the kernel's type says that a struct pid has any number of them (commit b69f0aeb0689 ("pid: Replace struct pid
 * 1-element array with flex-array"), v6.5).
 */
bool host_tells_pid_namespaces(enum program_kind kind);

/*
 * Whether this is one of the kernels that may freeze when a program reads user memory. copy_from_user_nofault() took a
 * lock with CONFIG_HARDENED_USERCOPY, from commit 0aef499f3172 ("mm/usercopy: Detect vmalloc overruns"), v5.19, until
 * commit d319f344561d ("mm: Fix copy_from_user_nofault()."), v6.4, 6.3.10 and 6.1.36. Nothing but its release tells.
 */
bool host_freezes_on_user_reads(void);

/* The same for a kernel of which uname() says this. */
bool release_freezes_on_user_reads(const char *release, const char *version);

/* Loads a program for uprobe.multi links that does nothing. Its descriptor or a negative errno. */
int host_load_empty_uprobe_multi(void);

/* Whether uprobe.multi links work (v6.6, CONFIG_UPROBE_EVENTS); tried by asking for an impossible one. */
bool host_has_uprobe_multi(void);

/* Whether such a link can be limited to one process, all of its threads (v6.10). */
bool host_limits_uprobe_multi(void);

/* Whether kprobe.multi links work (v5.18, CONFIG_FPROBE), perf kprobes (CONFIG_KPROBE_EVENTS), and fentry programs. */
bool host_has_kprobe_multi(void);
bool host_has_kprobes(void);
bool host_has_fentry(void);

/* Type of the perf events for kprobes, and for uprobes; negative errno when there are none. */
int host_kprobe_event_type(void);
int host_uprobe_event_type(void);

/*
 * Whether the kernel counts events that a program of this kind missed because another one was running: of fentry from
 * v5.12 on, of the others from v6.7 on.
 */
bool host_counts_misses(enum program_kind kind);

/*
 * Whether a probe program of this kind, attached by perf event, can be told which of its probes fired (v5.15); multi
 * links always can.
 */
bool host_has_cookies(enum program_kind kind);

/* Whether programs can attach to sched_switch and sched_waking by BTF. 0, or an ERR_HOST failure. */
int host_scheduler_events(enum switch_order *ret_order);

/*
 * Whether a program can ask if it runs in an interrupt (bpf/on_switch.bpf.c): by the per-CPU variable with this BTF id, or,
 * where the id is 0, by a field of the thread.
 */
bool host_tells_interrupts(uint32_t *ret_variable);

/* How many threads the host has now; 0 unknown. */
uint32_t host_nr_threads(void);

/* Highest sampling frequency that the kernel accepts now (kernel.perf_event_max_sample_rate); 0 unknown. */
uint64_t host_max_sample_rate(void);

/* Online CPUs, ascending; they may have gaps. 0 or a negative errno with a recorded cause. */
int host_online_cpus(cpu_list *ret_cpus);

/* The same; false where the list cannot be read. Leaves the recorded cause as it is. */
bool host_tells_online_cpus(cpu_list *ret_cpus);

/* The first line of a file of /proc or /sys, "" when it cannot be read. 0 or a negative errno. */
int host_first_line(const char *path, char *ret_text, size_t room);

/*
 * The mode of lockdown that is in force: none, integrity, confidentiality; false when it is not known. Where securityfs is not
 * mounted, only "confidentiality" on the kernel's command line is recognised; the mode cannot be lowered later.
 */
bool host_lockdown(char *ret_mode, size_t room);
bool host_is_confidential(void);

/* Build id of the running kernel in lower-case hex, by which its debug symbols are found; "" when it does not tell. */
void host_kernel_build_id(char ret_hex[BUILD_ID_HEX_SIZE]);

/* The same of a loaded module, by its name ("ext4"). */
void host_module_build_id(const char *module, char ret_hex[BUILD_ID_HEX_SIZE]);

/* "Linux 6.18.44 x86_64", for headers of saved profiles. */
void host_describe(char *ret_text, size_t room);
