/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a run.
 *
 * Their order matters. For safety, the symbol worker is forked before anything privileged is open, and privileges are dropped as soon as
 * everything is attached. For correct results, the side-band is opened before the first event can happen, and programs are detached before
 * the last drain.
 */
#include "core/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/replace.h"
#include "core/cli/applet.h"
#include "core/formats/profile_file.h"
#include "core/host/denied_calls.h"
#include "core/host/host.h"
#include "core/host/privilege.h"
#include "core/host/process.h"
#include "core/profile/redact.h"
#include "core/render/render.h"
#include "core/run/describe.h"
#include "core/run/slow_step.h"
#include "core/run/release.h"
#include "core/run/run_state.h"
#include "core/run/tables.h"
#include "core/run/words.h"
#include "core/session/look.h"
#include "symbolize/symbolize.h"

#define LARGE_BLOCK_BYTES (128 << 10) /* glibc's initial value */
#define MAX_COMMAND_WAIT_MS 1000 /* for the unwind tables of a command and its libraries, before it is released */

/* ---- prepare ---- */

/* The kernel decides when kallsyms is opened whether it shows addresses, so it is opened before privileges are dropped. */
static int open_kernel_symbols(struct run *run)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	run->no_kernel_symbols = fd < 0 ? errno : 0;
	return fd < 0 ? 0 : symbolizer_add_kernel(run->symbolizer, fd);
}

/* Freed large blocks go back to the kernel, here and in the worker. Otherwise glibc raises the threshold to the largest one. */
static void give_memory_back(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
}

static int start_naming(struct run *run)
{
	int err;

	give_memory_back();
	run->lines = (struct frame_lines){
		.left_ns = FRAME_LINES_NS,
		.kernel = { .vmlinux = run->plan->vmlinux, .directories = run->plan->debug_directories },
	};
	run->naming = (struct naming){ .no_demangle = run->plan->no_demangle,
				       .lines = run->plan->view.lines || run->plan->view.inlines,
				       .data = run->plan->off_cpu.locks,
				       .debug_directories = run->plan->debug_directories,
				       .host_root = run->plan->host_root,
				       .spaces = &run->spaces };
	/* while events are collected, names must not wait for a server */
	if (!run->plan->no_symbolize && !run->plan->interval_ns && !run_shows_events(run)) {
		debuginfod_start(&run->debuginfod);
		run->naming.debuginfod = run->lines.kernel.debuginfod = &run->debuginfod;
	}
	err = naming_start(&run->naming, &run->symbolizer);
	if (err || !run->plan->no_symbolize)
		return err;
	run->identifying = (struct naming){ .identify_only = true, .spaces = &run->spaces };
	return naming_start(&run->identifying, &run->identifier);
}

#define ALONE 2 /* this thread and one other: tables of its process are soon ready */

static int prepare(struct run *run)
{
	const struct plan *plan = run->plan;
	int err = process_require_proc() ?: run_pick_rows(run);
	uint32_t nr_runnable;

	host_nr_threads(&nr_runnable);
	run->is_busy = !nr_runnable || nr_runnable > ALONE; /* before helpers are started */
	err = err ?: run_require_targets(plan);
	err = err ?: run_guard_init(&run->guard, plan);
	if (!plan->explain || plan->output.format != OUTPUT_SCREEN)
		err = err ?: output_start(&run->output, plan->save_path)
			      ?: output_check(&plan->output, plan->save_path);
	err = err ?: start_naming(run);
	err = err ?: privilege_check();
	err = err ?: host_require_btf();
	return err ?: resolve_plan(plan, run->symbolizer, &run->attach);
}

/* ---- start ---- */

static void begin_interval(struct run *run, uint64_t start_ns)
{
	struct profile_interval interval = { .start_ns = start_ns };

	vec_push(&run->profile.intervals, interval);
}

/* The header needs the number of attached places. */
static void set_header(struct run *run)
{
	_cleanup_(buf_done) struct buf header = {};
	size_t nr = run->attach.mechanism == MECHANISM_PERF_EVENT ? 1 :
		    run->attach.nr_functions ?: attachment_nr_attached(run->attachment);

	if (run->applet->header)
		run->applet->header(run->plan, nr, &header);
	run->profile.header = profile_add_string(&run->profile, buf_text(&header));
}

