/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files, and which code without a file, have unwind tables when not all find room: those that a process maps. */
#include <dwarf.h>
#include <elf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <bpf/bpf.h>

#include "bpf/unwind_abi.h"
#include "bpf/unwind_space.h"
#include "core/base/alloc.h"
#include "core/base/clock.h"
#include "core/spaces/perf_ring.h"
#include "core/unwind/unwinding.h"
#include "tests/unit/cfi_writer.h"
#include "tests/unit/symbolizer_fixture.h"
#include "tests/harness.h"

enum {
	NR_FILES = 12,
	WAIT_MS = 20000,
};

struct stage {
	struct unwind_store_options store;
	struct unwinding_options options;
	struct unwinding *unwinding;
	struct images *images;
	struct buf why; /* the files that were opened */
	struct profile profile;
	int inner;
	char directory[32];
	uint32_t images_of[NR_FILES];
};

/* A row for each byte of the code: some 150 KB of table, so that a slab of 1 MiB has room for a few. */
static int large_file(void)
{
	struct cfi_writer writer = {};
	VEC(uint8_t) instructions = {};
	int fd;

	for (int i = 0; i < CFI_CODE_SIZE - 1; i++) {
		vec_push(&instructions, DW_CFA_advance_loc | 1);
		vec_push(&instructions, DW_CFA_def_cfa_offset);
		vec_push(&instructions, i % 2 ? 16 : 24);
	}
	cfi_writer_cie(&writer, "", INSTRUCTIONS(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	cfi_writer_fde(&writer, CFI_CODE, CFI_CODE_SIZE, instructions.data, instructions.nr);
	fd = cfi_writer_fd(&writer, ".eh_frame", SHF_ALLOC);
	vec_done(&instructions);
	cfi_writer_done(&writer);
	return fd;
}

static uint32_t add_file(struct stage *stage, int number, int content)
{
	char path[64];
	struct stat status;
	off_t from = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%d", stage->directory, number);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	assert_true(fd >= 0);
	assert_int_equal(fstat(content, &status), 0);
	assert_int_equal(sendfile(fd, content, &from, (size_t)status.st_size), status.st_size);
	assert_int_equal(fstat(fd, &status), 0);
	close(fd);
	return images_add(stage->images,
			  &(struct proc_mapping){ .kind = MAPPING_FILE,
						  .device = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev),
						  .inode = status.st_ino,
						  .path = path });
}

static void begin(struct stage *stage, struct symbolizer *symbolizer, uint64_t max_bytes)
{
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, of_slabs);
	_cleanup_(closep) int content = large_file();

	*stage = (struct stage){ .directory = "/tmp/st-unwinding-XXXXXX" };
	assert_non_null(mkdtemp(stage->directory));
	stage->images = images_new(&stage->profile, symbolizer, NULL, NULL, &stage->why);
	for (int i = 0; i < NR_FILES; i++)
		stage->images_of[i] = add_file(stage, i, content);
	stage->inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "slab", 4, sizeof(struct st_slab), 1, &mapped);
	of_slabs.inner_map_fd = (__u32)stage->inner;
	stage->options = (struct unwinding_options){ .symbolizer = symbolizer, .images = stage->images };
	stage->store = (struct unwind_store_options){
		.first_slab = -1,
		.max_bytes = max_bytes,
		.slabs = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "slabs", 4, 4, ST_MAX_SLABS, &of_slabs),
		.processes =
			bpf_map_create(BPF_MAP_TYPE_HASH, "processes", 4, sizeof(struct st_unwind_process), 64, NULL),
	};
	assert_true(stage->inner >= 0 && stage->store.slabs >= 0 && stage->store.processes >= 0);
	stage->unwinding = unwinding_new(&stage->options);
	unwinding_set_store(stage->unwinding, &stage->store);
}

static void end(struct stage *stage)
{
	char path[64];

	for (int i = 0; i < NR_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", stage->directory, i);
		unlink(path);
	}
	rmdir(stage->directory);
	unwinding_free(stage->unwinding);
	images_free(stage->images);
	profile_done(&stage->profile);
	buf_done(&stage->why);
	close(stage->store.slabs);
	close(stage->store.processes);
	close(stage->inner);
}

