/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/images.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/cleanup.h"
#include "core/base/hashidx.h"
#include "core/base/notes.h"
#include "core/base/strtab.h"
#include "core/base/vec.h"
#include "core/files/opener.h"

/* A process can map any number of files. Beyond this limit and IMAGES_MAX, files have no names. */
#define MAX_PATH_BYTES (16u << 20)
#define MAX_TRIES 8 /* to open a file, each through another process */
#define SWEEP_FROM 1024 /* images */

struct image {
	uint64_t device, inode;
	char *path; /* NULL: the slot is free */
	char *build_id; /* in hex; NULL: unknown */
	enum mapping_kind kind;
	bool deleted;
	bool is_used; /* marked in the current sweep */
	uint32_t nr_holders;
};

/* The file of the profile for an image in processes of one root. */
struct image_file {
	uint32_t image, root;
	uint32_t file; /* of the profile, or PROFILE_NONE */
	uint32_t opened; /* 1 + index in `opened`; 0: not yet */
	uint32_t tried_tgid;
	uint8_t nr_tries;
};

/* An inode that was opened. Its number can be reused for another file during a run, so size and time are compared too. */
struct opened_file {
	uint64_t device, inode, size, changed_s, changed_ns;
	uint64_t root; /* whose debug files are trusted */
	uint32_t file; /* number of the file in the profile and in the symbolizer */
	uint32_t image; /* the image that was opened, at `place` */
	struct image_place place;
};

struct images {
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct roots *roots;
	const char *host_root;
	struct buf *why;
	VEC(struct image) images;
	VEC(uint32_t) free_images; /* free slots of `images` */
	VEC(uint32_t) free_files; /* free numbers of files of the profile */
	size_t path_bytes, sweep_at_bytes; /* of all paths and build ids */
	size_t sweep_at; /* images */
	struct hashidx image_index;
	VEC(struct image_file) files;
	struct hashidx file_index; /* by image and root */
	VEC(struct opened_file) opened;
	struct hashidx opened_index;
};

struct images *images_new(struct profile *profile, struct symbolizer *symbolizer, struct roots *roots,
			  const char *host_root, struct buf *why)
{
	struct images *images = xcalloc(1, sizeof(*images));

	images->profile = profile;
	images->symbolizer = symbolizer;
	images->roots = roots;
	images->host_root = host_root;
	images->why = why;
	images->sweep_at = SWEEP_FROM;
	images->sweep_at_bytes = MAX_PATH_BYTES / 16;
	return images;
}

static void release_image(struct images *images, uint32_t number)
{
	struct image *image = &images->images.data[number];

	images->path_bytes -= strlen(image->path) + (image->build_id ? strlen(image->build_id) : 0);
	free(image->path);
	free(image->build_id);
	*image = (struct image){};
	vec_push(&images->free_images, number);
}

void images_free(struct images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->images.nr; i++) {
		free(images->images.data[i].path);
		free(images->images.data[i].build_id);
	}
	vec_done(&images->images);
	vec_done(&images->free_images);
	vec_done(&images->free_files);
	hashidx_done(&images->image_index);
	vec_done(&images->files);
	hashidx_done(&images->file_index);
	vec_done(&images->opened);
	hashidx_done(&images->opened_index);
	free(images);
}

/* ---- the table ---- */

static bool same_image(const void *context, uint32_t position, const void *wanted)
{
	const struct images *images = context;
	const struct image *image = &images->images.data[position];
	const struct proc_mapping *mapping = wanted;

	return image->device == mapping->device && image->inode == mapping->inode &&
	       !strcmp(image->path, mapping->path);
}

static uint64_t hash_image(uint64_t device, uint64_t inode, const char *path)
{
	uint64_t hash = hash_bytes(path, strlen(path));

	hash = hash_more(hash, &device, sizeof(device));
	return hash_more(hash, &inode, sizeof(inode));
}

