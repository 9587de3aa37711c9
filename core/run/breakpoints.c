/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/breakpoints.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/escape.h"
#include "core/files/foreign_memory.h"
#include "core/files/opener.h"
#include "core/files/probe_wait.h"
#include "core/files/proc_maps.h"
#include "core/host/empty_uprobe.h"
#include "core/resolve/first_instruction.h"
#include "core/run/breakpoints_known.h"

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

#define PATIENCE_NS (5 * NSEC_PER_SEC)
#define MOMENT_NS 500000000

enum {
	BYTES_AT_ONCE = 65536, /* the largest page size */
	MAX_MAPPINGS = 8192, /* per process */
	MAX_PAGES = 8192, /* to compare, per process */
	MAX_FILES = 512,
	MAX_OTHER_BYTES = 16, /* other differences allowed in a page with breakpoints */
	MAX_PLACES = 1 << 18,
	NO_FILE = -1,
};

/* fs/proc/task_mmu.c; these flags are readable without CAP_SYS_ADMIN. */
#define PAGE_PRESENT (1ULL << 63)
#define PAGE_SWAPPED (1ULL << 62)
#define PAGE_OF_FILE (1ULL << 61)

struct range {
	uint64_t start, end;
};

struct search {
	struct breakpoints *found;
	uint64_t until_ns;
	uint64_t page_bytes;
	/* of the current process */
	uint32_t tgid;
	VEC(struct proc_mapping) mappings; /* of files; the paths are owned */
	VEC(struct range) trampolines;
	size_t nr_pages;
	bool is_cut;
	uint8_t *memory, *text; /* BYTES_AT_ONCE each */
};

static bool is_over(const struct search *search)
{
	return clock_monotonic_ns() >= search->until_ns;
}

/* ---- breakpoints ---- */

#if defined(__x86_64__)

enum {
	BREAKPOINT = 0xcc,
	CALL = 0xe8,
	CALL_BYTES = 5,
};

/* Whether it is a call into a trampoline page: the kernel optimizes a probe of a 5-byte nop to that. */
static bool is_call(const struct search *search, uint64_t address, const uint8_t *memory, const uint8_t *file,
		    size_t nr)
{
	int32_t distance;
	uint64_t to;

	if (nr < CALL_BYTES || memory[0] != CALL || first_instruction(file, nr) != FIRST_NOP5)
		return false;
	memcpy(&distance, memory + 1, sizeof(distance));
	to = address + CALL_BYTES + (uint64_t)(int64_t)distance;
	for (size_t i = 0; i < search->trampolines.nr; i++)
		if (to >= search->trampolines.data[i].start && to < search->trampolines.data[i].end)
			return true;
	return false;
}

/* The length of a breakpoint at this place; 0: none. If the code was changed otherwise, the next byte differs too. */
static size_t breakpoint_bytes(const struct search *search, uint64_t address, const uint8_t *memory,
			       const uint8_t *file, size_t nr)
{
	if (memory[0] == BREAKPOINT && (nr == 1 || memory[1] == file[1] || memory[1] == BREAKPOINT))
		return 1;
	return is_call(search, address, memory, file, nr) ? CALL_BYTES : 0;
}

#elif defined(__aarch64__)

/* brk 5: UPROBE_SWBP_INSN of arch/arm64/include/asm/uprobes.h. */
static size_t breakpoint_bytes(const struct search *search, uint64_t address, const uint8_t *memory,
			       const uint8_t *file, size_t nr)
{
	static const uint8_t breakpoint[] = { 0xa0, 0x00, 0x20, 0xd4 };

	return address % 4 == 0 && nr >= 4 && !memcmp(memory, breakpoint, 4) ? 4 : 0;
}

#else
#error "cannot find out what the kernel's breakpoints look like"
#endif

/* ---- places ---- */

static int by_place(const void *one, const void *other)
{
	const struct broken_place *a = one, *b = other;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->file != b->file ? (a->file < b->file ? -1 : 1) : 0;
}

