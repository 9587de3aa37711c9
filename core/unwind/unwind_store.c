/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/unwind/unwind_store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "bpf/unwind_space.h"
#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/vec.h"
#include "core/host/signals.h"

#define CHUNK_WORDS (ST_SLAB_WORDS / 8) /* rows are stored in pieces of up to this size, which fit between others */

#define RETIRED_MAX (ST_SLAB_LONGS / 2) /* longs that are not reusable yet */
#define SPARE_SLABS 1 /* empty slabs to keep */

typedef VEC(struct unwind_extent) extent_list;

struct table {
	bool used;
	uint32_t nr_pages, rules;
	uint64_t first_page;
	struct unwind_extent head;
	extent_list rows;
};

/* A slab that is mapped for writing. Two suffice, for a directory and its rows; all mapped ones count as memory of this process. */
struct window {
	uint32_t slab;
	struct st_slab *memory; /* NULL: none */
};

/*
 * A slab that is being put into its slot or taken out. The kernel waits for all running programs, 4 to 135 ms, so a thread does it.
 * Meanwhile a program finds no slab, and walks by frame pointers.
 */
struct put {
	pthread_t thread;
	bool running; /* `thread` was started */
	int outer, inner; /* `inner` -1: empties the slot */
	uint32_t slot;
	uint64_t nr_before; /* pieces that were retired before: no program reads them once the slab is in place */
	atomic_bool done;
	int err;
};

struct unwind_store {
	struct unwind_store_options options;
	VEC(struct put *) puts;
	uint64_t nr_released; /* retired pieces that were made free since the start */
	VEC(int) slabs; /* descriptors; -1: the slot is empty */
	size_t nr_slabs; /* without the empty slots */
	uint64_t nr_used, nr_retired; /* longs */
	struct window windows[2];
	unsigned int last_window; /* index of the last one used */
	VEC(void *) read; /* slabs that are mapped for reading, by number; NULL: not mapped */
	extent_list free; /* sorted by place */
	bool any_empty; /* an empty slab may be among them */
	extent_list retired; /* removed, but maybe still read */
	VEC(struct table) tables;
	uint64_t nr_spaces; /* made since the start */
};

struct unwind_store *unwind_store_new(const struct unwind_store_options *options)
{
	struct unwind_store *store = xcalloc(1, sizeof(*store));

	store->options = *options;
	return store;
}

static void unmap_read(struct unwind_store *store, uint32_t slab)
{
	if (slab >= store->read.nr || !store->read.data[slab])
		return;
	munmap(store->read.data[slab], ST_SLAB_BYTES);
	store->read.data[slab] = NULL;
}

void unwind_store_free(struct unwind_store *store)
{
	if (!store)
		return;
	unwind_store_settle(store);
	vec_done(&store->puts);
	for (size_t i = 0; i < 2; i++)
		if (store->windows[i].memory)
			munmap(store->windows[i].memory, ST_SLAB_BYTES);
	for (uint32_t i = 0; i < store->read.nr; i++)
		unmap_read(store, i);
	vec_done(&store->read);
	for (size_t i = 0; i < store->slabs.nr; i++)
		closep(&store->slabs.data[i]);
	for (size_t i = 0; i < store->tables.nr; i++)
		vec_done(&store->tables.data[i].rows);
	vec_done(&store->slabs);
	vec_done(&store->free);
	vec_done(&store->retired);
	vec_done(&store->tables);
	free(store);
}

/* ---- space ---- */

static void erase(extent_list *list, size_t at, size_t nr)
{
	list->nr -= nr;
	memmove(list->data + at, list->data + at + nr, (list->nr - at) * sizeof(*list->data));
}

/* Pieces of different slabs stay separate. */
static bool is_continued_by(const struct unwind_extent *a, const struct unwind_extent *b)
{
	return a->place + a->nr == b->place && b->place % ST_SLAB_LONGS;
}

