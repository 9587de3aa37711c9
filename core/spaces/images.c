/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/spaces/images.h"

#include <errno.h>
#include <fcntl.h>
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

/* A process can map as many files as it likes: beyond this, new ones stay nameless instead of filling our memory. */
#define MAX_IMAGES 65536
#define MAX_PATH_BYTES (16u << 20)
#define MAX_TRIES 8

/* What an image is for the processes of a root. */
struct image_file {
	uint32_t file;   /* of the profile, or PROFILE_NONE */
	uint32_t opened; /* 1 + position in `opened`; 0: not yet */
	uint32_t tried_tgid;
	uint8_t nr_tries;
};

struct image {
	uint64_t device, inode;
	string_id path, build_id; /* of `images` */
	enum mapping_kind kind;
	bool deleted;
	struct image_file ours;
};

/* Of a root that is not ours: few processes have one. */
struct foreign_image {
	uint32_t image, root;
	struct image_file its;
};

/* An inode that was opened. Its number can be used again for another file within one run, hence size and time. */
struct opened_file {
	uint64_t device, inode, size, changed_s, changed_ns;
	uint64_t root; /* whose debug files count */
	uint32_t file; /* of the profile: the symbolizer knows it by this one */
};

/* Where a file of the profile was opened, to do it again. */
struct handed_image {
	uint32_t file, image;
	struct image_place place;
};

struct images {
	struct profile *profile;
	struct symbolizer *symbolizer;
	struct buf *why;
	const char *host_root;
	struct strtab strings;
	struct roots *roots;
	VEC(struct image) images;
	struct hashidx image_index;
	VEC(struct foreign_image) foreign;
	struct hashidx foreign_index;
	VEC(struct opened_file) opened;
	struct hashidx opened_index;
	VEC(struct handed_image) handed;
};

struct images *images_new(struct profile *profile, struct symbolizer *symbolizer, struct roots *roots)
{
	struct images *images = xcalloc(1, sizeof(*images));

	images->profile = profile;
	images->symbolizer = symbolizer;
	images->roots = roots;
	return images;
}

void images_tell(struct images *images, struct buf *why)
{
	images->why = why;
}

void images_set_host_root(struct images *images, const char *host_root)
{
	images->host_root = host_root;
}

void images_free(struct images *images)
{
	if (!images)
		return;
	strtab_done(&images->strings);
	vec_done(&images->images);
	hashidx_done(&images->image_index);
	vec_done(&images->foreign);
	hashidx_done(&images->foreign_index);
	vec_done(&images->opened);
	hashidx_done(&images->opened_index);
	vec_done(&images->handed);
	free(images);
}

/* ---- the table ---- */

static uint64_t hash_key(const struct image_key *key)
{
	uint64_t hash = hash_bytes(key->path, strlen(key->path));

	hash = hash_more(hash, &key->device, sizeof(key->device));
	return hash_more(hash, &key->inode, sizeof(key->inode));
}

static bool same_key(const void *context, uint32_t position, const void *wanted)
{
	const struct images *images = context;
	const struct image *image = &images->images.data[position];
	const struct image_key *key = wanted;

	return image->device == key->device && image->inode == key->inode &&
	       !strcmp(strtab_get(&images->strings, image->path), key->path);
}

uint32_t images_add(struct images *images, const struct image_key *key)
{
	uint64_t hash = hash_key(key);
	uint32_t position = hashidx_find(&images->image_index, hash, same_key, images, key);

	if (position != HASHIDX_NONE) {
		images->images.data[position].deleted |= key->deleted;
		return position;
	}
	if (images->images.nr >= MAX_IMAGES || images->strings.bytes.nr >= MAX_PATH_BYTES)
		return IMAGE_NONE;
	position = (uint32_t)images->images.nr;
	vec_push(&images->images, (struct image){
					  .kind = key->kind,
					  .device = key->device,
					  .inode = key->inode,
					  .path = strtab_add(&images->strings, key->path),
					  .deleted = key->deleted,
					  .ours.file = PROFILE_NONE,
				  });
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
	const struct image_key key = {
		.kind = mapping->kind,
		.device = mapping->device,
		.inode = mapping->inode,
		.path = mapping->path,
		.deleted = mapping->deleted,
	};

	if (mapping->start == own->start && mapping->kind == MAPPING_FILE)
		own->image = images_add(own->images, &key);
}

