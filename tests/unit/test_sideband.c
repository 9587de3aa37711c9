/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records written by hand, rings written by hand, then the real side-band. */
#include "core/spaces/sideband.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/base/buf.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/spaces/wakeups.h"
#include "core/spaces/perf_ring.h"
#include "tests/unit/host.h"
#include "tests/harness.h"

#define BYTES_TEST(name) TEST_WITH(struct buf, bytes, name, nothing, buf_done)

#define MAPPING_EVENT 7
#define BUILD_ID_EVENT 8

/* ---- records by hand ---- */

static void put32(struct buf *bytes, uint32_t value)
{
	buf_add(bytes, &value, sizeof(value));
}

static void put64(struct buf *bytes, uint64_t value)
{
	buf_add(bytes, &value, sizeof(value));
}

/* A text with its NUL, padded to words as the kernel does. */
static void put_text(struct buf *bytes, const char *text)
{
	static const char zeros[8];
	size_t length = strlen(text) + 1;

	buf_add(bytes, text, length);
	buf_add(bytes, zeros, (8 - length % 8) % 8);
}

static void begin(struct buf *bytes, uint32_t type, uint16_t misc)
{
	buf_clear(bytes);
	put32(bytes, type);
	put32(bytes, misc);
}

static void end(struct buf *bytes, uint64_t time_ns, uint64_t event)
{
	uint16_t size;

	put32(bytes, 100);
	put32(bytes, 101);
	put64(bytes, time_ns);
	put64(bytes, event);
	put32(bytes, 3); /* cpu */
	put32(bytes, 0);
	size = (uint16_t)bytes->nr;
	memcpy(bytes->data + 6, &size, sizeof(size));
}

static void put_mapping(struct buf *bytes, uint16_t misc, const char *path)
{
	begin(bytes, PERF_RECORD_MMAP2, misc);
	put32(bytes, 100);
	put32(bytes, 101);
	put64(bytes, 0x7f0000001000);
	put64(bytes, 0x2000);
	put64(bytes, 0x3000);
	put32(bytes, 0xfe);
	put32(bytes, 2);
	put64(bytes, 4242);
	put64(bytes, 1);
	put32(bytes, PROT_READ | PROT_EXEC);
	put32(bytes, MAP_PRIVATE);
	put_text(bytes, path);
}

static void put_build_id(struct buf *bytes, uint8_t nr_bytes)
{
	uint8_t build_id[20] = { 0xab, 0xcd, [19] = 0xef };

	put_mapping(bytes, PERF_RECORD_MISC_MMAP_BUILD_ID, "/lib/x.so");
	memset(bytes->data + 40, 0, 4);
	bytes->data[40] = (char)nr_bytes;
	memcpy(bytes->data + 44, build_id, sizeof(build_id));
	end(bytes, 1000, BUILD_ID_EVENT);
}

static int decode(const struct buf *bytes, struct sideband_record *ret_record)
{
	return sideband_decode(bytes->data, bytes->nr, BUILD_ID_EVENT, ret_record);
}

BYTES_TEST(mapping_has_place_and_inode)
{
	struct sideband_record record;

	put_mapping(bytes, 0, "/lib/a b\n.so (deleted)");
	end(bytes, 1000, MAPPING_EVENT);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_MMAP);
	assert_int_equal(record.tgid, 100);
	assert_int_equal(record.tid, 101);
	assert_int_equal(record.start, 0x7f0000001000);
	assert_int_equal(record.end, 0x7f0000003000);
	assert_int_equal(record.file_offset, 0x3000);
	assert_int_equal(record.device, 0xfe00000002);
	assert_int_equal(record.inode, 4242);
	assert_string_equal(record.path, "/lib/a b\n.so (deleted)");
	assert_int_equal(record.time_ns, 1000);
	assert_int_equal(record.cpu, 3);
	assert_int_equal(record.build_id_bytes, 0);
}

/* perf_event_mmap_output() leaves the bit of an earlier event in the header. */
BYTES_TEST(leaked_build_id_bit_does_not_hide_the_inode)
{
	struct sideband_record record;

	put_mapping(bytes, PERF_RECORD_MISC_MMAP_BUILD_ID, "/lib/x.so");
	end(bytes, 1000, MAPPING_EVENT);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_MMAP);
	assert_int_equal(record.inode, 4242);
}

