/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/unwind/unwinding_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/unwind_space.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/unwind/expected_files.h"

#define MAX_TRIES 8
#define PUT_OFF_MAX 4 /* files of a process that the worker has no room for, before the others are not opened for now */
#define PUBLISH_MS 100 /* how often processes get new tables while tables arrive one by one */
#define WORK_MS 20 /* limit of a call without a timeout, because events have to be read too */
#define EVICT_FROM 256 /* modules */
#define EVICT_FROM_BYTES (8u << 20) /* of tables and mappings */
#define RETRY_MS 10000
#define RETRY_MAX_MS (64 * RETRY_MS)
#define INTERPRETERS_MAX 4096 /* not taken yet */

struct unwinding *unwinding_new(const struct unwinding_options *options)
{
	struct unwinding *unwinding = xcalloc(1, sizeof(*unwinding));

	unwinding->options = *options;
	unwinding->nr_taken = 1;
	unwinding->evict_at = EVICT_FROM;
	unwinding->evict_at_bytes = EVICT_FROM_BYTES;
	unwinding->retry_pause_ms = RETRY_MS;
	return unwinding;
}

static void space_free(struct space *space)
{
	mappings_free(space->mappings);
	unwinding_forget_codes(space);
	vec_done(&space->codes);
	free(space);
}

void unwinding_free(struct unwinding *unwinding)
{
	if (!unwinding)
		return;
	for (size_t i = 0; i < NR_BUCKETS; i++) {
		while (unwinding->spaces[i]) {
			struct space *space = unwinding->spaces[i];

			unwinding->spaces[i] = space->next;
			space_free(space);
		}
	}
	unwind_store_free(unwinding->store);
	expected_files_free(unwinding->expected);
	for (size_t i = 0; i < unwinding->code_tables.nr; i++)
		unwind_table_done(&unwinding->code_tables.data[i].table);
	vec_done(&unwinding->code_tables);
	vec_done(&unwinding->modules);
	vec_done(&unwinding->scratch);
	vec_done(&unwinding->begins);
	vec_done(&unwinding->interpreters);
	free(unwinding);
}

/* ---- modules ---- */

static struct module *module_of(struct unwinding *unwinding, uint32_t image)
{
	while (unwinding->modules.nr <= image)
		vec_push(&unwinding->modules, (struct module){ .table = UNWIND_NO_TABLE });
	return &unwinding->modules.data[image];
}

static bool can_have_table(const struct unwinding *unwinding, uint32_t image)
{
	enum mapping_kind kind = images_kind(unwinding->options.images, image);

	return kind == MAPPING_FILE || kind == MAPPING_VDSO;
}

static void set_state(struct unwinding *unwinding, uint32_t image, enum state state)
{
	struct module *module = module_of(unwinding, image);

	if (module->state == STATE_NONE && state != STATE_NONE) {
		images_hold(unwinding->options.images, image);
		unwinding->nr_held++;
	} else if (module->state != STATE_NONE && state == STATE_NONE) {
		images_let_go(unwinding->options.images, image);
		unwinding->nr_held--;
		*module = (struct module){ .table = UNWIND_NO_TABLE };
	}
	module->state = (uint8_t)state;
}

/* Takes ownership of `fd`. False: the worker has no room for more requests of this owner. */
static bool ask_with(struct unwinding *unwinding, uint32_t image, int fd, uint32_t root)
{
	int err = symbolizer_want_unwind(unwinding->options.symbolizer, image, fd, root);

	if (err == -EAGAIN) {
		module_of(unwinding, image)->put_off_at = unwinding->nr_taken;
		return false;
	}
	set_state(unwinding, image, err ? STATE_EMPTY : STATE_WAITING);
	unwinding->nr_waiting += !err;
	return true;
}

/*
 * Requests the table of an image once; does nothing if too many are requested. False: the worker had no room. The image is not opened again
 * until the worker has made a table: a process may map it at 20,000 places, and opening it costs a child.
 */
