/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables on the stacks of stopped processes without frame pointers: a walk by our tables, the one of the BPF programs
 * compiled for user space (step.h), and libdw's agree frame by frame, the functions are those that the fixture says, and every
 * return address follows a call.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/files/proc_maps.h"
#include "core/unwind/unwind_store.h"
#include "symbolize/cfi/unwind_compile.h"
#include "tests/bpf/step.h"
#include "tests/unwind_rule.h"

#if defined(__x86_64__) && !defined(ST_WITHOUT_UNWINDER)

enum {
	FRAMES_MAX = 256,
	NAMES_MAX = 4096,
	REG_BP = 6,
	REG_SP = 7,
	NR_REGS = 16, /* DWARF's numbers for x86_64 */
};

struct mapping {
	uint64_t start, end, bias; /* address in memory - address in the file */
	struct unwind_table table;
};

struct frames {
	uint64_t pc[FRAMES_MAX];
	bool is_exact[FRAMES_MAX]; /* not a return address */
	size_t nr;
	bool is_whole; /* the walk ended at a root */
	size_t nr_reads; /* of user memory, by the walk of the programs */
};

struct target {
	pid_t pid, tid;
	FILE *to, *from;
	char expect[NAMES_MAX];
	struct user_regs_struct registers; /* of the thread that has stopped */
	VEC(struct mapping) mappings;
	struct unwind_store *store; /* the same once more, as programs see it */
	VEC(struct unwind_space_mapping) published;
	Dwfl *dwfl;
};

__attribute__((format(printf, 1, 2), noreturn)) static void fail_test(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("FAIL: ");
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n");
	exit(1);
}

/* ---- the fixture ---- */

