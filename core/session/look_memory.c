/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/vec.h"
#include "core/files/helper.h"
#include "core/session/look_private.h"

#define PAGE_BYTES 4096
#define PAGES_MAX (LOOK_COPY_MAX / PAGE_BYTES)
#define BATCH_BYTES (LOOK_REQUESTS_MAX * (size_t)LOOK_COPY_BYTES)

_Static_assert(LOOK_COPY_MAX <= LOOK_REQUESTS_MAX * LOOK_COPY_BYTES, "a single request fits");

struct batch {
	_Atomic size_t at;
	size_t nr;
	struct {
		pid_t tid;
		uint64_t at;
		size_t room, place;
		long got;
	} parts[LOOK_REQUESTS_MAX];
	struct iovec there[PAGES_MAX];
	uint8_t bytes[BATCH_BYTES];
};

struct look_memory {
	struct helper *helper; /* NULL: none yet */
	VEC(uint32_t) held; /* processes whose memory made a helper wait */
};

struct look_memory *look_memory_new(void)
{
	return xcalloc(1, sizeof(struct look_memory));
}

void look_memory_free(struct look_memory *memory)
{
	helper_free(memory->helper);
	vec_done(&memory->held);
	free(memory);
}

/* Runs in the helper. Each page is a separate part, so the first missing page ends the copy instead of making it fail. */
static int copy_all(struct helper *helper, void *argument)
{
	struct batch *batch = argument;

	for (; batch->at < batch->nr; batch->at++) {
		typeof(batch->parts[0]) *part = &batch->parts[batch->at];
		struct iovec here = { batch->bytes + part->place, part->room };
		size_t nr = 0;
		long got;

		if (!part->room)
			continue;
		for (uint64_t from = 0; from < part->room; nr++, from += PAGE_BYTES)
			batch->there[nr] = (struct iovec){ (void *)(uintptr_t)(part->at + from), PAGE_BYTES };
		got = syscall(SYS_process_vm_readv, part->tid, &here, 1, batch->there, nr, 0);
		part->got = got < 0 ? -errno : got;
		helper_progress(helper);
	}
	return 0;
}

static bool is_held(const struct look_memory *memory, uint32_t tgid)
{
	for (size_t i = 0; i < memory->held.nr; i++)
		if (memory->held.data[i] == tgid)
			return true;
	return false;
}

static struct batch *batch_of(struct look_memory *memory)
{
	if (!memory->helper)
		memory->helper = helper_new(sizeof(struct batch));
	return memory->helper ? helper_memory(memory->helper) : NULL;
}

static void fill(const struct look_memory *memory, struct batch *batch, struct look_request *requests, size_t nr)
{
	size_t place = 0;

	batch->at = 0;
	batch->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		bool skips = is_held(memory, requests[i].tgid);

		requests[i].bytes = batch->bytes + place;
		batch->parts[i].tid = (pid_t)requests[i].tid;
		batch->parts[i].at = requests[i].at;
		batch->parts[i].room = skips ? 0 : requests[i].room;
		batch->parts[i].place = place;
		batch->parts[i].got = -ETIMEDOUT;
		place += requests[i].room;
	}
}

/* Returns 0, or -ETIMEDOUT: request *ret_at made the helper wait too long. */
static int try_all(struct look_memory *memory, struct look_request *requests, size_t nr, size_t *ret_at)
{
	struct batch *batch = batch_of(memory);
	int err = batch ? 0 : -ENOMEM;

	*ret_at = nr;
	if (!err) {
		fill(memory, batch, requests, nr);
		err = helper_start(memory->helper, copy_all, true) ?: helper_await(memory->helper, -1);
	}
	if (err == -ETIMEDOUT) {
		*ret_at = *(volatile size_t *)&batch->at; /* the helper may still run */
		helper_free(memory->helper);
		memory->helper = NULL;
		return err;
	}
	if (!err)
		helper_end(memory->helper);
	for (size_t i = 0; i < nr; i++)
		requests[i].got = err ? err : batch->parts[i].room ? batch->parts[i].got : -ETIMEDOUT;
	return 0;
}

void look_memory_copy(struct look_memory *memory, struct look_request *requests, size_t nr)
{
	size_t at;

	while (try_all(memory, requests, nr, &at))
		if (at < nr)
			vec_push(&memory->held, requests[at].tgid);
}
