/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching: the file that was looked at is the one that is probed, whatever its path leads to by then. */
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/err.h"
#include "core/naming/naming.h"
#include "core/resolve/probe_kinds.h"
#include "core/resolve/resolve.h"
#include "core/session/attachment.h"
#include "core/session/load_private.h"
#include "tests/harness.h"

#define NR_EVENTS 100

static void copy_file(const char *from, const char *to)
{
	_cleanup_(closep) int in = open(from, O_RDONLY | O_CLOEXEC),
			      out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	struct stat status;

	assert_true(in >= 0 && out >= 0);
	assert_int_equal(fstat(in, &status), 0);
	assert_int_equal(sendfile(out, in, NULL, (size_t)status.st_size), status.st_size);
}

static char *fixture(const char *name)
{
	const char *folder = getenv("FIXTURES");

	assert_non_null(folder);
	return xasprintf("%s/%s", folder, name);
}

/* ---- a program that waits for a line before it calls st_fix_hit() ---- */

struct program {
	pid_t pid;
	FILE *in, *out;
};

static void program_start(struct program *program, const char *path)
{
	char number[16], line[256];
	int in[2], out[2];

	snprintf(number, sizeof(number), "%d", NR_EVENTS);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	program->pid = fork();
	assert_true(program->pid >= 0);
	if (!program->pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execl(path, path, "-n", number, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	program->in = fdopen(in[1], "w");
	program->out = fdopen(out[0], "r");
	do
		assert_non_null(fgets(line, sizeof(line), program->out));
	while (strncmp(line, "READY", 5));
}

static void program_run(struct program *program)
{
	char line[256];

	fputs("go\n", program->in);
	fflush(program->in);
	do
		assert_non_null(fgets(line, sizeof(line), program->out));
	while (strncmp(line, "DONE", 4));
}

static void program_end(struct program *program)
{
	int status;

	fclose(program->in);
	assert_int_equal(waitpid(program->pid, &status, 0), program->pid);
	assert_int_equal(status, 0);
	fclose(program->out);
}

/* ---- the tests ---- */

static uint64_t nr_seen(const struct loaded *loaded)
{
	int nr_cpus = libbpf_num_possible_cpus();
	struct st_stats *each = xcalloc((size_t)nr_cpus, sizeof(*each));
	const uint32_t generation = 0;
	uint64_t sum = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(loaded->skeleton->maps.st_stats), &generation, each), 0);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		sum += each[cpu].seen;
	free(each);
	return sum;
}

static void plan_functions(struct plan *plan, const char *path, const char *pattern)
{
	plan_init(plan);
	plan->probe = (struct probe_spec){
		.kind = &probe_user_function,
		.typed = xstrdup(pattern),
		.target = xstrdup(path),
		.pattern = xstrdup(pattern),
	};
	vec_push(&plan->tgids, (uint32_t)getpid());
}

/* Ten functions that are attached one by one, whatever else this kernel has. */
struct one_by_one {
	struct attach_plan attach;
	struct symbolizer *symbolizer;
	struct loaded *loaded;
	struct attachment *attachment;
	struct plan plan;
};

static void one_by_one_load(struct one_by_one *ten)
{
	_cleanup_(freep) char *path = fixture("chain");

	*ten = (struct one_by_one){};
	plan_functions(&ten->plan, path, "st_fix_*");
	assert_int_equal(naming_start(&(struct naming){ .no_demangle = true }, &ten->symbolizer), 0);
	assert_int_equal(resolve_plan(&ten->plan, ten->symbolizer, &ten->attach), 0);
	assert_int_equal(ten->attach.places.nr, 10);
	ten->attach.mechanism = MECHANISM_UPROBE;
	assert_int_equal(loaded_new(&ten->plan, &ten->attach, &ten->loaded), 0);
	assert_int_equal(attachment_new(ten->loaded, &ten->attachment), 0);
}

static void one_by_one_done(struct one_by_one *ten)
{
	attachment_free(ten->attachment);
	loaded_free(ten->loaded);
	symbolizer_free(ten->symbolizer);
	attach_plan_done(&ten->attach);
	plan_done(&ten->plan);
}

/* A signal that will end the run is pending while its places are attached, one by one. */
TEST(who_has_had_enough_does_not_wait_for_the_last_place)
{
	_cleanup_(buf_done) struct buf refused = {};
	struct one_by_one ten;
	sigset_t blocked;
	int signal;

	one_by_one_load(&ten);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGTERM);
	assert_int_equal(attachment_attach(ten.attachment, &ten.plan), 0);
	assert_int_equal(attachment_nr_attached(ten.attachment), 1);
	attachment_describe_refused(ten.attachment, &refused);
	assert_string_equal(buf_text(&refused), "9 of 10 probes were not attached: the run stopped first\n");
	sigwait(&blocked, &signal);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	one_by_one_done(&ten);
}

static void count_call(void *context)
{
	(*(unsigned int *)context)++;
}

/* The side-band fills its rings while thousands of places are attached and detached, so somebody must have the time to read it. */
TEST(between_two_places_somebody_else_has_a_turn)
{
	unsigned int nr_calls = 0;
	_cleanup_(one_by_one_done) struct one_by_one ten;

	one_by_one_load(&ten);
	attachment_set_between(ten.attachment, count_call, &nr_calls);
	assert_int_equal(attachment_attach(ten.attachment, &ten.plan), 0);
	assert_int_equal(attachment_nr_attached(ten.attachment), 10);
	assert_in_range(nr_calls, 9, 10);
	nr_calls = 0;
	attachment_detach(ten.attachment); /* several at once */
	assert_in_range(nr_calls, 1, 10);
}

static void attach_to_replaced_file(bool one_process)
{
	char folder[] = "/tmp/st-attach.XXXXXX";
	_cleanup_(freep) char *calls = fixture("calls"), *spin = fixture("spin"), *path, *other;
	struct attach_plan attach = {};
	struct symbolizer *symbolizer;
	struct attachment *attachment;
	struct loaded *loaded;
	struct program program;
	struct plan plan;

	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/program", folder);
	other = xasprintf("%s/other", folder);
	copy_file(calls, path);
	copy_file(spin, other);
	program_start(&program, path);
	plan_init(&plan);
	plan.probe = (struct probe_spec){
		.kind = &probe_user_function,
		.typed = xstrdup("st_fix_hit"),
		.target = xstrdup(path),
		.pattern = xstrdup("st_fix_hit"),
	};
	if (one_process)
		vec_push(&plan.tgids, (uint32_t)program.pid);
	assert_int_equal(naming_start(&(struct naming){ .no_demangle = true }, &symbolizer), 0);
	assert_int_equal(resolve_plan(&plan, symbolizer, &attach), 0);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(loaded_new(&plan, &attach, &loaded), 0);
	assert_int_equal(attachment_new(loaded, &attachment), 0);
	if (attachment_attach(attachment, &plan))
		fail_msg("%s", err_cause());
	program_run(&program);
	assert_int_equal(nr_seen(loaded), NR_EVENTS);
	attachment_free(attachment);
	loaded_free(loaded);
	symbolizer_free(symbolizer);
	attach_plan_done(&attach);
	plan_done(&plan);
	program_end(&program);
	unlink(path);
	rmdir(folder);
}

TEST(a_file_replaced_before_attaching_is_not_probed_instead)
{
	attach_to_replaced_file(false);
}

TEST(nor_with_one_process)
{
	attach_to_replaced_file(true);
}