static void start_fixture(struct target *target, const char *program, const char *const *ways)
{
	const char *arguments[32] = { program };
	char *nothing[] = { NULL }; /* no environment: the first frames lie near the top of the stack */
	int in[2], out[2];

	for (size_t i = 0; ways[i]; i++)
		arguments[i + 1] = ways[i];
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		fail_test("no pipes");
	target->pid = fork();
	if (!target->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a check fails */
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execve(program, (char **)arguments, nothing);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	target->to = fdopen(in[1], "we");
	target->from = fdopen(out[0], "re");
}

/* Reads lines up to one that begins with the word; what stands after it. */
static void await(struct target *target, const char *word, char ret_rest[NAMES_MAX])
{
	char line[NAMES_MAX];

	while (fgets(line, sizeof(line), target->from)) {
		if (strncmp(line, word, strlen(word)) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(ret_rest, NAMES_MAX, "%s", line + strlen(word) + 1);
		return;
	}
	fail_test("the fixture never says %s", word);
}

static void stop_fixture(struct target *target)
{
	char rest[NAMES_MAX];
	int status;

	await(target, "EXPECT", target->expect);
	await(target, "READY", rest);
	fprintf(target->to, "go\n");
	fflush(target->to);
	await(target, "STOP", rest);
	target->tid = atoi(rest);
	if (waitpid(target->pid, &status, WUNTRACED) != target->pid || !WIFSTOPPED(status))
		fail_test("the fixture did not stop");
	if (ptrace(PTRACE_SEIZE, target->tid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, target->tid, NULL, NULL) ||
	    waitpid(target->tid, &status, __WALL) != target->tid)
		fail_test("ptrace: %s", strerror(errno));
}

static void end_fixture(struct target *target)
{
	kill(target->pid, SIGKILL);
	if (target->tid != target->pid) /* the process ends after its traced thread */
		waitpid(target->tid, NULL, __WALL);
	waitpid(target->pid, NULL, __WALL);
	fclose(target->to);
	fclose(target->from);
	for (size_t i = 0; i < target->mappings.nr; i++)
		unwind_table_done(&target->mappings.data[i].table);
	vec_done(&target->mappings);
	step_store_free(target->store);
	vec_done(&target->published);
	dwfl_end(target->dwfl);
}

/* ---- our walk ---- */

static void publish(struct target *target, const struct proc_mapping *found, const struct unwind_table *table,
		    uint64_t address)
{
	struct unwind_space_mapping mapping = { found->start, found->end, found->file_offset,
						address - found->file_offset, UNWIND_NO_TABLE };

	if (unwind_store_add(target->store, table, &mapping.table))
		fail_test("%s: its table is not published", found->path);
	vec_push(&target->published, mapping);
}

static void add_mapping(void *context, const struct proc_mapping *found)
{
	struct mapping mapping = { .start = found->start, .end = found->end };
	struct target *target = context;
	_cleanup_(closep) int fd = found->kind == MAPPING_FILE ? open(found->path, O_RDONLY | O_CLOEXEC) : -1;
	struct elf_file elf;
	uint64_t address;

	if (fd < 0 || elf_file_open(&elf, fd))
		return;
	if (!unwind_compile(&elf, &mapping.table) &&
	    !unwind_table_address_of_offset(&mapping.table, found->file_offset, &address)) {
		mapping.bias = found->start - address;
		vec_push(&target->mappings, mapping);
		publish(target, found, &mapping.table, address);
	}
	elf_file_done(&elf);
}

static void read_mappings(struct target *target)
{
	struct unwind_process process = { .tgid = (uint32_t)target->pid };
	_cleanup_(closep) int fd = -1;
	char path[64];

	target->store = step_store_new();
	snprintf(path, sizeof(path), "/proc/%d/maps", target->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || proc_maps_read(fd, add_mapping, target) <= 0)
		fail_test("%s: cannot be read", path);
	if (unwind_store_set_process(target->store, &process, target->published.data, target->published.nr) ||
	    unwind_store_settle(target->store))
		fail_test("the mappings are not published");
}

static struct st_unwind_rule rule_at(const struct target *target, uint64_t address)
{
	for (size_t i = 0; i < target->mappings.nr; i++) {
		const struct mapping *mapping = &target->mappings.data[i];

		if (address >= mapping->start && address < mapping->end)
			return unwind_table_rule(&mapping->table, address - mapping->bias);
	}
	return (struct st_unwind_rule){};
}

static bool read_memory(const struct target *target, uint64_t address, void *ret_bytes, size_t nr)
{
	struct iovec local = { ret_bytes, nr }, remote = { (void *)address, nr };

	return process_vm_readv(target->pid, &local, 1, &remote, 1, 0) == (ssize_t)nr;
}

struct walker {
	const struct target *target;
	uint64_t registers[NR_REGS], pc;
	bool is_exact; /* pc is not a return address, and all registers are known */
	bool failed;
};

static uint64_t word_at(struct walker *walker, uint64_t address)
{
	uint64_t word = 0;

	if (!read_memory(walker->target, address, &word, sizeof(word)))
		walker->failed = true;
	return word;
}

static uint64_t register_of(struct walker *walker, struct st_unwind_rule rule)
{
	if (!walker->is_exact)
		walker->failed = true;
	return walker->registers[ST_UNWIND_HOW_REG(rule.how)];
}

static uint64_t cfa_of(struct walker *walker, struct st_unwind_rule rule)
{
	uint64_t sp = walker->registers[REG_SP], bp = walker->registers[REG_BP];

	switch (rule.kind) {
	case ST_UNWIND_SP:
		return sp + rule.offset;
	case ST_UNWIND_BP:
		return bp + rule.offset;
	case ST_UNWIND_REGISTER:
		return register_of(walker, rule) + rule.offset;
	case ST_UNWIND_PLT:
		return sp + rule.at + ((int64_t)(walker->pc & 15) >= rule.add ? 8 : 0);
	case ST_UNWIND_DEREF_SP:
		return word_at(walker, sp + rule.at) + rule.add;
	case ST_UNWIND_DEREF_BP:
		return word_at(walker, bp + rule.at) + rule.add;
	case ST_UNWIND_DEREF_INDEXED:
		return word_at(walker, sp + rule.at + 8 * register_of(walker, rule)) + rule.add;
	default:
		walker->failed = true;
		return 0;
	}
}

static void step_by_rule(struct walker *walker, struct st_unwind_rule rule)
{
	uint64_t cfa = cfa_of(walker, rule), bp = walker->registers[REG_BP];

	if (ST_UNWIND_HOW_BP(rule.how) == ST_UNWIND_BP_AT_CFA)
		bp = word_at(walker, cfa + rule.bp_offset);
	else if (ST_UNWIND_HOW_BP(rule.how) == ST_UNWIND_BP_AT_BP)
		bp = word_at(walker, bp + rule.bp_offset);
	walker->pc = ST_UNWIND_HOW_RA(rule.how) == ST_UNWIND_RA_REGISTER ? register_of(walker, rule)
									 : word_at(walker, cfa - 8);
	walker->registers[REG_SP] = cfa;
	walker->registers[REG_BP] = bp;
	walker->is_exact = false;
}

/* Words of struct sigcontext, asm/sigcontext.h, in the order of DWARF's numbers. */
static void step_out_of_signal(struct walker *walker, struct st_unwind_rule rule)
{
	static const size_t words[NR_REGS] = { 13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7 };
	uint64_t context = walker->registers[REG_SP] + rule.offset, saved[17] = {};

	if (!read_memory(walker->target, context, saved, sizeof(saved)))
		walker->failed = true;
	for (size_t i = 0; i < NR_REGS; i++)
		walker->registers[i] = saved[words[i]];
	walker->pc = saved[16];
	walker->is_exact = true;
}

static void walk(struct target *target, struct frames *frames)
{
	struct walker walker = { .target = target, .is_exact = true };
	const struct user_regs_struct regs = target->registers;

	memcpy(walker.registers,
	       (const uint64_t[]){ regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi, regs.rbp, regs.rsp,
				   regs.r8, regs.r9, regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15 },
	       sizeof(walker.registers));
	walker.pc = regs.rip;
	while (frames->nr < FRAMES_MAX && !walker.failed) {
		struct st_unwind_rule rule = rule_at(target, walker.pc - !walker.is_exact);

		frames->is_exact[frames->nr] = walker.is_exact;
		frames->pc[frames->nr++] = walker.pc;
		frames->is_whole = rule.kind == ST_UNWIND_STOP;
		if (frames->is_whole)
			return;
		if (rule.kind == ST_UNWIND_SIGNAL)
			step_out_of_signal(&walker, rule);
		else
			step_by_rule(&walker, rule);
	}
}

/* ---- the walk of the programs ---- */

static void walk_by_step(const struct target *target, struct frames *frames)
{
	struct step_walk walked;

	step_walk(target->pid, &target->registers, &walked);
	memcpy(frames->pc, walked.pc, walked.nr * sizeof(*frames->pc));
	frames->nr = walked.nr;
	frames->is_whole = walked.end == ST_END_ROOT;
	frames->nr_reads = walked.nr_reads;
}

/* At most 0.3 reads a frame, and two for what lies at the top of the stack or on another one. */
static void check_reads(const struct frames *frames)
{
	if (10 * frames->nr_reads > 3 * frames->nr + 20)
		fail_test("%zu reads of user memory for %zu frames", frames->nr_reads, frames->nr);
}

/* ---- libdw's walk ---- */

static int no_debug_info(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
			 const char *link, GElf_Word checksum, char **ret_file)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)checksum, (void)ret_file;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = no_debug_info };

