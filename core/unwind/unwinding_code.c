/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of code that is in no file: trampolines.h and code_blocks.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/unwind/trampolines.h"
#include "core/unwind/unwinding_private.h"

enum {
	CODE_TABLES_MAX = 256, /* processes with the same code share one */
	HELD_BACK_MAX = 5, /* reads of code that took too long, after which none is read for a while */
	HELD_BACK_MS = 60000,
	EVICT_MS = 1000,
	LOOK_MS = 20, /* between two reads of the blocks of one area */
	SHARE = 19, /* after a read of blocks, none for this many times as long: all reads take at most 1/20 of the time */
	PAUSE_MAX_MS =
		LOOK_MS
		<< 12, /* between two reads of other code, which may become blocks; the pauses double up to this */
};

static int64_t now_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / NSEC_PER_MSEC);
}

/* A process can hold its pages back. So five late reads are a reason to read no code for a minute, of any process. */
static bool may_read(struct unwinding *unwinding)
{
	if (unwinding->nr_held_back >= HELD_BACK_MAX && now_ms() >= unwinding->held_back_ms)
		unwinding->nr_held_back = 0;
	return unwinding->nr_held_back < HELD_BACK_MAX;
}

static void note_read(struct unwinding *unwinding, int err)
{
	unwinding->nr_held_back += err == -ETIMEDOUT;
	unwinding->held_back_ms = now_ms() + HELD_BACK_MS;
}

static bool is_same(const struct unwind_table *a, const struct unwind_table *b)
{
	return a->pages.nr == b->pages.nr && a->rows.nr == b->rows.nr && a->rules.nr == b->rules.nr &&
	       !memcmp(a->pages.data, b->pages.data, a->pages.nr * sizeof(*a->pages.data)) &&
	       !memcmp(a->rows.data, b->rows.data, a->rows.nr * sizeof(*a->rows.data)) &&
	       !memcmp(a->rules.data, b->rules.data, a->rules.nr * sizeof(*a->rules.data));
}

/*
 * The number of this table in the store, which processes with the same code share; UNWIND_NO_TABLE when there is no
 * room. Takes ownership of the table.
 */
static uint32_t keep_code(struct unwinding *unwinding, struct unwind_table *table)
{
	struct code_table new = { .table = *table };

	for (size_t i = 0; i < unwinding->code_tables.nr; i++) {
		if (is_same(&unwinding->code_tables.data[i].table, table)) {
			unwind_table_done(table);
			return unwinding->code_tables.data[i].number;
		}
	}
	if (unwinding->code_tables.nr == CODE_TABLES_MAX && now_ms() >= unwinding->evict_code_ms) {
		unwinding->evict_code_ms = now_ms() + EVICT_MS;
		unwinding_evict(unwinding);
	}
	if (unwinding->code_tables.nr == CODE_TABLES_MAX || unwinding_store(unwinding, table, &new.number)) {
		unwinding->nr_refused++;
		unwind_table_done(table);
		return UNWIND_NO_TABLE;
	}
	vec_push(&unwinding->code_tables, new);
	return new.number;
}

/* ---- reading ---- */

/*
 * Who can write the code, for the symbol worker, which keeps owners apart: the user of the process. Numbers of roots
 * (core/spaces/roots.h) are small. False: the process has ended.
 */
static bool owner_of_code(uint32_t tgid, uint32_t *ret_owner)
{
	char path[32];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	if (stat(path, &status))
		return false;
	*ret_owner = 1u << 31 | status.st_uid;
	return true;
}

/* Has the worker make a table for known->asked. If the worker cannot now, look() tries again when it reads the code the next time. */
static void ask(struct unwinding *unwinding, const struct space *space, struct known_code *known)
{
	const uint32_t number = CODE_REQUESTS | (unwinding->nr_code_requests + 1);
	uint32_t owner;
	int fd;

	if (unwinding->nr_waiting >= MAX_WAITING || !owner_of_code(space->process.tgid, &owner))
		return;
	fd = code_blocks_image(&known->asked);
	if (fd < 0 || symbolizer_want_unwind(unwinding->options.symbolizer, number, fd, owner))
		return;
	unwinding->nr_code_requests++;
	unwinding->nr_waiting++;
	known->request = number;
}