static void note_remap(void *context, uint32_t tgid)
{
	const struct run *run = context;

	if (run->loaded)
		loaded_note_remap(run->loaded, tgid);
}

static void open_spaces(struct run *run)
{
	struct symbolizer *symbolizer = run->identifier ? run->identifier : run->symbolizer;
	bool unwinds = loaded_will_unwind(run->plan, &run->attach),
	     has_user_stacks = run->plan->want_user && run->plan->unwind != UNWIND_NONE;
	const struct spaces_options options = {
		.symbolizer = symbolizer,
		.profile = &run->profile,
		.no_frames = plan_counts_functions(run->plan),
		.only_tgid = plan_is_one_process(run->plan) ? run->plan->tgids.data[0] : 0,
		.follows = unwinds,
		.note_remap = has_user_stacks ? note_remap : NULL,
		.remap_context = run,
		.host_root = run->plan->host_root,
	};

	run->spaces = spaces_new(&options);
	if (unwinds) {
		const struct unwinding_options tables = { symbolizer, spaces_images(run->spaces), run->spaces };

		run->unwinding = unwinding_new(&tables);
	}
	run->tables = (struct tables){ run->plan,   &run->attach,   run->spaces,
				       symbolizer,  run->unwinding, run->command ? command_pid(run->command) : 0,
				       run->is_busy };
	tables_ask(&run->tables);
}

/* If the worker has died, that is no failure: another one replaces it, or names are missing. */
static int await_symbol_worker(struct run *run)
{
	int err = naming_await(run->symbolizer);

	if (err != -EIO)
		return err;
	err_clear();
	return 0;
}

/* The symbol worker starts and makes tables of the targets while the programs are loaded. */
static int load(struct run *run)
{
	int err;

	open_spaces(run);
	err = loaded_new(run->plan, &run->attach, &run->loaded) ?: await_symbol_worker(run);
	err = err ?: attachment_new(run->loaded, &run->attachment);
	return err ?: drain_new(run->loaded, run->attachment, run->plan, &run->drain);
}

/* Prints how this run differs from what the user may expect. */
static void say_fallback(struct run *run, const char *lacking)
{
	const struct plan *plan = run->plan;

	run_say_fallback(plan, &run->attach, run->attachment, run->spaces, lacking);
	run->lost |= run->attach.missing.nr;
	if (run->no_kernel_symbols && plan->want_kernel)
		run_say("/proc/kallsyms: %s: kernel frames have no names", strerror(run->no_kernel_symbols));
	if (run->is_cut && !plan->presentation.quiet)
		run_guard_say_cut(run->attach.places.nr, false);
}

static int watch_targets(struct run *run)
{
	const struct plan *plan = run->plan;

	if (!plan->tgids.nr && !plan->tids.nr)
		return 0;
	return process_watch_new(plan->tgids.data, plan->tgids.nr, plan->tids.data, plan->tids.nr, &run->watch);
}

static int new_collector(struct run *run)
{
	const struct collector_sources sources = { run->attachment, run->drain, run->spaces, run->unwinding,
						   run->watch };

	return collector_new(run->plan, &sources, &run->collector)
		       ?: collector_watch_keys(run->collector, run_screen_fd(run->screen));
}

static int start(struct run *run)
{
	int err = load(run) ?: open_kernel_symbols(run);

	if (!err) {
		run_describe(&run->profile, run->applet, run->plan, &run->attach);
		begin_interval(run, clock_monotonic_ns());
		spaces_start_over(run->spaces);
		run_await_tables(run);
		if (run->plan->vmlinux)
			err = kernel_debug_open(&run->lines.kernel, &run->profile, run->symbolizer);
	}
	event_stream_init(&run->events, run->plan);
	err = err ?: watch_targets(run);
	err = err ?: run_screen_new(run->plan, &run->screen);
	err = err ?: new_collector(run);
	ask_for_priority();
	err = err ?: attach_as_slow_step(run->attachment, run->spaces, run->plan, run->attach.places.nr);
	if (!err)
		set_header(run);
	return err;
}

/* ---- report ---- */

