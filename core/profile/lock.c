/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names are those of glibc, musl, libstdc++, Rust's standard library, parking_lot, Abseil, libgomp and Go's runtime. */
#include "core/profile/lock.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"

#define FRAMES_MAX 16 /* a lock's own code is not deeper */

#define MUTEX "mutex"
#define THREAD "end of a thread"
#define RWLOCK "rwlock"
#define CONDITION "condition variable"

/* The innermost frame that is in the table decides. */
static const struct lock_function {
	const char *
		name; /* without underscores before it; with a '*' in front, any part of the name; else its beginning */
	const char *kind; /* NULL: the code of a lock, which does not tell the kind */
	bool is_signal;
} functions[] = {
	{ "pthread_mutex_", MUTEX },
	{ "lll_lock_wait", MUTEX },
	{ "pthread_cond_", CONDITION, true },
	{ "pthread_rwlock_", RWLOCK },
	{ "sem_", "semaphore", true },
	{ "new_sem_", "semaphore", true },
	{ "pthread_barrier_", "barrier", true },
	{ "pthread_join", THREAD, true },
	{ "pthread_clockjoin", THREAD, true },
	{ "pthread_timedjoin", THREAD, true },
	{ "pthread_once", "once" },
	{ "mtx_", MUTEX },
	{ "cnd_", CONDITION, true },
	{ "std::condition_variable", CONDITION, true },
	{ "std::mutex::", MUTEX },
	{ "std::__detail::__platform_wait", "atomic", true },
	{ "std::__atomic_futex", "atomic", true },
	{ "*futex::Mutex", "Rust mutex" },
	{ "*futex_mutex::Mutex", "Rust mutex" },
	{ "*futex::RwLock", "Rust rwlock" },
	{ "*futex_rwlock::RwLock", "Rust rwlock" },
	{ "*futex::Condvar", "Rust condvar", true },
	{ "*futex_condvar::Condvar", "Rust condvar", true },
	{ "*futex::Once", "Rust once" },
	{ "*::Parker::park", "parked thread", true },
	{ "parking_lot::raw_mutex", "Rust mutex" },
	{ "parking_lot::raw_rwlock", "Rust rwlock" },
	{ "parking_lot::condvar", "Rust condvar", true },
	{ "*absl::Mutex", "absl::Mutex" },
	{ "*absl::CondVar", "absl::CondVar", true },
	{ "gomp_barrier", "barrier", true },
	{ "gomp_team_barrier", "barrier", true },
	{ "gomp_", "OpenMP", true },
	{ "runtime.lock", "Go runtime lock" },
	{ "runtime.notesleep", "idle Go thread", true },
	{ "runtime.notetsleep", "idle Go thread", true },
	/* of no kind */
	{ "futex", NULL },
	{ "syscall", NULL },
	{ "lll_", NULL },
	{ "GI_lll_", NULL },
	{ "timedwait", NULL },
	{ "std::unique_lock", NULL },
	{ "std::lock_guard", NULL },
	{ "gthread", NULL },
	{ "runtime.futex", NULL },
	{ "runtime.unlock", NULL },
};

static bool matches(const char *pattern, const char *name)
{
	if (pattern[0] == '*')
		return strstr(name, pattern + 1) != NULL;
	return !strncmp(pattern, name, strlen(pattern));
}

bool lock_is_signal(const char *kind)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (functions[i].kind && !strcmp(functions[i].kind, kind))
			return functions[i].is_signal;
	return false;
}

static const struct lock_function *function_of(const struct profile *profile, size_t at)
{
	const struct profile_frame *frame = &profile->frames.data[profile->stack_frames.data[at]];
	const char *name = profile_string(profile, frame->name);

	name += strspn(name, "_");
	for (size_t i = 0; *name && i < sizeof(functions) / sizeof(*functions); i++)
		if (matches(functions[i].name, name))
			return &functions[i];
	return NULL;
}

/* The C library's own functions without a symbol are its code of locks. */
static bool is_libc(const struct profile *profile, size_t at)
{
	const struct profile_frame *frame = &profile->frames.data[profile->stack_frames.data[at]];
	const char *module = profile_string(profile, frame->module), *name = profile_string(profile, frame->name);

	return (!*name || strstr(name, "!fn_0x")) &&
	       (!strncmp(module, "libc", 4) || !strncmp(module, "libpthread", 10) || !strncmp(module, "ld-musl", 7));
}

bool lock_is_waiter(const struct profile *profile, const struct profile_record *record)
{
	return record->lock && record->nr_user &&
	       profile->stack_addresses.data[record->first + record->nr_kernel] == record->lock;
}

static const char *kind_of(const struct profile *profile, const struct profile_record *record)
{
	size_t first = (size_t)record->first + record->nr_kernel + lock_is_waiter(profile, record),
	       end = record_end(record);

	for (size_t at = first; at < end && at < first + FRAMES_MAX; at++) {
		const struct lock_function *function = function_of(profile, at);

		if (function && function->kind)
			return function->kind;
	}
	return NULL;
}