/* This process has `nr` files mapped, from `first` on. Waits for their tables. */
static void map_files(struct stage *stage, int first, int nr)
{
	struct spaces_process process = { .tgid = (uint32_t)getpid(), .mappings = mappings_new() };

	for (int i = 0; i < nr; i++) {
		const uint64_t start = CFI_CODE + (uint64_t)i * 0x100000;
		const struct mapping mapping = { .start = start,
						 .end = start + CFI_CODE_SIZE,
						 .image = stage->images_of[first + i] };

		assert_int_equal(mappings_add(&process.mappings, &mapping), 0);
	}
	unwinding_set(stage->unwinding, &process);
	mappings_free(process.mappings);
	assert_true(unwinding_work(stage->unwinding, WAIT_MS));
}

/* How often a file was opened by its path. */
static size_t nr_opened(const struct stage *stage, const char *path)
{
	_cleanup_(freep) char *line = xasprintf("file %s in the root of the process:", path);
	const char *at = buf_text(&stage->why);
	size_t nr = 0;

	for (; (at = strstr(at, line)); at++)
		nr++;
	return nr;
}

static void skip_without_maps(void)
{
	if (geteuid()) {
		print_message("SKIP: BPF maps take root\n");
		skip();
	}
}

static void add_place(struct mappings **mappings, uint64_t number, uint32_t image)
{
	const uint64_t start = CFI_CODE + number * 0x100000;
	const struct mapping mapping = { .start = start, .end = start + CFI_CODE_SIZE, .image = image };

	assert_int_equal(mappings_add(mappings, &mapping), 0);
}

/* A process has more files mapped than the worker takes requests, and the last of them at many places. */
SYMBOLIZER_TEST(a_file_that_is_put_off_is_opened_once)
{
	enum {
		NR = 65,
		NR_PLACES = 100
	};
	struct spaces_process process = { .tgid = (uint32_t)getpid(), .mappings = mappings_new() };
	int worker = (int)symbolizer_worker_pid(fixture->symbolizer);
	_cleanup_(closep) int content = large_file();
	uint32_t image = 0;
	struct stage stage;
	char path[64];
	size_t nr;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 64 * ST_SLAB_BYTES);
	for (int i = 0; i < NR; i++) {
		image = add_file(&stage, NR_FILES + i, content);
		add_place(&process.mappings, (uint64_t)i, image);
	}
	for (uint64_t i = NR; i < NR_PLACES; i++)
		add_place(&process.mappings, i, image);
	snprintf(path, sizeof(path), "%s/%d", stage.directory, NR_FILES + NR - 1);
	assert_int_equal(kill(worker, SIGSTOP), 0);
	unwinding_set(stage.unwinding, &process);
	nr = nr_opened(&stage, path);
	assert_int_equal(kill(worker, SIGCONT), 0);
	assert_int_equal(nr, 1);
	while (nr_opened(&stage, path) == nr) /* again when there is room */
		unwinding_work(stage.unwinding, WAIT_MS);
	for (int i = 0; i < NR; i++) {
		snprintf(path, sizeof(path), "%s/%d", stage.directory, NR_FILES + i);
		unlink(path);
	}
	mappings_free(process.mappings);
	end(&stage);
}

SYMBOLIZER_TEST(tables_of_ended_processes_make_room)
{
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, ST_SLAB_BYTES);
	for (int first = 0; first < NR_FILES; first += 2) {
		map_files(&stage, first, 2);
		assert_int_equal(unwinding_nr_refused(stage.unwinding), 0);
		unwinding_set(stage.unwinding, &(struct spaces_process){ .tgid = (uint32_t)getpid() });
	}
	end(&stage);
}

static size_t nr_slabs(const struct stage *stage)
{
	size_t nr = 0;
	uint32_t id;

	for (uint32_t slot = 0; slot < ST_MAX_SLABS; slot++)
		nr += !bpf_map_lookup_elem(stage->store.slabs, &slot, &id);
	return nr;
}

/* 30 MB of tables, one file after the other: far below the limit, unused ones go and their memory is given back. */
SYMBOLIZER_TEST(tables_that_nobody_uses_do_not_wait_for_the_limit)
{
	_cleanup_(closep) int content = large_file();
	struct stage stage;
	char path[64];

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 64 * ST_SLAB_BYTES);
	for (int i = 0; i < 200; i++) {
		stage.images_of[0] = add_file(&stage, NR_FILES + i, content);
		map_files(&stage, 0, 1);
		snprintf(path, sizeof(path), "%s/%d", stage.directory, NR_FILES + i);
		unlink(path);
	}
	assert_int_equal(unwinding_nr_refused(stage.unwinding), 0);
	assert_in_range(nr_slabs(&stage), 1, 12);
	end(&stage);
}