static int written(int err)
{
	if (err == -EINTR) /* the output was given up: ending.c */
		return -EPIPE;
	return err && err != -EPIPE ? fail_write(err, "standard output") : err;
}

static int write_interval(struct run *run)
{
	return output_write(&run->output, &run->profile, run->profile.intervals.nr - 1, 1);
}

static int print_report(struct run *run)
{
	int err = render_report(&run->profile, run_current(run), &run->profile.view, stdout);

	return written(err ?: fflush(stdout) ? -errno : 0);
}

/* Prints header or footer, if reports are printed as text. */
static int print_around(struct run *run,
			int (*render)(const struct profile *profile, const struct profile_view *view, FILE *out))
{
	int err;

	if (output_wanted(&run->plan->output) &&
	    !(run->plan->output.format == OUTPUT_SUMMARY && render == render_header))
		return 0;
	err = render(&run->profile, &run->profile.view, stdout);
	return written(err ?: fflush(stdout) ? -errno : 0);
}

/* ---- single events ---- */

static void forget_names(struct run *run, bool is_forgotten)
{
	if (is_forgotten)
		symbolizer_forget_names(run->symbolizer, run->profile.nr_kept_bytes);
}

/* Takes the new rows. They are only kept for a file, because memory would grow without limit. */
static int show_events(struct run *run)
{
	FILE *out = output_wanted(&run->plan->output) ? NULL : stdout;
	int err;

	event_stream_end(&run->events, run_current(run), clock_monotonic_ns());
	run_name_all(run);
	err = run_pick_rows(run);
	if (err)
		return err;
	err = event_stream_take(&run->events, &run->profile, run_current(run), out);
	if (event_stream_floods(&run->events) && out && !run->plan->presentation.quiet)
		run_say("more than 1,000 events a second: 'stacktool count %s' adds them up by stack",
			run->plan->probe.typed);
	if (!run->plan->save_path && out)
		forget_names(run, event_stream_forget(&run->events, &run->profile));
	return written(err);
}

/* Takes the remaining events, and writes all as a document if that is wanted. */
static int end_events(struct run *run)
{
	struct profile_interval *interval = run_current(run);
	int err = show_events(run);

	run->lost |= !profile_is_exact(interval);
	if (!err && output_wanted(&run->plan->output))
		err = write_interval(run);
	if (!err)
		render_notes(&run->profile, interval, stderr);
	return err;
}

static int print_interval(struct run *run)
{
	bool had_rows;
	int err = 0;

	if (run_shows_events(run))
		return end_events(run);
	if (run->screen)
		err = run_live_end(run);
	had_rows = run_current(run)->rows.nr;
	err = err ?: run_pick_rows(run);
	if (!err && had_rows && !run_current(run)->rows.nr && !run->plan->interval_ns && !run->plan->presentation.quiet)
		run_say_filtered();
	if (!err && !run->screen)
		err = output_wanted(&run->plan->output) ? write_interval(run) : print_report(run);
	if (!err)
		render_notes(&run->profile, run_current(run), stderr);
	return err;
}

/* Intervals are only kept for a file, because memory would grow without limit. */
void run_next_interval(struct run *run, bool forget)
{
	uint64_t start_ns = run_current(run)->end_ns; /* events during the report belong to the next interval */

	if (!run->plan->save_path)
		profile_clear_intervals(&run->profile);
	if (!run->plan->save_path && run_shows_events(run))
		forget_names(run, event_stream_forget(&run->events, &run->profile));
	run->events.nr_shown = 0;
	if (forget)
		drain_forget_end(run->drain, &run->profile);
	forget_names(run, forget);
	begin_interval(run, start_ns);
}

static int report_interval(struct run *run)
{
	struct drain_target target = run_target(run);
	bool forget = !run->plan->save_path && !run_shows_events(run) && profile_is_large(&run->profile);
	int err = forget ? drain_forget_begin(run->drain) : 0;

	err = err ?: drain_swap(run->drain, &target);
	if (err)
		return err;
	run_close_interval(run);
	err = print_interval(run);
	if (!err)
		run_next_interval(run, forget);
	return err;
}