BYTES_TEST(build_id_comes_from_its_event_only)
{
	struct sideband_record record;

	put_build_id(bytes, 20);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_BUILD_ID);
	assert_int_equal(record.build_id_bytes, 20);
	assert_int_equal(record.build_id[0], 0xab);
	assert_int_equal(record.build_id[19], 0xef);
	assert_int_equal(record.inode, 0);
	put_build_id(bytes, 21);
	assert_int_equal(decode(bytes, &record), -EBADMSG);
	put_mapping(bytes, 0, "[vdso]"); /* of which the kernel knows none */
	end(bytes, 1000, BUILD_ID_EVENT);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_OTHER);
}

static void put_task(struct buf *bytes, uint32_t type, uint32_t tgid, uint32_t parent, uint64_t event)
{
	begin(bytes, type, 0);
	put32(bytes, tgid);
	put32(bytes, parent);
	put32(bytes, tgid);
	put32(bytes, parent);
	put64(bytes, 999);
	end(bytes, 1000, event);
}

BYTES_TEST(tasks_are_told_once)
{
	struct sideband_record record;

	put_task(bytes, PERF_RECORD_FORK, 200, 100, MAPPING_EVENT);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_FORK);
	assert_int_equal(record.tgid, 200);
	assert_int_equal(record.parent_tgid, 100);
	put_task(bytes, PERF_RECORD_EXIT, 200, 100, MAPPING_EVENT);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_EXIT);
	put_task(bytes, PERF_RECORD_EXIT, 200, 100, BUILD_ID_EVENT);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_OTHER);
}

BYTES_TEST(only_an_exec_names_a_new_program)
{
	struct sideband_record record;

	for (int is_exec = 0; is_exec < 2; is_exec++) {
		begin(bytes, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
		put32(bytes, 300);
		put32(bytes, 301);
		put_text(bytes, "name");
		end(bytes, 1000, MAPPING_EVENT);
		assert_int_equal(decode(bytes, &record), 0);
		assert_int_equal(record.kind, is_exec ? SIDEBAND_EXEC : SIDEBAND_OTHER);
	}
	assert_int_equal(record.tgid, 300);
}

BYTES_TEST(losses_are_counted_whoever_lost_them)
{
	struct sideband_record record;

	begin(bytes, PERF_RECORD_LOST, 0);
	put64(bytes, BUILD_ID_EVENT);
	put64(bytes, 17);
	end(bytes, 1000, BUILD_ID_EVENT);
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_LOST);
	assert_int_equal(record.nr_lost, 17);
}

static void put_ksymbol(struct buf *bytes, uint16_t flags, const char *name)
{
	begin(bytes, PERF_RECORD_KSYMBOL, 0);
	put64(bytes, 0xffffffffc0001000);
	put32(bytes, 0x80);
	put32(bytes, PERF_RECORD_KSYMBOL_TYPE_BPF | (uint32_t)flags << 16);
	put_text(bytes, name);
	end(bytes, 1000, MAPPING_EVENT);
}

BYTES_TEST(generated_code_of_the_kernel_is_told_with_its_bounds)
{
	struct sideband_record record;

	for (uint16_t flags = 0; flags < 2; flags++) {
		put_ksymbol(bytes, flags, "bpf_prog_0123456789abcdef_f");
		assert_int_equal(decode(bytes, &record), 0);
		assert_int_equal(record.kind, SIDEBAND_KSYMBOL);
		assert_int_equal(record.gone, flags);
		assert_true(record.start == 0xffffffffc0001000 && record.end == 0xffffffffc0001080);
		assert_string_equal(record.path, "bpf_prog_0123456789abcdef_f");
	}
	memset(bytes->data + 24 + 8, 'x', bytes->nr - 32 - 24 - 8); /* no NUL before the trailer */
	memset(bytes->data + 24, 'x', 8);
	assert_int_equal(decode(bytes, &record), -EBADMSG);
	put_ksymbol(bytes, 0, "f");
	memset(bytes->data + 8, 0xff, 8);
	assert_int_equal(decode(bytes, &record), -EBADMSG);
}

