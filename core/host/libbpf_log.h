/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libbpf explains itself in many lines; the tool says one sentence. Its last warning is kept, for the hint of a failure.
 * The environment variable STACKTOOL_LIBBPF_LOG=1 lets all of it through to stderr (docs/hacking.md).
 */
#pragma once

/* From now on libbpf's output goes here. */
void libbpf_log_start(void);

/* The last warning, one line without newline; "" when there was none. */
const char *libbpf_log_last(void);

/* The helper for which a program was refused ("bpf_probe_read_kernel"); "" when that was not the reason. */
const char *libbpf_log_missing_helper(void);
