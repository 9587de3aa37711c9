/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/profile_pack.h"

#include <errno.h>
#include <zstd.h>

#include "core/base/vec.h"

enum {
	LEVEL = 3 /* zstd's own default: 19 makes real profiles a tenth smaller in twenty times the time */
};

bool section_pack(const void *bytes, size_t nr_bytes, struct buf *ret_packed)
{
	size_t bound = ZSTD_compressBound(nr_bytes), packed;

	vec_reserve(ret_packed, ret_packed->nr + bound + 1);
	packed = ZSTD_compress(ret_packed->data + ret_packed->nr, bound, bytes, nr_bytes, LEVEL);
	if (ZSTD_isError(packed) || packed >= nr_bytes)
		return false;
	ret_packed->nr += packed;
	ret_packed->data[ret_packed->nr] = '\0';
	return true;
}

uint64_t section_unpacked_bytes(const void *packed, size_t nr_packed)
{
	size_t frame = ZSTD_findFrameCompressedSize(packed, nr_packed);
	unsigned long long content;

	if (ZSTD_isError(frame) || frame != nr_packed)
		return UINT64_MAX;
	content = ZSTD_getFrameContentSize(packed, nr_packed);
	return content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN ? UINT64_MAX : content;
}

int section_unpack(const void *packed, size_t nr_packed, void *room, size_t nr_room)
{
	size_t nr = ZSTD_decompress(room, nr_room, packed, nr_packed);

	return ZSTD_isError(nr) || nr != nr_room ? -EBADMSG : 0;
}
