/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF instructions as text, in the notation of the kernel's verifier log: what --debug and --ebpf print. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>

#include "core/base/buf.h"

/* A headline, then one line per instruction: "  12: r1 = *(u64 *)(r10 - 8)". */
void bpf_disassemble(const char *name, const struct bpf_insn *code, size_t nr, struct buf *ret_text);
