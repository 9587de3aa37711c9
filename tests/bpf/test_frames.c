/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks by frame pointers: bpf/frames.bpf.c finds what the kernel finds, and so does bpf/unwind.bpf.c in a process of
 * which it knows nothing, on chains of frames that are made by hand, whatever they look like. The walk begins in a
 * system call that is made with the frame pointer wanted.
 */
#include <sys/mman.h>

#include "tests/bpf/object.h"
#include "tests/harness.h"

#if defined(__x86_64__)

#define PAGE 4096
#define AREA_BYTES (512 * PAGE)

static uint8_t *area; /* AREA_BYTES, all of it present, and after it a page that is not there */

static int make_area(void **state)
{
	area = mmap(NULL, AREA_BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || munmap(area + AREA_BYTES, PAGE))
		return -1;
	memset(area, 0, AREA_BYTES);
	return 0;
}

/* Writes a frame into the area; its address. */
static uint64_t put_frame(size_t at, uint64_t above, uint64_t return_address)
{
	memcpy(area + at, &above, sizeof(above));
	memcpy(area + at + 8, &return_address, sizeof(return_address));
	return (uintptr_t)area + at;
}

/* A chain of `nr` frames from `at` on, `stride` bytes apart; the last one leads to `end`. Its first frame. */
static uint64_t put_chain(size_t at, size_t nr, size_t stride, uint64_t end)
{
	uint64_t frame = end;

	assert_true(nr && at + nr * stride <= AREA_BYTES);
	for (size_t i = nr; i-- > 0;)
		frame = put_frame(at + i * stride, frame, 0x401000 + i);
	return frame;
}

enum way {
	BY_KERNEL,
	BY_FRAMES,
	BY_TABLES, /* without any */
};

static struct st_stack record_of(enum way way, uint64_t frame)
{
	struct st_config config = {
		.want_user = 1,
		.task_access = TASK_ACCESS_PROBE_READ,
		.walk_frames = way != BY_KERNEL,
		.unwind = way == BY_TABLES ? ST_UNWIND_AUTO : ST_UNWIND_OFF,
	};
	struct st_stack record;
	struct object object;

	object_load(&object, &(struct object_options){ .program = "on_test", .config = config });
	object_run_from(&object, frame);
	object_read_ring(&object);
	assert_int_equal(object.records.nr, 1);
	record = object.records.data[0];
	object_check_identity(&object, 0);
	object_done(&object);
	return record;
}

/* Compares with the kernel's own walk, and with the number of frames that are expected. */
static void check(uint64_t frame, size_t nr_frames)
{
	struct st_stack kernels = record_of(BY_KERNEL, frame), ours = record_of(BY_FRAMES, frame);
	struct st_stack unknown = record_of(BY_TABLES, frame);

	assert_int_equal(ours.head.nr_user, nr_frames);
	assert_int_equal(ours.head.nr_user, kernels.head.nr_user);
	assert_int_equal(ours.head.user_status, kernels.head.user_status);
	assert_memory_equal(ours.frames, kernels.frames, 8 * nr_frames);
	assert_memory_equal(&ours.head.id, &kernels.head.id, sizeof(ours.head.id));
	assert_int_equal(unknown.head.user_end, ST_END_NO_PROCESS);
	assert_int_equal(unknown.head.nr_user, nr_frames);
	if (nr_frames != ST_MAX_FRAMES) /* where the others take a whole stack for a cut one */
		assert_int_equal(unknown.head.user_status, kernels.head.user_status);
	assert_memory_equal(unknown.frames, kernels.frames, 8 * nr_frames);
}

/* The walk by tables keeps both ends of a deep stack. The return address of each frame of a chain is one above that of the frame below. */
static void check_deep(uint64_t frame, size_t nr_frames)
{
	enum {
		INNER = 64
	};
	struct st_stack kernels = record_of(BY_KERNEL, frame), ours = record_of(BY_FRAMES, frame);
	struct st_stack deep = record_of(BY_TABLES, frame);
	const uint64_t nr_elided = nr_frames - ST_MAX_FRAMES;

	assert_int_equal(ours.head.nr_user, ST_MAX_FRAMES);
	assert_memory_equal(ours.frames, kernels.frames, 8 * ST_MAX_FRAMES);
	assert_int_equal(deep.head.nr_user, ST_MAX_FRAMES);
	assert_true(deep.head.flags & ST_STACK_ELIDED);
	assert_int_equal(deep.head.elided, nr_elided);
	assert_memory_equal(deep.frames, kernels.frames, 8 * INNER);
	for (size_t i = INNER; i < ST_MAX_FRAMES; i++)
		assert_int_equal(deep.frames[i], kernels.frames[i] + nr_elided);
}

