/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/source_batch.h"

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/radix_sort.h"

struct order {
	uint64_t address, position;
};

int source_batch_add(struct source_batch *batch, uint64_t address, uint32_t query)
{
	return vec_try_push(&batch->places, (struct source_place){ .address = address,
								   .query = query,
								   .program = NO_PROGRAM,
								   .wanted = NO_PROGRAM,
								   .unit = SOURCE_NONE,
								   .inner = SOURCE_NONE });
}

int source_batch_sort(struct source_batch *batch)
{
	size_t nr = batch->places.nr;
	_cleanup_(freep) struct order *orders = reallocarray(NULL, nr + 1, sizeof(*orders));
	struct source_place *sorted = reallocarray(NULL, nr + 1, sizeof(*sorted));
	int err = orders && sorted ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < nr; i++)
		orders[i] = (struct order){ batch->places.data[i].address, i };
	err = err ?: radix_sort(orders, nr, address);
	if (err) {
		free(sorted);
		return err;
	}
	for (size_t i = 0; i < nr; i++)
		sorted[i] = batch->places.data[orders[i].position];
	free(batch->places.data);
	batch->places.data = sorted;
	batch->places.room = nr + 1;
	return 0;
}

void source_batch_done(struct source_batch *batch)
{
	vec_done(&batch->places);
	vec_done(&batch->frames);
	vec_done(&batch->left);
	text_pool_done(&batch->texts);
}

size_t source_batch_from(const struct source_batch *batch, uint64_t address)
{
	return vec_nr_first(&batch->places, place, place->address < address);
}

bool source_claim_range(void *context, uint64_t low, uint64_t high)
{
	struct source_claim *claim = context;
	const struct source_batch *batch = claim->batch;

	if (!source_batch_is_code(batch, low))
		return true;
	for (size_t i = source_batch_from(batch, low); i < batch->places.nr; i++) {
		struct source_place *place = &batch->places.data[i];

		if (place->address >= high)
			break;
		if (place->unit == SOURCE_NONE) {
			place->unit = claim->unit;
			place->wanted = claim->program;
		}
		claim->any |= place->unit == claim->unit;
	}
	return true;
}

int source_batch_add_frame(struct source_batch *batch, struct source_frame frame)
{
	enum {
		FRAMES_MAX = 1 << 22,
	};
	const struct source_frame *outer = frame.outer == SOURCE_NONE ? NULL : &batch->frames.data[frame.outer];

	if (batch->frames.nr >= FRAMES_MAX)
		return -ENOMEM;
	frame.outermost = outer ? outer->outermost : (uint32_t)batch->frames.nr;
	frame.nr_outer = outer ? outer->nr_outer + 1 : 0;
	return vec_try_push(&batch->frames, frame);
}

int source_batch_late(const struct source_batch *batch)
{
	return batch->deadline_ns && clock_monotonic_ns() > batch->deadline_ns ? -ETIME : 0;
}

bool source_batch_is_code(const struct source_batch *batch, uint64_t address)
{
	for (size_t i = 0; i < batch->nr_code; i++)
		if (address - batch->code[i].address < batch->code[i].size)
			return true;
	return false;
}