/* The kernel makes the record longer for every further event of the host that gets it, and leaves the rest as it was. */
BYTES_TEST(generated_code_is_told_to_the_second_listener_too)
{
	struct sideband_record record;

	put_ksymbol(bytes, 0, "bpf_prog_0123456789abcdef_f");
	put_text(bytes, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	bytes->data[6] = (char)bytes->nr;
	assert_int_equal(decode(bytes, &record), 0);
	assert_int_equal(record.kind, SIDEBAND_KSYMBOL);
	assert_int_equal(record.time_ns, 1000);
	assert_int_equal(record.cpu, 3);
	assert_string_equal(record.path, "bpf_prog_0123456789abcdef_f");
}

BYTES_TEST(every_cut_of_a_record_is_refused)
{
	struct sideband_record record = { .kind = SIDEBAND_LOST };
	uint16_t nr_whole;

	put_mapping(bytes, 0, "/lib/a.so");
	end(bytes, 1000, MAPPING_EVENT);
	nr_whole = (uint16_t)bytes->nr;
	for (uint16_t nr = 0; nr < nr_whole; nr++) {
		_cleanup_(freep) uint8_t *cut = malloc(nr ? nr : 1); /* so that the sanitizer sees its end */

		memcpy(cut, bytes->data, nr);
		if (nr >= 8)
			memcpy(cut + 6, &nr, sizeof(nr));
		if (!sideband_decode(cut, nr, BUILD_ID_EVENT, &record))
			assert_true(nr >= 72 + 1 + 32);
	}
	put_mapping(bytes, 0, "/lib/a.so");
	memset(bytes->data + 24, 0xff, 8); /* a length round the end of the address space */
	end(bytes, 1000, MAPPING_EVENT);
	assert_int_equal(decode(bytes, &record), -EBADMSG);
}

/* ---- a ring by hand ---- */

struct hand_made_ring {
	struct perf_event_mmap_page page;
	uint8_t data[4096];
};

static void put_into_ring(struct hand_made_ring *made, const void *bytes, size_t nr_bytes)
{
	for (size_t i = 0; i < nr_bytes; i++)
		made->data[(made->page.data_head + i) % sizeof(made->data)] = ((const uint8_t *)bytes)[i];
	made->page.data_head += nr_bytes;
}

BYTES_TEST(records_that_wrap_are_joined)
{
	_cleanup_(freep) struct hand_made_ring *made = calloc(1, sizeof(*made));
	struct perf_ring ring = { .page = &made->page, .data = made->data, .nr_bytes = sizeof(made->data) };
	char path[64];
	size_t nr;

	for (int i = 0; i < 500; i++) {
		const void *read;

		snprintf(path, sizeof(path), "/%0*d", 1 + i % 40, i);
		put_mapping(bytes, 0, path);
		end(bytes, (uint64_t)i, MAPPING_EVENT);
		put_into_ring(made, bytes->data, bytes->nr);
		perf_ring_load(&ring);
		read = perf_ring_peek(&ring, &nr);
		assert_non_null(read);
		assert_int_equal(nr, bytes->nr);
		assert_memory_equal(read, bytes->data, nr);
		perf_ring_pop(&ring, nr);
		assert_null(perf_ring_peek(&ring, &nr));
		assert_int_equal(made->page.data_tail, made->page.data_head);
	}
	assert_int_equal(ring.nr_broken, 0);
	vec_done(&ring.joined);
}

TEST(impossible_lengths_end_the_reading)
{
	static const struct {
		uint16_t size;
		uint64_t available;
	} cases[] = { { 0, 64 }, { 7, 64 }, { 72, 64 }, { 65535, 64 }, { 8, 4 }, { 64, 5000 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_(freep) struct hand_made_ring *made = calloc(1, sizeof(*made));
		struct perf_ring ring = { .page = &made->page, .data = made->data, .nr_bytes = sizeof(made->data) };
		size_t nr;

		memcpy(made->data + 6, &cases[i].size, sizeof(cases[i].size));
		made->page.data_head = cases[i].available;
		perf_ring_load(&ring);
		assert_null(perf_ring_peek(&ring, &nr));
		assert_int_equal(ring.nr_broken, 1);
		assert_int_equal(made->page.data_tail, cases[i].available);
		vec_done(&ring.joined);
	}
}

/* ---- the real one ---- */

static bool kernel_takes_build_ids(void)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
	};
	_cleanup_(closep) int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0);

	return fd >= 0;
}