uint32_t images_add(struct images *images, const struct proc_mapping *mapping)
{
	uint64_t hash;
	uint32_t position;

	if (mapping->kind == MAPPING_ANONYMOUS)
		return IMAGE_ANONYMOUS;
	hash = hash_image(mapping->device, mapping->inode, mapping->path);
	position = hashidx_find(&images->image_index, hash, same_image, images, mapping);
	if (position != HASHIDX_NONE) {
		images->images.data[position].deleted |= mapping->deleted;
		return position;
	}
	if (images_count(images, NULL) >= IMAGES_MAX || images->path_bytes >= MAX_PATH_BYTES)
		return IMAGE_NONE;
	position = images->free_images.nr ? images->free_images.data[--images->free_images.nr]
					  : (uint32_t)images->images.nr;
	if (position == images->images.nr)
		vec_push(&images->images, (struct image){});
	images->images.data[position] = (struct image){
		.kind = mapping->kind,
		.device = mapping->device,
		.inode = mapping->inode,
		.path = xstrdup(mapping->path),
		.deleted = mapping->deleted,
	};
	images->path_bytes += strlen(mapping->path);
	hashidx_add(&images->image_index, hash, position);
	return position;
}

struct own_mapping {
	struct images *images;
	uint64_t start;
	uint32_t image;
};

static void add_own(void *context, const struct proc_mapping *mapping)
{
	struct own_mapping *own = context;

	if (mapping->start == own->start && mapping->kind == MAPPING_FILE)
		own->image = images_add(own->images, mapping);
}

/* fstat() is not used, because on some file systems its device differs from that in maps. Nothing is read from the file. */
uint32_t images_add_open(struct images *images, int fd)
{
	struct own_mapping own = { .images = images, .image = IMAGE_NONE };
	void *memory = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (memory == MAP_FAILED)
		return IMAGE_NONE;
	own.start = (uintptr_t)memory;
	proc_maps_read_of(0, add_own, &own);
	munmap(memory, 1);
	return own.image;
}

void images_set_build_id(struct images *images, uint32_t image, const uint8_t *build_id, size_t nr_bytes)
{
	struct build_id id = { .nr_bytes = (uint32_t)nr_bytes };
	char hex[BUILD_ID_HEX_SIZE];

	if (image >= images->images.nr || images->images.data[image].build_id || nr_bytes > BUILD_ID_MAX)
		return;
	memcpy(id.bytes, build_id, nr_bytes);
	build_id_format(&id, hex);
	images->images.data[image].build_id = xstrdup(hex);
	images->path_bytes += strlen(hex);
}

enum mapping_kind images_kind(const struct images *images, uint32_t image)
{
	return image < images->images.nr ? images->images.data[image].kind : MAPPING_ANONYMOUS;
}

const char *images_path(const struct images *images, uint32_t image)
{
	return image < images->images.nr && images->images.data[image].path ? images->images.data[image].path : "";
}

void images_hold(struct images *images, uint32_t image)
{
	images->images.data[image].nr_holders++;
}

void images_let_go(struct images *images, uint32_t image)
{
	images->images.data[image].nr_holders--;
}

size_t images_count(const struct images *images, size_t *ret_nr_files)
{
	if (ret_nr_files)
		*ret_nr_files = images->profile->files.nr - images->free_files.nr;
	return images->images.nr - images->free_images.nr;
}

/* ---- opened inodes ---- */

static bool same_opened(const void *context, uint32_t position, const void *wanted)
{
	const struct images *images = context;

	return !memcmp(&images->opened.data[position], wanted, offsetof(struct opened_file, file));
}

static struct opened_file identify(const struct stat *status, uint32_t root)
{
	return (struct opened_file){
		.device = status->st_dev,
		.inode = status->st_ino,
		.size = (uint64_t)status->st_size,
		.changed_s = (uint64_t)status->st_mtim.tv_sec,
		.changed_ns = (uint64_t)status->st_mtim.tv_nsec,
		.root = root,
		.file = PROFILE_NONE,
	};
}