static void give_back(struct unwind_store *store, struct unwind_extent extent)
{
	extent_list *list = &store->free;
	size_t at = vec_nr_first(list, other, other->place <= extent.place);

	vec_push(list, extent);
	memmove(list->data + at + 1, list->data + at, (list->nr - 1 - at) * sizeof(*list->data));
	list->data[at] = extent;
	if (at + 1 < list->nr && is_continued_by(&list->data[at], &list->data[at + 1])) {
		list->data[at].nr += list->data[at + 1].nr;
		erase(list, at + 1, 1);
	}
	if (at && is_continued_by(&list->data[at - 1], &list->data[at])) {
		list->data[at - 1].nr += list->data[at].nr;
		erase(list, at--, 1);
	}
	store->any_empty |= list->data[at].nr == ST_SLAB_LONGS;
}

static void retire(struct unwind_store *store, struct unwind_extent extent)
{
	if (!extent.nr)
		return;
	vec_push(&store->retired, extent);
	store->nr_used -= extent.nr;
	store->nr_retired += extent.nr;
}

/* Frees the retired pieces up to number `nr_before` since the start. */
static void release_retired(struct unwind_store *store, uint64_t nr_before)
{
	size_t nr = 0;

	while (nr < store->retired.nr && store->nr_released + nr < nr_before) {
		store->nr_retired -= store->retired.data[nr].nr;
		give_back(store, store->retired.data[nr++]);
	}
	store->nr_released += nr;
	if (nr)
		erase(&store->retired, 0, nr);
}

/* ---- slabs ---- */

/* Updating the outer map waits for running programs. A slab that cannot be taken out stays until another takes its slot. */
static void *put_slab(void *argument)
{
	struct put *put = argument;

	if (put->inner < 0)
		bpf_map_delete_elem(put->outer, &put->slot);
	else
		put->err = bpf_map_update_elem(put->outer, &put->slot, &put->inner, BPF_ANY) ? -errno : 0;
	atomic_store(&put->done, true);
	return NULL;
}

/* If no thread can be started, puts the slab itself. */
static void start_put(struct put *put)
{
	sigset_t before;

	atomic_store(&put->done, false);
	signals_hold(&before);
	put->running = !pthread_create(&put->thread, NULL, put_slab, put);
	signals_release(&before);
	if (!put->running)
		put_slab(put);
}

static void begin_put(struct unwind_store *store, uint32_t slot, int fd)
{
	struct put *put = xcalloc(1, sizeof(*put));

	*put = (struct put){
		.outer = store->options.slabs,
		.inner = fd,
		.slot = slot,
		.nr_before = store->nr_released + store->retired.nr,
	};
	start_put(put);
	vec_push(&store->puts, put);
}

/* Finishes the puts that are done; `all`: waits for all. A slab that could not be put is tried again, except with `all`. */
static int finish_puts(struct unwind_store *store, bool all)
{
	size_t nr = 0;
	int err = 0;

	for (size_t i = 0; i < store->puts.nr; i++) {
		struct put *put = store->puts.data[i];

		if (!all && !atomic_load(&put->done)) {
			store->puts.data[nr++] = put;
			continue;
		}
		if (put->running)
			pthread_join(put->thread, NULL);
		if (put->inner < 0) {
			closep(&store->slabs.data[put->slot]);
			store->nr_slabs--;
		} else if (!put->err) {
			release_retired(store, put->nr_before);
		}
		err = err ?: put->err;
		if (put->err && !all) {
			start_put(put);
			store->puts.data[nr++] = put;
		} else {
			free(put);
		}
	}
	store->puts.nr = nr;
	return err;
}

int unwind_store_settle(struct unwind_store *store)
{
	return finish_puts(store, true);
}

static int make_slab(struct unwind_store *store)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	uint32_t number = 0;
	bool is_placed;
	int fd;

	while (number < store->slabs.nr && store->slabs.data[number] >= 0)
		number++;
	if (number >= ST_MAX_SLABS || (uint64_t)(store->nr_slabs + 1) * ST_SLAB_BYTES > store->options.max_bytes)
		return -ENOSPC;
	is_placed = !number && store->options.first_slab >= 0;
	if (is_placed)
		fd = fcntl(store->options.first_slab, F_DUPFD_CLOEXEC, 3);
	else
		fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "st_slab", sizeof(uint32_t), ST_SLAB_BYTES, 1, &options);
	if (fd < 0)
		return -errno;
	if (!is_placed)
		begin_put(store, number, fd);
	if (number == store->slabs.nr)
		vec_push(&store->slabs, -1);
	store->slabs.data[number] = fd;
	store->nr_slabs++;
	give_back(store, (struct unwind_extent){ number * ST_SLAB_LONGS, ST_SLAB_LONGS });
	return 0;
}