static int take_keys(struct run *run, enum collect_reason *ret_reason)
{
	bool ends = false;
	int err = run_live_take(run, &ends);

	*ret_reason = ends ? COLLECT_SIGNAL : COLLECT_INTERVAL;
	return err;
}

/* ---- collecting ---- */

/* Call it when probes are detached: the terminal may be stopped, and printing then blocks. */
static void say_reason(struct run *run)
{
	const enum collect_reason reason = run->reason;

	if (reason == COLLECT_INTERVAL)
		return;
	run_progress_erase(&run->progress);
	if (reason == COLLECT_COST)
		run_guard_say_end(&run->guard);
	if (reason == COLLECT_TARGET_GONE && !run->command && !run->plan->presentation.quiet)
		run_say_gone(run->plan);
	else if (run->watch && !run->command && !run->plan->presentation.quiet)
		run_say_some_gone(run->plan, run->watch);
	run->lost |= run_say_leaderless(&run->attach);
	if (reason == COLLECT_DURATION && run->is_cut && !event_stream_full(&run->events))
		run_guard_say_cut(run->attach.places.nr, true);
}

/* A run that the guard ends counts as a loss for --strict. */
static int look_at_cost(struct run *run, enum collect_reason *ret_reason)
{
	int err = run_guard_look(&run->guard, &run->progress, run_current(run), &run->cut);

	run->lost |= run->cut;
	*ret_reason = run->cut ? COLLECT_COST : COLLECT_INTERVAL;
	return err;
}

static bool has_signal(void *context)
{
	return collector_signalled(((struct run *)context)->collector);
}

static struct look_sources look_sources(struct run *run)
{
	return (struct look_sources){ run->plan, run->loaded, run->drain, run->spaces, run->unwinding, has_signal, run };
}

static int look(struct run *run)
{
	static const char missing[] = "threads that were not read twice by then are missing";
	const struct look_sources sources = look_sources(run);
	struct drain_target target = run_target(run);
	_cleanup_(buf_done) struct buf notes = {};
	bool is_cut = false;
	int err = look_at_threads(&sources, &target, &run->sampled, &is_cut, &notes);

	run->reason = has_signal(run) ? COLLECT_SIGNAL : COLLECT_DURATION;
	run->lost |= is_cut;
	if (run->plan->presentation.quiet)
		return err;
	if (is_cut && run->reason == COLLECT_SIGNAL)
		run_say("ended by a signal: %s", missing);
	else if (is_cut)
		run_say("ended after %d s: %s", LOOK_SECONDS, missing);
	if (notes.nr)
		run_say_lines(buf_text(&notes));
	return err;
}

/* A new command has no thread that could sleep until the end, so threads are not read. */
static int begin_wall(struct run *run)
{
	const struct look_sources sources = look_sources(run);
	struct drain_target target = run_target(run);
	int err = run->plan->wall ? wall_begin(run->loaded, run->command, &run->wall) : 0;

	return err || !run->wall || run->command ? err : wall_look(run->wall, &sources, &target);
}

static int collect(struct run *run)
{
	enum collect_reason reason = COLLECT_INTERVAL;
	int err = 0;

	while (!err && reason == COLLECT_INTERVAL) {
		struct drain_target target = run_target(run);

		err = collector_wait(run->collector, &target, &reason);
		if (reason != COLLECT_LOOK) /* a check of the cost prints rarely */
			run_progress_erase(&run->progress);
		if (!err && reason == COLLECT_INTERVAL)
			err = run->screen ? run_live_refresh(run) : report_interval(run);
		if (!err && reason == COLLECT_KEYS)
			err = take_keys(run, &reason);
		if (!err && reason == COLLECT_EVENTS)
			err = show_events(run);
		if (!err && reason == COLLECT_LOOK)
			err = look_at_cost(run, &reason);
		if (reason == COLLECT_EVENTS)
			reason = event_stream_full(&run->events) ? COLLECT_DURATION : COLLECT_INTERVAL;
		if (!err && reason == COLLECT_INTERVAL)
			run_progress_show(&run->progress, run->drain, &run->profile);
	}
	run->reason = err ? run->reason : reason;
	if (run->screen && (err || reason == COLLECT_SIGNAL))
		run_screen_leave(run->screen);
	run_say_python(run);
	return err;
}

