/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images: the files (and the vDSO) that processes map, each once.
 *
 * Only this file adds and removes images and files of the profile. A sweep releases an image that has no mapping, no holder and no file of
 * the profile. It releases a file of the profile, and the symbolizer's data of it, when profile_keep_only() has found no frame in it.
 * Numbers are reused.
 *
 * An image is identified by device, inode and path, which maps and the side-band both report. A build id is only recorded: anyone can make
 * a file with the build id of libc. At its first frame, an image is opened and passed to the symbolizer, as a file of the profile with its
 * own path. Images with the same inode share the symbolizer's data.
 *
 * Debug files below the root of a process are only trusted for files of that root. So a file in another root than ours is a separate file
 * of the profile, unless our root has it too.
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

/* Where an image is mapped and can be opened. */
struct image_place {
	uint32_t tgid;
	uint64_t start, end;
	uint32_t root; /* of the process: roots.h */
};

#define IMAGE_NONE (UINT32_MAX - 1) /* no name: there are too many images */
#define IMAGES_MAX 65536

/*
 * All arguments are borrowed; all but `profile` may be NULL. `why` gets the paths that were opened (core/base/why.h). Files of processes
 * that have ended are also opened below `host_root` (opener.h).
 */
struct images *images_new(struct profile *profile, struct symbolizer *symbolizer, struct roots *roots,
			  const char *host_root, struct buf *why);
void images_free(struct images *images);

/* The image of a mapping, by device, inode and path. IMAGE_ANONYMOUS: memory without a file; IMAGE_NONE: too many images. */
uint32_t images_add(struct images *images, const struct proc_mapping *mapping);

/* The image that mappings of this open file will have: maps it for a moment, to see how the kernel reports it. IMAGE_NONE: failed. */
uint32_t images_add_open(struct images *images, int fd);

/* A held image keeps its number, also without mappings. */
void images_hold(struct images *images, uint32_t image);
void images_let_go(struct images *images, uint32_t image);

/* Whether a sweep is worthwhile: enough images or unused files were added since the last one. */
bool images_want_sweep(const struct images *images);

/*
 * Between _begin and _end, call images_mark() for the image of every mapping, with `images` as its context. _end releases images that are
 * neither marked nor used otherwise.
 */
void images_sweep_begin(struct images *images);
void images_mark(void *images, uint32_t image);
void images_sweep_end(struct images *images);

/* The number of images, and of files of the profile in use. */
size_t images_count(const struct images *images, size_t *ret_nr_files);

/* Sets the build id from the kernel, unless it is known. */
void images_set_build_id(struct images *images, uint32_t image, const uint8_t *build_id, size_t nr_bytes);

enum mapping_kind images_kind(const struct images *images, uint32_t image);
const char *images_path(const struct images *images, uint32_t image);

/*
 * Returns the file of the profile for an image of kind MAPPING_FILE, or of kind MAPPING_VDSO if that is the same as our own; PROFILE_NONE
 * for another vDSO. The first call opens it and passes it to the symbolizer. If that fails, a few later calls for other processes try
 * again.
 */
uint32_t images_file(struct images *images, uint32_t image, const struct image_place *place);

/*
 * Finds where an opened file of the profile is now, for its debug file. 0 and a home, to be freed with debug_home_done(); its path is NULL
 * if the file was not found. -ENOENT: not an opened file; -ESRCH: its root no longer exists.
 */
int images_home(const struct images *images, uint32_t file, struct debug_home *ret_home);

/* Opens an image where it is mapped, without a file of the profile. A descriptor or a negative errno. Also the vDSO at an empty place. */
int images_open(const struct images *images, uint32_t image, const struct image_place *place);

/* The root of a file opened by images_open(): that of the process, or ours if the file is in our root too. */
uint32_t images_root(const struct images *images, uint32_t image, const struct image_place *place, int fd);

/* Opens a file of the profile again, for a new worker. A descriptor or a negative errno: -ESTALE if the file was replaced. */
int images_open_again(const struct images *images, uint32_t file);