SYMBOLIZER_TEST(tables_of_living_processes_stay)
{
	struct stage stage;
	uint64_t refused;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, ST_SLAB_BYTES);
	map_files(&stage, 0, NR_FILES);
	refused = unwinding_nr_refused(stage.unwinding);
	assert_in_range(refused, 1, NR_FILES - 3); /* so the other test had to make room, too */
	end(&stage);

	begin(&stage, fixture->symbolizer, 8 * ST_SLAB_BYTES);
	map_files(&stage, 0, NR_FILES);
	assert_int_equal(unwinding_nr_refused(stage.unwinding), 0);
	end(&stage);
}

/* For a walk in user space: the programs learn nothing of the process, and its place is used again. */
SYMBOLIZER_TEST(a_process_that_has_ended_has_a_space)
{
	struct mappings *mappings = mappings_new();
	struct st_unwind_process process;
	const uint32_t tgid = 1u << 30;
	const struct st_slab *slab;
	uint64_t first, second;
	bool is_whole = true;
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 8 * ST_SLAB_BYTES);
	add_place(&mappings, 0, stage.images_of[0]);
	first = unwinding_begin_space(stage.unwinding, tgid, mappings, &is_whole);
	unwinding_end_space(stage.unwinding);
	assert_true(first);
	assert_false(is_whole);
	assert_true(unwinding_work(stage.unwinding, WAIT_MS));
	first = unwinding_begin_space(stage.unwinding, tgid, mappings, &is_whole);
	assert_true(is_whole);
	assert_int_equal(ST_SPACE_NR(first), 1);
	slab = unwinding_slab(stage.unwinding, ST_SPACE_PLACE(first) / ST_SLAB_LONGS);
	assert_non_null(slab);
	assert_int_equal(slab->longs[ST_SPACE_PLACE(first) % ST_SLAB_LONGS], CFI_CODE);
	unwinding_end_space(stage.unwinding);
	second = unwinding_begin_space(stage.unwinding, tgid, mappings, &is_whole);
	unwinding_end_space(stage.unwinding);
	assert_int_equal(ST_SPACE_PLACE(first), ST_SPACE_PLACE(second));
	assert_int_not_equal(bpf_map_lookup_elem(stage.store.processes, &tgid, &process), 0);
	mappings_free(mappings);
	end(&stage);
}

/* ---- code without a file ---- */

#define PAGE 4096
#define NR_AREAS 40

/* CPython's trampolines in our own memory; each number of pages is another table. */
static uint64_t make_area(size_t nr_pages)
{
	static const uint8_t trampoline[16] = { 0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3 };
	uint8_t *area = mmap(NULL, nr_pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(area != MAP_FAILED);
	for (size_t i = 0; i < nr_pages * PAGE; i += sizeof(trampoline))
		memcpy(area + i, trampoline, sizeof(trampoline));
	return (uint64_t)(uintptr_t)area;
}

/* This process, or what is told to be it, has one of the areas. */
static void map_area(struct stage *stage, uint32_t tgid, uint64_t start, size_t nr_pages)
{
	const struct mapping mapping = { .start = start, .end = start + nr_pages * PAGE, .image = IMAGE_ANONYMOUS };
	struct spaces_process process = { .tgid = tgid, .mappings = mappings_new() };

	assert_int_equal(mappings_add(&process.mappings, &mapping), 0);
	unwinding_set(stage->unwinding, &process);
	mappings_free(process.mappings);
}

/* The place of rule 0 that the kernel side sees for the process's only mapping. */
static uint32_t rules_of(const struct stage *stage, uint32_t tgid)
{
	uint32_t slab = 0, zero = 0, id, place;
	struct st_unwind_process process;
	struct st_space_mapping mapping;
	struct st_slab *copy = malloc(sizeof(*copy));
	int fd;

	assert_non_null(copy);
	assert_int_equal(bpf_map_lookup_elem(stage->store.processes, &tgid, &process), 0);
	assert_int_equal(ST_SPACE_NR(process.space), 1);
	place = ST_SPACE_PLACE(process.space);
	slab = place / ST_SLAB_LONGS;
	assert_int_equal(bpf_map_lookup_elem(stage->store.slabs, &slab, &id), 0);
	fd = bpf_map_get_fd_by_id(id);
	assert_true(fd >= 0);
	assert_int_equal(bpf_map_lookup_elem(fd, &zero, copy), 0);
	memcpy(&mapping, copy->longs + place % ST_SLAB_LONGS, sizeof(mapping));
	close(fd);
	free(copy);
	return mapping.rules;
}

/* The process is published when there is where to, and its code is looked at then. */
SYMBOLIZER_TEST(set_before_there_is_a_store)
{
	const uint32_t tgid = (uint32_t)getpid();
	struct st_unwind_process process;
	struct unwinding *with_store;
	struct stage stage;
	uint64_t area;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 8 * ST_SLAB_BYTES);
	area = make_area(1);
	with_store = stage.unwinding;
	stage.unwinding = unwinding_new(&stage.options);
	map_area(&stage, tgid, area, 1);
	assert_false(unwinding_work(stage.unwinding, 0));
	unwinding_set(stage.unwinding, &(struct spaces_process){ .tgid = tgid + 1 });
	assert_int_not_equal(bpf_map_lookup_elem(stage.store.processes, &tgid, &process), 0);

	unwinding_set_store(stage.unwinding, &stage.store);
	assert_true(unwinding_work(stage.unwinding, WAIT_MS));
	assert_int_not_equal(rules_of(&stage, tgid), 0);
	unwinding_free(with_store);
	munmap((void *)(uintptr_t)area, PAGE);
	end(&stage);
}

