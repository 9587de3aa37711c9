/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/dwarf/place_calls.h"

void place_calls_begin(struct place_calls *calls)
{
	calls->covers = false;
	calls->first_frame = (uint32_t)calls->batch->frames.nr;
}

typedef void place_visit(struct place_calls *calls, struct source_place *place);

/* Calls `visit` for each place of the unit in [low, high), if that is code. False after an error. */

static bool visit_places(struct place_calls *calls, uint64_t low, uint64_t high, place_visit *visit)
{
	struct source_batch *batch = calls->batch;

	if (!source_batch_is_code(batch, low))
		return true;
	for (size_t i = source_batch_from(batch, low); i < batch->places.nr && !calls->err; i++) {
		struct source_place *place = &batch->places.data[i];

		if (place->address >= high)
			break;
		if (place->unit == calls->unit)
			visit(calls, place);
	}
	return !calls->err;
}

static void enter_function(struct place_calls *calls, struct source_place *place)
{
	calls->covers = true;
	place->inner = SOURCE_NONE;
}

bool place_calls_function(void *context, uint64_t low, uint64_t high)
{
	return visit_places(context, low, high, enter_function);
}

/* The innermost call around a place that is less deep than the current entry, or SOURCE_NONE. */
static uint32_t outer_of(const struct place_calls *calls, const struct source_place *place)
{
	const struct source_frame *frames = calls->batch->frames.data;
	uint32_t outer = place->inner;

	while (outer != SOURCE_NONE && frames[outer].depth >= calls->depth)
		outer = frames[outer].outer;
	return outer;
}

/* Makes the current entry the innermost call of a place. Places in the same calls share a frame. */
static void enter_call(struct place_calls *calls, struct source_place *place)
{
	const struct source_batch *batch = calls->batch;
	uint32_t outer = outer_of(calls, place), nr = (uint32_t)batch->frames.nr;

	if (nr == calls->first_frame || batch->frames.data[nr - 1].outer != outer) {
		calls->err = calls->add_frame(calls, outer);
		if (calls->err)
			return;
		nr++;
	}
	place->inner = nr - 1;
}

bool place_calls_call(void *context, uint64_t low, uint64_t high)
{
	return visit_places(context, low, high, enter_call);
}
