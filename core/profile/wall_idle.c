/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The base of a thread is the innermost function that all its stacks contain. Threads of one group with the same base are judged together.
 * A place in the base waits if it is the wait call itself, or a function that does little else. A place is idle if it is the only one that
 * waits, its threads return to it, and its kind is a wait for work. In doubt, a place is not idle.
 *
 * A request that lasts as long as the run may look like a base. Then another thread of the group has a base further outside.
 */
#include "core/profile/wall_idle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/match.h"
#include "core/profile/wall.h"

/* A place in a base waits if it has at most this part of other waits, and of the CPU time of the base. */
#define OTHER_WAITS 8
#define OTHER_WORK 4

/* A row with its user stack, root first, without the state. */
struct seen {
	const struct profile_record *record;
	string_id group; /* the thread's name without numbers */
	string_id judged; /* the group that its thread is judged with; a thread may have several */
	unsigned int state;
	uint64_t count, ns;
	string_id reason;
	uint16_t nr;
	uint16_t wait; /* the position of the function that waits */
	bool is_work; /* the function is a wait for work, if it is the one place that waits in its base */
	bool is_loop; /* its caller is a function of an event loop */
	bool is_whole; /* walked to the root by unwind tables */
	bool in_doubt; /* many of the thread's waits lack a whole stack, and may be outside the base */
	uint16_t base; /* number of frames up to the thread's base, inclusive */
};

/* A place in a base: the call, and the called function. */
struct site {
	const struct seen *first; /* one of its waits */
	const struct seen *last; /* the row added last */
	uint32_t call; /* a frame */
	uint64_t callee; /* a function; 0: the wait itself */
	uint16_t base;
	uint64_t wait_ns, other_ns, cpu_ns;
	uint64_t count, most_count; /* of a thread */
	bool is_work, has_reasons; /* its waits have several reasons */
};

typedef VEC(struct site) site_list;

struct idling {
	struct profile *profile;
	uint8_t *is; /* IS_* of each frame */
	VEC(struct seen) seen;
	site_list found; /* places that wait, by group */
};

static uint32_t number_at(const struct idling *idling, const struct seen *seen, uint16_t at)
{
	return idling->profile->stack_frames.data[record_end(seen->record) - 2 - at];
}

static const struct profile_frame *frame_at(const struct idling *idling, const struct seen *seen, uint16_t at)
{
	return &idling->profile->frames.data[number_at(idling, seen, at)];
}

/* Equal for all places of a function; never 0. */
static uint64_t function_at(const struct idling *idling, const struct seen *seen, uint16_t at)
{
	const struct profile_frame *frame = frame_at(idling, seen, at);

	return frame->name ? (uint64_t)frame->module << 32 | frame->name : 1ULL << 63 | number_at(idling, seen, at);
}

/* What the name of a function tells. */
enum {
	IS_CONDITION = 1, /* waits for a condition or a semaphore */
	IS_LOCK = 2, /* waits for a lock, not for work */
	IS_CALL = 4, /* another waiting call */
	IS_LOOP = 8, /* of an event loop: calls only epoll, poll or select. Clients wait in the same calls */
	IS_DOUBT = 16, /* of an interpreter, whose base is in another language; or a loop that waits for one answer */
	IS_NAMED_IDLE = 32,
	IS_NAMED_UNDER = 64,
};

