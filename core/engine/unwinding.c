/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/unwinding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bpf/unwind_space.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/vec.h"
#include "core/engine/forecast.h"

#define NR_BUCKETS 1024
#define MAX_TRIES 8
#define MAX_WAITING 32 /* tables that are asked for at once */
#define PUBLISH_MS 100 /* while tables come one by one, processes get what is new this often */
#define WORK_MS 20     /* of one call that does not wait: there are events to be read too */

enum state {
	STATE_NONE,    /* not asked for */
	STATE_WAITING, /* the worker makes it */
	STATE_READY,
	STATE_EMPTY,   /* the file has nothing to unwind by, or cannot be had */
	STATE_REFUSED, /* no room */
};

/* The table of an image, by the number of the image. */
struct module {
	uint8_t state; /* enum state */
	uint8_t nr_tries;
	bool used; /* scratch for eviction */
	uint32_t expected_as; /* its number in the forecast and 1; 0 none */
	uint32_t table; /* in the store */
	uint32_t nr_segments;
	struct unwind_segment segments[UNWIND_SEGMENTS_MAX];
};

struct space {
	struct space *next; /* in its bucket */
	struct unwind_process_key key;
	struct mappings *mappings;
	bool incomplete; /* something may come that it lacks */
};

struct unwinding {
	struct unwinding_options options;
	struct unwind_store *store;
	struct forecast *forecast; /* NULL: no command is waited for */
	VEC(struct module) modules;
	struct space *spaces[NR_BUCKETS];
	VEC(struct unwind_space_mapping) scratch;
	size_t nr_waiting;
	uint64_t nr_refused;
	bool any_new;          /* tables that no process has yet */
	int64_t published_ms;  /* when processes were last given what was new */
};

struct unwinding *unwinding_new(const struct unwinding_options *options)
{
	struct unwinding *unwinding = xcalloc(1, sizeof(*unwinding));

	unwinding->options = *options;
	unwinding->store = unwind_store_new(&options->store);
	return unwinding;
}

static void space_free(struct space *space)
{
	mappings_free(space->mappings);
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
	forecast_free(unwinding->forecast);
	vec_done(&unwinding->modules);
	vec_done(&unwinding->scratch);
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
	enum mapping_kind kind;

	if (image == IMAGE_ANONYMOUS || image == IMAGE_NONE)
		return false;
	kind = images_kind(unwinding->options.images, image);
	return kind == MAPPING_FILE || kind == MAPPING_VDSO;
}

/* Takes ownership of `fd`. */
static void ask_with(struct unwinding *unwinding, uint32_t image, int fd)
{
	struct module *module = module_of(unwinding, image);
	int err = symbolizer_want_unwind(unwinding->options.symbolizer, image, fd);

	if (err == -EAGAIN)
		return;
	module->state = err ? STATE_EMPTY : STATE_WAITING;
	unwinding->nr_waiting += !err;
}

/* Asks for a table that nobody has asked for. While so many are being made that there is no room for more, later. */
static void ask_for(struct unwinding *unwinding, uint32_t image, const struct image_place *place)
{
	struct module *module = module_of(unwinding, image);
	int fd;

	if (module->state != STATE_NONE || unwinding->nr_waiting >= MAX_WAITING)
		return;
	fd = images_open(unwinding->options.images, image, place);
	if (fd >= 0)
		ask_with(unwinding, image, fd);
	else if (++module->nr_tries == MAX_TRIES)
		module->state = STATE_EMPTY;
}

/* ---- what is expected ---- */

static void expect_file(struct unwinding *unwinding, const struct forecast_file *file)
{
	_cleanup_(closep) int fd = file->fd;
	uint32_t image = images_add_open(unwinding->options.images, fd);
	struct module *module = can_have_table(unwinding, image) ? module_of(unwinding, image) : NULL;

	if (!module || module->state != STATE_NONE)
		return;
	module->expected_as = file->number + 1;
	ask_with(unwinding, image, take_fd(&fd));
}

static void ask_for_expected(struct unwinding *unwinding)
{
	struct forecast_file file;

	while (unwinding->forecast && unwinding->nr_waiting < MAX_WAITING && forecast_next(unwinding->forecast, &file))
		expect_file(unwinding, &file);
}

void unwinding_expect(struct unwinding *unwinding, const char *word)
{
	const struct image_key vdso = { .kind = MAPPING_VDSO, .path = "[vdso]" };
	const struct image_place anywhere = {};

	ask_for(unwinding, images_add(unwinding->options.images, &vdso), &anywhere);
	if (!unwinding->forecast)
		unwinding->forecast = forecast_new(word);
	ask_for_expected(unwinding);
}

/* A file of the forecast tells which others come with it. */
static void add_needs(struct unwinding *unwinding, const struct module *module, const struct unwind_table *table)
{
	if (!module->expected_as)
		return;
	forecast_add_needs(unwinding->forecast, module->expected_as - 1, table->needs.data, table->needs.nr);
	ask_for_expected(unwinding);
}

/* ---- publishing ---- */

/* Where the addresses of the table lie, seen from the mapping; a table whose pages are not the file's is none. */
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
	const struct image_place place = { space->key.tgid, mapping->start, mapping->end };
	struct unwind_space_mapping to = { .start = mapping->start,
					   .end = mapping->end,
					   .file_offset = mapping->file_offset,
					   .table = UNWIND_NO_TABLE };
	const struct module *module;

	if (can_have_table(unwinding, mapping->image)) {
		ask_for(unwinding, mapping->image, &place);
		module = module_of(unwinding, mapping->image);
		if (module->state == STATE_NONE || module->state == STATE_WAITING) {
			space->incomplete = true;
			to.table = module->nr_tries ? UNWIND_NO_TABLE : UNWIND_TABLE_TO_COME; /* cannot be opened */
		}
		if (module->state == STATE_READY)
			place_module(module, mapping, &to);
	}
	vec_push(&unwinding->scratch, to);
}

