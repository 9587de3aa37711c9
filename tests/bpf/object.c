/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/object.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "bpf/losses.h"
#include "tests/harness.h"

static char verifier_log[1 << 18];

static int say_nothing(enum libbpf_print_level level, const char *format, va_list arguments)
{
	return level == LIBBPF_WARN && getenv("VERBOSE") ? vfprintf(stderr, format, arguments) : 0;
}

static void configure(struct object *object, const struct object_options *options)
{
	struct stacktool *skeleton = object->skeleton;
	struct st_config config = options->config;

	if (!config.seed[0]) {
		config.seed[0] = 0x0123456789abcdefULL;
		config.seed[1] = 0xfedcba9876543210ULL;
	}
	config.filters = st_has_filters(&config);
	skeleton->rodata->st_config = config;
	bpf_map__set_autocreate(skeleton->maps.st_grid, !strcmp(options->program, "on_sample"));
	bpf_map__set_autocreate(skeleton->maps.st_pids, config.task_filter && !config.filter_single);
	bpf_map__set_autocreate(skeleton->maps.st_children, config.follow_children);
	bpf_map__set_autocreate(skeleton->maps.st_births, config.follow_children);
	bpf_map__set_autocreate(skeleton->maps.st_cgroups, config.use_cgroup_map);
	bpf_map__set_autocreate(skeleton->maps.st_mntns, config.use_mntns_map);
	bpf_map__set_autocreate(skeleton->maps.st_slabs, config.unwind);
	bpf_map__set_autocreate(skeleton->maps.st_processes, config.unwind);
	bpf_map__set_autocreate(skeleton->maps.st_recent, config.unwind);
	bpf_map__set_autocreate(skeleton->maps.st_deep, config.unwind);
	bpf_map__set_autocreate(skeleton->maps.st_depths, config.unwind);
	for (size_t i = 0; i < NR_OTHERS && options->others[i]; i++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(skeleton->obj, options->others[i]), true);
	if (options->child_entries)
		bpf_map__set_max_entries(skeleton->maps.st_children, options->child_entries);
	if (options->known_entries)
		bpf_map__set_max_entries(skeleton->maps.st_known, options->known_entries);
	if (options->ring_bytes)
		bpf_map__set_max_entries(skeleton->maps.st_ring, options->ring_bytes);
}

static void make_generation(struct object *object, uint32_t generation, uint32_t entries)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_HASH, "st_test", sizeof(struct st_id), sizeof(struct st_count), entries,
				NULL);

	assert_true(fd >= 0);
	object->counts[generation] = fd;
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(object->skeleton->maps.st_generation), &generation, &fd, 0),
			 0);
}

static int on_message(void *context, void *data, size_t bytes)
{
	struct object *object = context;
	const struct st_delta *delta = data;

	assert_true(bytes >= sizeof(*delta));
	if (delta->kind == ST_MESSAGE_STACK) {
		struct st_stack stack = {};

		assert_true(bytes <= sizeof(stack));
		memcpy(&stack, data, bytes);
		assert_int_equal(bytes, sizeof(stack.head) + 8 * (size_t)(stack.head.nr_kernel + stack.head.nr_user));
		vec_push(&object->records, stack);
	} else if (delta->kind == ST_MESSAGE_DELTA) {
		vec_push(&object->deltas, *delta);
	} else {
		assert_int_equal(delta->kind, ST_MESSAGE_WAKE);
		object->nr_pokes++;
	}
	return 0;
}

void object_load(struct object *object, const struct object_options *options)
{
	struct stacktool *skeleton;
	int err;

	libbpf_set_print(say_nothing);
	*object = (struct object){ .counts = { -1, -1 } };
	skeleton = object->skeleton = stacktool__open();
	assert_non_null(skeleton);
	object->program = bpf_object__find_program_by_name(skeleton->obj, options->program);
	assert_non_null(object->program);
	configure(object, options);
	bpf_program__set_autoload(object->program, true);
	bpf_program__set_log_buf(object->program, verifier_log, sizeof(verifier_log));
	err = stacktool__load(skeleton);
	if (err)
		fail_msg("%s does not load: %s\n%s", options->program, strerror(-err), verifier_log);
	for (uint32_t generation = 0; generation < ST_GENERATIONS; generation++)
		make_generation(object, generation, options->count_entries ? options->count_entries : 1024);
	object->control = mmap(NULL, sizeof(struct st_control), PROT_READ | PROT_WRITE, MAP_SHARED,
			       bpf_map__fd(skeleton->maps.st_control), 0);
	assert_ptr_not_equal(object->control, MAP_FAILED);
	object->control->wake_at = UINT64_MAX;
	object->ring = ring_buffer__new(bpf_map__fd(skeleton->maps.st_ring), on_message, object, NULL);
	assert_non_null(object->ring);
}

