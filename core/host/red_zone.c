/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/host/red_zone.h"

#ifdef __x86_64__

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/host/empty_uprobe.h"

enum {
	NOP_BEGINS = 0x0f,
	NR_PASSES = 8, /* the first pass makes the kernel write the call */
	PATIENCE_MS = 2000,
};

/* Stores `value` below the stack pointer, executes the nop, returns the value. The kernel writes no call across two pages. */
uint64_t st_red_zone_pass(uint64_t value);
extern const char st_red_zone_nop[];

__asm__(".pushsection .text\n"
	".balign 64\n"
	".globl st_red_zone_pass, st_red_zone_nop\n"
	".hidden st_red_zone_pass, st_red_zone_nop\n"
	".type st_red_zone_pass, @function\n"
	"st_red_zone_pass: movq %rdi, -8(%rsp)\n"
	"st_red_zone_nop: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"movq -8(%rsp), %rax\n"
	"ret\n"
	".size st_red_zone_pass, . - st_red_zone_pass\n"
	".popsection\n");

__attribute__((noreturn)) static void pass(int go_fd, int answer_fd)
{
	const uint64_t value = 0x5354414b544f4f4c;
	char answer = RED_ZONE_SPARED, go;

	if (read(go_fd, &go, 1) != 1)
		_exit(1);
	if (*(const volatile unsigned char *)st_red_zone_nop == NOP_BEGINS)
		answer = RED_ZONE_UNKNOWN; /* no breakpoint */
	for (int i = 0; i < NR_PASSES && answer == RED_ZONE_SPARED; i++)
		if (st_red_zone_pass(value) != value)
			answer = RED_ZONE_OVERWRITTEN;
	_exit(write(answer_fd, &answer, 1) != 1);
}

struct place {
	uint64_t address, offset;
	bool found;
};

/* The first object is the program: returns the file offset of the address. */
static int find_place(struct dl_phdr_info *object, size_t size, void *context)
{
	struct place *place = context;

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || place->address < start || place->address >= start + segment->p_filesz)
			continue;
		place->offset = segment->p_offset + (place->address - start);
		place->found = true;
	}
	return 1;
}

static enum red_zone ask_child(pid_t child, int go_fd, int answer_fd)
{
	_cleanup_(empty_uprobe_ways_done) struct empty_uprobe_ways ways = empty_uprobe_ways();
	struct place place = { .address = (uint64_t)(uintptr_t)st_red_zone_nop };
	struct pollfd answered = { .fd = answer_fd, .events = POLLIN };
	char answer = RED_ZONE_UNKNOWN;
	int probe;

	dl_iterate_phdr(find_place, &place);
	probe = place.found ? empty_uprobe_open(&ways, "/proc/self/exe", place.offset, child) : -ENOENT;
	if (probe < 0)
		return RED_ZONE_UNKNOWN;
	if (write(go_fd, "g", 1) != 1 || poll(&answered, 1, PATIENCE_MS) != 1 || read(answer_fd, &answer, 1) != 1)
		answer = RED_ZONE_UNKNOWN;
	empty_uprobe_close(probe);
	return (enum red_zone)answer;
}

static enum red_zone try_once(void)
{
	int go[2] = { -1, -1 }, answers[2] = { -1, -1 };
	enum red_zone answer = RED_ZONE_UNKNOWN;
	pid_t child = -1;

	if (!pipe2(go, O_CLOEXEC) && !pipe2(answers, O_CLOEXEC))
		child = fork();
	if (!child) {
		close(go[1]);
		pass(go[0], answers[1]);
	}
	if (child > 0) {
		answer = ask_child(child, go[1], answers[0]);
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
	}
	for (int i = 0; i < 2; i++) {
		closep(&go[i]);
		closep(&answers[i]);
	}
	return answer;
}

enum red_zone red_zone_try(void)
{
	static enum red_zone answer;
	static bool known;

	if (!known)
		answer = try_once();
	known = true;
	return answer;
}

#else

enum red_zone red_zone_try(void)
{
	return RED_ZONE_SPARED;
}

#endif
