/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbolize/elf/section_unpacker.h"

#include <zlib.h>
#include <zstd.h>

#include "core/base/cleanup.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

enum {
	INPUT_BYTES = 65536,
	SKIP_BYTES = 65536,      /* unpacked at once while skipping */
	STATES_MAX = 64,         /* kept states, 40 KB each */
	STATE_APART = 1 << 20,   /* smallest distance of kept states */
	RATIO_MAX = 64,          /* debug sections are packed 12 times at most; small ones may exceed the limit */
	SMALL_BYTES = 65536,
	ZSTD_WINDOW_LOG_MAX = 27,
};

struct kept_state {
	uint64_t input, output;
	z_stream stream;
};

struct section_unpacker {
	const struct elf_file *elf;
	uint64_t offset, nr_packed, nr_unpacked;
	uint64_t input, output; /* present position in the packed and unpacked bytes */
	bool is_zstd, is_open;
	z_stream zlib;
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer zstd_input;
	VEC(struct kept_state *) states; /* pointers, because a z_stream cannot be moved */
	unsigned char buffer[INPUT_BYTES]; /* packed bytes; zlib.next_in or zstd_input.pos is the first unused one */
	unsigned char skipped[SKIP_BYTES];
};

static int start(struct section_unpacker *unpacker)
{
	unpacker->input = unpacker->output = 0;
	if (unpacker->is_zstd) {
		unpacker->zstd_input = (ZSTD_inBuffer){ unpacker->buffer, 0, 0 };
		return ZSTD_isError(ZSTD_DCtx_reset(unpacker->zstd, ZSTD_reset_session_only)) ? -EBADMSG : 0;
	}
	if (unpacker->is_open)
		inflateEnd(&unpacker->zlib);
	unpacker->zlib = (z_stream){};
	unpacker->is_open = inflateInit(&unpacker->zlib) == Z_OK;
	return unpacker->is_open ? 0 : -ENOMEM;
}

/* Reads more packed bytes if all are used. */
static int fill(struct section_unpacker *unpacker, size_t nr_left, size_t *ret_nr)
{
	uint64_t rest = unpacker->nr_packed - unpacker->input;
	int err;

	*ret_nr = 0;
	if (nr_left)
		return 0;
	*ret_nr = rest < INPUT_BYTES ? (size_t)rest : INPUT_BYTES;
	if (!*ret_nr)
		return -EBADMSG;
	err = elf_file_read(unpacker->elf, unpacker->offset + unpacker->input, unpacker->buffer, *ret_nr);
	unpacker->input += *ret_nr;
	return err;
}