/* What a process maps takes room as well: without it the walk does not know the process, and that is reported. */
SYMBOLIZER_TEST(mappings_without_room_are_told)
{
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 0);
	map_area(&stage, (uint32_t)getpid(), CFI_CODE, 1);
	assert_int_equal(unwinding_nr_refused(stage.unwinding), 1);
	end(&stage);
}

/* A process of as many mappings as one may have; 40 KB of a slab. */
static void map_much(struct stage *stage, uint32_t tgid)
{
	struct spaces_process process = { .tgid = tgid, .mappings = mappings_new() };

	for (uint64_t i = 1; i <= ST_MAX_SPACE_MAPPINGS; i++) {
		const struct mapping mapping = { .start = 2 * i * PAGE,
						 .end = (2 * i + 1) * PAGE,
						 .image = IMAGE_NONE };

		assert_int_equal(mappings_add(&process.mappings, &mapping), 0);
	}
	unwinding_set(stage->unwinding, &process);
	mappings_free(process.mappings);
}

/* So tables that nobody maps go, before a process is given up. */
SYMBOLIZER_TEST(tables_of_ended_processes_make_room_for_mappings)
{
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, ST_SLAB_BYTES);
	map_files(&stage, 0, 5);
	assert_int_equal(unwinding_nr_refused(stage.unwinding), 0);
	unwinding_set(stage.unwinding, &(struct spaces_process){ .tgid = (uint32_t)getpid() });
	for (uint32_t tgid = 1; tgid <= ST_SLAB_BYTES / (ST_MAX_SPACE_MAPPINGS * sizeof(struct st_space_mapping)) / 2;
	     tgid++)
		map_much(&stage, tgid); /* half a slab together */
	assert_int_equal(unwinding_nr_refused(stage.unwinding), 0);
	end(&stage);
}

SYMBOLIZER_TEST(code_of_ended_processes_makes_room)
{
	uint32_t tgid = (uint32_t)getpid();
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 8 * ST_SLAB_BYTES);
	for (size_t i = 1; i <= NR_AREAS; i++) {
		uint64_t area = make_area(i);

		map_area(&stage, tgid, area, i); /* in the place of the one before */
		assert_true(unwinding_work(stage.unwinding, WAIT_MS)); /* slabs are in their slots */
		assert_true(rules_of(&stage, tgid) != 0);
		munmap((void *)(uintptr_t)area, i * PAGE);
	}
	assert_int_equal(unwinding_nr_refused(stage.unwinding), 0);
	end(&stage);
}

/* Starts to count the processes and threads that this thread creates. */
static void count_children(struct perf_ring *ring)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .task = 1
	};
	int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(perf_ring_init(ring, fd, 0), 0);
}

static size_t nr_children(struct perf_ring *ring)
{
	const struct perf_event_header *header;
	size_t nr = 0, nr_bytes;

	perf_ring_load(ring);
	while ((header = perf_ring_peek(ring, &nr_bytes))) {
		nr += header->type == PERF_RECORD_FORK;
		perf_ring_pop(ring, nr_bytes);
	}
	return nr;
}

