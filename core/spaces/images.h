/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images: the files (and the vDSO) that mappings show, each once.
 *
 * This is their only owner, and that of the files of the profile. An image is released by a sweep that finds no mapping, no
 * holder and no file of the profile of it. A file of the profile, and what the symbolizer has of it, is released by the
 * first sweep after profile_keep_only() found no frame of it. Numbers are used again.
 *
 * An image is known by device, inode and path, which maps and the side-band both report. A build id is only noted with
 * it, because anyone can write a file that claims the build id of libc. An image is opened and given to the symbolizer
 * at the first frame in it. Each is a file of the profile with its own path; images with the same inode share what the
 * symbolizer knows about it.
 *
 * Debug files below the root of a process are believed for files of that root alone. So a file of another root than
 * ours is a file of its own in the profile, unless our root has it, too.
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

/* Where an image was found mapped: the place to open it at. */
struct image_place {
	uint32_t tgid;
	uint64_t start, end;
	uint32_t root; /* of the process: roots.h */
};

#define IMAGE_NONE (UINT32_MAX - 1) /* there were too many images: the file has no name */
#define IMAGES_MAX 65536

/*
 * All are borrowed, and all but `profile` may be NULL. `why` is told what is opened (core/base/why.h); files of processes that have
 * gone are opened below `host_root`, too (opener.h).
 */
struct images *images_new(struct profile *profile, struct symbolizer *symbolizer, struct roots *roots,
			  const char *host_root, struct buf *why);
void images_free(struct images *images);

/*
 * The image that a mapping shows, known by device, inode and path, and added when new: IMAGE_ANONYMOUS of mappings.h for memory,
 * IMAGE_NONE when there are too many already.
 */
uint32_t images_add(struct images *images, const struct proc_mapping *mapping);

/*
 * The image that mappings of this file will show. The file is mapped for a moment to see how the kernel reports it.
 * IMAGE_NONE when that cannot be done.
 */
uint32_t images_add_open(struct images *images, int fd);

/* As long as somebody holds an image, its number stays its own without a mapping too. */
void images_hold(struct images *images, uint32_t image);
void images_let_go(struct images *images, uint32_t image);

/* Whether there are so many more images or unused files since the last sweep that one is worth its time. */
bool images_want_sweep(const struct images *images);

/*
 * A sweep: between the two, images_mark() is called for every image of a mapping, with `images` as its context. The end
 * releases what is not marked and not used otherwise.
 */
void images_sweep_begin(struct images *images);
void images_mark(void *images, uint32_t image);
void images_sweep_end(struct images *images);

/* How many there are: images, and files of the profile that are in use. */
size_t images_count(const struct images *images, size_t *ret_nr_files);

/* Keeps the build id that the kernel reported; the first one stays. */
void images_set_build_id(struct images *images, uint32_t image, const uint8_t *build_id, size_t nr_bytes);

enum mapping_kind images_kind(const struct images *images, uint32_t image);
const char *images_path(const struct images *images, uint32_t image);

/*
 * The file of the profile for an image of kind MAPPING_FILE, or MAPPING_VDSO when it is the same as our own. Opens it
 * and gives it to the symbolizer at the first call. Where that failed, a later place is tried again, a few times.
 * PROFILE_NONE for another vDSO than ours.
 */
uint32_t images_file(struct images *images, uint32_t image, const struct image_place *place);

/*
 * Where a file of the profile that was opened lies now; its debug file may be beside it. 0 and a home that
 * debug_home_done() frees; its path is NULL when the file is nowhere any more. -ENOENT for other files, -ESRCH when its
 * root has gone.
 */
int images_home(const struct images *images, uint32_t file, struct debug_home *ret_home);

/*
 * Opens an image where it is mapped, without making a file of the profile of it: a descriptor or a negative errno. For
 * an empty place the vDSO can be opened, too.
 */
int images_open(const struct images *images, uint32_t image, const struct image_place *place);

/* The root that a file opened by images_open() belongs to: that of the process, or ours if the file lies in ours as well. */
uint32_t images_root(const struct images *images, uint32_t image, const struct image_place *place, int fd);

/*
 * Opens a file of the profile once more, for a symbol worker that takes the place of another: a descriptor, -ESTALE
 * when there is another file now, or another negative errno.
 */
int images_open_again(const struct images *images, uint32_t file);