static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct frames *frames = context;

	if (frames->nr == FRAMES_MAX || !dwfl_frame_pc(frame, &frames->pc[frames->nr], NULL))
		return DWARF_CB_ABORT;
	frames->nr++;
	return DWARF_CB_OK;
}

static void walk_by_libdw(struct target *target, struct frames *frames)
{
	target->dwfl = dwfl_begin(&callbacks);
	if (!target->dwfl || dwfl_linux_proc_report(target->dwfl, target->pid) ||
	    dwfl_report_end(target->dwfl, NULL, NULL) || dwfl_linux_proc_attach(target->dwfl, target->pid, true))
		fail_test("libdw cannot attach: %s", dwfl_errmsg(-1));
	frames->is_whole = !dwfl_getthread_frames(target->dwfl, target->tid, take_frame, frames);
}

/* ---- what must be ---- */

static const char *name_of(const struct target *target, uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(target->dwfl, address);

	return (module ? dwfl_module_addrname(module, address) : NULL) ?: "?";
}

static void check_same(const struct target *target, const struct frames *ours, const struct frames *theirs)
{
	for (size_t i = 0; i < ours->nr && i < theirs->nr; i++)
		if (ours->pc[i] != theirs->pc[i])
			fail_test("frame %zu: %#" PRIx64 " (%s), libdw has %#" PRIx64 " (%s)", i, ours->pc[i],
				  name_of(target, ours->pc[i]), theirs->pc[i], name_of(target, theirs->pc[i]));
	if (ours->nr != theirs->nr || !ours->is_whole || !theirs->is_whole)
		fail_test("%zu frames, whole %d; libdw has %zu, whole %d", ours->nr, ours->is_whole, theirs->nr,
			  theirs->is_whole);
}