static void merge_places(struct breakpoints *found)
{
	size_t nr = 0;

	if (found->places.nr)
		qsort(found->places.data, found->places.nr, sizeof(*found->places.data), by_place);
	for (size_t i = 0; i < found->places.nr; i++) {
		const struct broken_place *place = &found->places.data[i];

		if (nr && !by_place(&found->places.data[nr - 1], place))
			found->places.data[nr - 1].nr_processes += place->nr_processes;
		else
			found->places.data[nr++] = *place;
	}
	found->places.nr = nr;
}

/*
 * Adds the breakpoints of a page, unless more than MAX_OTHER_BYTES differ otherwise: then the program has generated code in it, and bytes
 * of that may look like breakpoints.
 */
static void compare_page(struct search *search, const struct broken_place *start, uint64_t address,
			 const uint8_t *memory, const uint8_t *text, size_t nr)
{
	struct breakpoints *found = search->found;
	const size_t nr_before = found->places.nr;
	size_t nr_others = 0;
	bool is_cut = false;

	for (size_t i = 0, step; i < nr && i < search->page_bytes; i += step) {
		const bool differs = memory[i] != text[i];

		step = differs ? breakpoint_bytes(search, address + i, memory + i, text + i, nr - i) : 0;
		nr_others += differs && !step;
		if (step && found->places.nr < MAX_PLACES) {
			vec_push(&found->places, *start);
			vec_last(&found->places).offset += i;
		} else if (step) {
			is_cut = true;
		}
		step = step ? step : 1;
	}
	if (nr_others > MAX_OTHER_BYTES)
		found->places.nr = nr_before;
	else
		search->is_cut |= is_cut;
}

static void compare(struct search *search, uint32_t file, uint64_t address, uint64_t offset, const uint8_t *memory,
		    const uint8_t *text, size_t nr)
{
	for (size_t i = 0; i < nr; i += search->page_bytes) {
		const struct broken_place start = {
			.file = file, .nr_processes = 1, .tgid = search->tgid, .offset = offset + i
		};

		compare_page(search, &start, address + i, memory + i, text + i, nr - i);
	}
}

/* ---- files ---- */

/* Files on FUSE mounts are not read: their daemon may never answer. */
static bool may_hang(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) || system.f_type == FUSE_SUPER_MAGIC;
}

/* The index of a file, or NO_FILE. If it cannot be opened, this is tried again for the next process. */
static int file_of(struct search *search, const struct proc_mapping *mapping)
{
	struct breakpoints *found = search->found;
	struct broken_file file = { .device = mapping->device, .inode = mapping->inode };
	const struct opener_request request = {
		.tgid = search->tgid,
		.start = mapping->start,
		.end = mapping->end,
		.path = mapping->path,
		.device = mapping->device,
		.inode = mapping->inode,
	};

	for (size_t i = 0; i < found->files.nr; i++)
		if (found->files.data[i].inode == mapping->inode && found->files.data[i].device == mapping->device)
			return (int)i;
	if (found->files.nr >= MAX_FILES)
		return NO_FILE;
	file.fd = opener_open(&request);
	if (file.fd < 0)
		return NO_FILE;
	if (may_hang(file.fd) || file_identity(file.fd, &file.identity)) {
		close(file.fd);
		return NO_FILE;
	}
	file.path = xstrdup(mapping->path);
	vec_push(&found->files, file);
	return (int)found->files.nr - 1;
}

/* ---- pages ---- */

static void look_at_pages(struct search *search, const struct proc_mapping *mapping, uint64_t address, size_t nr_pages)
{
	uint64_t offset = mapping->file_offset + (address - mapping->start);
	int file = file_of(search, mapping);
	ssize_t nr;

	search->nr_pages += nr_pages;
	nr = file == NO_FILE ? -1
			     : pread(search->found->files.data[file].fd, search->text, nr_pages * search->page_bytes,
				     (off_t)offset);
	if (nr < 0 || foreign_memory_read(search->tgid, address, search->memory, nr_pages * search->page_bytes))
		search->is_cut = true;
	else
		compare(search, (uint32_t)file, address, offset, search->memory, search->text, (size_t)nr);
}

