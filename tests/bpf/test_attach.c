/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaching: the file that was looked at is the one that is probed, whatever its path leads to by then. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/err.h"
#include "core/engine/naming.h"
#include "core/engine/resolve.h"
#include "core/engine/session.h"
#include "core/engine/session_private.h"

#include <cmocka.h>

#define NR_EVENTS 100

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	struct stat status;

	assert_true(in >= 0 && out >= 0);
	assert_int_equal(fstat(in, &status), 0);
	assert_int_equal(sendfile(out, in, NULL, (size_t)status.st_size), status.st_size);
	close(in);
	close(out);
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

static uint64_t nr_seen(const struct session *session)
{
	int nr_cpus = libbpf_num_possible_cpus();
	struct st_stats *each = xcalloc((size_t)nr_cpus, sizeof(*each));
	const uint32_t generation = 0;
	uint64_t sum = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(session->skeleton->maps.st_stats), &generation, each), 0);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		sum += each[cpu].seen;
	free(each);
	return sum;
}

static void plan_functions(struct plan *plan, const char *path, const char *pattern)
{
	plan_init(plan);
	plan->probe = (struct probe_spec){
		.kind = PROBE_USER_FUNCTION,
		.typed = xstrdup(pattern),
		.target = xstrdup(path),
		.pattern = xstrdup(pattern),
	};
	vec_push(&plan->tgids, (uint32_t)getpid());
}

/* A signal that will end the run is pending while its places are attached, one by one. */
static void who_has_had_enough_does_not_wait_for_the_last_place(void **state)
{
	_cleanup_(buf_done) struct buf refused = {};
	char *path = fixture("chain");
	struct attach_plan attach = {};
	struct symbolizer *symbolizer;
	struct session *session;
	struct plan plan;
	sigset_t blocked;
	int signal;

	(void)state;
	plan_functions(&plan, path, "st_fix_*");
	assert_int_equal(naming_start(&(struct naming){ .no_demangle = true }, &symbolizer), 0);
	assert_int_equal(resolve_plan(&plan, symbolizer, &attach), 0);
	attach.mechanism = MECHANISM_UPROBE; /* whatever else this kernel has */
	assert_int_equal(session_new(&plan, &attach, &session), 0);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	raise(SIGTERM);
	assert_int_equal(session_attach(session, &plan, &attach), 0);
	assert_int_equal(session_nr_attached(session), 1);
	session_describe_refused(session, &refused);
	assert_non_null(strstr(buf_text(&refused), " of 10 probes were refused, such as st_fix_"));
	assert_non_null(strstr(buf_text(&refused), ": the run was ended while they were attached"));
	sigwait(&blocked, &signal);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	session_free(session);
	symbolizer_free(symbolizer);
	attach_plan_done(&attach);
	plan_done(&plan);
	free(path);
}

static void attach_to_replaced_file(bool one_process)
{
	char folder[] = "/tmp/st-attach.XXXXXX";
	char *calls = fixture("calls"), *spin = fixture("spin"), *path, *other;
	struct attach_plan attach = {};
	struct symbolizer *symbolizer;
	struct session *session;
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
		.kind = PROBE_USER_FUNCTION,
		.typed = xstrdup("st_fix_hit"),
		.target = xstrdup(path),
		.pattern = xstrdup("st_fix_hit"),
	};
	if (one_process)
		vec_push(&plan.tgids, (uint32_t)program.pid);
	assert_int_equal(naming_start(&(struct naming){ .no_demangle = true }, &symbolizer), 0);
	assert_int_equal(resolve_plan(&plan, symbolizer, &attach), 0);
	assert_int_equal(rename(other, path), 0);
	assert_int_equal(session_new(&plan, &attach, &session), 0);
	if (session_attach(session, &plan, &attach))
		fail_msg("%s", err_cause());
	program_run(&program);
	assert_int_equal(nr_seen(session), NR_EVENTS);
	session_free(session);
	symbolizer_free(symbolizer);
	attach_plan_done(&attach);
	plan_done(&plan);
	program_end(&program);
	unlink(path);
	rmdir(folder);
	free(path);
	free(other);
	free(calls);
	free(spin);
}

static void a_file_replaced_before_attaching_is_not_probed_instead(void **state)
{
	attach_to_replaced_file(false);
}

static void nor_with_one_process(void **state)
{
	attach_to_replaced_file(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_replaced_before_attaching_is_not_probed_instead),
		cmocka_unit_test(nor_with_one_process),
		cmocka_unit_test(who_has_had_enough_does_not_wait_for_the_last_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