static int unpack_zlib(struct section_unpacker *unpacker, unsigned char *to, size_t nr_bytes, size_t *ret_done)
{
	z_stream *stream = &unpacker->zlib;
	size_t nr;
	int err = fill(unpacker, stream->avail_in, &nr), status;

	if (err)
		return err;
	if (nr) {
		stream->next_in = unpacker->buffer;
		stream->avail_in = (uInt)nr;
	}
	stream->next_out = to;
	stream->avail_out = nr_bytes < UINT32_MAX ? (uInt)nr_bytes : UINT32_MAX;
	nr = stream->avail_out;
	status = inflate(stream, Z_NO_FLUSH);
	*ret_done = nr - stream->avail_out;
	if (status == Z_MEM_ERROR)
		return -ENOMEM;
	if (status == Z_STREAM_END)
		return *ret_done == nr_bytes ? 0 : -EBADMSG;
	return status == Z_OK || status == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static int unpack_zstd(struct section_unpacker *unpacker, unsigned char *to, size_t nr_bytes, size_t *ret_done)
{
	ZSTD_inBuffer *input = &unpacker->zstd_input;
	ZSTD_outBuffer output = { to, nr_bytes, 0 };
	size_t nr, status;
	int err = 0;

	/* After all input, a full block may still be inside. */
	status = ZSTD_decompressStream(unpacker->zstd, &output, input);
	if (!ZSTD_isError(status) && !output.pos) {
		err = fill(unpacker, input->size - input->pos, &nr);
		if (nr)
			*input = (ZSTD_inBuffer){ unpacker->buffer, nr, 0 };
	}
	*ret_done = output.pos;
	return err ?: ZSTD_isError(status) ? -EBADMSG : 0;
}

static uint64_t state_distance(const struct section_unpacker *unpacker)
{
	uint64_t apart = unpacker->nr_unpacked / STATES_MAX + 1;

	return apart < STATE_APART ? STATE_APART : apart;
}

static void state_free(struct kept_state *state)
{
	inflateEnd(&state->stream);
	free(state);
}

/* Without memory, a state is not kept; that costs only time. */
static void keep_state(struct section_unpacker *unpacker)
{
	uint64_t last = unpacker->states.nr ? vec_last(&unpacker->states)->output : 0;
	struct kept_state *state;

	if (unpacker->is_zstd || unpacker->output < last + state_distance(unpacker))
		return;
	state = calloc(1, sizeof(*state));
	if (!state || inflateCopy(&state->stream, &unpacker->zlib) != Z_OK) {
		free(state);
		return;
	}
	state->input = unpacker->input - unpacker->zlib.avail_in;
	state->output = unpacker->output;
	if (vec_try_push(&unpacker->states, state))
		state_free(state);
}

static int go_back(struct section_unpacker *unpacker, uint64_t position)
{
	size_t nr = vec_nr_first(&unpacker->states, kept, (*kept)->output <= position);
	struct kept_state *state = nr ? unpacker->states.data[nr - 1] : NULL;

	if (position >= unpacker->output && (!state || state->output <= unpacker->output))
		return 0;
	if (!state)
		return start(unpacker);
	inflateEnd(&unpacker->zlib);
	unpacker->zlib = (z_stream){};
	unpacker->is_open = inflateCopy(&unpacker->zlib, &state->stream) == Z_OK;
	unpacker->zlib.avail_in = 0;
	unpacker->input = state->input;
	unpacker->output = state->output;
	return unpacker->is_open ? 0 : -ENOMEM;
}

static int unpack(struct section_unpacker *unpacker, unsigned char *to, size_t nr_bytes)
{
	int err = 0;

	while (!err && nr_bytes) {
		size_t done = 0;

		err = unpacker->is_zstd ? unpack_zstd(unpacker, to, nr_bytes, &done)
					: unpack_zlib(unpacker, to, nr_bytes, &done);
		unpacker->output += done;
		to += done;
		nr_bytes -= done;
		if (!err)
			keep_state(unpacker);
	}
	return err;
}

int section_unpacker_read(struct section_unpacker *unpacker, uint64_t position, void *ret_bytes, size_t nr_bytes)
{
	int err = unpacker->is_open ? 0 : start(unpacker);

	if (position > unpacker->nr_unpacked || nr_bytes > unpacker->nr_unpacked - position)
		return -EBADMSG;
	err = err ?: go_back(unpacker, position);
	while (!err && unpacker->output < position) {
		uint64_t rest = position - unpacker->output;

		err = unpack(unpacker, unpacker->skipped, rest < SKIP_BYTES ? (size_t)rest : SKIP_BYTES);
	}
	err = err ?: unpack(unpacker, ret_bytes, nr_bytes);
	if (err)
		start(unpacker); /* after a failure, the next read restarts */
	return err;
}

int section_unpacker_new(const struct elf_file *elf, uint32_t kind, uint64_t offset, uint64_t nr_packed,
			 uint64_t nr_unpacked, struct section_unpacker **ret_unpacker)
{
	struct section_unpacker *unpacker;

	if ((kind != ELFCOMPRESS_ZLIB && kind != ELFCOMPRESS_ZSTD) || !elf_file_holds(elf, offset, nr_packed) ||
	    nr_unpacked / RATIO_MAX > nr_packed + SMALL_BYTES)
		return -EBADMSG;
	unpacker = calloc(1, sizeof(*unpacker));
	if (!unpacker)
		return -ENOMEM;
	unpacker->elf = elf;
	unpacker->offset = offset;
	unpacker->nr_packed = nr_packed;
	unpacker->nr_unpacked = nr_unpacked;
	unpacker->is_zstd = kind == ELFCOMPRESS_ZSTD;
	if (unpacker->is_zstd) {
		unpacker->zstd = ZSTD_createDCtx();
		if (!unpacker->zstd ||
		    ZSTD_isError(ZSTD_DCtx_setParameter(unpacker->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG_MAX))) {
			section_unpacker_free(unpacker);
			return -ENOMEM;
		}
		unpacker->zstd_input = (ZSTD_inBuffer){ unpacker->buffer, 0, 0 };
		unpacker->is_open = true;
	}
	*ret_unpacker = unpacker;
	return 0;
}

void section_unpacker_free(struct section_unpacker *unpacker)
{
	if (!unpacker)
		return;
	for (size_t i = 0; i < unpacker->states.nr; i++)
		state_free(unpacker->states.data[i]);
	vec_done(&unpacker->states);
	if (unpacker->is_open && !unpacker->is_zstd)
		inflateEnd(&unpacker->zlib);
	ZSTD_freeDCtx(unpacker->zstd);
	free(unpacker);
}