static bool is_copied(uint64_t page)
{
	return page & (PAGE_PRESENT | PAGE_SWAPPED) && !(page & PAGE_OF_FILE);
}

/* Whether a limit is reached; then marks the process as not searched completely. */
static bool is_enough(struct search *search)
{
	bool enough = search->nr_pages >= MAX_PAGES || is_over(search);

	search->is_cut |= enough;
	return enough;
}

static void look_at_entries(struct search *search, const struct proc_mapping *mapping, uint64_t address,
			    const uint64_t *pages, size_t nr)
{
	for (size_t i = 0, end; i < nr; i = end + 1) {
		for (end = i; end < nr && (end - i + 1) * search->page_bytes <= BYTES_AT_ONCE && is_copied(pages[end]);
		     end++)
			;
		if (end == i)
			continue;
		if (is_enough(search))
			return;
		look_at_pages(search, mapping, address + i * search->page_bytes, end - i);
		end--;
	}
}

static void look_at_mapping(struct search *search, int pagemap, const struct proc_mapping *mapping)
{
	uint64_t pages[512];
	ssize_t nr = 1;

	for (uint64_t at = mapping->start; at < mapping->end && nr > 0; at += (uint64_t)nr * search->page_bytes) {
		size_t wanted = (mapping->end - at) / search->page_bytes;

		if (is_enough(search))
			return;
		if (wanted > sizeof(pages) / sizeof(pages[0]))
			wanted = sizeof(pages) / sizeof(pages[0]);
		nr = pread(pagemap, pages, wanted * sizeof(pages[0]),
			   (off_t)(at / search->page_bytes * sizeof(pages[0])));
		nr = nr > 0 ? nr / (ssize_t)sizeof(pages[0]) : nr;
		if (nr > 0)
			look_at_entries(search, mapping, at, pages, (size_t)nr);
	}
}

/* ---- processes ---- */

static void remember(void *context, const struct proc_mapping *mapping)
{
	struct search *search = context;

	if (mapping->kind == MAPPING_SPECIAL && !strcmp(mapping->path, "[uprobes-trampoline]"))
		vec_push(&search->trampolines, (struct range){ mapping->start, mapping->end });
	if (mapping->kind != MAPPING_FILE)
		return;
	if (search->mappings.nr >= MAX_MAPPINGS) {
		search->is_cut = true;
		return;
	}
	vec_push(&search->mappings, *mapping);
	vec_last(&search->mappings).path = xstrdup(mapping->path);
}

static void forget_process(struct search *search)
{
	for (size_t i = 0; i < search->mappings.nr; i++)
		free((char *)search->mappings.data[i].path);
	search->mappings.nr = search->trampolines.nr = search->nr_pages = 0;
	search->is_cut = false;
}

static bool is_debugged(uint32_t tgid)
{
	char path[64], line[256];
	_cleanup_(fclosep) FILE *file = NULL;
	unsigned int tracer = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", tgid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %u", &tracer) == 1)
			break;
	return tracer != 0;
}