/* Names without leading underscores. '*' at the end: any rest. */
static const struct {
	const char *name;
	uint8_t is;
} functions[] = {
	{ "pthread_cond_wait", IS_CONDITION },
	{ "pthread_cond_timedwait", IS_CONDITION },
	{ "pthread_cond_clockwait", IS_CONDITION },
	{ "cnd_wait", IS_CONDITION },
	{ "cnd_timedwait", IS_CONDITION },
	{ "sem_wait", IS_CONDITION },
	{ "sem_timedwait", IS_CONDITION },
	{ "sem_clockwait", IS_CONDITION },
	{ "new_sem_wait*", IS_CONDITION },
	{ "pthread_mutex_*", IS_LOCK },
	{ "pthread_rwlock_*", IS_LOCK },
	{ "pthread_cond_signal", IS_LOCK },
	{ "pthread_cond_broadcast", IS_LOCK },
	{ "pthread_once*", IS_LOCK },
	{ "lll_lock_wait*", IS_LOCK },
	{ "mtx_*", IS_LOCK },
	{ "epoll_wait", IS_CALL },
	{ "epoll_pwait*", IS_CALL },
	{ "poll", IS_CALL },
	{ "ppoll", IS_CALL },
	{ "select", IS_CALL },
	{ "pselect*", IS_CALL },
	{ "accept", IS_CALL },
	{ "accept4", IS_CALL },
	{ "libc_accept*", IS_CALL },
	{ "libc_read*", IS_CALL },
	{ "libc_recv*", IS_CALL },
	{ "libc_pause", IS_CALL },
	{ "read", IS_CALL },
	{ "readv", IS_CALL },
	{ "recv", IS_CALL },
	{ "recvfrom", IS_CALL },
	{ "recvmsg", IS_CALL },
	{ "nanosleep", IS_CALL },
	{ "clock_nanosleep*", IS_CALL },
	{ "usleep", IS_CALL },
	{ "sleep", IS_CALL },
	{ "wait4", IS_CALL },
	{ "waitpid", IS_CALL },
	{ "waitid", IS_CALL },
	{ "pause", IS_CALL },
	{ "sigwait*", IS_CALL },
	{ "sigtimedwait", IS_CALL },
	{ "sigsuspend", IS_CALL },
	{ "pthread_join", IS_CALL },
	{ "pthread_clockjoin*", IS_CALL },
	{ "pthread_timedjoin*", IS_CALL },
	{ "pthread_barrier_wait", IS_CALL },
	{ "mq_receive", IS_CALL },
	{ "mq_timedreceive*", IS_CALL },
	{ "msgrcv", IS_CALL },
	{ "syscall", IS_CALL },
	{ "aeApiPoll", IS_LOOP },
	{ "epoll_dispatch", IS_LOOP },
	{ "poll_dispatch", IS_LOOP },
	{ "select_dispatch", IS_LOOP },
	{ "uv__io_poll", IS_LOOP },
	{ "ngx_epoll_process_events", IS_LOOP },
	{ "ngx_poll_process_events", IS_LOOP },
	{ "ngx_select_process_events", IS_LOOP },
	{ "g_main_context_iterate*", IS_LOOP },
	{ "g_main_context_poll*", IS_LOOP },
	{ "g_main_loop_run", IS_LOOP },
	{ "PyEval_EvalFrame*", IS_DOUBT },
	{ "rb_vm_exec", IS_DOUBT },
	{ "execute_ex", IS_DOUBT },
	{ "luaV_execute", IS_DOUBT },
	{ "Perl_runops_*", IS_DOUBT },
};

/* Reasons of waits. */
static const char *const for_work[] = { "[epoll]",         "[accept]",   "[eventfd]",      "[timer]",
					"[message queue]", "[io_uring]", "[FUSE request]", NULL };
static const char *const for_loops[] = { "[poll]", "[select]", NULL };
static const char *const never[] = { "[socket write]", "[pipe write]", "[page fault]", "[kernel lock]", "[disk]", NULL };

static bool is_one_of(const char *text, const char *const *texts)
{
	while (*texts && strcmp(*texts, text))
		texts++;
	return *texts;
}

static uint8_t tell_function(const char *name)
{
	name += strspn(name, "_");
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		const char *wanted = functions[i].name;
		size_t nr = strcspn(wanted, "*");

		if (!strncmp(wanted, name, nr) && (wanted[nr] || !name[nr] || name[nr] == '@'))
			return functions[i].is;
	}
	/* g_dbus_connection_call_sync() runs the main loop until the answer arrives */
	return strlen(name) > strlen("_sync") && !strcmp(name + strlen(name) - strlen("_sync"), "_sync") ? IS_DOUBT : 0;
}