/* Sets when the code is read again: after a pause, which doubles while the code has no blocks or cannot be read. */
static void put_off(struct known_code *known, bool are_blocks)
{
	known->unread = !are_blocks;
	known->pause_ms = are_blocks ? LOOK_MS : known->pause_ms < PAUSE_MAX_MS ? 2 * known->pause_ms : PAUSE_MAX_MS;
	known->look_at_ms = now_ms() + known->pause_ms;
}

/* Reads code that may be blocks, and asks for a new table if the code has changed. */
static void look(struct unwinding *unwinding, const struct space *space, struct known_code *known)
{
	struct code_copy copy = {}, *last = known->asked.bytes ? &known->asked : &known->made_of;
	const int64_t begun_ms = now_ms();
	int err = code_blocks_read(space->process.tgid, known->start, known->end, &copy);

	note_read(unwinding, err);
	unwinding->read_again_ms = now_ms() + SHARE * (now_ms() - begun_ms);
	put_off(known, !err);
	if (!err && (!last->bytes || memcmp(last->bytes, copy.bytes, copy.nr) != 0)) {
		code_copy_done(&known->asked);
		known->asked = copy;
		copy = (struct code_copy){};
	}
	code_copy_done(&copy);
	if (known->asked.bytes)
		ask(unwinding, space, known);
}

/* ---- the code of a process ---- */

static void forget(struct known_code *known)
{
	code_copy_done(&known->made_of);
	code_copy_done(&known->asked);
}

void unwinding_forget_codes(struct space *space)
{
	for (size_t i = 0; i < space->codes.nr; i++)
		forget(&space->codes.data[i]);
	space->codes.nr = 0;
}

void unwinding_keep_seen(struct space *space)
{
	size_t nr = 0;

	for (size_t i = 0; i < space->codes.nr; i++) {
		struct known_code known = space->codes.data[i];

		if (!known.seen) {
			forget(&known);
			continue;
		}
		known.seen = false;
		space->codes.data[nr++] = known;
	}
	space->codes.nr = nr;
}

static struct known_code *find_code(const struct space *space, const struct mapping *mapping)
{
	size_t at = vec_nr_first(&space->codes, one, one->start < mapping->start);
	struct known_code *known = at < space->codes.nr ? &space->codes.data[at] : NULL;

	return known && known->start == mapping->start && known->end == mapping->end &&
			       known->since_ns == mapping->since_ns
		       ? known
		       : NULL;
}

/* A part for which no read is tried keeps -EAGAIN. */
void unwinding_read_begins(struct unwinding *unwinding, const struct space *space, const struct mapping *mappings,
			   size_t nr)
{
	struct foreign_part *parts;
	size_t nr_done;

	unwinding->begins.nr = 0;
	for (size_t i = 0; i < nr; i++)
		if (mappings[i].image == IMAGE_ANONYMOUS && !find_code(space, &mappings[i]))
			vec_push(&unwinding->begins,
				 (struct foreign_part){ .start = mappings[i].start, .err = -EAGAIN });
	parts = unwinding->begins.data;
	for (size_t at = 0; at < unwinding->begins.nr && may_read(unwinding); at += nr_done + 1) {
		nr_done = foreign_memory_read_parts(space->process.tgid, parts + at, unwinding->begins.nr - at);
		note_read(unwinding, at + nr_done < unwinding->begins.nr ? -ETIMEDOUT : parts[at].err);
	}
}

static const struct foreign_part *begin_of(const struct unwinding *unwinding, uint64_t start)
{
	size_t at = vec_nr_first(&unwinding->begins, one, one->start < start);
	const struct foreign_part *part = at < unwinding->begins.nr ? &unwinding->begins.data[at] : NULL;

	return part && part->start == start ? part : NULL;
}

/* Finds the table of new code. Code that cannot be read now is read when the process is published the next time. */
static void find_table(struct unwinding *unwinding, const struct space *space, struct known_code *known)
{
	const struct foreign_part *begin = begin_of(unwinding, known->start);
	struct unwind_table table;
	int err = begin ? begin->err : -EAGAIN;

	if (!err && trampolines_may_begin(begin->bytes, sizeof(begin->bytes))) {
		err = trampolines_read(space->process.tgid, known->start, known->end, &table);
		note_read(unwinding, err);
		if (!err)
			known->table = keep_code(unwinding, &table);
	} else if (!err && !code_blocks_may_begin(begin->bytes, known->end - known->start)) {
		put_off(known, false);
	} else if (!err && now_ms() >= unwinding->read_again_ms) {
		look(unwinding, space, known); /* or when there is a stack with it: is_changed() */
	}
	if (err == -ETIMEDOUT || err == -EAGAIN)
		known->since_ns = UINT64_MAX;
}