/*
 * stat() would be simpler, but on some file systems it tells another device than maps and the side-band. Nothing is
 * read.
 */
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
	images->images.data[image].build_id = strtab_add(&images->strings, hex);
}

enum mapping_kind images_kind(const struct images *images, uint32_t image)
{
	return image < images->images.nr ? images->images.data[image].kind : MAPPING_ANONYMOUS;
}

const char *images_path(const struct images *images, uint32_t image)
{
	return image < images->images.nr ? strtab_get(&images->strings, images->images.data[image].path) : "";
}

/* ---- inodes that were opened ---- */

static uint64_t hash_opened(const struct opened_file *opened)
{
	return hash_bytes(opened, offsetof(struct opened_file, file));
}

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

static uint32_t add_file(struct images *images, const struct image *image)
{
	struct strtab *strings = &images->profile->strings;
	struct profile_file file = {
		.path = strtab_add(strings, strtab_get(&images->strings, image->path)),
		.build_id = strtab_add(strings, strtab_get(&images->strings, image->build_id)),
		.device = image->device,
		.inode = image->inode,
		.deleted = image->deleted,
	};

	vec_push(&images->profile->files, file);
	return (uint32_t)images->profile->files.nr - 1;
}

/* The worker reports what is wrong with a file when its first name is asked for. */
static void hand_over(struct images *images, const struct image *image, uint32_t file, const struct image_place *place,
		      int *fd)
{
	struct handed_image handed = {
		.file = file,
		.image = (uint32_t)(image - images->images.data),
		.place = *place,
	};

	if (!images->symbolizer)
		return;
	vec_push(&images->handed, handed);
	symbolizer_add_file(images->symbolizer, file, take_fd(fd));
}

/* Whether this inode lies in the root at the path that the image has. */
static bool is_in_root(const struct images *images, const struct image *image, uint32_t root, const struct stat *status)
{
	_cleanup_(closep) int fd = roots_open(images->roots, root);
	struct opener_found found;

	if (fd < 0 ||
	    opener_find_below(fd, strtab_get(&images->strings, image->path), status->st_dev, status->st_ino, &found))
		return false;
	free(found.path);
	return true;
}

/*
 * Whose debug files count for it. A process that changed its root while it ran still has the libraries of the one before, and what
 * is deleted stays the business of the root that it was in.
 */
static uint32_t root_of_file(const struct images *images, const struct image *image, uint32_t root,
			     const struct stat *status)
{
	if (root == ROOT_OURS || is_in_root(images, image, root, status))
		return root;
	return is_in_root(images, image, ROOT_OURS, status) ? ROOT_OURS : root;
}

/* Gives the image a file, which the symbolizer knows already when an image with the same inode has one. */
static void adopt(struct images *images, struct image *image, struct image_file *its, const struct image_place *place,
		  const struct stat *status, int *fd)
{
	struct opened_file opened = identify(status, place->root);
	uint32_t position = hashidx_find(&images->opened_index, hash_opened(&opened), same_opened, images, &opened);

	if (its->file == PROFILE_NONE)
		its->file = add_file(images, image);
	if (position != HASHIDX_NONE) {
		its->opened = position + 1;
		if (images->symbolizer)
			symbolizer_add_same(images->symbolizer, its->file, images->opened.data[position].file);
		return;
	}
	opened.file = its->file;
	hashidx_add(&images->opened_index, hash_opened(&opened), (uint32_t)images->opened.nr);
	vec_push(&images->opened, opened);
	its->opened = (uint32_t)images->opened.nr;
	hand_over(images, image, its->file, place, fd);
}

static void settle(struct images *images, struct image *image, struct image_file *its, const struct image_place *place,
		   int *fd)
{
	struct image_place settled = *place;
	struct stat status;

	if (fstat(*fd, &status))
		return;
	settled.root = root_of_file(images, image, place->root, &status);
	if (settled.root != place->root && !image->ours.opened)
		adopt(images, image, &image->ours, &settled, &status, fd);
	if (settled.root != place->root && its->file == PROFILE_NONE)
		*its = image->ours;
	else /* frames have this file already when a try failed before */
		adopt(images, image, its, &settled, &status, fd);
}

/* One try per process: what failed there once fails there again. */
static bool is_worth_a_try(struct image_file *its, const struct image_place *place)
{
	if (its->opened || its->nr_tries >= MAX_TRIES || (its->nr_tries && its->tried_tgid == place->tgid))
		return false;
	its->nr_tries++;
	its->tried_tgid = place->tgid;
	return true;
}