static void tell_functions(struct idling *idling, const struct match *idle, const struct match *under)
{
	const struct profile *profile = idling->profile;

	for (size_t i = 0; i < profile->frames.nr; i++) {
		const struct profile_frame *frame = &profile->frames.data[i];
		const char *name = profile_string(profile, frame->name);

		if (!frame->name || frame->kind == FRAME_KERNEL || frame->kind == FRAME_TEXT)
			continue;
		idling->is[i] = tell_function(name);
		if (idle && match_test(idle, name, strlen(name)))
			idling->is[i] |= IS_NAMED_IDLE;
		if (under && match_test(under, name, strlen(name)))
			idling->is[i] |= IS_NAMED_UNDER;
	}
}

/* The innermost function of a kind, or the outermost of its callers of the same kind in a row. seen->nr: none. */
static uint16_t find_function(const struct idling *idling, const struct seen *seen, uint8_t is)
{
	uint16_t at = seen->nr;

	while (at && !(idling->is[number_at(idling, seen, (uint16_t)(at - 1))] & is))
		at--;
	if (!at)
		return seen->nr;
	while (at > 1 && idling->is[number_at(idling, seen, (uint16_t)(at - 2))] & is)
		at--;
	return (uint16_t)(at - 1);
}

/* Whether the path to the wait is without doubt: each function has a name, and occurs once. */
static bool is_clear(const struct idling *idling, const struct seen *seen)
{
	for (uint16_t at = 0; at < seen->wait; at++) {
		const struct profile_frame *frame = frame_at(idling, seen, at);

		if (frame->kind != FRAME_USER_FILE || !frame->name || frame->guessed ||
		    idling->is[number_at(idling, seen, at)] & IS_DOUBT)
			return false;
		for (uint16_t before = 0; before < at; before++)
			if (function_at(idling, seen, before) == function_at(idling, seen, at))
				return false;
	}
	return true;
}

static void classify(const struct idling *idling, struct seen *seen)
{
	const char *reason = profile_string(idling->profile, seen->reason);
	uint16_t condition = find_function(idling, seen, IS_CONDITION), lock = find_function(idling, seen, IS_LOCK);
	uint16_t call = find_function(idling, seen, IS_CALL);
	bool is_futex = !strcmp(reason, "[futex]");

	if (seen->state != THREAD_SLEEPS || is_one_of(reason, never))
		return;
	/* a wait for the mutex after a wait for a condition */
	if (is_futex && lock < seen->nr && (condition == seen->nr || lock > condition))
		return;
	if (is_futex && condition < seen->nr) {
		seen->wait = condition;
		seen->is_work = true;
	} else if (call < seen->nr) {
		seen->wait = call;
		seen->is_loop = call && idling->is[number_at(idling, seen, (uint16_t)(call - 1))] & IS_LOOP;
		seen->is_work = is_one_of(reason, for_work) || (seen->is_loop && is_one_of(reason, for_loops));
	} else {
		seen->wait = (uint16_t)(seen->nr - 1);
	}
	seen->is_work = seen->is_work && is_clear(idling, seen);
}

static string_id group_of(struct profile *profile, string_id comm)
{
	_cleanup_(buf_done) struct buf text = {};

	for (const char *at = profile_string(profile, comm); *at; at++) {
		if (!isdigit((unsigned char)*at))
			buf_addc(&text, *at);
		else if (!isdigit((unsigned char)at[1]))
			buf_addc(&text, '*');
	}
	return profile_add_string(profile, buf_text(&text));
}