/* Drains the rest, even after a failure, whose cause is kept. */
static int drain_rest(struct run *run, int err)
{
	struct drain_target target = run_target(run);
	const struct err_saved before = err_save();
	int drained = drain_all(run->drain, &target);

	if (!err)
		return drained;
	err_restore(&before);
	return err;
}

/* Saves the profile, even after a failure, whose cause is kept. */
static int save(struct run *run, int err)
{
	const struct err_saved before = err_save();
	int saved = run->plan->save_path ? profile_save(&run->profile, run->plan->save_path) : 0;

	if (!err || (err == -EPIPE && saved))
		return saved;
	return err_join(err, &before, saved);
}

/* Redacts the profile, even after a failure, because it is saved then too. */
static int hide_secrets(struct run *run, int err)
{
	if (!run->plan->redact && !err)
		run_say_secrets(run->plan, &run->profile);
	if (!run->plan->redact)
		return err;
	err = err ?: run_pick_rows(run);
	profile_redact(&run->profile);
	return err;
}

/* Ends the window while the programs are attached, even after a failure, whose cause is kept. */
static int end_wall(struct run *run, int err)
{
	const struct look_sources sources = look_sources(run);
	struct drain_target target = run_target(run);
	int failed = err ?: wall_look_last(run->wall, &sources, &target);
	const struct err_saved before = err_save();
	int ended = wall_end(run->wall);

	return failed ? err_join(failed, &before, ended) : ended;
}

static int finish_wall(struct run *run, int err)
{
	const struct err_saved before = err_save();
	struct drain_target target = run_target(run);
	int finished = run->wall ? wall_finish(run->wall, &target) : 0;

	if (run->wall)
		run->ended_ns = target.interval->end_ns;
	return err ? err_join(err, &before, finished) : finished;
}

/* Finishes the run, even after a failure: what was counted is drained and saved, but not printed. The first failure is reported. */
static int finish(struct run *run, int err)
{
	bool quiet = run->plan->presentation.quiet;
	int saved;

	err = end_wall(run, err);
	run->ended_ns = clock_monotonic_ns();
	output_run_ends(&run->output, run->ended_ns);
	run_guard_end(&run->guard);
	detach_as_slow_step(run->attachment, run->spaces, run->plan, &run->ending);
	say_reason(run);
	err = drain_rest(run, err);
	err = finish_wall(run, err);
	if (run->plan->looks)
		look_settle(&(struct drain_target){ .profile = &run->profile, .interval = run_current(run) },
			    &run->sampled);
	ending_step(&run->ending, ENDING_NAMING, 0);
	run_close_interval(run);
	if (run->command && (err || run_screen_is_left(run->screen) || collector_signalled(run->collector)))
		command_hurry(run->command);
	ending_end(&run->ending);
	run_end_collecting(run->plan, &run->collector);
	if (unwinding_nr_refused(run->unwinding))
		run_say("the unwind tables of some files do not fit into %llu MiB: see --unwind-mem",
			(unsigned long long)(run->plan->unwind_bytes >> 20));
	if (!err && !run_current(run)->rows.nr && !run->events.nr_events && !run->plan->interval_ns && !quiet &&
	    !run_current(run)->losses[ST_LOSS_CALL_OPEN] && !(run->plan->looks && run->reason == COLLECT_SIGNAL))
		run_say_empty(run->plan, run->command ? command_pid(run->command) : 0);
	run_describe_status(&run->profile, run->plan, run->lost, run->cut);
	err = hide_secrets(run, err);
	err = err ?: print_interval(run) ?: print_around(run, render_footer);
	saved = save(run, err);
	run_live_save_rest(run);
	if (!err)
		naming_warn(run->symbolizer, run->spaces, quiet);
	if (!saved && !run->plan->interval_ns && !quiet)
		run_say_files(&run->plan->output, run->plan->save_path, &run->profile);
	if (!saved && !quiet)
		run_guard_say(&run->guard, run->symbolizer);
	return saved;
}

/* Releases the command. The time for which it is held is not counted, except for single events. */
static int release(struct run *run)
{
	const struct release release = { run->plan,   &run->attach,   run->command,
					 run->spaces, run->unwinding, run->attachment };

	return release_command(&release, run_shows_events(run) ? NULL : &run_current(run)->start_ns);
}