static bool take(struct unwind_store *store, uint32_t nr, struct unwind_extent *ret_extent)
{
	for (size_t i = 0; i < store->free.nr; i++) {
		struct unwind_extent *found = &store->free.data[i];

		if (found->nr < nr)
			continue;
		*ret_extent = (struct unwind_extent){ found->place, nr };
		found->place += nr;
		found->nr -= nr;
		store->nr_used += nr;
		if (!found->nr)
			erase(&store->free, i, 1);
		return true;
	}
	return false;
}

static int allocate(struct unwind_store *store, size_t nr, struct unwind_extent *ret_extent)
{
	int err = nr > ST_SLAB_LONGS ? -E2BIG : finish_puts(store, false);

	*ret_extent = (struct unwind_extent){};
	if (err)
		return err;
	if (!nr || take(store, (uint32_t)nr, ret_extent))
		return 0;
	err = make_slab(store);
	if (err == -ENOSPC && (store->retired.nr || store->puts.nr)) {
		if (store->retired.nr)
			begin_put(store, 0, store->slabs.data[0]);
		err = unwind_store_settle(store);
		if (err || take(store, (uint32_t)nr, ret_extent))
			return err;
		err = make_slab(store); /* in the slot of a slab that was being taken out */
	}
	return err || take(store, (uint32_t)nr, ret_extent) ? err : -ENOSPC;
}

/* The index in `free` of the last empty slab, if more than SPARE_SLABS are empty; else the number of free pieces. Slab 0 stays. */
static size_t find_spare(const struct unwind_store *store)
{
	size_t nr = 0, last = store->free.nr;

	for (size_t i = 0; i < store->free.nr; i++) {
		if (store->free.data[i].nr < ST_SLAB_LONGS || !store->free.data[i].place)
			continue;
		last = i;
		nr++;
	}
	return nr > SPARE_SLABS ? last : store->free.nr;
}

static void take_out(struct unwind_store *store, size_t spare)
{
	uint32_t slab = store->free.data[spare].place / ST_SLAB_LONGS;

	erase(&store->free, spare, 1);
	unmap_read(store, slab);
	for (size_t i = 0; i < 2; i++) {
		if (!store->windows[i].memory || store->windows[i].slab != slab)
			continue;
		munmap(store->windows[i].memory, ST_SLAB_BYTES);
		store->windows[i].memory = NULL;
	}
	begin_put(store, slab, -1);
}

int unwind_store_tidy(struct unwind_store *store)
{
	int err = finish_puts(store, false);
	size_t spare;

	if (err || store->puts.nr)
		return err;
	if (store->nr_retired > RETIRED_MAX) {
		begin_put(store, 0, store->slabs.data[0]);
		return 0;
	}
	spare = store->any_empty ? find_spare(store) : store->free.nr;
	store->any_empty = spare < store->free.nr;
	if (store->any_empty)
		take_out(store, spare);
	return 0;
}

uint64_t unwind_store_bytes(const struct unwind_store *store)
{
	return store->nr_used * 8;
}

/* Maps a place for writing; valid until two other slabs are mapped. NULL: no memory. */
static __u64 *longs_at(struct unwind_store *store, uint32_t place)
{
	const uint32_t slab = place / ST_SLAB_LONGS;
	struct window *windows = store->windows;
	unsigned int i = 0;
	void *memory;

	while (i < 2 && !(windows[i].memory && windows[i].slab == slab))
		i++;
	if (i == 2) {
		memory = mmap(NULL, ST_SLAB_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, store->slabs.data[slab], 0);
		if (memory == MAP_FAILED)
			return NULL;
		i = !store->last_window;
		if (windows[i].memory)
			munmap(windows[i].memory, ST_SLAB_BYTES);
		windows[i] = (struct window){ slab, memory };
	}
	store->last_window = i;
	return windows[i].memory->longs + place % ST_SLAB_LONGS;
}