static void see_row(struct idling *idling, const struct profile_row *row)
{
	struct profile *profile = idling->profile;
	const struct profile_record *record = &profile->records.data[row->record];
	struct seen seen = {
		.record = record, .state = wall_state_of(profile, record), .count = row->count, .ns = row->sum
	};

	if (seen.state == WALL_NO_STATE)
		return;
	if (seen.state == WALL_IDLE) /* a second call */
		seen.state = THREAD_SLEEPS;
	seen.group = group_of(profile, record->comm);
	seen.nr = (uint16_t)(record->nr_user - 1);
	seen.is_whole = seen.nr && record->user_loss == 1 + ST_LOSS_USER_ROOT;
	for (uint16_t at = 0; at < seen.nr; at++)
		seen.is_whole &= frame_at(idling, &seen, at)->kind != FRAME_TEXT;
	for (uint16_t at = 0; at < record->nr_kernel && !seen.reason;
	     at++) { /* frames of the tracer may come before it */
		const struct profile_frame *frame =
			&profile->frames.data[profile->stack_frames.data[record->first + at]];

		seen.reason = frame->kind == FRAME_TEXT ? frame->name : 0;
	}
	seen.wait = seen.nr;
	if (seen.is_whole)
		classify(idling, &seen);
	vec_push(&idling->seen, seen);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* A thread may have several names. */
static int compare_threads(const struct seen *a, const struct seen *b)
{
	return compare(a->record->tgid, b->record->tgid) ?: compare(a->record->start_time_ns, b->record->start_time_ns)
		?: compare(a->record->exec_id, b->record->exec_id) ?: compare(a->record->tid, b->record->tid);
}

static int by_thread(const void *left, const void *right)
{
	return compare_threads(left, right);
}

static uint16_t common(const struct idling *idling, const struct seen *a, const struct seen *b, uint16_t most)
{
	uint16_t at = 0;

	most = most < a->nr ? most : a->nr;
	most = most < b->nr ? most : b->nr;
	while (at < most && function_at(idling, a, at) == function_at(idling, b, at))
		at++;
	return at;
}

/* By group and base, so that threads with the same are adjacent; then by thread. */
static int by_base(const void *left, const void *right, void *context)
{
	const struct idling *idling = context;
	const struct seen *a = left, *b = right;
	int order = compare(a->judged, b->judged) ?: compare(a->is_whole, b->is_whole) ?: compare(a->base, b->base);

	for (uint16_t at = 0; !order && a->is_whole && at < a->base; at++)
		order = compare(function_at(idling, a, at), function_at(idling, b, at));
	return order ?: compare(a->in_doubt, b->in_doubt) ?: compare_threads(a, b);
}

static void find_bases(struct idling *idling)
{
	struct seen *seen = idling->seen.data, *end = seen + idling->seen.nr;

	qsort(seen, idling->seen.nr, sizeof(*seen), by_thread);
	while (seen < end) {
		struct seen *next = seen, *first = NULL;
		uint64_t whole_ns = 0, other_ns = 0;
		string_id judged = seen->group;
		uint16_t base = UINT16_MAX;

		for (; next < end && !compare_threads(seen, next); next++) {
			judged = next->group < judged ? next->group : judged;
			if (next->state == THREAD_SLEEPS)
				*(next->is_whole ? &whole_ns : &other_ns) += next->ns;
			if (!next->is_whole)
				continue;
			first = first ?: next;
			base = common(idling, first, next, base);
		}
		for (; seen < next; seen++) {
			seen->base = base;
			seen->judged = judged;
			seen->in_doubt = other_ns > whole_ns / OTHER_WAITS;
		}
	}
	qsort_r(idling->seen.data, idling->seen.nr, sizeof(*seen), by_base, idling);
}

static bool is_at(const struct idling *idling, const struct site *site, const struct seen *seen)
{
	if (seen->nr < site->base || number_at(idling, seen, (uint16_t)(site->base - 1)) != site->call)
		return false;
	if (!site->callee)
		return seen->wait == site->base;
	return seen->nr > site->base && seen->wait != site->base &&
	       function_at(idling, seen, site->base) == site->callee;
}

static struct site *site_of(const struct idling *idling, site_list *sites, const struct seen *seen, uint16_t base)
{
	struct site site = { .first = seen, .base = base, .is_work = true };

	if (seen->nr <= base)
		return NULL;
	for (size_t i = 0; i < sites->nr; i++)
		if (is_at(idling, &sites->data[i], seen))
			return &sites->data[i];
	site.call = number_at(idling, seen, (uint16_t)(base - 1));
	site.callee = seen->wait == base ? 0 : function_at(idling, seen, base);
	vec_push(sites, site);
	return &vec_last(sites);
}

static void add_to_site(struct site *site, const struct seen *seen)
{
	if (site->last && compare_threads(site->last, seen))
		site->count = 0;
	site->last = seen;
	if (seen->state == THREAD_ON_CPU)
		site->cpu_ns += seen->ns;
	if (seen->wait == seen->nr) {
		site->other_ns += seen->state == THREAD_SLEEPS || seen->state == THREAD_BLOCKED ? seen->ns : 0;
		return;
	}
	if (site->wait_ns && site->first->reason != seen->reason)
		site->has_reasons = true;
	if (!site->wait_ns)
		site->first = seen;
	site->wait_ns += seen->ns;
	site->count += seen->count;
	site->is_work &= seen->is_work;
	if (site->count > site->most_count)
		site->most_count = site->count;
}

static bool is_waiting(const struct site *site, uint64_t cpu_ns)
{
	if (!site->wait_ns)
		return false;
	return !site->callee || (!site->has_reasons && site->other_ns <= site->wait_ns / OTHER_WAITS &&
				 (!cpu_ns || site->cpu_ns <= cpu_ns / OTHER_WORK));
}

/* An event loop is certain without comparison with other places. */
static bool is_loop(const struct site *site)
{
	return !site->callee && site->is_work && site->first->is_loop;
}

/* Adds the place at which the `nr` rows of threads with this base wait, and whether it is certain that they wait for work. */
static void judge_base(struct idling *idling, const struct seen *seen, size_t nr)
{
	site_list sites = {};
	struct site *found = NULL;
	uint64_t cpu_ns = 0;
	size_t nr_waiting = 0;

	for (size_t i = 0; i < nr; i++) {
		struct site *site = site_of(idling, &sites, &seen[i], seen->base);

		cpu_ns += seen[i].state == THREAD_ON_CPU ? seen[i].ns : 0;
		if (site)
			add_to_site(site, &seen[i]);
	}
	for (size_t i = 0; i < sites.nr; i++) {
		if (!is_waiting(&sites.data[i], cpu_ns))
			continue;
		nr_waiting++;
		if (!found || !is_loop(found))
			found = &sites.data[i];
	}
	if (found)
		found->is_work &= !seen->in_doubt && (is_loop(found) || (nr_waiting == 1 && found->most_count > 1));
	if (found)
		vec_push(&idling->found, *found);
	vec_done(&sites);
}

/* For a thread that was seen in one wait only: idle if that is in an event loop. */
static void judge_loop(struct idling *idling, const struct seen *seen)
{
	if (seen->is_work && seen->is_loop)
		vec_push(&idling->found, (struct site){ .first = seen,
							.base = seen->wait,
							.call = number_at(idling, seen, (uint16_t)(seen->wait - 1)),
							.is_work = !seen->in_doubt });
}

static void find_sites(struct idling *idling)
{
	const struct seen *seen = idling->seen.data, *end = seen + idling->seen.nr;

	while (seen < end) {
		const struct seen *next = seen, *inside = NULL;

		for (; next < end && next->is_whole && next->judged == seen->judged && next->base == seen->base &&
		       next->in_doubt == seen->in_doubt && common(idling, seen, next, seen->base) == seen->base;
		     next++)
			if (next->wait < next->base && (!inside || (next->is_work && next->is_loop)))
				inside = next;
		if (next == seen)
			next++;
		else if (inside)
			judge_loop(idling, inside);
		else if (seen->base)
			judge_base(idling, seen, (size_t)(next - seen));
		seen = next;
	}
}

/* Whether a thread of the group waits in a base outside this one. */
static bool is_inside(const struct idling *idling, const struct site *site)
{
	for (size_t i = 0; i < idling->found.nr; i++) {
		const struct site *outer = &idling->found.data[i];

		if (outer->first->judged == site->first->judged && outer->base < site->base &&
		    common(idling, outer->first, site->first, outer->base) == outer->base)
			return true;
	}
	return false;
}

static bool waits_for_work(const struct idling *idling, const struct seen *seen)
{
	for (size_t i = 0; seen->is_work && i < idling->found.nr; i++) {
		const struct site *site = &idling->found.data[i];

		if (site->is_work && site->first->judged == seen->judged &&
		    common(idling, site->first, seen, site->base) == site->base && is_at(idling, site, seen) &&
		    !is_inside(idling, site))
			return true;
	}
	return false;
}

static void set_idle(struct profile *profile, const struct profile_record *record)
{
	struct profile_frame frame = { .kind = FRAME_TEXT, .where = WALL_ROOT_PLACE(WALL_IDLE) };

	frame.name = profile_add_string(profile, WALL_IDLE_ROOT);
	profile->stack_frames.data[record_end(record) - 1] = profile_add_frame(profile, &frame);
}

static int by_group(const void *left, const void *right)
{
	return compare(((const struct seen *)left)->group, ((const struct seen *)right)->group);
}

/* If the threads of a group have several names, gives them the name of the group. */
static void name_groups(struct idling *idling)
{
	struct seen *seen = idling->seen.data, *end = seen + idling->seen.nr;

	if (seen)
		qsort(seen, idling->seen.nr, sizeof(*seen), by_group);
	while (seen < end) {
		struct seen *next = seen;
		bool is_same = true;

		for (; next < end && next->group == seen->group; next++)
			is_same &= next->record->comm == seen->record->comm;
		for (; seen < next; seen++)
			if (!is_same)
				idling->profile->records.data[seen->record - idling->profile->records.data].comm =
					seen->group;
	}
}

static bool has_function(const struct idling *idling, const struct seen *seen, uint8_t is)
{
	return find_function(idling, seen, is) < seen->nr;
}

/* The user's patterns come first. A stack that is not whole may be below any function. */
static bool is_idle(const struct idling *idling, const struct seen *seen, const struct idle_plan *plan)
{
	if (seen->state != THREAD_SLEEPS || has_function(idling, seen, IS_NAMED_UNDER))
		return false;
	if (has_function(idling, seen, IS_NAMED_IDLE))
		return true;
	return plan->under ? seen->is_whole : waits_for_work(idling, seen);
}

int wall_idle_settle(struct profile *profile, const struct profile_interval *interval, const struct idle_plan *plan)
{
	_cleanup_(match_freep) struct match *idle = NULL, *under = NULL;
	_cleanup_(freep) uint8_t *is = xcalloc(profile->frames.nr + 1, sizeof(*is));
	struct idling idling = { .profile = profile, .is = is };
	int err = match_option("--idle", plan->function, &idle) ?: match_option("--under", plan->under, &under);

	if (err || !interval || !interval->rows.nr)
		return err;
	tell_functions(&idling, idle, under);
	for (size_t i = 0; i < interval->rows.nr; i++)
		see_row(&idling, &interval->rows.data[i]);
	if (idling.seen.nr) {
		find_bases(&idling);
		find_sites(&idling);
	}
	for (size_t i = 0; i < idling.seen.nr; i++)
		if (is_idle(&idling, &idling.seen.data[i], plan))
			set_idle(profile, idling.seen.data[i].record);
	if (!profile->view.by_thread)
		name_groups(&idling);
	vec_done(&idling.seen);
	vec_done(&idling.found);
	return 0;
}
