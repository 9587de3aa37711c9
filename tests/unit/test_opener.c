/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core/files/opener.c and library.c: files of processes that lay traps. */
#include "core/files/opener.h"

#include <ftw.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/files/library.h"
#include "tests/harness.h"

struct fixture {
	char folder[64];
};

static char *path_in(const struct fixture *fixture, const char *name)
{
	return xasprintf("%s/%s", fixture->folder, name);
}

static void write_file(const char *path, const char *text, size_t nr_bytes)
{
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	if (write(fd, text, nr_bytes) != (ssize_t)nr_bytes)
		fail_msg("cannot write %s", path);
}

/* `first` tells files apart. */
static void make_file(const struct fixture *fixture, const char *name, char first)
{
	_cleanup_(freep) char *path = path_in(fixture, name);
	char text[8192] = { first };

	write_file(path, text, sizeof(text));
}

static void make_folder(const struct fixture *fixture, const char *name)
{
	_cleanup_(freep) char *path = path_in(fixture, name);

	assert_int_equal(mkdir(path, 0755), 0);
}

static void set_up(struct fixture *fixture)
{
	snprintf(fixture->folder, sizeof(fixture->folder), "/tmp/stacktool-opener-XXXXXX");
	err_clear();
	assert_non_null(mkdtemp(fixture->folder));
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
	return remove(path);
}

static void tear_down(struct fixture *fixture)
{
	nftw(fixture->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define FIXTURE_TEST(name) TEST_WITH(struct fixture, fixture, name, set_up, tear_down)

static void expect_first_byte(int fd, char first)
{
	char byte = 0;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, 0), 1);
	assert_int_equal(byte, first);
	close(fd);
}

/* ---- files that the user named ---- */

static void expect_refusal(const char *path, int err, const char *reason)
{
	err_clear();
	assert_int_equal(opener_open_user(path, 0), err);
	if (!strstr(err_cause(), reason))
		fail_msg("'%s' does not say '%s'", err_cause(), reason);
	assert_null(strchr(err_cause(), '\n'));
}

FIXTURE_TEST(a_user_file_is_a_regular_file_or_a_clear_line)
{
	_cleanup_(freep) char *file = path_in(fixture, "file"), *link = path_in(fixture, "link");
	_cleanup_(freep) char *fifo = path_in(fixture, "fifo"), *empty = path_in(fixture, "empty");
	_cleanup_(freep) char *below = path_in(fixture, "file/below");

	make_file(fixture, "file", 'f');
	write_file(empty, "", 0);
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_first_byte(opener_open_user(file, 0), 'f');
	expect_first_byte(opener_open_user(link, 0), 'f');
	expect_refusal("/nowhere/at/all", -ENOENT, "no such file");
	expect_refusal(below, -ENOTDIR, "no such file");
	expect_refusal(fifo, -EINVAL, "a FIFO, not a regular file");
	expect_refusal(fixture->folder, -EISDIR, "a directory, not a regular file");
	expect_refusal("/dev/zero", -EINVAL, "a device, not a regular file");
	expect_refusal(empty, -ENOEXEC, "too small");
	expect_refusal("", -ENOENT, "no such file");
}

/* Opens a file of this size with the opener. */
static int open_of_size(const char *path, off_t size)
{
	_cleanup_(closep) int fd = -1;

	assert_int_equal(truncate(path, size), 0);
	fd = opener_open_user(path, 0);
	return fd < 0 ? fd : 0;
}

FIXTURE_TEST(a_file_has_64_bytes_to_32_GiB)
{
	_cleanup_(freep) char *file = path_in(fixture, "file");

	make_file(fixture, "file", 'f');
	assert_int_equal(open_of_size(file, 63), -ENOEXEC);
	assert_int_equal(open_of_size(file, 64), 0);
	assert_int_equal(open_of_size(file, 32LL << 30), 0);
	assert_int_equal(open_of_size(file, (32LL << 30) + 1), -EFBIG);
	assert_non_null(strstr(err_cause(), "larger than 32 GiB"));
}

static struct timespec access_time(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_atim;
}

/* The first read after a change sets the access time even with the mount option relatime. */
FIXTURE_TEST(reading_a_file_leaves_its_access_time)
{
	static const struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 2000 } };
	_cleanup_(freep) char *file = path_in(fixture, "file");
	struct statvfs system;

	make_file(fixture, "file", 'f');
	assert_int_equal(utimensat(AT_FDCWD, file, times, 0), 0);
	expect_first_byte(opener_open_user(file, 0), 'f');
	assert_int_equal(access_time(file).tv_sec, 1000);
	expect_first_byte(open(file, O_RDONLY), 'f');
	assert_int_equal(statvfs(file, &system), 0);
	assert_true(access_time(file).tv_sec != 1000 || system.f_flag & ST_NOATIME);
}