const void *unwind_store_slab(struct unwind_store *store, uint32_t number)
{
	void *memory;

	if (number >= store->slabs.nr || store->slabs.data[number] < 0)
		return NULL;
	while (store->read.nr <= number)
		vec_push(&store->read, NULL);
	if (store->read.data[number])
		return store->read.data[number];
	memory = mmap(NULL, ST_SLAB_BYTES, PROT_READ, MAP_SHARED, store->slabs.data[number], 0);
	if (memory != MAP_FAILED)
		store->read.data[number] = memory;
	return store->read.data[number];
}

/* ---- tables ---- */

/* Copies the rows of the pages [first, last), and writes their directory entries. */
static int copy_piece(struct unwind_store *store, struct table *table, const struct unwind_table *source, size_t first,
		      size_t last, size_t nr_rows)
{
	st_unwind_page *directory;
	struct unwind_extent piece;
	uint32_t *to, at;
	int err = allocate(store, (nr_rows + 1) / 2, &piece);

	if (err)
		return err;
	if (piece.nr)
		vec_push(&table->rows, piece);
	at = piece.place * 2;
	directory = longs_at(store, table->head.place);
	to = piece.nr ? (uint32_t *)longs_at(store, piece.place) : NULL;
	if (!directory || (piece.nr && !to))
		return -ENOMEM;
	for (size_t page = first; page < last; page++) {
		uint32_t nr = ST_UNWIND_PAGE_NR(source->pages.data[page]);

		directory[page] = nr ? ST_UNWIND_PAGE(at, nr) : 0;
		if (!nr)
			continue;
		memcpy(to, source->rows.data + ST_UNWIND_PAGE_FIRST(source->pages.data[page]), nr * sizeof(*to));
		to += nr;
		at += nr;
	}
	return 0;
}

static int copy_table(struct unwind_store *store, struct table *table, const struct unwind_table *source)
{
	size_t first = 0, last, nr_rows;
	__u64 *rules;
	int err = allocate(store, source->pages.nr + source->rules.nr, &table->head);

	if (err)
		return err;
	table->nr_pages = (uint32_t)source->pages.nr;
	table->first_page = source->first_page;
	table->rules = table->head.place + table->nr_pages;
	rules = source->rules.nr ? longs_at(store, table->rules) : NULL;
	if (source->rules.nr && !rules)
		return -ENOMEM;
	if (rules)
		memcpy(rules, source->rules.data, source->rules.nr * sizeof(*source->rules.data));
	while (!err && first < source->pages.nr) { /* as many pages as have rows for one piece */
		nr_rows = 0;
		for (last = first; last < source->pages.nr; last++) {
			if (nr_rows + ST_UNWIND_PAGE_NR(source->pages.data[last]) > CHUNK_WORDS)
				break;
			nr_rows += ST_UNWIND_PAGE_NR(source->pages.data[last]);
		}
		if (last == first)
			return -E2BIG;
		err = copy_piece(store, table, source, first, last, nr_rows);
		first = last;
	}
	return err;
}

static void drop_table(struct unwind_store *store, struct table *table)
{
	retire(store, table->head);
	for (size_t i = 0; i < table->rows.nr; i++)
		retire(store, table->rows.data[i]);
	vec_done(&table->rows);
	*table = (struct table){};
}

int unwind_store_add(struct unwind_store *store, const struct unwind_table *table, uint32_t *ret_number)
{
	size_t number = 0;
	int err;

	while (number < store->tables.nr && store->tables.data[number].used)
		number++;
	if (number == store->tables.nr)
		vec_push(&store->tables, (struct table){});
	store->tables.data[number].used = true;
	err = copy_table(store, &store->tables.data[number], table);
	if (err)
		drop_table(store, &store->tables.data[number]);
	else
		*ret_number = (uint32_t)number;
	return err;
}

void unwind_store_remove(struct unwind_store *store, uint32_t number)
{
	if (number < store->tables.nr && store->tables.data[number].used)
		drop_table(store, &store->tables.data[number]);
}

/* ---- processes ---- */

/* Sets the mapping's table, from the directory entry of its first page on. */
static void place_table(const struct table *table, const struct unwind_space_mapping *mapping,
			struct st_space_mapping *ret_mapping)
{
	uint64_t address = mapping->file_offset + mapping->to_address;
	uint64_t page = address >> ST_UNWIND_PAGE_SHIFT, in_file = mapping->file_offset >> ST_UNWIND_PAGE_SHIFT;