/* From here on, a thread takes signals, even while the terminal blocks. It has no more privileges than the rest of the run. */
static int drop_privileges(struct run *run, struct buf *ret_lacking)
{
	privilege_note(ret_lacking);
	return privilege_drop() ?: denied_calls_begin_but_ptrace()
		       ?: ending_begin(&run->ending, run->collector, run->plan);
}

static int carry_out(struct run *run)
{
	_cleanup_(buf_done) struct buf lacking = {};
	int err = start(run);

	if (err)
		return err;
	run_guard_begin(&run->guard, run->attachment, &run->attach);
	if (run->command)
		unwinding_work(run->unwinding, MAX_COMMAND_WAIT_MS);
	/* attaching is not part of an interval, but single events may have come already */
	if (!run_shows_events(run))
		run_current(run)->start_ns = clock_monotonic_ns();
	err = drop_privileges(run, &lacking);
	if (err)
		return err;
	say_fallback(run, buf_text(&lacking));
	if (run->plan->debug)
		run_say_privileges();
	err = print_around(run, render_header);
	err = err ?: begin_wall(run);
	run_say_attached();
	if (!err && run->command)
		err = release(run);
	err = err ?: denied_calls_add_ptrace();
	run_progress_begin(&run->progress, run->plan);
	err = err ?: collector_start(run->collector);
	if (run->plan->duration_ns)
		output_run_ends(&run->output, clock_monotonic_ns() + run->plan->duration_ns);
	if (!err && run->screen)
		err = run_screen_begin(run->screen, &run->profile);
	if (err && err != -EPIPE)
		return err;
	if (!err)
		err = run->plan->looks ? look(run) : collect(run);
	return finish(run, err);
}

/* Detaches while signals are still caught: afterwards the next one ends the program at once. */
static void run_done(struct run *run)
{
	attachment_detach(run->attachment);
	ending_end(&run->ending);
	collector_free(run->collector);
	run_screen_free(run->screen);
	process_watch_free(run->watch);
	unwinding_free(run->unwinding);
	spaces_free(run->spaces);
	drain_free(run->drain);
	attachment_free(run->attachment);
	loaded_free(run->loaded);
	symbolizer_free(run->symbolizer);
	symbolizer_free(run->identifier);
	debuginfod_done(&run->debuginfod);
	frame_lines_done(&run->lines);
	command_free(run->command);
	attach_plan_done(&run->attach);
	output_done(&run->output);
	run_guard_done(&run->guard);
	tables_done(&run->tables);
	vec_done(&run->sampled);
	wall_free(run->wall);
	profile_done(&run->profile);
}

int run_plan(const struct applet *applet, struct plan *plan, struct run_result *ret_result)
{
	struct run run = { .applet = applet, .plan = plan, .output.options = &plan->output };
	bool stop = false;
	int err;

	*ret_result = (struct run_result){ .command_status = -1 };
	if (plan->ebpf) {
		puts("--explain names the BPF program; 'bpftool prog dump xlated name PROGRAM' prints it while it runs");
		return 0;
	}
	/* the command's process is created first, and waits until everything is attached to it */
	err = plan->command ? command_start(plan->command, &run.command) : 0;
	ret_result->command_status = command_status_of(err);
	if (run.command)
		vec_push(&plan->tgids, command_pid(run.command));
	err = err ?: prepare(&run);
	err = err ?: run_guard_duration(plan, run.attach.places.nr, &run.is_cut);
	err = err ?: run_explain(plan, &run.attach, &stop);
	if (!err && !stop)
		err = carry_out(&run);
	if (err == -EPIPE && run.ending.has_given_up)
		err = fail(-ECANCELED, "standard output: nobody reads it: the rest is not written");
	ret_result->lost = plan->strict && run.lost;
	ret_result->cut = run.cut;
	/* of a command that could not be executed, or of any command if the run did not fail */
	if (!stop && run.command && (!err || err == -EPIPE || command_refused(run.command)))
		ret_result->command_status = command_wait(run.command);
	run_done(&run);
	return err == -EPIPE ? 0 : err;
}