static bool ask_for(struct unwinding *unwinding, uint32_t image, const struct image_place *place)
{
	struct module *module;
	int fd;

	if (!can_have_table(unwinding, image) || unwinding->nr_waiting >= MAX_WAITING)
		return true;
	module = module_of(unwinding, image);
	if (module->state > STATE_TRIED || module->put_off_at == unwinding->nr_taken)
		return true;
	fd = images_open(unwinding->options.images, image, place);
	if (fd >= 0)
		return ask_with(unwinding, image, fd, images_root(unwinding->options.images, image, place, fd));
	set_state(unwinding, image, ++module->nr_tries < MAX_TRIES ? STATE_TRIED : STATE_EMPTY);
	return true;
}

/* ---- expected files ---- */

static void ask_for_expected(struct unwinding *unwinding)
{
	struct expected_file file;

	while (unwinding->expected && unwinding->nr_waiting < MAX_WAITING &&
	       expected_files_next(unwinding->expected, &file)) {
		_cleanup_(closep) int fd = file.fd;
		uint32_t image = images_add_open(unwinding->options.images, fd);
		struct module *module = can_have_table(unwinding, image) ? module_of(unwinding, image) : NULL;

		if (!module || module->state > STATE_TRIED)
			continue;
		module->expected_as = file.number + 1;
		ask_with(unwinding, image, take_fd(&fd), ROOT_OURS);
	}
}

void unwinding_expect(struct unwinding *unwinding, const char *word)
{
	const struct proc_mapping vdso = { .kind = MAPPING_VDSO, .path = "[vdso]" };
	const struct image_place anywhere = {};

	ask_for(unwinding, images_add(unwinding->options.images, &vdso), &anywhere);
	if (!unwinding->expected)
		unwinding->expected = expected_files_new(word);
	ask_for_expected(unwinding);
}

/* ---- space ---- */

static void mark_used(struct unwinding *unwinding, const struct space *space)
{
	size_t nr;
	const struct mapping *mappings = mappings_now(space->mappings, &nr);

	for (size_t i = 0; i < nr; i++)
		if (can_have_table(unwinding, mappings[i].image))
			module_of(unwinding, mappings[i].image)->used = true;
	for (size_t i = 0; i < unwinding->code_tables.nr; i++)
		for (size_t k = 0; k < space->codes.nr; k++)
			unwinding->code_tables.data[i].used |= space->codes.data[k].table ==
							       unwinding->code_tables.data[i].number;
}

/* Makes tables that did not fit requestable again. publish_incomplete() gives them to processes. */
static void try_refused_again(struct unwinding *unwinding)
{
	bool any = false;

	unwinding->retry_ms = 0;
	for (uint32_t i = 0; i < unwinding->modules.nr; i++) {
		if (unwinding->modules.data[i].state != STATE_REFUSED)
			continue;
		set_state(unwinding, i, STATE_NONE);
		any = true;
	}
	for (size_t i = 0; any && i < NR_BUCKETS; i++)
		for (struct space *space = unwinding->spaces[i]; space; space = space->next)
			space->incomplete = true;
	unwinding->any_new |= any;
}

bool unwinding_evict(struct unwinding *unwinding)
{
	size_t nr = 0, nr_before = unwinding->code_tables.nr;
	bool any = false;

	for (size_t i = 0; i < unwinding->modules.nr; i++)
		unwinding->modules.data[i].used = false;
	for (size_t i = 0; i < nr_before; i++)
		unwinding->code_tables.data[i].used = false;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct space *space = unwinding->spaces[i]; space; space = space->next)
			mark_used(unwinding, space);
	for (uint32_t i = 0; i < unwinding->modules.nr; i++) {
		const struct module *module = &unwinding->modules.data[i];

		if (module->used || module->state == STATE_WAITING)
			continue;
		any |= module->state == STATE_READY;
		if (module->state == STATE_READY)
			unwind_store_remove(unwinding->store, module->table);
		set_state(unwinding, i, STATE_NONE);
	}
	for (size_t i = 0; i < nr_before; i++) {
		struct code_table *table = &unwinding->code_tables.data[i];

		if (table->used) {
			unwinding->code_tables.data[nr++] = *table;
			continue;
		}
		unwind_store_remove(unwinding->store, table->number);
		unwind_table_done(&table->table);
	}
	unwinding->code_tables.nr = nr;
	unwinding->evict_at = 2 * unwinding->nr_held > EVICT_FROM ? 2 * unwinding->nr_held : EVICT_FROM;
	unwinding->evict_at_bytes = 2 * unwind_store_bytes(unwinding->store);
	if (unwinding->evict_at_bytes < EVICT_FROM_BYTES)
		unwinding->evict_at_bytes = EVICT_FROM_BYTES;
	return any || nr < nr_before;
}