	if (page < table->first_page) { /* the mapping begins before the first page of the table */
		in_file += table->first_page - page;
		page = table->first_page;
	}
	if (page - table->first_page >= table->nr_pages)
		return;
	ret_mapping->head = table->head.place + (uint32_t)(page - table->first_page);
	ret_mapping->nr_pages = table->nr_pages - (uint32_t)(page - table->first_page);
	ret_mapping->first_page = (uint32_t)in_file;
	ret_mapping->rules = table->rules;
}

static int write_space(struct unwind_store *store, const struct unwind_extent *space,
		       const struct unwind_space_mapping *mappings, size_t nr)
{
	__u64 *to = longs_at(store, space->place);

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		struct st_space_mapping mapping = {
			.start = mappings[i].start,
			.end = mappings[i].end,
			.to_file = mappings[i].start - mappings[i].file_offset,
			.rules = mappings[i].table == UNWIND_TABLE_TO_COME ? ST_SPACE_TO_COME
				 : mappings[i].table == UNWIND_TABLE_CUT   ? ST_SPACE_CUT
									   : 0,
		};
		uint32_t table = mappings[i].table;

		if (table < store->tables.nr && store->tables.data[table].used)
			place_table(&store->tables.data[table], &mappings[i], &mapping);
		memcpy(to + i * ST_SPACE_MAPPING_LONGS, &mapping, sizeof(mapping));
	}
	return 0;
}

size_t unwind_store_fit(struct unwind_space_mapping *mappings, size_t nr, size_t max)
{
	size_t nr_left = 0;

	while (nr && mappings[nr - 1].end > INT64_MAX) /* "[vsyscall]": no walk searches such addresses */
		nr--;
	if (nr <= max)
		return nr;
	for (size_t i = 0; i < nr; i++) {
		struct unwind_space_mapping *before = nr_left ? &mappings[nr_left - 1] : NULL;

		if (before && before->table == UNWIND_NO_TABLE && mappings[i].table == UNWIND_NO_TABLE)
			before->end = mappings[i].end;
		else
			mappings[nr_left++] = mappings[i];
	}
	if (nr_left <= max)
		return nr_left;
	mappings[max - 1].end = mappings[nr_left - 1].end;
	mappings[max - 1].table = UNWIND_TABLE_CUT;
	return max;
}

int unwind_store_add_space(struct unwind_store *store, const struct unwind_space_mapping *mappings, size_t nr,
			   struct unwind_extent *ret_extent, uint64_t *ret_space)
{
	int err;

	if (!nr || nr > ST_MAX_SPACE_MAPPINGS)
		return nr ? -E2BIG : -ENOENT;
	err = allocate(store, nr * ST_SPACE_MAPPING_LONGS, ret_extent);
	if (err)
		return err;
	err = write_space(store, ret_extent, mappings, nr);
	if (err)
		unwind_store_remove_space(store, *ret_extent);
	*ret_space = ST_SPACE(ret_extent->place, nr, ++store->nr_spaces);
	return err;
}

void unwind_store_remove_space(struct unwind_store *store, struct unwind_extent extent)
{
	store->nr_used -= extent.nr;
	give_back(store, extent);
}

int unwind_store_set_process(struct unwind_store *store, struct unwind_process *process,
			     const struct unwind_space_mapping *mappings, size_t nr)
{
	struct st_unwind_process entry = {
		.start_time_ns = process->start_time_ns,
		.exec_id = process->exec_id,
		.tgid = process->tgid,
	};
	struct unwind_extent space;
	uint64_t number;
	int err = unwind_store_add_space(store, mappings, nr, &space, &number);

	if (err)
		return err;
	entry.space = number;
	if (bpf_map_update_elem(store->options.processes, &process->tgid, &entry, BPF_ANY)) {
		err = -errno;
		unwind_store_remove_space(store, space);
		return err;
	}
	retire(store, process->space);
	process->space = space;
	return 0;
}

void unwind_store_remove_process(struct unwind_store *store, struct unwind_process *process)
{
	if (!process->space.nr)
		return;
	bpf_map_delete_elem(store->options.processes, &process->tgid);
	retire(store, process->space);
	process->space = (struct unwind_extent){};
}