/* ---- files of the profile ---- */

static uint32_t add_file(struct images *images, uint32_t image)
{
	const struct image *known = &images->images.data[image];
	struct strtab *strings = &images->profile->strings;
	struct profile_file file = {
		.path = strtab_add(strings, known->path),
		.build_id = strtab_add(strings, known->build_id ?: ""),
		.device = known->device,
		.inode = known->inode,
		.deleted = known->deleted,
	};

	images->profile->nr_new_files++;
	if (images->free_files.nr) {
		uint32_t number = images->free_files.data[--images->free_files.nr];

		images->profile->files.data[number] = file;
		return number;
	}
	vec_push(&images->profile->files, file);
	return (uint32_t)images->profile->files.nr - 1;
}

static bool same_file(const void *context, uint32_t position, const void *wanted)
{
	const struct images *images = context;

	return !memcmp(&images->files.data[position], wanted, offsetof(struct image_file, file));
}

/* The file of an image for a root. Valid until the next call. */
static struct image_file *file_for_root(struct images *images, uint32_t image, uint32_t root)
{
	const struct image_file new = { .image = image, .root = root, .file = PROFILE_NONE };
	uint64_t hash = hash_bytes(&new, offsetof(struct image_file, file));
	uint32_t position = hashidx_find(&images->file_index, hash, same_file, images, &new);

	if (position == HASHIDX_NONE) {
		position = (uint32_t)images->files.nr;
		vec_push(&images->files, new);
		hashidx_add(&images->file_index, hash, position);
	}
	return &images->files.data[position];
}

/* Records the file and passes it to the symbol worker. Errors are reported when names are looked up. */
static void hand_over(struct images *images, const struct opened_file *opened, int *fd)
{
	vec_push(&images->opened, *opened);
	if (images->symbolizer)
		symbolizer_add_file(images->symbolizer, opened->file, take_fd(fd), (uint32_t)opened->root);
}

/* Whether this inode is in the root, at the path of the image. */
static bool is_in_root(const struct images *images, uint32_t image, uint32_t root, const struct stat *status)
{
	_cleanup_(closep) int fd = roots_open(images->roots, root);
	struct opener_found found;

	if (fd < 0 || opener_find_below(fd, images_path(images, image), status->st_dev, status->st_ino, &found))
		return false;
	free(found.path);
	return true;
}

/*
 * The root whose debug files are trusted for this file. A process that has changed its root still maps libraries of the old one. A deleted
 * file counts as a file of the process's root.
 */
static uint32_t root_of_file(const struct images *images, uint32_t image, uint32_t root, const struct stat *status)
{
	if (root == ROOT_OURS || is_in_root(images, image, root, status))
		return root;
	return is_in_root(images, image, ROOT_OURS, status) ? ROOT_OURS : root;
}

/* Gives the image a file of the profile. If an image with the same inode has one, the symbolizer has its data already. */
static void adopt(struct images *images, struct image_file *its, uint32_t root, const struct image_place *place,
		  const struct stat *status, int *fd)
{
	struct opened_file opened = identify(status, root);
	uint64_t hash = hash_bytes(&opened, offsetof(struct opened_file, file));
	uint32_t position = hashidx_find(&images->opened_index, hash, same_opened, images, &opened);

	if (its->file == PROFILE_NONE)
		its->file = add_file(images, its->image);
	if (position == HASHIDX_NONE) {
		position = (uint32_t)images->opened.nr;
		hashidx_add(&images->opened_index, hash, position);
		opened.file = its->file;
		opened.image = its->image;
		opened.place = *place;
		hand_over(images, &opened, fd);
	} else if (images->symbolizer) {
		symbolizer_add_same(images->symbolizer, its->file, images->opened.data[position].file);
	}
	its->opened = position + 1;
}