TEST(chains_of_any_length)
{
	static const size_t lengths[] = { 1, 2, 15, 16, 17, 40, 125 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		check(put_chain(0, lengths[i], 48, 0), 1 + lengths[i]);
	check(put_chain(0, 126, 48, 0), ST_MAX_FRAMES);
	check_deep(put_chain(0, 200, 48, 0), 201);
}

TEST(frames_of_any_size)
{
	static const size_t strides[] = { 16, 24, 496, 504, 512, 600, PAGE - 8, PAGE, 5000 };

	for (size_t i = 0; i < sizeof(strides) / sizeof(*strides); i++)
		check(put_chain(0, 100, strides[i], 0), 101);
}

TEST(frames_at_odd_addresses)
{
	check(put_chain(4, 20, 52, 0), 21);
	check(put_chain(1, 20, 49, 0), 21);
}

TEST(a_chain_that_ends_anywhere)
{
	static const uint64_t ends[] = {
		8,          PAGE - 1,        0xdead000000000000, 0xffff888000000000,
		UINT64_MAX, UINT64_MAX - 15, 1ULL << 63,         (1ULL << 63) + 8,
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		check(put_chain(0, 3, 32, ends[i]), 4);
		check(ends[i], 1);
	}
}

TEST(a_chain_at_the_end_of_memory)
{
	size_t last = AREA_BYTES - 16;

	check(put_frame(last, 0, 0x401000), 2);
	check(put_chain(last - 4 * 32, 5, 32 - 8, (uintptr_t)area + last), 7);
	check((uintptr_t)area + AREA_BYTES - 8, 1);
	check((uintptr_t)area + AREA_BYTES - 4, 1);
	check((uintptr_t)area + AREA_BYTES, 1);
}

TEST(a_chain_that_goes_down_or_round)
{
	uint64_t low = put_frame(0, 0, 0x401000);

	check(put_frame(2048, low, 0x401001), 3);
	check(put_frame(64, (uintptr_t)area + 64, 0x401002), ST_MAX_FRAMES);
	put_frame(128, (uintptr_t)area + 9000, 0x401003);
	check(put_frame(9000, (uintptr_t)area + 128, 0x401004), ST_MAX_FRAMES);
}

TEST(return_addresses_of_zero)
{
	put_frame(64, (uintptr_t)area + 128, 0);
	put_frame(128, 0, 0x401000);
	check((uintptr_t)area + 64, 3);
}

static void flip(size_t frame, uint64_t bits)
{
	uint64_t word;

	memcpy(&word, area + frame * 48 + 8, sizeof(word));
	word ^= bits;
	memcpy(area + frame * 48 + 8, &word, sizeof(word));
}

/*
 * A process can put any return addresses on its stack. These differences cancel each other in every lane of the hash,
 * with any seed: the highest bit stays where it is in a multiplication.
 */
TEST(crafted_stacks_have_ids_of_their_own)
{
	uint64_t start = put_chain(0, 40, 48, 0);
	struct st_stack plain = record_of(BY_FRAMES, start);

	for (size_t i = 0; i < 4; i++) {
		for (size_t other = i + 1; other < i + 4; other++) {
			struct st_stack crafted;

			put_chain(0, 40, 48, 0);
			flip(i, 0x8000000080000000);
			flip(i + 4, 1ULL << 63);
			flip(other, 0x8000000080000000);
			flip(other + 4, 1ULL << 63);
			crafted = record_of(BY_FRAMES, start);
			assert_int_equal(crafted.head.nr_user, plain.head.nr_user);
			assert_memory_not_equal(&crafted.head.id, &plain.head.id, sizeof(plain.head.id));
		}
	}
}

TEST_GROUP(make_area, NULL)

#else

int main(void)
{
	return 0; /* the walk is the kernel's on other architectures */
}

#endif
