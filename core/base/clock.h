/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>
#include <time.h>

#define NSEC_PER_SEC UINT64_C(1000000000)
#define NSEC_PER_MSEC UINT64_C(1000000)

static inline uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec now = {};

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* The clock of bpf_ktime_get_ns() and of the side-band. */
static inline uint64_t clock_monotonic_ns(void)
{
	return clock_now_ns(CLOCK_MONOTONIC);
}

/* For deadlines of poll(). */
static inline int64_t clock_monotonic_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / NSEC_PER_MSEC);
}
