/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's preemption count in a program (bpf/on_switch.bpf.c).
 *
 * Programs name a per-CPU variable of the kernel by its BTF id. As an `extern … __ksym` of the object it would make
 * libbpf read all of the kernel's types for every program, so the one program that wants it has a mark in its code.
 */
#pragma once

#include <stdint.h>

struct bpf_program;

/*
 * Puts the BTF id of the variable (host_tells_interrupts()) in the place of the mark, before the program is loaded. 0 or
 * a negative errno.
 */
int preempt_count_name(struct bpf_program *program, uint32_t variable);