uint32_t unwinding_table_of_code(struct unwinding *unwinding, struct space *space, const struct mapping *mapping)
{
	struct known_code *known = find_code(space, mapping);
	size_t at;

	if (known) {
		known->seen = true;
		return known->request && known->table == UNWIND_NO_TABLE ? UNWIND_TABLE_TO_COME : known->table;
	}
	at = vec_nr_first(&space->codes, other, other->start < mapping->start);
	if (at == space->codes.nr || space->codes.data[at].start != mapping->start) {
		vec_push(&space->codes, (struct known_code){});
		known = &space->codes.data[at];
		memmove(known + 1, known, (space->codes.nr - 1 - at) * sizeof(*known));
		*known = (struct known_code){};
	}
	known = &space->codes.data[at];
	forget(known);
	*known = (struct known_code){ .start = mapping->start,
				      .end = mapping->end,
				      .since_ns = mapping->since_ns,
				      .table = UNWIND_NO_TABLE,
				      .seen = true,
				      .pause_ms = LOOK_MS };
	find_table(unwinding, space, known);
	return known->request ? UNWIND_TABLE_TO_COME : known->table;
}

/* ---- what the worker has made ---- */

static struct known_code *find_request(struct unwinding *unwinding, uint32_t number, struct space **ret_space)
{
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct space *space = unwinding->spaces[i]; space; space = space->next)
			for (size_t k = 0; k < space->codes.nr; k++)
				if (space->codes.data[k].request == number) {
					*ret_space = space;
					return &space->codes.data[k];
				}
	return NULL;
}

void unwinding_take_code(struct unwinding *unwinding, struct symbol_unwind *made)
{
	struct space *space;
	struct known_code *known = find_request(unwinding, made->number, &space);

	unwinding->nr_waiting--;
	if (!known)
		return;
	known->request = 0;
	known->valid_from_ns = known->table == UNWIND_NO_TABLE ? 0 : UINT64_MAX;
	known->table = UNWIND_NO_TABLE;
	if (made->status == SYMBOL_OK) {
		known->table = keep_code(unwinding, &made->table);
		made->table = (struct unwind_table){};
	}
	code_copy_done(&known->made_of);
	known->made_of = known->asked;
	known->asked = (struct code_copy){};
	unwinding_publish(unwinding, space);
	for (size_t i = 0; i < space->codes.nr; i++)
		if (space->codes.data[i].valid_from_ns == UINT64_MAX)
			space->codes.data[i].valid_from_ns = clock_monotonic_ns();
}

/* Whether a walk at this time may have met other code at the address than the code that its table was made of. */
static bool is_changed(struct unwinding *unwinding, const struct space *space, struct known_code *known,
		       uint64_t address, uint64_t time_ns)
{
	if (!known->request && now_ms() >= known->look_at_ms && now_ms() >= unwinding->read_again_ms &&
	    may_read(unwinding))
		look(unwinding, space, known);
	return time_ns < known->valid_from_ns ||
	       (known->table != UNWIND_NO_TABLE && known->made_of.bytes && (known->unread || !may_read(unwinding))) ||
	       (known->table != UNWIND_NO_TABLE && known->asked.bytes &&
		!code_blocks_same(&known->made_of, &known->asked, address - known->start));
}

size_t unwinding_first_changed(struct unwinding *unwinding, uint32_t tgid, uint64_t time_ns, const uint64_t *addresses,
			       size_t nr)
{
	struct space *space = unwinding && unwinding->store ? unwinding_space(unwinding, tgid) : NULL;

	for (size_t i = 0; space && space->codes.nr && i < nr; i++) {
		size_t at = vec_nr_first(&space->codes, one, one->start <= addresses[i]);
		struct known_code *known = at ? &space->codes.data[at - 1] : NULL;

		if (known && addresses[i] < known->end && is_changed(unwinding, space, known, addresses[i], time_ns))
			return i;
	}
	return nr;
}
