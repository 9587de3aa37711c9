/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/step.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "core/unwind/unwind_store.h"

static int template, slabs, processes; /* descriptors */
static void *memory[ST_MAX_SLABS];     /* of slabs that were requested */

static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	perror(what);
	exit(1);
}

static int make_map(enum bpf_map_type type, uint32_t value_size, uint32_t nr, uint32_t flags, int inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags, .inner_map_fd = inner > 0 ? (uint32_t)inner : 0);
	int fd = bpf_map_create(type, "st_step", sizeof(uint32_t), value_size, nr, &options);

	must(fd >= 0, "map");
	return fd;
}

struct unwind_store *step_store_new(void)
{
	struct unwind_store_options options = { .first_slab = -1, .max_bytes = 256u << 20 };

	template = make_map(BPF_MAP_TYPE_ARRAY, sizeof(struct st_slab), 1, BPF_F_MMAPABLE, 0);
	slabs = make_map(BPF_MAP_TYPE_ARRAY_OF_MAPS, sizeof(uint32_t), ST_MAX_SLABS, 0, template);
	processes = make_map(BPF_MAP_TYPE_HASH, sizeof(struct st_unwind_process), 64, 0, 0);
	options.slabs = slabs;
	options.processes = processes;
	return unwind_store_new(&options);
}

void step_store_free(struct unwind_store *store)
{
	unwind_store_free(store);
	for (size_t i = 0; i < ST_MAX_SLABS; i++) {
		if (memory[i])
			munmap(memory[i], ST_SLAB_BYTES);
		memory[i] = NULL;
	}
	close(template);
	close(slabs);
	close(processes);
}

static void *map_slab(uint32_t number)
{
	void *mapped = MAP_FAILED;
	uint32_t id;
	int fd;

	if (bpf_map_lookup_elem(slabs, &number, &id))
		return NULL;
	fd = bpf_map_get_fd_by_id(id);
	if (fd >= 0) {
		mapped = mmap(NULL, ST_SLAB_BYTES, PROT_READ, MAP_SHARED, fd, 0);
		close(fd);
	}
	must(mapped != MAP_FAILED, "slab");
	return mapped;
}

void *step_slab(uint32_t number)
{
	if (number >= ST_MAX_SLABS)
		return NULL;
	if (!memory[number])
		memory[number] = map_slab(number);
	return memory[number];
}

void *step_process(uint32_t tgid)
{
	static struct st_unwind_process process;

	return bpf_map_lookup_elem(processes, &tgid, &process) ? NULL : &process;
}
