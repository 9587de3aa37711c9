/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libbpf's messages: the last warning is kept for the hint of a failure, the others are dropped. If the environment
 * variable STACKTOOL_LIBBPF_LOG is set, all of them also go to stderr.
 */
#pragma once

/* From now on takes libbpf's messages, and forgets those before. */
void libbpf_log_start(void);

/* The first line of the last warning, without newline; "" if there was none. */
const char *libbpf_log_last(void);

/* The helper because of which a program was refused ("bpf_probe_read_kernel"); "" if there was another reason. */
const char *libbpf_log_missing_helper(void);