/* The kernel wakes those that wait for the end of a thread, in the thread's exit. Without kernel stacks, its outermost function tells it. */
static bool is_exiting(const struct profile *profile, const struct profile_record *record)
{
	static const char *const user[] = { "start_thread", "pthread_exit", "exit", "Exit" };
	const size_t end = record_end(record);

	for (size_t at = record->first; at < end && at <= (size_t)record->first + record->nr_kernel; at++) {
		const struct profile_frame *frame = &profile->frames.data[profile->stack_frames.data[at]];
		const char *name = profile_string(profile, frame->name);

		if (!strcmp(name, "do_exit"))
			return true;
		if (at < (size_t)record->first + record->nr_kernel)
			continue;
		name += strspn(name, "_");
		for (size_t i = 0; i < sizeof(user) / sizeof(*user); i++)
			if (!strcmp(name, user[i]))
				return true;
	}
	return false;
}

const char *lock_kind(const struct profile *profile, const struct profile_record *waiter,
		      const struct profile_record *waker)
{
	const char *kind = kind_of(profile, waiter);

	if (kind || !waker || waker->context != CONTEXT_TASK)
		return kind;
	if (waker->lock)
		return kind_of(profile, waker);
	return is_exiting(profile, waker) ? THREAD : NULL;
}

uint64_t lock_address(const struct profile *profile, const struct profile_record *waiter)
{
	const char *kind = kind_of(profile, waiter);

	return kind && (!strcmp(kind, CONDITION) || !strcmp(kind, RWLOCK)) ? waiter->lock & ~7ULL : waiter->lock;
}

uint32_t lock_owner(const struct profile *profile, const struct profile_record *waiter)
{
	const char *kind = waiter->owner ? kind_of(profile, waiter) : NULL;

	return !kind || !strcmp(kind, MUTEX) ? waiter->owner : 0;
}

size_t lock_user(const struct profile *profile, const struct profile_record *record)
{
	size_t at = (size_t)record->first + record->nr_kernel + lock_is_waiter(profile, record),
	       end = record_end(record);

	while (at < end && (function_of(profile, at) || is_libc(profile, at)))
		at++;
	return at;
}

/* ---- holders ---- */

/* A record in which a thread releases a lock, and the time for which others waited for it then. */
struct release {
	const struct profile_record *record;
	uint32_t number;
	uint64_t waited_ns;
};

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_threads(const struct profile_record *a, uint32_t tid_a, const struct profile_record *b,
			   uint32_t tid_b)
{
	return compare(a->tgid, b->tgid) ?: compare(a->start_time_ns, b->start_time_ns) ?: compare(a->lock, b->lock)
		       ?: compare(tid_a, tid_b);
}

/* Of one thread and lock, what others have waited for most comes first. */
static int compare_releases(const void *left, const void *right)
{
	const struct release *a = left, *b = right;

	return compare_threads(a->record, a->record->tid, b->record, b->record->tid)
		       ?: compare(b->waited_ns, a->waited_ns)
		       ?: compare(a->number, b->number);
}

typedef VEC(struct release) release_list;

static void find_releases(const struct profile *profile, release_list *releases)
{
	_cleanup_(freep) uint64_t *waited_ns = xcalloc(profile->records.nr + 1, sizeof(*waited_ns));

	for (size_t i = 0; i < profile->intervals.nr; i++) {
		const struct profile_interval *interval = &profile->intervals.data[i];

		for (size_t row = 0; row < interval->rows.nr; row++) {
			uint32_t pair = profile->records.data[interval->rows.data[row].record].pair;
			uint32_t waker = pair ? profile->pairs.data[pair - 1].waker : PROFILE_NONE;

			if (waker != PROFILE_NONE)
				waited_ns[waker] += interval->rows.data[row].sum;
		}
	}
	for (uint32_t i = 0; i < profile->records.nr; i++) {
		const struct profile_record *record = &profile->records.data[i];

		if (record->lock && record->context == CONTEXT_TASK && !lock_is_waiter(profile, record))
			vec_push(releases, (struct release){ record, i, waited_ns[i] });
	}
	if (releases->nr)
		qsort(releases->data, releases->nr, sizeof(*releases->data), compare_releases);
}

static uint32_t release_by(const release_list *releases, const struct profile_record *waiter, uint32_t owner)
{
	size_t low = 0, high = releases->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct profile_record *record = releases->data[middle].record;

		if (compare_threads(record, record->tid, waiter, owner) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == releases->nr ||
	    compare_threads(releases->data[low].record, releases->data[low].record->tid, waiter, owner))
		return PROFILE_NONE;
	return releases->data[low].number;
}

void lock_settle(struct profile *profile)
{
	release_list releases = {};

	if (profile->view.style != VIEW_LOCK)
		return;
	find_releases(profile, &releases);
	for (size_t i = 0; i < profile->pairs.nr; i++) {
		struct profile_pair *pair = &profile->pairs.data[i];
		const struct profile_record *waiter = &profile->records.data[pair->sleeper];
		uint32_t owner = pair->waker == PROFILE_NONE ? lock_owner(profile, waiter) : 0;

		if (owner)
			pair->waker = release_by(&releases, waiter, owner);
		if (owner && pair->reason != WAKER_UNFINISHED)
			pair->reason = pair->waker == PROFILE_NONE ? WAKER_OWNER : WAKER_SEEN;
	}
	vec_done(&releases);
}