FIXTURE_TEST(a_file_that_we_may_not_read_says_so)
{
	_cleanup_(freep) char *file = path_in(fixture, "file");
	int status, pid;

	make_file(fixture, "file", 'f');
	assert_int_equal(chmod(file, 0), 0);
	assert_int_equal(chmod(fixture->folder, 0755), 0);
	pid = fork();
	if (!pid) {
		if (!geteuid() && (setgid(65534) || setuid(65534)))
			_exit(98);
		_exit(opener_open_user(file, 0) == -EACCES && strstr(err_cause(), "permission denied") ? 0 : 99);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
}

/* ---- mapped files ---- */

/* What maps would say about a file that this process has mapped. */
static struct opener_request request_for(const char *path)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY);
	size_t nr_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *code = mmap(NULL, nr_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	struct stat status;

	assert_int_equal(fstat(fd, &status), 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	return (struct opener_request){
		.tgid = (uint32_t)getpid(),
		.start = (uintptr_t)code,
		.end = (uintptr_t)code + nr_bytes,
		.path = path,
		.device = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev),
		.inode = status.st_ino,
	};
}

/* Asks the kernel itself: CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN in the initial user namespace is needed. */
static bool map_files_work(void)
{
	char path[128];
	struct opener_request request = request_for("/proc/self/exe");
	struct stat status;
	bool works;

	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (long)request.start, (long)request.end);
	works = !stat(path, &status);
	if (!works)
		print_message("/proc/self/map_files cannot be followed here\n");
	return works;
}

FIXTURE_TEST(a_deleted_or_replaced_file_opens_as_it_was_mapped)
{
	_cleanup_(freep) char *file = path_in(fixture, "file");
	struct opener_request request;

	if (!map_files_work())
		skip();
	make_file(fixture, "file", 'o');
	request = request_for(file);
	assert_int_equal(unlink(file), 0);
	expect_first_byte(opener_open(&request), 'o');
	make_file(fixture, "file", 'n');
	expect_first_byte(opener_open(&request), 'o');
}

FIXTURE_TEST(a_path_is_believed_only_for_the_same_inode)
{
	_cleanup_(freep) char *file = path_in(fixture, "file");
	struct opener_request request;

	make_file(fixture, "file", 'o');
	request = request_for(file);
	request.start = request.end = 0; /* no help from map_files */
	expect_first_byte(opener_open(&request), 'o');
	request.inode++;
	assert_int_equal(opener_open(&request), -ESTALE);
	request.inode--;
	request.device++;
	assert_int_equal(opener_open(&request), -ESTALE);
	request.inode = request.device = 0;
	assert_true(opener_open(&request) < 0);
	request.tgid = 0; /* no process: whatever the path shows */
	expect_first_byte(opener_open(&request), 'o');
}

FIXTURE_TEST(a_mapping_that_was_exchanged_is_noticed)
{
	_cleanup_(freep) char *file = path_in(fixture, "file"), *other = path_in(fixture, "other");
	struct opener_request request;
	_cleanup_(closep) int fd = -1;

	make_file(fixture, "file", 'o');
	make_file(fixture, "other", 'x');
	request = request_for(file);
	fd = open(other, O_RDONLY);
	assert_ptr_not_equal(mmap((void *)(uintptr_t)request.start, request.end - request.start, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_FIXED, fd, 0),
			     MAP_FAILED);
	expect_first_byte(opener_open(&request), 'o'); /* by its path */
	unlink(file);
	assert_true(opener_open(&request) < 0);
}

FIXTURE_TEST(special_files_are_refused_at_once)
{
	_cleanup_(freep) char *fifo = path_in(fixture, "fifo");
	struct opener_request request = { .path = fifo };
	struct stat status;
	int root;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(opener_open(&request), -EINVAL);
	request.path = "/dev/zero";
	assert_int_equal(opener_open(&request), -EINVAL);
	request.path = "/";
	assert_int_equal(opener_open(&request), -EISDIR);
	request.path = "relative";
	assert_true(opener_open(&request) < 0);
	request.path = "/proc/self/exe"; /* a link that only /proc can follow */
	assert_int_equal(stat("/proc/self/exe", &status), 0);
	assert_int_equal(opener_open(&request), -ELOOP);
	root = opener_root(0);
	assert_int_equal(opener_file_below(root, "/proc/version", 0),
			 -ENOEXEC); /* opening such a file can have effects */
	close(root);
}

/* ---- processes with a root of their own ---- */