static void settle(struct images *images, uint32_t image, const struct image_place *place, int *fd)
{
	struct image_file *ours, *its;
	struct stat status;
	uint32_t root;

	if (fstat(*fd, &status))
		return;
	root = root_of_file(images, image, place->root, &status);
	ours = file_for_root(images, image, root);
	if (!ours->opened)
		adopt(images, ours, root, place, &status, fd);
	its = file_for_root(images, image, place->root);
	if (its->file == PROFILE_NONE) {
		its->file = ours->file;
		its->opened = ours->opened;
	} else if (!its->opened) { /* an earlier try failed, and frames already refer to this file */
		adopt(images, its, root, place, &status, fd);
	}
}

/* One try per process, because another try would fail again. */
static bool is_worth_a_try(struct image_file *its, const struct image_place *place)
{
	if (its->opened || its->nr_tries >= MAX_TRIES || (its->nr_tries && its->tried_tgid == place->tgid))
		return false;
	its->nr_tries++;
	its->tried_tgid = place->tgid;
	return true;
}

static int open_image(const struct images *images, uint32_t image, const struct image_place *place)
{
	const struct image *known = &images->images.data[image];
	const struct opener_request request = {
		.tgid = place->tgid,
		.start = place->start,
		.end = place->end,
		.path = known->path,
		.device = known->device,
		.inode = known->inode,
		.why = images->why,
		.host_root = images->host_root,
	};

	return opener_open(&request);
}

static uint32_t ordinary_file(struct images *images, uint32_t image, const struct image_place *place)
{
	struct image_file *its = file_for_root(images, image, place->root);

	if (is_worth_a_try(its, place)) {
		_cleanup_(closep) int fd = open_image(images, image, place);

		if (fd >= 0)
			settle(images, image, place, &fd);
		its = file_for_root(images, image, place->root);
	}
	if (its->file == PROFILE_NONE)
		its->file = add_file(images, image);
	return its->file;
}

/* ---- the vDSO: the kernel maps the same one into all 64-bit processes, so ours is read ---- */

static void remember_vdso(void *context, const struct proc_mapping *mapping)
{
	struct image_place *place = context;

	if (mapping->kind == MAPPING_VDSO)
		*place = (struct image_place){ .start = mapping->start, .end = mapping->end };
}

/* The vDSO of a 32-bit process differs, and is below 4 GiB. */
static bool is_native(const struct image_place *place)
{
	return sizeof(void *) == 4 || place->start > UINT32_MAX;
}

/* A descriptor of a copy of our vDSO; -ENOENT: another one is there. A place without an end: the process does not run yet. */
static int open_vdso(const struct image_place *place)
{
	struct image_place own = {};
	_cleanup_(closep) int fd = -1;
	size_t nr_bytes;

	proc_maps_read_of(0, remember_vdso, &own);
	nr_bytes = own.end - own.start;
	if (!nr_bytes || (place->end && (!is_native(place) || nr_bytes != place->end - place->start)))
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	return write(fd, (const void *)(uintptr_t)own.start, nr_bytes) == (ssize_t)nr_bytes ? take_fd(&fd) : -EIO;
}

static uint32_t vdso_file(struct images *images, uint32_t image, const struct image_place *place)
{
	struct image_file *its = file_for_root(images, image, ROOT_OURS);
	struct opened_file opened = { .image = image };
	_cleanup_(closep) int fd = -1;

	if (!is_native(place))
		return PROFILE_NONE;
	if (its->file != PROFILE_NONE)
		return its->file;
	fd = open_vdso(place);
	if (fd == -ENOENT)
		return PROFILE_NONE;
	opened.file = its->file = add_file(images, image);
	if (fd >= 0)
		hand_over(images, &opened, &fd);
	return its->file;
}

uint32_t images_file(struct images *images, uint32_t image, const struct image_place *place)
{
	uint32_t file = images_kind(images, image) == MAPPING_VDSO ? vdso_file(images, image, place)
								   : ordinary_file(images, image, place);

	if (file != PROFILE_NONE)
		images->profile->files.data[file].is_unused = false;
	return file;
}

