/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps libbpf's last warning for a failure's hint, and drops the rest. With STACKTOOL_LIBBPF_LOG set, prints all to stderr. */
#pragma once

/* Starts to receive libbpf's messages, and forgets earlier ones. */
void libbpf_log_start(void);

/* The first line of the last warning, without newline; "": none. */
const char *libbpf_log_last(void);

/* The helper that the verifier did not know ("bpf_probe_read_kernel"); "": none. */
const char *libbpf_log_missing_helper(void);
