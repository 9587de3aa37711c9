/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access to the kernel's preemption count for one program (bpf/on_switch.bpf.c).
 *
 * The program names a per-CPU variable of the kernel by its BTF id. For an `extern … __ksym`, libbpf would read all types of the kernel in
 * every run. Instead, the program loads a 64-bit mark, which this file replaces.
 */
#pragma once

#include <stdint.h>

struct bpf_program;

/* Replaces the mark by the BTF id of the variable (host_tells_interrupts()), before loading. 0 or a negative errno. */
int preempt_count_name(struct bpf_program *program, uint32_t variable);