int unwinding_store(struct unwinding *unwinding, const struct unwind_table *table, uint32_t *ret_number)
{
	int err = unwind_store_add(unwinding->store, table, ret_number);

	if (err == -ENOSPC && unwinding_evict(unwinding))
		err = unwind_store_add(unwinding->store, table, ret_number);
	return err;
}

/* ---- publishing ---- */

/* Sets the table, and the difference between addresses and file offsets. If that is no multiple of a page, there is no table. */
static void place_module(const struct module *module, const struct mapping *mapping, struct unwind_space_mapping *to)
{
	struct unwind_table segments = { .nr_segments = module->nr_segments };
	uint64_t address;

	memcpy(segments.segments, module->segments, sizeof(segments.segments));
	if (unwind_table_address_of_offset(&segments, mapping->file_offset, &address))
		return;
	to->to_address = address - mapping->file_offset;
	if (to->to_address % (1 << ST_UNWIND_PAGE_SHIFT) == 0)
		to->table = module->table;
}

static void add_mapping(struct unwinding *unwinding, struct space *space, const struct mapping *mapping)
{
	const struct image_place place = { space->process.tgid, mapping->start, mapping->end };
	struct unwind_space_mapping to = { .start = mapping->start,
					   .end = mapping->end,
					   .file_offset = mapping->file_offset,
					   .table = UNWIND_NO_TABLE };
	const struct module *module;

	if (can_have_table(unwinding, mapping->image)) {
		if (space->nr_put_off < PUT_OFF_MAX)
			space->nr_put_off += !ask_for(unwinding, mapping->image, &place);
		module = module_of(unwinding, mapping->image);
		if (module->state <= STATE_WAITING) {
			space->incomplete = true;
			/* a file that could not be opened has no table */
			to.table = module->nr_tries ? UNWIND_NO_TABLE : UNWIND_TABLE_TO_COME;
		}
		if (module->state == STATE_READY)
			place_module(module, mapping, &to);
		space->has_interpreter |= module->state == STATE_READY && module->interpreter.language;
	}
	if (mapping->image == IMAGE_ANONYMOUS && unwinding->store && !space->is_past) {
		to.file_offset = 0; /* for anonymous memory the side-band reports an address here */
		to.table = unwinding_table_of_code(unwinding, space, mapping);
	}
	vec_push(&unwinding->scratch, to);
}

void unwinding_publish(struct unwinding *unwinding, struct space *space)
{
	size_t nr;
	const struct mapping *mappings = mappings_now(space->mappings, &nr);
	struct unwind_space_mapping *to;
	int err;

	unwinding->scratch.nr = 0;
	space->nr_put_off = 0;
	space->has_interpreter = false;
	space->incomplete = !unwinding->store;
	if (unwinding->store)
		unwinding_read_begins(unwinding, space, mappings, nr);
	for (size_t i = 0; i < nr; i++)
		add_mapping(unwinding, space, &mappings[i]);
	if (!unwinding->store)
		return;
	if (!nr) {
		unwind_store_remove_process(unwinding->store, &space->process);
		return;
	}
	if (space->has_interpreter && !space->is_told && unwinding->interpreters.nr < INTERPRETERS_MAX) {
		vec_push(&unwinding->interpreters, space->process.tgid);
		space->is_told = true;
	}
	to = unwinding->scratch.data;
	nr = unwind_store_fit(to, unwinding->scratch.nr, ST_MAX_SPACE_MAPPINGS);
	err = unwind_store_set_process(unwinding->store, &space->process, to, nr);
	if (err == -ENOSPC && unwinding_evict(unwinding))
		err = unwind_store_set_process(unwinding->store, &space->process, to, nr);
	unwinding->nr_refused += err == -ENOSPC;
	unwinding_keep_seen(space);
}