/* Then a loss is known at once, and not with the next record of the same CPU. */
static bool kernel_counts_lost_records(void)
{
	struct perf_event_attr attributes = {
		.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = 1 << 4, /* PERF_FORMAT_LOST */
	};
	_cleanup_(closep) int fd = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, 0);

	return fd >= 0;
}

/* What was seen of one process, in order. */
struct seen {
	char order[64];
	size_t nr, nr_ids;
	uint64_t last_ns;
	bool in_order;
};

static void see(struct seen *seen, const struct sideband_record *record)
{
	static const char letters[] = {
		[SIDEBAND_OTHER] = 0,  [SIDEBAND_MMAP] = 'm', [SIDEBAND_BUILD_ID] = 0, [SIDEBAND_EXEC] = 'e',
		[SIDEBAND_FORK] = 'f', [SIDEBAND_EXIT] = 'x', [SIDEBAND_LOST] = 0,
	};
	char letter = letters[record->kind];

	seen->in_order &= record->time_ns >= seen->last_ns;
	seen->last_ns = record->time_ns;
	if (letter && seen->nr < sizeof(seen->order) - 1 && (!seen->nr || seen->order[seen->nr - 1] != letter))
		seen->order[seen->nr++] = letter;
	seen->nr_ids += record->kind == SIDEBAND_MMAP && record->build_id_bytes;
}

static void map_and_unmap(int nr)
{
	size_t nr_bytes = (size_t)sysconf(_SC_PAGESIZE);

	for (int i = 0; i < nr; i++) {
		void *code = mmap(NULL, nr_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_ptr_not_equal(code, MAP_FAILED);
		munmap(code, nr_bytes);
	}
}

/* On every CPU at once, so that the rings have to be merged. */
static void make_noise(void)
{
	int pids[16];

	for (int i = 0; i < 16; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			map_and_unmap(20);
			_exit(0);
		}
	}
	for (int i = 0; i < 16; i++)
		waitpid(pids[i], NULL, 0);
}

TEST(the_records_of_all_cpus_come_in_order)
{
	struct sideband *sideband;
	const struct sideband_record *record;
	uint64_t last_ns = 0, nr = 0, cutoff_ns;

	if (!may_watch_the_host())
		skip();
	assert_int_equal(sideband_new(&sideband), 0);
	for (int pass = 0; pass < 5; pass++) {
		make_noise();
		cutoff_ns = sideband_begin(sideband);
		for (; (record = sideband_next(sideband)); nr++) {
			assert_true(record->time_ns >= last_ns);
			last_ns = record->time_ns;
		}
		assert_true(last_ns <= cutoff_ns);
	}
	assert_true(nr >= 5 * 16 * 20);
	sideband_free(sideband);
}

TEST(fork_exec_mappings_and_exit_come_in_order)
{
	struct sideband *sideband;
	struct seen seen = { .in_order = true };
	const struct sideband_record *record;
	int pid;

	if (!may_watch_the_host())
		skip();
	assert_int_equal(sideband_new(&sideband), 0);
	assert_int_equal(sideband_has_build_ids(sideband), kernel_takes_build_ids());
	pid = fork();
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(99);
	}
	waitpid(pid, NULL, 0);
	sideband_begin(sideband);
	while ((record = sideband_next(sideband)))
		if (record->tgid == (uint32_t)pid)
			see(&seen, record);
	assert_true(seen.in_order);
	assert_string_equal(seen.order, "femx");
	if (sideband_has_build_ids(sideband))
		assert_in_range(seen.nr_ids, 2, 10); /* program, loader, libc; some pages may not be in memory */
	assert_int_equal(sideband_lost(sideband), 0);
	assert_int_equal(sideband_nr_unwatched(sideband), 0);
	sideband_free(sideband);
}