/* A helper process for each of them would cost more than the rest of the run, and fill the rings of everybody who watches the host. */
SYMBOLIZER_TEST(many_areas_are_read_by_one_helper)
{
	enum {
		NR = 40, /* the records of all children fit into the ring */
	};
	struct spaces_process process = { .tgid = (uint32_t)getpid(), .mappings = mappings_new() };
	uint64_t area = make_area(NR);
	struct perf_ring ring;
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 8 * ST_SLAB_BYTES);
	for (size_t i = 0; i < NR; i += 2) {
		const struct mapping mapping = { .start = area + i * PAGE,
						 .end = area + (i + 1) * PAGE,
						 .image = IMAGE_ANONYMOUS };

		memset((void *)(uintptr_t)mapping.start, 0, PAGE); /* code of no known kind */
		assert_int_equal(mappings_add(&process.mappings, &mapping), 0);
	}
	assert_true(unwinding_work(stage.unwinding, WAIT_MS));
	count_children(&ring);
	unwinding_set(stage.unwinding, &process);
	assert_true(nr_children(&ring) <= 2); /* the other puts the slab: unwind_store.c */
	unwinding_set(stage.unwinding, &process);
	assert_int_equal(nr_children(&ring), 0);
	perf_ring_done(&ring);
	mappings_free(process.mappings);
	munmap((void *)(uintptr_t)area, NR * PAGE);
	end(&stage);
}

/* Code that sljit has made, one function in a chunk of a page: push %rbx; sub $16,%rsp; add $16,%rsp; pop %rbx; ret */
static uint64_t make_blocks(void)
{
	static const uint8_t function[] = { 0x53, 0x48, 0x83, 0xec, 0x10, 0x48, 0x83, 0xc4, 0x10, 0x5b, 0xc3 };
	uint64_t *area = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(area != MAP_FAILED);
	area[0] = area[PAGE / 8 - 1] = PAGE - 16; /* the size of the only block, before it and at the end */
	area[PAGE / 8 - 2] = 1;
	memcpy(area + 2, function, sizeof(function));
	return (uint64_t)(uintptr_t)area;
}

/* Its table is made by the worker. When the code has changed, frames in it do not prove their callers, until there is another table. */
SYMBOLIZER_TEST(code_that_changes_has_another_table)
{
	const uint32_t tgid = (uint32_t)getpid();
	uint64_t area, frames[2], before_ns;
	uint32_t rules;
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 8 * ST_SLAB_BYTES);
	area = make_blocks();
	frames[0] = CFI_CODE;
	frames[1] = area + 16 + 5;
	map_area(&stage, tgid, area, 1);
	assert_true(unwinding_work(stage.unwinding, WAIT_MS));
	rules = rules_of(&stage, tgid);
	assert_int_not_equal(rules, 0);
	assert_int_equal(unwinding_first_changed(stage.unwinding, tgid, clock_monotonic_ns(), frames, 2), 2);
	assert_int_equal(unwinding_first_changed(stage.unwinding, tgid + 1, clock_monotonic_ns(), frames, 2), 2);

	((uint8_t *)(uintptr_t)area)[16 + 4] = 0x20; /* sub $32,%rsp */
	before_ns = clock_monotonic_ns();
	while (unwinding_first_changed(stage.unwinding, tgid, clock_monotonic_ns(), frames, 2) ==
	       2) /* it is not read all the time */
		;
	assert_int_equal(unwinding_first_changed(stage.unwinding, tgid, clock_monotonic_ns(), frames, 2), 1);
	assert_true(unwinding_work(stage.unwinding, WAIT_MS));
	assert_int_not_equal(rules_of(&stage, tgid), rules);
	assert_int_equal(unwinding_first_changed(stage.unwinding, tgid, clock_monotonic_ns(), frames, 2), 2);
	assert_int_equal(unwinding_first_changed(stage.unwinding, tgid, before_ns, frames, 2), 1);
	munmap((void *)(uintptr_t)area, PAGE);
	end(&stage);
}

/* A chunk is mapped before code is in it. */
SYMBOLIZER_TEST(code_that_is_made_later_has_a_table)
{
	const uint32_t tgid = (uint32_t)getpid();
	uint64_t area, frame, first;
	uint32_t rules;
	struct stage stage;

	skip_without_maps();
	begin(&stage, fixture->symbolizer, 8 * ST_SLAB_BYTES);
	area = make_blocks();
	frame = area + 16;
	memcpy(&first, (void *)(uintptr_t)area, sizeof(first));
	memset((void *)(uintptr_t)area, 0, sizeof(first));
	map_area(&stage, tgid, area, 1);
	assert_true(unwinding_work(stage.unwinding, WAIT_MS));
	rules = rules_of(&stage, tgid);
	memcpy((void *)(uintptr_t)area, &first, sizeof(first));
	while (rules_of(&stage, tgid) == rules) { /* it is read again after a pause */
		assert_int_equal(unwinding_first_changed(stage.unwinding, tgid, clock_monotonic_ns(), &frame, 1), 1);
		assert_true(unwinding_work(stage.unwinding, WAIT_MS));
	}
	munmap((void *)(uintptr_t)area, PAGE);
	end(&stage);
}
