/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images: the files (and the vDSO) that mappings show, each once for the whole run.
 *
 * An image is known by device, inode and path, as maps and the side-band both tell them; a build id is only a remark
 * on it, because anyone can write a file that claims the build id of libc. At the first frame in it an image is opened
 * and handed to the symbolizer; images that turn out to be the same inode share one file of the profile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/proc_maps.h"
#include "core/engine/profile.h"
#include "symbolize/symbolize.h"

struct images;

struct image_key {
	enum mapping_kind kind; /* not MAPPING_ANONYMOUS */
	uint64_t device, inode;
	const char *path;       /* without " (deleted)" */
	bool deleted;
};

/* Where an image was found mapped: the place to open it at. */
struct image_place {
	uint32_t tgid;
	uint64_t start, end;
};

#define IMAGE_NONE (UINT32_MAX - 1) /* too many images: a file without a name */

/* `symbolizer` may be NULL; both are borrowed. */
struct images *images_new(struct profile *profile, struct symbolizer *symbolizer);
/* What is opened from now on is told to `why` (core/base/why.h), which is borrowed. */
void images_tell(struct images *images, struct buf *why);
/* Files of processes that have gone are opened below this one, too: opener.h; borrowed; NULL: none. */
void images_set_host_root(struct images *images, const char *host_root);
void images_free(struct images *images);

/* The image with this key, added when new; IMAGE_NONE when there are too many already. */
uint32_t images_add(struct images *images, const struct image_key *key);

/*
 * The image that mappings of this file will show: it is mapped for a moment to see what the kernel says about it.
 * IMAGE_NONE when that cannot be done.
 */
uint32_t images_add_open(struct images *images, int fd);

/* Notes the build id that the kernel told; the first one stays. */
void images_set_build_id(struct images *images, uint32_t image, const uint8_t *build_id, size_t nr_bytes);

enum mapping_kind images_kind(const struct images *images, uint32_t image);
const char *images_path(const struct images *images, uint32_t image);

/*
 * The file of the profile for an image of kind MAPPING_FILE, or MAPPING_VDSO when it is a copy of our own. Opens and
 * hands it over at the first call; while that failed, a later place is tried again, a few times. PROFILE_NONE for a
 * vDSO that is not ours.
 */
uint32_t images_file(struct images *images, uint32_t image, const struct image_place *place);

/* The path of a file of the profile that was handed over, as the process saw it that had it mapped; NULL for others. */
const char *images_path_of_file(const struct images *images, uint32_t file, uint32_t *ret_tgid);

/*
 * Opens an image where it is mapped, without making a file of it: a descriptor or a negative errno. The vDSO is also
 * there for an empty place.
 */
int images_open(const struct images *images, uint32_t image, const struct image_place *place);

/*
 * Opens a file of the profile once more, for a symbol worker that takes the place of another: a descriptor, -ESTALE
 * when there is another file now, or another negative errno.
 */
int images_open_again(const struct images *images, uint32_t file);