uint64_t unwinding_begin_space(struct unwinding *unwinding, uint32_t tgid, struct mappings *mappings,
			       bool *ret_is_whole)
{
	struct space space = { .process.tgid = tgid, .is_past = true };
	uint64_t number = 0;
	size_t nr;
	const struct mapping *all = mappings_now(mappings, &nr);

	unwinding->scratch.nr = 0;
	for (size_t i = 0; i < nr; i++)
		add_mapping(unwinding, &space, &all[i]);
	*ret_is_whole = !space.incomplete;
	nr = unwind_store_fit(unwinding->scratch.data, unwinding->scratch.nr, ST_MAX_SPACE_MAPPINGS);
	if (!unwinding->store ||
	    unwind_store_add_space(unwinding->store, unwinding->scratch.data, nr, &unwinding->walked, &number))
		return 0;
	return number;
}

void unwinding_end_space(struct unwinding *unwinding)
{
	unwind_store_remove_space(unwinding->store, unwinding->walked);
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_monotonic_ns() / NSEC_PER_MSEC);
}

static void publish_incomplete(struct unwinding *unwinding)
{
	unwinding->any_new = false;
	unwinding->published_ms = now_ms();
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct space *space = unwinding->spaces[i]; space; space = space->next)
			if (space->incomplete)
				unwinding_publish(unwinding, space);
}

/* ---- tables from the worker ---- */

/* After each pause the worker makes the refused tables again, so the pauses grow. */
static void note_refused(struct unwinding *unwinding)
{
	unwinding->nr_refused++;
	if (unwinding->retry_ms)
		return;
	unwinding->retry_ms = now_ms() + unwinding->retry_pause_ms;
	if (unwinding->retry_pause_ms < RETRY_MAX_MS)
		unwinding->retry_pause_ms *= 2;
}

/* Takes a table from the worker. For an expected file also takes which files it needs. */
static void take(struct unwinding *unwinding, const struct symbol_unwind *made)
{
	const struct unwind_table *table = &made->table;
	struct module *module = module_of(unwinding, made->number);

	if (module->state != STATE_WAITING)
		return;
	unwinding->nr_waiting--;
	if (made->status == SYMBOL_OK) {
		uint32_t number = UNWIND_NO_TABLE;
		enum state state = unwinding_store(unwinding, table, &number) ? STATE_REFUSED : STATE_READY;

		module = module_of(unwinding, made->number);
		module->nr_segments = table->nr_segments;
		memcpy(module->segments, table->segments, sizeof(module->segments));
		module->table = number;
		module->interpreter = table->interpreter;
		set_state(unwinding, made->number, state);
		if (state == STATE_REFUSED)
			note_refused(unwinding);
	} else if (made->status == SYMBOL_PAUSED && ++module->nr_tries < MAX_TRIES) {
		set_state(unwinding, made->number, STATE_TRIED); /* requested again for a later process */
	} else {
		set_state(unwinding, made->number, STATE_EMPTY);
	}
	if (!module->expected_as)
		return;
	expected_files_add_needs(unwinding->expected, module->expected_as - 1, table->needs.data, table->needs.nr);
	ask_for_expected(unwinding);
}

void unwinding_set_store(struct unwinding *unwinding, const struct unwind_store_options *store)
{
	unwinding->store = unwind_store_new(store);
	publish_incomplete(unwinding);
}

/* ---- processes ---- */

/* 0 means unknown. */
static bool is_another(uint64_t before, uint64_t now)
{
	return before && now && before != now;
}

void unwinding_set(struct unwinding *unwinding, const struct spaces_process *process)
{
	struct space **link = &unwinding->spaces[process->tgid % NR_BUCKETS], *space;
	struct mappings *before;

	while (*link && (*link)->process.tgid != process->tgid)
		link = &(*link)->next;
	space = *link;
	if (!process->mappings) {
		if (!space)
			return;
		if (unwinding->store)
			unwind_store_remove_process(unwinding->store, &space->process);
		*link = space->next;
		space_free(space);
		return;
	}
	if (!space)
		space = *link = xcalloc(1, sizeof(*space));
	if (space->process.exec_id != process->exec_id)
		unwinding_forget_codes(space);
	if (is_another(space->process.exec_id, process->exec_id) ||
	    is_another(space->process.start_time_ns, process->start_time_ns))
		space->is_told = false;
	before = space->mappings; /* can be the same */
	space->mappings = mappings_share(process->mappings);
	mappings_free(before);
	space->process.tgid = process->tgid;
	space->process.start_time_ns = process->start_time_ns;
	space->process.exec_id = process->exec_id;
	unwinding_publish(unwinding, space);
}