static int open_of(uint32_t tgid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", tgid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* A process that has ended is not an error. */
static void note_refusal(struct search *search, int error)
{
	if (error == EACCES || error == EPERM)
		search->found->nr_denied++;
	else if (error != ENOENT && error != ESRCH)
		search->found->nr_left++;
}

static void look_at_process(struct search *search, uint32_t tgid)
{
	_cleanup_(closep) int pagemap = -1;
	int nr;

	search->tgid = tgid;
	nr = proc_maps_read_of(tgid, remember, search); /* does not wait for its locks */
	if (nr < 0) {
		note_refusal(search, -nr);
		return;
	}
	pagemap = open_of(tgid, "pagemap");
	if (pagemap < 0)
		note_refusal(search, errno);
	if (pagemap < 0 || is_debugged(tgid))
		return;
	for (size_t i = 0; i < search->mappings.nr; i++)
		look_at_mapping(search, pagemap, &search->mappings.data[i]);
	search->found->nr_left += search->is_cut;
}

static void mark_known(void *context, uint64_t device, uint64_t inode, uint64_t offset)
{
	struct breakpoints *found = context;
	size_t i = vec_nr_first(&found->places, element, element->offset < offset);

	for (; i < found->places.nr && found->places.data[i].offset == offset; i++) {
		struct broken_place *place = &found->places.data[i];
		const struct file_identity *identity = &found->files.data[place->file].identity;

		place->known |= identity->device == device && identity->inode == inode;
	}
}

static int look_at_all(struct breakpoints *ret_found)
{
	struct search search = { .found = ret_found,
				 .until_ns = clock_monotonic_ns() + PATIENCE_NS,
				 .page_bytes = (uint64_t)sysconf(_SC_PAGESIZE) };
	_cleanup_(closedirp) DIR *processes = opendir("/proc");

	*ret_found = (struct breakpoints){};
	if (!processes)
		return fail(-errno, "/proc: %s", strerror(errno));
	search.memory = xmalloc(BYTES_AT_ONCE);
	search.text = xmalloc(BYTES_AT_ONCE);
	for (struct dirent *entry; (entry = readdir(processes));) {
		uint32_t tgid = (uint32_t)strtoul(entry->d_name, NULL, 10); /* 0: the name is no number */

		if (!tgid || tgid == (uint32_t)getpid())
			continue;
		if (is_over(&search))
			ret_found->nr_left++;
		else
			look_at_process(&search, tgid);
		forget_process(&search);
	}
	free(search.memory);
	free(search.text);
	vec_done(&search.mappings);
	vec_done(&search.trampolines);
	merge_places(ret_found);
	if (ret_found->places.nr)
		known_probes(mark_known, ret_found);
	return 0;
}

static bool was_stale(const struct breakpoints *before, const struct broken_file *file, uint64_t offset)
{
	size_t i = vec_nr_first(&before->places, element, element->offset < offset);

	for (; i < before->places.nr && before->places.data[i].offset == offset; i++)
		if (!before->places.data[i].known &&
		    file_identity_equal(&before->files.data[before->places.data[i].file].identity, &file->identity))
			return true;
	return false;
}

/* A probe may be attached or detached while breakpoints are read: a breakpoint is only stale if it is found twice. */
static int look_again(struct breakpoints *found)
{
	_cleanup_(breakpoints_done) struct breakpoints before = *found;
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	int err;

	nanosleep(&moment, NULL);
	err = look_at_all(found);
	for (size_t i = 0; i < found->places.nr; i++)
		found->places.data[i].known |= !was_stale(&before, &found->files.data[found->places.data[i].file],
							  found->places.data[i].offset);
	return err;
}

int breakpoints_find(struct breakpoints *ret_found)
{
	int err = look_at_all(ret_found);

	return err || !breakpoints_example(ret_found) ? err : look_again(ret_found);
}

void breakpoints_done(struct breakpoints *found)
{
	for (size_t i = 0; i < found->files.nr; i++) {
		free(found->files.data[i].path);
		close(found->files.data[i].fd);
	}
	vec_done(&found->files);
	vec_done(&found->places);
}

uint64_t breakpoints_nr_stale(const struct breakpoints *found, size_t *ret_nr_places)
{
	uint64_t nr = 0;

	*ret_nr_places = 0;
	for (size_t i = 0; i < found->places.nr; i++) {
		nr += found->places.data[i].known ? 0 : found->places.data[i].nr_processes;
		*ret_nr_places += !found->places.data[i].known;
	}
	return nr;
}

const struct broken_place *breakpoints_example(const struct breakpoints *found)
{
	for (size_t i = 0; i < found->places.nr; i++)
		if (!found->places.data[i].known)
			return &found->places.data[i];
	return NULL;
}

void breakpoints_describe(const struct breakpoints *found, struct buf *ret_text)
{
	const struct broken_place *example = breakpoints_example(found);
	size_t nr_places;
	uint64_t nr = breakpoints_nr_stale(found, &nr_places);

	buf_add_grouped(ret_text, nr);
	buf_addf(ret_text, " breakpoint%s at ", nr == 1 ? "" : "s");
	buf_add_grouped(ret_text, nr_places);
	buf_addf(ret_text, " place%s without a known probe", nr_places == 1 ? "" : "s");
	if (!example)
		return;
	buf_addf(ret_text, ", such as in process %" PRIu32 ": %#" PRIx64 " of ", example->tgid, example->offset);
	escape_add(ret_text, found->files.data[example->file].path, ESCAPE_LINE);
}

/* ---- removing ---- */

/* Shared with the child. */
struct heal_call {
	struct empty_uprobe_ways ways;
	char path[32];
	pid_t process;
	int err; /* of a place that was refused */
	size_t nr_refused, nr;
	unsigned long offsets[EMPTY_UPROBES];
};

/* Runs in the child. Probes the places of one file: by one link, or one by one if this kernel has no such links or refuses a place. */
static int probe_places(void *memory, int fds[PROBE_CALL_FDS])
{
	struct heal_call *heal = memory;
	int probe = empty_uprobes_open(&heal->ways, heal->path, heal->offsets, heal->nr, heal->process);

	(void)fds;
	empty_uprobe_close(probe);
	for (size_t i = 0; probe < 0 && i < heal->nr; i++) {
		int one = empty_uprobe_open(&heal->ways, heal->path, heal->offsets[i], heal->process);

		empty_uprobe_close(one);
		heal->err = one < 0 ? one : heal->err;
		heal->nr_refused += one < 0;
	}
	return 0;
}

static struct probe_call *new_heal_call(const struct empty_uprobe_ways *ways, int fd)
{
	struct probe_call *call = probe_call_new(sizeof(struct heal_call), 2);
	struct heal_call *heal = call ? probe_call_memory(call) : NULL;

	if (!call)
		return NULL;
	heal->ways = *ways;
	heal->process = getpid();
	snprintf(heal->path, sizeof(heal->path), "/proc/self/fd/%d", fd);
	probe_call_give(call, fd);
	if (ways->program >= 0)
		probe_call_give(call, ways->program);
	return call;
}

/* Lets a child make the calls, and frees it. False: it is left, because it waits for a process. */
static bool heal_by(struct probe_call *call, struct breakpoints_healed *ret_healed)
{
	const struct heal_call *heal = probe_call_memory(call);
	struct probe_wait wait = {};
	int fds[PROBE_CALL_FDS], err = probe_call_start(call, probe_places, false);

	while (!err && !probe_wait_step(&wait, call)) {
		if (!probe_wait_is_stuck(&wait) || !probe_call_leave(call))
			continue;
		memcpy(ret_healed->why, wait.why, sizeof(ret_healed->why));
		return false;
	}
	if (!err)
		err = probe_call_end(call, fds);
	ret_healed->nr_refused += err ? heal->nr : heal->nr_refused;
	ret_healed->err = err ?: heal->err ?: ret_healed->err;
	probe_call_free(call);
	return true;
}

static bool heal_file(const struct breakpoints *found, uint32_t file, const struct empty_uprobe_ways *ways,
		      struct breakpoints_healed *ret_healed)
{
	struct probe_call *call = NULL;

	for (size_t i = 0; i < found->places.nr; i++) {
		const struct broken_place *place = &found->places.data[i];
		const bool is_stale = place->file == file && !place->known;
		struct heal_call *heal;

		call = call || !is_stale ? call : xcheck(new_heal_call(ways, found->files.data[file].fd));
		if (!is_stale)
			continue;
		heal = probe_call_memory(call);
		heal->offsets[heal->nr++] = place->offset;
		if (heal->nr == EMPTY_UPROBES && !heal_by(take_ptr(call), ret_healed))
			return false;
	}
	return !call || heal_by(call, ret_healed);
}

void breakpoints_heal(const struct breakpoints *found, struct breakpoints_healed *ret_healed)
{
	_cleanup_(empty_uprobe_ways_done) struct empty_uprobe_ways ways = empty_uprobe_ways();

	*ret_healed = (struct breakpoints_healed){};
	for (uint32_t file = 0; file < found->files.nr; file++)
		if (!heal_file(found, file, &ways, ret_healed))
			return;
}