static int open_image(const struct images *images, const struct image *image, const struct image_place *place)
{
	const struct opener_request request = {
		.tgid = place->tgid,
		.start = place->start,
		.end = place->end,
		.path = strtab_get(&images->strings, image->path),
		.device = image->device,
		.inode = image->inode,
		.why = images->why,
		.host_root = images->host_root,
	};

	return opener_open(&request);
}

static bool same_foreign(const void *context, uint32_t position, const void *wanted)
{
	const struct images *images = context;
	const struct foreign_image *foreign = &images->foreign.data[position], *key = wanted;

	return foreign->image == key->image && foreign->root == key->root;
}

/* What the image is for a root; valid until another one is asked for. */
static struct image_file *file_for_root(struct images *images, struct image *image, uint32_t root)
{
	struct foreign_image key = {
		.image = (uint32_t)(image - images->images.data),
		.root = root,
		.its.file = PROFILE_NONE,
	};
	uint64_t hash;
	uint32_t position;

	if (root == ROOT_OURS)
		return &image->ours;
	hash = hash_bytes(&key, offsetof(struct foreign_image, its));
	position = hashidx_find(&images->foreign_index, hash, same_foreign, images, &key);
	if (position == HASHIDX_NONE) {
		position = (uint32_t)images->foreign.nr;
		vec_push(&images->foreign, key);
		hashidx_add(&images->foreign_index, hash, position);
	}
	return &images->foreign.data[position].its;
}

static uint32_t ordinary_file(struct images *images, struct image *image, const struct image_place *place)
{
	struct image_file *its = file_for_root(images, image, place->root);

	if (is_worth_a_try(its, place)) {
		_cleanup_(closep) int fd = open_image(images, image, place);

		if (fd >= 0)
			settle(images, image, its, place, &fd);
	}
	if (its->file == PROFILE_NONE)
		its->file = add_file(images, image);
	return its->file;
}

/* ---- the vDSO: the kernel gives every 64-bit process the same one, so ours stands for all ---- */

static void remember_vdso(void *context, const struct proc_mapping *mapping)
{
	struct image_place *place = context;

	if (mapping->kind == MAPPING_VDSO)
		*place = (struct image_place){ .start = mapping->start, .end = mapping->end };
}

static struct image_place find_own_vdso(void)
{
	struct image_place place = {};

	proc_maps_read_of(0, remember_vdso, &place);
	return place;
}

static int copy_vdso(const struct image_place *own)
{
	_cleanup_(closep) int fd = memfd_create("vdso", MFD_CLOEXEC);
	size_t nr_bytes = own->end - own->start;

	if (fd < 0)
		return -errno;
	if (write(fd, (const void *)(uintptr_t)own->start, nr_bytes) != (ssize_t)nr_bytes)
		return -EIO;
	return take_fd(&fd);
}

/* That of a 32-bit process is another image, and lies below 4 GiB. */
static bool is_native(const struct image_place *place)
{
	return sizeof(void *) == 4 || place->start > UINT32_MAX;
}

static uint32_t vdso_file(struct images *images, struct image *image, const struct image_place *place)
{
	struct image_place own;
	_cleanup_(closep) int fd = -1;

	if (!is_native(place))
		return PROFILE_NONE;
	if (image->ours.file != PROFILE_NONE)
		return image->ours.file;
	own = find_own_vdso();
	if (own.end - own.start != place->end - place->start || !own.end)
		return PROFILE_NONE;
	image->ours.file = add_file(images, image);
	fd = copy_vdso(&own);
	if (fd >= 0)
		hand_over(images, image, image->ours.file, place, &fd);
	return image->ours.file;
}

uint32_t images_file(struct images *images, uint32_t image, const struct image_place *place)
{
	struct image *found;

	if (image >= images->images.nr)
		return PROFILE_NONE;
	found = &images->images.data[image];
	return found->kind == MAPPING_VDSO ? vdso_file(images, found, place) : ordinary_file(images, found, place);
}

/* A place without an end is that of a process to come. */
static int open_vdso(const struct image_place *place)
{
	struct image_place own = find_own_vdso();

	if (!own.end || (place->end && (!is_native(place) || own.end - own.start != place->end - place->start)))
		return -ENOENT;
	return copy_vdso(&own);
}

