/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/files/same_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/base/cleanup.h"

/* Bits of an entry of pagemap: Documentation/admin-guide/mm/pagemap.rst. */
#define PAGE_PRESENT (1ULL << 63)
#define PAGE_NUMBER ((1ULL << 55) - 1)

#define NR_LOOKS 16 /* the kernel may be migrating the page */

int file_identity(int fd, struct file_identity *ret_identity)
{
	struct stat status;
	struct statfs system;

	if (fstat(fd, &status) || fstatfs(fd, &system))
		return -errno;
	*ret_identity = (struct file_identity){
		.device = status.st_dev,
		.inode = status.st_ino,
		.size = (uint64_t)status.st_size,
		.overlay = (uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC,
	};
	return 0;
}

bool file_identity_equal(const struct file_identity *one, const struct file_identity *other)
{
	return one->device == other->device && one->inode == other->inode;
}

struct mapped_page {
	void *data;
	size_t size;
};

static void unmap_page(struct mapped_page *page)
{
	if (page->data)
		munmap(page->data, page->size);
}

/*
 * Maps the first page, which is never accessed: if the file was truncated, that would raise SIGBUS. mlock() fails in that case, and
 * otherwise keeps the page in memory. With the sanitizers mlock() does nothing, and only MAP_POPULATE has read the page.
 */
static int map_page(int fd, struct mapped_page *ret_page)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *data = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);

	if (data == MAP_FAILED)
		return -errno;
	*ret_page = (struct mapped_page){ data, size };
	return mlock(data, size) ? -errno : 0;
}

/* 0 and the page's frame number; -EAGAIN: not in memory now; -EPERM: the kernel hides it. */
static int page_number(int pagemap, const struct mapped_page *page, uint64_t *ret_number)
{
	off_t place = (off_t)((uintptr_t)page->data / page->size * sizeof(uint64_t));
	uint64_t entry;

	if (pread(pagemap, &entry, sizeof(entry), place) != sizeof(entry))
		return -EIO;
	*ret_number = entry & PAGE_NUMBER;
	if (!(entry & PAGE_PRESENT))
		return -EAGAIN;
	return *ret_number ? 0 : -EPERM;
}

/* Reads the first page's number again after the second: if it is unchanged, the page was not migrated in between. */
static int compare_pages(int pagemap, const struct mapped_page *one, const struct mapped_page *other)
{
	uint64_t before = 0, number = 0, after = 0;
	int err = -EAGAIN;

	for (int i = 0; i < NR_LOOKS && err == -EAGAIN; i++) {
		err = page_number(pagemap, one, &before) ?: page_number(pagemap, other, &number)
							 ?: page_number(pagemap, one, &after);
		if (!err && before != after)
			err = -EAGAIN;
	}
	return err ? err : before == number;
}

int file_is_same(int one_fd, const struct file_identity *one, int other_fd, const struct file_identity *other)
{
	_cleanup_(unmap_page) struct mapped_page one_page = {}, other_page = {};
	_cleanup_(closep) int pagemap = -1;
	int err;

	if (file_identity_equal(one, other))
		return 1;
	if ((!one->overlay && !other->overlay) || one->size != other->size)
		return 0;
	pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pagemap < 0)
		return -errno;
	err = map_page(one_fd, &one_page) ?: map_page(other_fd, &other_page);
	err = err ?: compare_pages(pagemap, &one_page, &other_page);
	return err == -EPERM && one->inode != other->inode ? 0 : err;
}