/* call rel32, or FF /2 with whatever operand: two to seven bytes. */
static bool follows_call(const struct target *target, uint64_t address)
{
	uint8_t before[7];

	if (!read_memory(target, address - sizeof(before), before, sizeof(before)))
		return false;
	if (before[2] == 0xe8)
		return true;
	for (size_t nr = 2; nr <= 7; nr++)
		if (before[7 - nr] == 0xff && (before[8 - nr] >> 3 & 7) == 2)
			return true;
	return false;
}

static void check_calls(const struct target *target, const struct frames *frames)
{
	for (size_t i = 0; i < frames->nr; i++) {
		bool is_trampoline = i + 1 < frames->nr && frames->is_exact[i + 1]; /* the kernel's "return" address */

		if (!frames->is_exact[i] && !is_trampoline && !follows_call(target, frames->pc[i]))
			fail_test("frame %zu, %s: no call before it", i, name_of(target, frames->pc[i]));
	}
}

/* The fixture's own functions, root first, must be what it said. */
static void check_names(const struct target *target, const struct frames *frames)
{
	char names[NAMES_MAX] = "";
	size_t nr = 0;

	for (size_t i = frames->nr; i-- > 0;) {
		const char *name = name_of(target, frames->pc[i] - !frames->is_exact[i]);

		if (i + 1 < frames->nr && frames->is_exact[i + 1] && i)
			name = "<signal>";
		if (!strncmp(name, "st_", 3) || !strcmp(name, "main") || *name == '<')
			nr += (size_t)snprintf(names + nr, sizeof(names) - nr, "%s%s", nr ? " " : "", name);
	}
	if (strcmp(names, target->expect) != 0)
		fail_test("the frames are %s\nand should be %s", names, target->expect);
}

static void check(const char *program, const char *const *ways)
{
	struct frames ours = {}, step = {}, theirs = {};
	struct target target = {};

	start_fixture(&target, program, ways);
	stop_fixture(&target);
	read_mappings(&target);
	if (ptrace(PTRACE_GETREGS, target.tid, NULL, &target.registers))
		fail_test("PTRACE_GETREGS: %s", strerror(errno));
	walk(&target, &ours);
	walk_by_step(&target, &step);
	walk_by_libdw(&target, &theirs);
	check_same(&target, &ours, &theirs);
	check_same(&target, &step, &theirs);
	check_reads(&step);
	check_calls(&target, &ours);
	check_names(&target, &ours);
	printf("ok %s: %zu frames, %zu reads, %s\n", strrchr(program, '/') + 1, ours.nr, step.nr_reads,
	       name_of(&target, ours.pc[ours.nr - 1] - 1));
	end_fixture(&target);
}

int main(void)
{
	static const char *const all[][12] = {
		{ NULL },
		{ "recurse" },
		{ "alloca" },
		{ "realign" },
		{ "big" },
		{ "library" },
		{ "longjmp" },
		{ "signal" },
		{ "altstack" },
		{ "thread" },
		{ "realign", "recurse", "signal", "alloca", "altstack", "big", "realign", "signal", "library" },
		{ "alloca", "thread", "library", "realign", "altstack", "longjmp", "signal", "recurse", "big" },
	};
	static const char *const programs[] = { "nofp", "nofp-dyn" };
	const char *fixtures = getenv("FIXTURES");
	char path[4096];

	if (!fixtures)
		return 2;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) {
			snprintf(path, sizeof(path), "%s/%s", fixtures, programs[i]);
			check(path, all[k]);
		}
	return 0;
}

#else

int main(void)
{
	printf("SKIP: built without the unwinder, or for another machine than x86_64\n");
	return 77;
}

#endif