int images_open(const struct images *images, uint32_t image, const struct image_place *place)
{
	const struct image *found;

	if (image >= images->images.nr)
		return -ENOENT;
	found = &images->images.data[image];
	return found->kind == MAPPING_VDSO ? open_vdso(place) : open_image(images, found, place);
}

/* ---- once more, for another worker ---- */

static const struct handed_image *handed_as(const struct images *images, uint32_t file)
{
	for (size_t i = 0; i < images->handed.nr; i++)
		if (images->handed.data[i].file == file)
			return &images->handed.data[i];
	return NULL;
}

static uint32_t opened_as(const struct images *images, uint32_t file)
{
	for (uint32_t i = 0; i < images->opened.nr; i++)
		if (images->opened.data[i].file == file)
			return i;
	return HASHIDX_NONE;
}

/* Whether it is the inode that was opened under this number, and has not changed since. */
static bool is_the_same(const struct images *images, uint32_t file, int fd)
{
	uint32_t position = opened_as(images, file);
	struct opened_file again;
	struct stat status;

	if (position == HASHIDX_NONE || fstat(fd, &status))
		return false;
	again = identify(&status, (uint32_t)images->opened.data[position].root);
	return !memcmp(&images->opened.data[position], &again, offsetof(struct opened_file, file));
}

int images_open_again(const struct images *images, uint32_t file)
{
	const struct handed_image *handed = handed_as(images, file);
	const struct image *image = handed ? &images->images.data[handed->image] : NULL;
	_cleanup_(closep) int fd = -1;
	struct image_place own;

	if (!image)
		return -ENOENT;
	if (image->kind == MAPPING_VDSO) {
		own = find_own_vdso();
		return own.end ? copy_vdso(&own) : -ENOENT;
	}
	fd = open_image(images, image, &handed->place);
	if (fd < 0)
		return fd;
	return is_the_same(images, file, fd) ? take_fd(&fd) : -ESTALE;
}

/* ---- where a file lies ---- */

/* By one of the paths that images with this inode have. */
static bool find_by_path(const struct images *images, uint32_t position, string_id path, struct debug_home *home)
{
	const struct opened_file *opened = &images->opened.data[position];
	struct opener_found found;

	if (opener_find_below(home->root, strtab_get(&images->strings, path), opened->device, opened->inode, &found))
		return false;
	home->path = found.path;
	home->owner = found.owner;
	return true;
}

static bool find_in(const struct images *images, uint32_t position, struct debug_home *home)
{
	for (size_t i = 0; !home->is_foreign && i < images->images.nr; i++)
		if (images->images.data[i].ours.opened == position + 1 &&
		    find_by_path(images, position, images->images.data[i].path, home))
			return true;
	for (size_t i = 0; home->is_foreign && i < images->foreign.nr; i++)
		if (images->foreign.data[i].its.opened == position + 1 &&
		    find_by_path(images, position, images->images.data[images->foreign.data[i].image].path, home))
			return true;
	return false;
}

static int foreign_home(const struct images *images, uint32_t position, struct debug_home *home)
{
	struct opener_directory directory;

	home->where = "in the root of the process";
	home->is_foreign = true;
	home->root = roots_open(images->roots, (uint32_t)images->opened.data[position].root);
	if (home->root < 0 || opener_identify(home->root, &directory))
		return -ESRCH;
	home->root_owner = directory.owner;
	find_in(images, position, home);
	return 0;
}

/* Ours or, for a program of the host that has ended, the host's. */
static int own_home(const struct images *images, uint32_t position, struct debug_home *home)
{
	home->where = "";
	home->root = opener_root(0);
	if (home->root < 0 || find_in(images, position, home) || !images->host_root)
		return home->root < 0 ? home->root : 0;
	close(home->root);
	home->where = "in the host's root";
	home->root = opener_host_root(images->host_root);
	if (home->root < 0)
		return home->root;
	find_in(images, position, home);
	return 0;
}

int images_home(const struct images *images, uint32_t file, struct debug_home *ret_home)
{
	uint32_t position = opened_as(images, file);

	*ret_home = (struct debug_home){ .root = -1 };
	if (position == HASHIDX_NONE)
		return -ENOENT;
	return images->opened.data[position].root == ROOT_OURS ? own_home(images, position, ret_home)
							       : foreign_home(images, position, ret_home);
}