static void map_and_unmap_code(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	munmap(memory, 4096);
}

static void read_everything(struct sideband *sideband)
{
	sideband_begin(sideband);
	while (sideband_next(sideband))
		;
}

/* Until the descriptor is readable, or a second has passed. */
static bool becomes_readable(struct sideband *sideband)
{
	struct pollfd ready = { .fd = sideband_fd(sideband), .events = POLLIN };

	return poll(&ready, 1, 1000) == 1;
}

/* At once as long as nothing is spent, and then not later than the next rest is over; no more often than is allowed. */
TEST(a_mapping_of_code_rings)
{
	const uint64_t nr = 3 * WAKEUPS_BURST;
	struct sideband *sideband;
	uint64_t begun_ns;

	if (!may_watch_the_host())
		skip();
	assert_int_equal(sideband_new(&sideband), 0);
	sideband_ring(sideband);
	read_everything(sideband);
	begun_ns = clock_monotonic_ns();
	for (uint64_t i = 0; i < nr; i++) {
		map_and_unmap_code();
		assert_true(becomes_readable(sideband));
		read_everything(sideband);
	}
	assert_true(clock_monotonic_ns() - begun_ns > (nr - WAKEUPS_BURST - 5) * WAKEUPS_MUTE_NS);
	sideband_free(sideband);
}

/* Whoever looks for another reason meanwhile silences no later wakeup. */
TEST(a_look_during_the_rest_changes_nothing)
{
	struct sideband *sideband;

	if (!may_watch_the_host())
		skip();
	assert_int_equal(sideband_new(&sideband), 0);
	sideband_ring(sideband);
	for (size_t i = 0; i < 200; i++) {
		map_and_unmap_code();
		read_everything(sideband);
		map_and_unmap_code();
		assert_true(becomes_readable(sideband));
		read_everything(sideband);
		read_everything(sideband);
	}
	sideband_free(sideband);
}

static uint64_t count_own_mappings(struct sideband *sideband)
{
	const struct sideband_record *record;
	uint64_t nr = 0;

	sideband_begin(sideband);
	while ((record = sideband_next(sideband)))
		nr += record->kind == SIDEBAND_MMAP && record->tgid == (uint32_t)getpid();
	return nr;
}

static void stay_on_this_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static void make_a_program(void)
{
	const struct bpf_insn instructions[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_(closep) int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "st_test", "GPL", instructions, 2, NULL);

	if (fd < 0)
		print_message("no BPF program may be loaded here\n");
}

static void expect_times(struct sideband *sideband, uint64_t since_ns)
{
	uint64_t until_ns = sideband_begin(sideband);
	const struct sideband_record *record;

	while ((record = sideband_next(sideband)))
		assert_in_range(record->time_ns, since_ns, until_ns);
	assert_int_equal(sideband_lost(sideband), 0);
}

/* Several listen to one host, as several runs do. */
TEST(programs_that_come_and_go_have_their_time)
{
	uint64_t begun_ns = clock_monotonic_ns();
	struct sideband *all[4];

	if (!may_watch_the_host())
		skip();
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(sideband_new(&all[i]), 0);
	make_a_program();
	for (size_t i = 0; i < 4; i++) {
		expect_times(all[i], begun_ns);
		sideband_free(all[i]);
	}
}

TEST(a_full_ring_is_counted_and_reading_goes_on)
{
	struct sideband *sideband;
	uint64_t nr_read;

	if (!may_watch_the_host())
		skip();
	assert_int_equal(sideband_new(&sideband), 0);
	assert_true(sideband_is_whole(sideband));
	stay_on_this_cpu();
	map_and_unmap(20000);
	nr_read = count_own_mappings(sideband);
	assert_false(sideband_is_whole(sideband));
	assert_in_range(nr_read, 100, 19999);
	if (kernel_counts_lost_records())
		assert_true(sideband_lost(sideband) >= 20000 - nr_read);
	map_and_unmap(50);
	assert_int_equal(count_own_mappings(sideband), 50);
	assert_true(sideband_lost(sideband) >= 20000 - nr_read);
	sideband_free(sideband);
}