/* A child below `root` that waits; needs root, which the caller has asked for. */
static int start_below(const char *root)
{
	int ends[2], pid;
	char byte;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		if (chroot(root) || chdir("/"))
			_exit(98);
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(97);
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void stop(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool is_root(void)
{
	if (geteuid())
		print_message("chroot() needs root\n");
	return !geteuid();
}

FIXTURE_TEST(links_of_a_process_stay_below_its_root)
{
	_cleanup_(freep) char *absolute = path_in(fixture, "absolute"), *up = path_in(fixture, "up");
	int pid;

	if (!is_root())
		skip();
	make_folder(fixture, "etc");
	make_file(fixture, "etc/passwd", 'I');
	assert_int_equal(symlink("/etc/passwd", absolute), 0);
	assert_int_equal(symlink("../../../../../../etc/passwd", up), 0);
	pid = start_below(fixture->folder);
	expect_first_byte(opener_open_user("/absolute", (uint32_t)pid), 'I');
	expect_first_byte(opener_open_user("/up", (uint32_t)pid), 'I');
	expect_first_byte(opener_open_user("/../../etc/passwd", (uint32_t)pid), 'I');
	assert_int_equal(opener_open_user("/etc/hostname", (uint32_t)pid), -ENOENT);
	assert_non_null(strstr(err_cause(), "in the root of process"));
	stop(pid);
}

/* Its number is the one that we see: its root may have no /proc, or another one. */
FIXTURE_TEST(links_of_proc_of_the_process_itself_are_followed)
{
	char path[64];
	int pid;

	if (!is_root())
		skip();
	make_folder(fixture, "etc");
	make_file(fixture, "etc/passwd", 'I');
	pid = start_below(fixture->folder);
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	expect_first_byte(opener_open_user(path, (uint32_t)pid), '\177');
	snprintf(path, sizeof(path), "/proc/%d/root/etc/passwd", pid);
	expect_first_byte(opener_open_user(path, (uint32_t)pid), 'I');
	snprintf(path, sizeof(path), "/proc/%d/exe", getpid());
	assert_int_equal(opener_open_user(path, (uint32_t)pid), -ENOENT);
	stop(pid);
}

/* ---- a process whose main thread has ended ---- */

static char leader_state(void)
{
	char path[64], state = 0;
	_cleanup_(fclosep) FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	file = fopen(path, "re");
	return file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1 ? state : 0;
}

static void *report_when_alone(void *context)
{
	const int *fd = context;

	while (leader_state() != 'Z')
		sched_yield();
	if (write(*fd, "", 1) == 1)
		pause();
	return NULL;
}

FIXTURE_TEST(files_open_when_the_leader_is_a_zombie)
{
	_cleanup_(freep) char *file = path_in(fixture, "file");
	struct opener_request request;
	static int ends[2]; /* outlives the leader's stack frame */
	pthread_t thread;
	int pid;
	char byte;

	make_file(fixture, "file", 'o');
	request = request_for(file);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		pthread_create(&thread, NULL, report_when_alone, &ends[1]);
		syscall(SYS_exit, 0); /* this thread alone */
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	request.tgid = (uint32_t)pid;
	expect_first_byte(opener_open(&request), 'o');
	if (map_files_work()) {
		unlink(file);
		expect_first_byte(opener_open(&request), 'o');
	}
	stop(pid);
	close(ends[0]);
	close(ends[1]);
}

/* ---- libraries by name ---- */

static void expect_library(const char *name, uint32_t tgid, const char *part)
{
	_cleanup_(freep) char *path = NULL;
	_cleanup_(closep) int fd = -1;

	err_clear();
	fd = opener_open_library(name, tgid, &path);
	if (fd < 0)
		fail_msg("'%s': %s", name, err_cause());
	if (!strstr(path, part))
		fail_msg("'%s' is %s, not one with %s", name, path, part);
}

FIXTURE_TEST(libraries_and_programs_are_found_by_name)
{
	uint32_t self = (uint32_t)getpid();

	expect_library("c", 0, "/libc.so.");
	expect_library("libc.so.6", 0, "/libc.so.6");
	expect_library("c", self, "/libc.so.");
	expect_library("cmocka", self, "/libcmocka.so.");
	expect_library("sh", 0, "/sh");
	expect_library("/bin/sh", 0, "/bin/sh");
}

FIXTURE_TEST(an_unknown_library_has_a_near_name)
{
	char *path = NULL;

	assert_int_equal(opener_open_library("cmokca", (uint32_t)getpid(), &path), -ENOENT);
	assert_string_equal(err_hint(), "did you mean 'cmocka'?");
	err_clear();
	assert_int_equal(opener_open_library("/bin", 0, &path), -EISDIR);
	err_clear();
	assert_int_equal(opener_open_library("", 0, &path), -ENOENT);
	assert_null(path);
}

FIXTURE_TEST(a_library_that_was_replaced_is_no_place_for_probes)
{
	_cleanup_(freep) char *file = path_in(fixture, "libreplaced.so.1");
	char *path = NULL;

	make_file(fixture, "libreplaced.so.1", 'o');
	request_for(file);
	expect_library("replaced", (uint32_t)getpid(), file);
	unlink(file);
	make_file(fixture, "libreplaced.so.1", 'n');
	assert_int_equal(opener_open_library("replaced", (uint32_t)getpid(), &path), -ESTALE);
	assert_non_null(strstr(err_cause(), "still uses a deleted"));
	assert_null(path);
}

/* Programs of this machine begin like this one. */
static void make_elf(const struct fixture *fixture, const char *name, int machine_difference)
{
	_cleanup_(freep) char *path = path_in(fixture, name);
	_cleanup_(closep) int self = open("/proc/self/exe", O_RDONLY);
	char header[64];

	assert_int_equal(read(self, header, sizeof(header)), sizeof(header));
	header[18] = (char)(header[18] + machine_difference);
	write_file(path, header, sizeof(header));
}

FIXTURE_TEST(the_highest_version_that_runs_here_is_taken)
{
	static const char config[] = "# comment\ninclude /etc/ld.so.conf.d/*.conf\n", folder[] = "  /opt/lib # ours\n";
	_cleanup_(freep) char *conf = path_in(fixture, "etc/ld.so.conf"),
			      *one = path_in(fixture, "etc/ld.so.conf.d/a.conf");
	_cleanup_(freep) char *script = path_in(fixture, "opt/lib/libdemo.so"),
			      *fifo = path_in(fixture, "opt/lib/libdemo.so.99");
	char *path = NULL;
	int pid;

	if (!is_root())
		skip();
	make_folder(fixture, "etc");
	make_folder(fixture, "etc/ld.so.conf.d");
	make_folder(fixture, "opt");
	make_folder(fixture, "opt/lib");
	write_file(conf, config, strlen(config));
	write_file(one, folder, strlen(folder));
	write_file(script, "GROUP ( /opt/lib/libdemo.so.9 ) a linker script that is longer than an ELF header", 80);
	make_elf(fixture, "opt/lib/libdemo.so.9", 0);
	make_elf(fixture, "opt/lib/libdemo.so.10", 0);
	make_elf(fixture, "opt/lib/libdemo.so.11", 1);
	make_elf(fixture, "opt/lib/libdemonstration.so.12", 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pid = start_below(fixture->folder);
	expect_library("demo", (uint32_t)pid, "/opt/lib/libdemo.so.10");
	err_clear();
	assert_int_equal(opener_open_library("demoo", (uint32_t)pid, &path), -ENOENT);
	assert_string_equal(err_hint(), "did you mean 'demo'?");
	stop(pid);
}

/* The loader's configuration of a container is its owner's: files that are included again and again, full of folders. */
FIXTURE_TEST(a_loader_config_without_end_is_cut)
{
	_cleanup_(freep) char *conf = path_in(fixture, "etc/ld.so.conf");
	_cleanup_(buf_done) struct buf includes = {}, folders = {};
	char *path = NULL;
	int pid;

	if (!is_root())
		skip();
	for (int i = 0; i < 10000; i++)
		buf_adds(&includes, "include *\n");
	for (int i = 0; i < 10000; i++)
		buf_addf(&folders, "/%x\n", i);
	make_folder(fixture, "etc");
	write_file(conf, includes.data, 64 * 1024);
	for (int i = 0; i < 100; i++) {
		_cleanup_(freep) char *name = xasprintf("etc/%d", i), *one = path_in(fixture, name);

		write_file(one, folders.data, folders.nr);
	}
	pid = start_below(fixture->folder);
	assert_int_equal(opener_open_library("demo", (uint32_t)pid, &path), -ENOENT);
	stop(pid);
}

/* In a container: the file of a host's process that has gone. A symbolic link there leads nowhere else but below the host's root. */
FIXTURE_TEST(a_file_of_the_host_is_found_below_its_root)
{
	_cleanup_(freep) char *file = path_in(fixture, "host/st-file"), *link = path_in(fixture, "host/st-link");
	struct opener_request request = { .path = "/st-file", .host_root = path_in(fixture, "host") };
	struct stat status;

	make_folder(fixture, "host");
	make_file(fixture, "host/st-file", 'h');
	assert_int_equal(stat(file, &status), 0);
	expect_first_byte(opener_open(&request), 'h');
	request.device = (uint64_t)major(status.st_dev) << 32 | minor(status.st_dev);
	request.inode = status.st_ino;
	expect_first_byte(opener_open(&request), 'h');
	request.inode++;
	assert_true(opener_open(&request) < 0);
	request.inode = 0;
	assert_int_equal(symlink("/st-file", link), 0);
	request.path = "/st-link";
	expect_first_byte(opener_open(&request), 'h');
	free((void *)request.host_root);
	request.host_root = NULL;
	assert_true(opener_open(&request) < 0);
}
