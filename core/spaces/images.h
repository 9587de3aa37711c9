/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images: the files (and the vDSO) that mappings show, each once.
 *
 * This module alone owns images and the files of the profile. A sweep releases an image that has no mapping, no holder
 * and no file of the profile. It releases a file of the profile, and the symbolizer's copy, when profile_keep_only()
 * has found no frame in it. Numbers are reused.
 *
 * An image is identified by device, inode and path, which maps and the side-band both report. A build id is only
 * recorded, because anyone can make a file with the build id of libc. At the first frame in it, an image is opened and
 * passed to the symbolizer, as a file of the profile with its own path. Images with the same inode share the
 * symbolizer's data.
 *
 * Debug files below the root of a process are trusted for files of that root only. So a file of a root other than ours
 * is a separate file of the profile, unless our root has it too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/files/debug_files.h"
#include "core/files/proc_maps.h"
#include "core/profile/profile.h"
#include "core/spaces/mappings.h"
#include "core/spaces/roots.h"
#include "symbolize/symbolize.h"

struct images;

/* A place where an image was found mapped, and can be opened. */
struct image_place {
	uint32_t tgid;
	uint64_t start, end;
	uint32_t root; /* of the process: roots.h */
};

#define IMAGE_NONE (UINT32_MAX - 1) /* there are too many images: the file has no name */
#define IMAGES_MAX 65536

/*
 * All are borrowed, and all but `profile` may be NULL. `why` gets the paths that were opened (core/base/why.h). Files
 * of processes that have ended are opened below `host_root` too (opener.h).
 */
struct images *images_new(struct profile *profile, struct symbolizer *symbolizer, struct roots *roots,
			  const char *host_root, struct buf *why);
void images_free(struct images *images);

/*
 * The image of a mapping, found by device, inode and path, or added: IMAGE_ANONYMOUS of mappings.h for memory without a
 * file, IMAGE_NONE if there are too many.
 */
uint32_t images_add(struct images *images, const struct proc_mapping *mapping);

/*
 * The image of future mappings of this file. To see how the kernel reports it, the file is mapped for a moment.
 * IMAGE_NONE if that fails.
 */
uint32_t images_add_open(struct images *images, int fd);

/* A held image keeps its number, even without a mapping. */
void images_hold(struct images *images, uint32_t image);
void images_let_go(struct images *images, uint32_t image);

/* Whether enough images or unused files have been added since the last sweep to make another one worthwhile. */
bool images_want_sweep(const struct images *images);

/*
 * A sweep: between _begin and _end, images_mark() must be called for the image of every mapping, with `images` as its
 * context. The end releases images that are neither marked nor used otherwise.
 */
void images_sweep_begin(struct images *images);
void images_mark(void *images, uint32_t image);
void images_sweep_end(struct images *images);

/* The number of images, and of files of the profile in use. */
size_t images_count(const struct images *images, size_t *ret_nr_files);

/* Sets the build id that the kernel reported, unless there is one already. */
void images_set_build_id(struct images *images, uint32_t image, const uint8_t *build_id, size_t nr_bytes);

enum mapping_kind images_kind(const struct images *images, uint32_t image);
const char *images_path(const struct images *images, uint32_t image);

/*
 * The file of the profile for an image of kind MAPPING_FILE, or MAPPING_VDSO if it is the same as our own. The first
 * call opens it and passes it to the symbolizer. If that fails, later calls with other processes try again, a few
 * times. PROFILE_NONE for a vDSO other than ours.
 */
uint32_t images_file(struct images *images, uint32_t image, const struct image_place *place);

/*
 * The present location of an opened file of the profile, for its debug file. 0 and a home, to be freed with
 * debug_home_done(); its path is NULL if the file was not found. -ENOENT for other files, -ESRCH if its root no longer
 * exists.
 */
int images_home(const struct images *images, uint32_t file, struct debug_home *ret_home);

/*
 * Opens an image where it is mapped, without adding a file of the profile: a descriptor or a negative errno. The vDSO
 * can be opened for an empty place too.
 */
int images_open(const struct images *images, uint32_t image, const struct image_place *place);

/* The root of a file that images_open() has opened: that of the process, or ours if the file is in ours too. */
uint32_t images_root(const struct images *images, uint32_t image, const struct image_place *place, int fd);

/*
 * Opens a file of the profile again, for a new symbol worker: a descriptor, -ESTALE if there is another file now, or
 * another negative errno.
 */
int images_open_again(const struct images *images, uint32_t file);