static void publish(struct unwinding *unwinding, struct space *space)
{
	size_t nr;
	const struct mapping *mappings = mappings_now(space->mappings, &nr);

	unwinding->scratch.nr = 0;
	space->incomplete = false;
	for (size_t i = 0; i < nr; i++)
		add_mapping(unwinding, space, &mappings[i]);
	unwind_store_set_process(unwinding->store, &space->key, unwinding->scratch.data, unwinding->scratch.nr);
}

static int64_t now_ms(void)
{
	struct timespec now = {};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void publish_incomplete(struct unwinding *unwinding)
{
	unwinding->any_new = false;
	unwinding->published_ms = now_ms();
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct space *space = unwinding->spaces[i]; space; space = space->next)
			if (space->incomplete)
				publish(unwinding, space);
}

/* ---- room ---- */

static void mark_used(struct unwinding *unwinding, const struct space *space)
{
	size_t nr;
	const struct mapping *mappings = mappings_now(space->mappings, &nr);

	for (size_t i = 0; i < nr; i++)
		if (can_have_table(unwinding, mappings[i].image))
			module_of(unwinding, mappings[i].image)->used = true;
}

/* Forgets the tables of all files that no process maps. Whether there were any. */
static bool evict(struct unwinding *unwinding)
{
	bool any = false;

	for (size_t i = 0; i < unwinding->modules.nr; i++)
		unwinding->modules.data[i].used = false;
	for (size_t i = 0; i < NR_BUCKETS; i++)
		for (struct space *space = unwinding->spaces[i]; space; space = space->next)
			mark_used(unwinding, space);
	for (size_t i = 0; i < unwinding->modules.nr; i++) {
		struct module *module = &unwinding->modules.data[i];

		if (module->used || module->state != STATE_READY)
			continue;
		unwind_store_remove(unwinding->store, module->table);
		module->state = STATE_NONE;
		any = true;
	}
	return any;
}

static int store(struct unwinding *unwinding, const struct unwind_table *table, uint32_t *ret_number)
{
	int err = unwind_store_add(unwinding->store, table, ret_number);

	if (err == -ENOSPC && evict(unwinding))
		err = unwind_store_add(unwinding->store, table, ret_number);
	return err;
}

/* ---- what the worker has made ---- */

static void keep_table(struct unwinding *unwinding, struct module *module, const struct unwind_table *table)
{
	module->nr_segments = table->nr_segments;
	memcpy(module->segments, table->segments, sizeof(module->segments));
	module->state = store(unwinding, table, &module->table) ? STATE_REFUSED : STATE_READY;
	unwinding->nr_refused += module->state == STATE_REFUSED;
}

static void take(struct unwinding *unwinding, const struct symbol_unwind *made)
{
	struct module *module = module_of(unwinding, made->number);

	if (module->state != STATE_WAITING)
		return;
	unwinding->nr_waiting--;
	module->state = STATE_EMPTY;
	if (made->status == SYMBOL_OK)
		keep_table(unwinding, module, &made->table);
	add_needs(unwinding, module, &made->table); /* moves the modules */
}

bool unwinding_work(struct unwinding *unwinding, int timeout_ms)
{
	int64_t begun_ms = now_ms(), end_ms = begun_ms + (timeout_ms ? timeout_ms : WORK_MS), now = begun_ms;
	struct symbol_unwind made = {};

	while (unwinding->nr_waiting && now < end_ms &&
	       symbolizer_next_unwind(unwinding->options.symbolizer, timeout_ms ? (int)(end_ms - now) : 0, &made)) {
		take(unwinding, &made);
		unwind_table_done(&made.table);
		unwinding->any_new = true;
		if (!unwinding->nr_waiting) /* not everything may have been asked for */
			publish_incomplete(unwinding);
		now = now_ms();
	}
	if (unwinding->any_new && now - unwinding->published_ms >= PUBLISH_MS)
		publish_incomplete(unwinding);
	if (timeout_ms)
		unwind_store_settle(unwinding->store);
	return !unwinding->nr_waiting;
}

/* ---- processes ---- */

static struct space **find_space(struct unwinding *unwinding, uint32_t tgid)
{
	struct space **link = &unwinding->spaces[tgid % NR_BUCKETS];

	while (*link && (*link)->key.tgid != tgid)
		link = &(*link)->next;
	return link;
}

void unwinding_set(struct unwinding *unwinding, const struct unwind_process_key *key, struct mappings *mappings)
{
	struct space **link = find_space(unwinding, key->tgid), *space = *link;

	if (!space)
		space = *link = xcalloc(1, sizeof(*space));
	mappings = mappings_share(mappings); /* before the old one goes, which may be the same */
	mappings_free(space->mappings);
	space->mappings = mappings;
	space->key = *key;
	publish(unwinding, space);
}

void unwinding_remove(struct unwinding *unwinding, uint32_t tgid)
{
	struct space **link = find_space(unwinding, tgid), *space = *link;

	if (!space)
		return;
	unwind_store_remove_process(unwinding->store, tgid);
	*link = space->next;
	space_free(space);
}

uint64_t unwinding_nr_refused(const struct unwinding *unwinding)
{
	return unwinding->nr_refused;
}
