/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All kinds of probe. The constant probe_NAME is in core/resolve/probe_NAME.c. */
#pragma once

#include "core/plan/probe_kind.h"

#define PROBE_KINDS(KIND)     \
	KIND(kernel_function) \
	KIND(user_function)   \
	KIND(tracepoint)      \
	KIND(usdt)            \
	KIND(sample)          \
	KIND(wall)            \
	KIND(scheduler)       \
	KIND(lock)

#define DECLARE_PROBE_KIND(name) extern const struct probe_kind probe_##name;
PROBE_KINDS(DECLARE_PROBE_KIND)
#undef DECLARE_PROBE_KIND

/* Whether the host has this tracepoint, or this category of tracepoints. Without tracefs no category is known. */
bool probe_is_event(const char *category, const char *event);
bool probe_is_category(const char *category);