void object_done(struct object *object)
{
	ring_buffer__free(object->ring);
	munmap((void *)object->control, sizeof(struct st_control));
	for (uint32_t generation = 0; generation < ST_GENERATIONS; generation++)
		close(object->counts[generation]);
	stacktool__destroy(object->skeleton);
	vec_done(&object->records);
	vec_done(&object->deltas);
}

static void ask_for_run(const struct object *object, union bpf_attr *attributes, uint64_t context[2])
{
	memset(attributes, 0, sizeof(*attributes));
	attributes->test.prog_fd = (uint32_t)bpf_program__fd(object->program);
	attributes->test.ctx_in = (uintptr_t)context;
	attributes->test.ctx_size_in = 2 * sizeof(*context);
}

/*
 * By the bare system call: the code of libbpf has no frame pointers, and the walk through it would end anywhere. The frame
 * of this function is not seen (syscall() has none of its own), that of its caller is.
 */
void object_run(struct object *object)
{
	uint64_t context[2] = {};
	union bpf_attr attributes;

	ask_for_run(object, &attributes, context);
	assert_int_equal(syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof(attributes)), 0);
}

#if defined(__x86_64__)

__attribute__((noinline, noclone)) void object_run_from(struct object *object, uint64_t frame)
{
	uint64_t context[2] = {};
	union bpf_attr attributes;
	long result = SYS_bpf;

	ask_for_run(object, &attributes, context);
	__asm__ volatile("xchg %%rbp, %[frame]\n\tsyscall\n\txchg %%rbp, %[frame]"
			 : "+a"(result), [frame] "+r"(frame)
			 : "D"((long)BPF_PROG_TEST_RUN), "S"(&attributes), "d"(sizeof(attributes))
			 : "rcx", "r11", "memory");
	assert_int_equal(result, 0);
}

#endif

void object_read_ring(struct object *object)
{
	assert_true(ring_buffer__consume(object->ring) >= 0);
}

struct st_stats object_stats(const struct object *object, uint32_t generation)
{
	int nr_cpus = libbpf_num_possible_cpus();
	struct st_stats *each = calloc((size_t)nr_cpus, sizeof(*each)), sum = {};
	uint64_t *to = (uint64_t *)&sum;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(object->skeleton->maps.st_stats), &generation, each), 0);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		for (size_t i = 0; i < sizeof(sum) / sizeof(*to); i++)
			to[i] += ((const uint64_t *)&each[cpu])[i];
	free(each);
	return sum;
}

uint64_t object_sum(const struct object *object, uint32_t generation, size_t *ret_entries)
{
	struct st_count count;
	struct st_id id, *last = NULL;
	size_t entries = 0;
	uint64_t sum = 0;

	while (!bpf_map_get_next_key(object->counts[generation], last, &id)) {
		if (!bpf_map_lookup_elem(object->counts[generation], &id, &count)) {
			sum += count.events;
			entries++;
		}
		last = &id;
	}
	if (ret_entries)
		*ret_entries = entries;
	return sum;
}

static const bool is_event_loss[ST_NR_LOSSES] = {
#define CLASS_EVENT true
#define CLASS_STACK false
#define CLASS_SAMPLE false
#define CLASS_NOTE false
#define X(name, class, sentence) [ST_LOSS_##name] = CLASS_##class,
	ST_KERNEL_LOSSES(X)
#undef X
};

void object_check_identity(const struct object *object, uint32_t generation)
{
	struct st_stats stats = object_stats(object, generation);
	uint64_t lost = 0;

	for (size_t i = 0; i < ST_NR_LOSSES; i++)
		lost += is_event_loss[i] ? stats.losses[i] : 0;
	assert_int_equal(stats.seen, stats.filtered + stats.recorded + stats.losses[ST_LOSS_SPILLED] + lost);
	assert_int_equal(stats.recorded, object_sum(object, generation, NULL));
}