int images_open(const struct images *images, uint32_t image, const struct image_place *place)
{
	return images_kind(images, image) == MAPPING_VDSO ? open_vdso(place) : open_image(images, image, place);
}

uint32_t images_root(const struct images *images, uint32_t image, const struct image_place *place, int fd)
{
	struct stat status;

	if (place->root == ROOT_OURS || fstat(fd, &status))
		return place->root;
	return root_of_file(images, image, place->root, &status);
}

/* ---- opening again for a new worker ---- */

/* The inode that was opened for a file of the profile, or NULL. */
static const struct opened_file *opened_as(const struct images *images, uint32_t file)
{
	for (uint32_t i = 0; i < images->opened.nr; i++)
		if (images->opened.data[i].file == file)
			return &images->opened.data[i];
	return NULL;
}

int images_open_again(const struct images *images, uint32_t file)
{
	const struct opened_file *opened = opened_as(images, file);
	_cleanup_(closep) int fd = -1;
	struct opened_file again;
	struct stat status;

	if (!opened)
		return -ENOENT;
	fd = images_open(images, opened->image, &opened->place);
	if (fd < 0 || images_kind(images, opened->image) == MAPPING_VDSO)
		return take_fd(&fd);
	if (fstat(fd, &status))
		return -ESTALE;
	again = identify(&status, (uint32_t)opened->root);
	/* fails unless it is the same inode, unchanged */
	return memcmp(opened, &again, offsetof(struct opened_file, file)) ? -ESTALE : take_fd(&fd);
}

/* ---- the location of a file ---- */

/* Searches below the root of `home`, at the paths of all images with this inode. */
static bool find_in(const struct images *images, const struct opened_file *opened, struct debug_home *home)
{
	size_t number = (size_t)(opened - images->opened.data) + 1;
	struct opener_found found;

	for (size_t i = 0; i < images->files.nr; i++) {
		const struct image_file *its = &images->files.data[i];

		if (its->opened != number || opener_find_below(home->root, images_path(images, its->image),
							       opened->device, opened->inode, &found))
			continue;
		home->path = found.path;
		home->owner = found.owner;
		return true;
	}
	return false;
}

/* Searches in the root of the file, and a file of our root also in the host's root. */
int images_home(const struct images *images, uint32_t file, struct debug_home *ret_home)
{
	const struct opened_file *opened = opened_as(images, file);
	struct opener_directory directory;

	*ret_home = (struct debug_home){ .root = -1, .where = "" };
	if (!opened || images_kind(images, opened->image) == MAPPING_VDSO)
		return -ENOENT;
	ret_home->root = roots_open(images->roots, (uint32_t)opened->root);
	if (opened->root != ROOT_OURS) {
		ret_home->where = "in the root of the process";
		ret_home->is_foreign = true;
		if (ret_home->root < 0 || opener_identify(ret_home->root, &directory))
			return -ESRCH;
		ret_home->root_owner = directory.owner;
	}
	if (ret_home->root < 0 || find_in(images, opened, ret_home) || ret_home->is_foreign || !images->host_root)
		return ret_home->root < 0 ? ret_home->root : 0;
	close(ret_home->root);
	ret_home->where = "in the host's root";
	ret_home->root = opener_host_root(images->host_root);
	if (ret_home->root < 0)
		return ret_home->root;
	find_in(images, opened, ret_home);
	return 0;
}

/* ---- releasing ---- */

bool images_want_sweep(const struct images *images)
{
	return images->profile->has_unused_files || images_count(images, NULL) >= images->sweep_at ||
	       images->path_bytes >= images->sweep_at_bytes;
}

void images_sweep_begin(struct images *images)
{
	for (size_t i = 0; i < images->images.nr; i++)
		images->images.data[i].is_used = images->images.data[i].nr_holders > 0 ||
						 images->images.data[i].kind == MAPPING_VDSO;
}