bool unwinding_work(struct unwinding *unwinding, int timeout_ms)
{
	int64_t begun_ms = now_ms(), end_ms = begun_ms + (timeout_ms ? timeout_ms : WORK_MS), now = begun_ms;
	struct symbol_unwind made = {};
	struct spaces_process process;

	if (!unwinding)
		return true;
	while (unwinding->options.spaces && spaces_next_changed(unwinding->options.spaces, &process))
		unwinding_set(unwinding, &process);
	if (!unwinding->store)
		return false;
	if (unwinding->nr_held >= unwinding->evict_at ||
	    unwind_store_bytes(unwinding->store) >= unwinding->evict_at_bytes)
		unwinding_evict(unwinding);
	if (unwind_store_tidy(unwinding->store))
		unwinding->nr_refused++;
	if (unwinding->retry_ms && begun_ms >= unwinding->retry_ms)
		try_refused_again(unwinding);
	while (unwinding->nr_waiting && now < end_ms &&
	       symbolizer_next_unwind(unwinding->options.symbolizer, timeout_ms ? (int)(end_ms - now) : 0, &made)) {
		unwinding->nr_taken++;
		if (made.number >= CODE_REQUESTS)
			unwinding_take_code(unwinding, &made);
		else
			take(unwinding, &made);
		unwind_table_done(&made.table);
		unwinding->any_new = true;
		if (!unwinding->nr_waiting) /* files that were not requested because too many were waiting can be requested now */
			publish_incomplete(unwinding);
		now = now_ms();
	}
	if (unwinding->any_new && now - unwinding->published_ms >= PUBLISH_MS)
		publish_incomplete(unwinding);
	if (timeout_ms && unwind_store_settle(unwinding->store))
		unwinding->nr_refused++;
	return !unwinding->nr_waiting;
}

int unwinding_fd(const struct unwinding *unwinding)
{
	return unwinding ? symbolizer_socket(unwinding->options.symbolizer) : -1;
}

struct space *unwinding_space(const struct unwinding *unwinding, uint32_t tgid)
{
	struct space *space = unwinding->spaces[tgid % NR_BUCKETS];

	while (space && space->process.tgid != tgid)
		space = space->next;
	return space;
}

const void *unwinding_slab(struct unwinding *unwinding, uint32_t number)
{
	return unwinding && unwinding->store ? unwind_store_slab(unwinding->store, number) : NULL;
}

bool unwinding_next_interpreter(struct unwinding *unwinding, uint32_t *ret_tgid)
{
	if (!unwinding || !unwinding->interpreters.nr)
		return false;
	*ret_tgid = unwinding->interpreters.data[--unwinding->interpreters.nr];
	return true;
}

bool unwinding_interpreter(const struct unwinding *unwinding, uint32_t tgid, struct unwinding_interpreter *ret_is)
{
	const struct space *space = unwinding ? unwinding_space(unwinding, tgid) : NULL;
	const struct mapping *mappings;
	size_t nr;

	if (!space)
		return false;
	mappings = mappings_now(space->mappings, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct unwind_space_mapping to = { .table = UNWIND_NO_TABLE };
		const struct module *module;

		if (mappings[i].image >= unwinding->modules.nr)
			continue;
		module = &unwinding->modules.data[mappings[i].image];
		if (module->state != STATE_READY || !module->interpreter.language)
			continue;
		place_module(module, &mappings[i], &to);
		if (to.table == UNWIND_NO_TABLE)
			continue;
		*ret_is = (struct unwinding_interpreter){
			.interpreter = module->interpreter,
			.bias = mappings[i].start - mappings[i].file_offset - to.to_address,
			.start_time_ns = space->process.start_time_ns,
			.exec_id = space->process.exec_id,
			.image = mappings[i].image,
		};
		return true;
	}
	return false;
}

uint64_t unwinding_nr_refused(const struct unwinding *unwinding)
{
	return unwinding ? unwinding->nr_refused : 0;
}