void images_mark(void *context, uint32_t image)
{
	struct images *images = context;

	if (image < images->images.nr)
		images->images.data[image].is_used = true;
}

/* Whether a file is kept: it has frames, or a worker still reads it, for which a sweep does not wait. */
static bool is_needed(const struct images *images, const struct image_file *its)
{
	return its->file == PROFILE_NONE || !images->profile->files.data[its->file].is_unused ||
	       images_kind(images, its->image) == MAPPING_VDSO ||
	       (images->symbolizer && symbolizer_is_reading(images->symbolizer, its->file));
}

/* Releases a file of the profile. Several images can have the same one. */
static void release_file(struct images *images, uint32_t number)
{
	struct profile_file *file = &images->profile->files.data[number];

	if (!file->is_unused)
		return;
	file->is_unused = false;
	if (images->symbolizer)
		symbolizer_drop(images->symbolizer, number);
	vec_push(&images->free_files, number);
}

/*
 * Releases the inodes whose files of the profile are all unused: one of these files is the number that the symbolizer knows. Sets ret_moved
 * to 1 + the new index for each of the others.
 */
static void release_opened(struct images *images, uint32_t *ret_moved)
{
	size_t nr = 0;

	for (size_t i = 0; i < images->files.nr; i++)
		if (images->files.data[i].opened && is_needed(images, &images->files.data[i]))
			ret_moved[images->files.data[i].opened - 1] = 1;
	hashidx_done(&images->opened_index);
	for (size_t i = 0; i < images->opened.nr; i++) {
		struct opened_file *opened = &images->opened.data[i];

		if (!ret_moved[i] && images_kind(images, opened->image) != MAPPING_VDSO)
			continue;
		images->opened.data[nr] = *opened;
		hashidx_add(&images->opened_index, hash_bytes(opened, offsetof(struct opened_file, file)),
			    (uint32_t)nr);
		ret_moved[i] = (uint32_t)++nr;
	}
	images->opened.nr = nr;
}

static void release_files(struct images *images)
{
	_cleanup_(freep) uint32_t *moved = xcalloc(images->opened.nr + 1, sizeof(*moved));
	_cleanup_(freep) uint32_t *gone = xcalloc(images->files.nr + 1, sizeof(*gone));
	size_t nr = 0, nr_gone = 0;

	release_opened(images, moved);
	hashidx_done(&images->file_index);
	for (size_t i = 0; i < images->files.nr; i++) {
		struct image_file its = images->files.data[i];

		if (its.opened ? !moved[its.opened - 1] : !is_needed(images, &its)) {
			gone[nr_gone++] = its.file;
			continue;
		}
		its.opened = its.opened ? moved[its.opened - 1] : 0;
		images->files.data[nr] = its;
		hashidx_add(&images->file_index, hash_bytes(&its, offsetof(struct image_file, file)), (uint32_t)nr++);
		images_mark(images, its.image);
	}
	images->files.nr = nr;
	for (size_t i = 0; i < nr_gone; i++)
		release_file(images, gone[i]);
	images->profile->has_unused_files = false;
}

static size_t twice(size_t nr, size_t least, size_t most)
{
	return 2 * nr < least ? least : 2 * nr > most ? most : 2 * nr;
}

void images_sweep_end(struct images *images)
{
	release_files(images);
	hashidx_done(&images->image_index);
	for (uint32_t i = 0; i < images->images.nr; i++) {
		const struct image *image = &images->images.data[i];

		if (image->path && !image->is_used)
			release_image(images, i);
		else if (image->path)
			hashidx_add(&images->image_index, hash_image(image->device, image->inode, image->path), i);
	}
	images->sweep_at = twice(images_count(images, NULL), SWEEP_FROM, IMAGES_MAX);
	images->sweep_at_bytes = twice(images->path_bytes, MAX_PATH_BYTES / 16, MAX_PATH_BYTES);
}
