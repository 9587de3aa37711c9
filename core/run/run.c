/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a run, step by step; each step has its owner elsewhere.
 *
 * The order matters for safety: the symbol worker is forked before anything privileged is open, the side-band starts
 * before the first event can happen, and privileges go as soon as everything is attached. And for truth: programs are
 * detached before the last drain.
 */
#include "core/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/base/err.h"
#include "core/base/replace.h"
#include "core/cli/applet.h"
#include "core/formats/profile_file.h"
#include "core/host/command.h"
#include "core/host/denied_calls.h"
#include "core/host/host.h"
#include "core/host/privilege.h"
#include "core/host/process.h"
#include "core/naming/naming.h"
#include "core/naming/frame_lines.h"
#include "core/profile/context.h"
#include "core/render/filter.h"
#include "core/render/render.h"
#include "core/resolve/resolve.h"
#include "core/run/describe.h"
#include "core/run/ending.h"
#include "core/run/events.h"
#include "core/run/guard.h"
#include "core/run/output.h"
#include "core/run/patience.h"
#include "core/run/progress.h"
#include "core/run/screen.h"
#include "core/run/words.h"
#include "core/session/attachment.h"
#include "core/session/collect.h"
#include "core/session/drain.h"
#include "core/session/loaded.h"
#include "core/spaces/spaces.h"
#include "symbolize/symbolize.h"

#define MAX_TARGETS_WAIT_MS 2000 /* for the unwind tables of the targets, before the first event */
#define MAX_COMMAND_WAIT_MS 1000 /* for those of a command and its libraries, before it is released */

struct run {
	const struct applet *applet;
	const struct plan *plan;
	struct attach_plan attach;
	struct naming naming, identifying;
	struct debuginfod debuginfod;
	struct symbolizer *symbolizer;
	struct frame_lines lines;
	struct symbolizer *identifier; /* with --no-symbolize: gets the files of frames instead */
	struct loaded *loaded;
	struct attachment *attachment;
	struct drain *drain;
	struct spaces *spaces;
	struct unwinding *unwinding; /* NULL: no unwind tables */
	struct collector *collector;
	struct process_watch *watch;
	struct command *command; /* NULL: none */
	struct profile profile;
	struct output output;
	struct run_screen *screen; /* NULL without --tui */
	struct event_stream events; /* only with EVENTS_EACH */
	int no_kernel_symbols; /* errno of opening them; 0: they are there */
	struct run_guard guard;
	struct run_progress progress;
	struct ending ending;
	bool is_cut; /* the duration is not the user's */
	uint64_t ended_ns, wall_ended_ns; /* when detaching began: CLOCK_MONOTONIC, CLOCK_REALTIME; 0 not yet */
	bool lost;
};

/* ---- prepare ---- */

/* kallsyms decides at open() whether it will show addresses, so it is opened while the tool is privileged. */
static int open_kernel_symbols(struct run *run)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	run->no_kernel_symbols = fd < 0 ? errno : 0;
	return fd < 0 ? 0 : symbolizer_add_kernel(run->symbolizer, fd);
}

static bool shows_events(const struct run *run)
{
	return run->plan->view.style == VIEW_SNOOP;
}

static int start_naming(struct run *run)
{
	int err;

	run->lines = (struct frame_lines){
		.left_ns = FRAME_LINES_NS,
		.kernel = { .vmlinux = run->plan->vmlinux, .directories = run->plan->debug_directories },
	};
	run->naming = (struct naming){ .no_demangle = run->plan->no_demangle,
				       .lines = run->plan->view.lines || run->plan->view.inlines,
				       .debug_directories = run->plan->debug_directories,
				       .host_root = run->plan->host_root,
				       .spaces = &run->spaces };
	/* Names that are wanted while events come must not wait for a server. */
	if (!run->plan->no_symbolize && !run->plan->interval_ns && !shows_events(run)) {
		debuginfod_start(&run->debuginfod);
		run->naming.debuginfod = run->lines.kernel.debuginfod = &run->debuginfod;
	}
	err = naming_start(&run->naming, &run->symbolizer);
	if (err || !run->plan->no_symbolize)
		return err;
	run->identifying = (struct naming){ .identify_only = true, .spaces = &run->spaces };
	return naming_start(&run->identifying, &run->identifier);
}

/* Removes the rows that are not asked for. Of an empty profile it only checks the expressions. */
static int pick_rows(struct run *run)
{
	return filter_apply(&run->plan->filter, &run->profile);
}

static int prepare(struct run *run)
{
	const struct plan *plan = run->plan;
	int err = process_require_proc() ?: pick_rows(run);

	err = err ?: run_require_targets(plan);
	err = err ?: run_guard_init(&run->guard, plan);
	if (!err && plan->save_path)
		err = replace_file_check(plan->save_path);
	err = err ?: output_check(&plan->output) ?: output_start(&run->output, plan->save_path);
	err = err ?: start_naming(run);
	err = err ?: privilege_check();
	err = err ?: host_require_btf() ?: naming_await(run->symbolizer);
	return err ?: resolve_plan(plan, run->symbolizer, &run->attach);
}

/* ---- start ---- */

static void begin_interval(struct run *run)
{
	struct profile_interval interval = { .start_ns = clock_monotonic_ns() };

	vec_push(&run->profile.intervals, interval);
}

/* The header has the number of places that were attached. */
static void set_header(struct run *run)
{
	_cleanup_(buf_done) struct buf header = {};
	size_t nr = run->attach.mechanism == MECHANISM_PERF_EVENT ? 1 : attachment_nr_attached(run->attachment);

	if (run->applet->header)
		run->applet->header(run->plan, nr, &header);
	run->profile.header = profile_add_string(&run->profile, buf_text(&header));
}

/* The symbol worker makes the tables of the targets, or of what the command will map, from now on. */
static void ask_for_tables(struct run *run)
{
	const struct plan *plan = run->plan;

	if (run->unwinding && run->command && spaces_expect(run->spaces, command_pid(run->command)))
		unwinding_expect(run->unwinding, plan->command[0]);
	for (size_t i = 0; !run->command && i < plan->tgids.nr && plan->mode != EVENTS_BY_PROBE; i++)
		spaces_prime(run->spaces, plan->tgids.data[i]);
	unwinding_work(run->unwinding, 0);
}

/* Gives the programs what is made, and waits for the tables of targets. */
static void await_tables(struct run *run)
{
	struct unwind_store_options store = { .max_bytes = run->plan->unwind_bytes };

	if (!run->unwinding || !loaded_unwind_maps(run->loaded, &store))
		return;
	unwinding_set_store(run->unwinding, &store);
	if (run->plan->tgids.nr && !run->command)
		unwinding_work(run->unwinding, MAX_TARGETS_WAIT_MS);
}

static void open_spaces(struct run *run)
{
	struct symbolizer *symbolizer = run->identifier ? run->identifier : run->symbolizer;
	bool unwinds = loaded_will_unwind(run->plan, &run->attach);
	const struct spaces_options options = {
		.symbolizer = symbolizer,
		.profile = &run->profile,
		.no_frames = run->plan->mode == EVENTS_BY_PROBE,
		.only_tgid = plan_is_one_process(run->plan) ? run->plan->tgids.data[0] : 0,
		.follows = unwinds,
		.host_root = run->plan->host_root,
	};

	run->spaces = spaces_new(&options);
	if (unwinds) {
		const struct unwinding_options tables = { symbolizer, spaces_images(run->spaces), run->spaces };

		run->unwinding = unwinding_new(&tables);
	}
	ask_for_tables(run);
}

/* Tables of the targets are made meanwhile, so that loading the programs does not wait for them nor they for it. */
static int load(struct run *run)
{
	int err;

	open_spaces(run);
	err = loaded_new(run->plan, &run->attach, &run->loaded);
	err = err ?: attachment_new(run->loaded, &run->attachment);
	return err ?: drain_new(run->loaded, run->attachment, run->plan, &run->drain);
}

static void say_places(const struct run *run)
{
	run_say_lines(run->plan, buf_text(&run->attach.note));
	run_say_lines(run->plan, buf_text(&run->attach.missing));
}

/* What this run does otherwise than the user may expect, before it starts. */
static void say_fallback(struct run *run)
{
	const struct plan *plan = run->plan;
	const struct attach_plan *attach = &run->attach;
	bool quiet = plan->presentation.quiet;
	_cleanup_(buf_done) struct buf lines = {};

	privilege_note(&lines);
	run_say_lines(plan, buf_text(&lines));
	buf_clear(&lines);
	attachment_describe_refused(run->attachment, &lines);
	run_say_lines(plan, buf_text(&lines));
	say_places(run);
	run->lost |= attach->missing.nr;
	run_say_lines(plan, attach->unwind_note);
	if (attach->mechanism == MECHANISM_PERF_EVENT && attach->sample.why[0] && !quiet)
		run_say(plan, "sampling by %s: %s", attach->sample.name, attach->sample.why);
	if (run->no_kernel_symbols && plan->want_kernel)
		run_say(plan, "/proc/kallsyms: %s: kernel frames have no names", strerror(run->no_kernel_symbols));
	if (run->is_cut && !quiet)
		run_guard_say_cut(plan, attach->places.nr, false);
	if (run->spaces && spaces_note(run->spaces))
		run_say(plan, "%s", spaces_note(run->spaces));
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
		begin_interval(run);
		await_tables(run);
		if (run->plan->vmlinux)
			err = kernel_debug_open(&run->lines.kernel, &run->profile, run->symbolizer);
	}
	event_stream_init(&run->events, run->plan);
	err = err ?: watch_targets(run);
	err = err ?: run_screen_new(run->plan, &run->screen);
	err = err ?: new_collector(run);
	ask_for_priority();
	err = err ?: attach_patiently(run->attachment, run->spaces, run->plan, run->attach.places.nr);
	if (!err)
		set_header(run);
	return err;
}

/* ---- report ---- */

static struct profile_interval *current(struct run *run)
{
	return &vec_last(&run->profile.intervals);
}

static struct drain_target target_of(struct run *run)
{
	return (struct drain_target){
		.profile = &run->profile, .spaces = run->spaces, .unwinding = run->unwinding, .interval = current(run)
	};
}

static int written(int err)
{
	return err && err != -EPIPE ? fail_write(err, "standard output") : err;
}

/* With -o or --format: the interval as a document of its own. */
static int write_interval(struct run *run)
{
	return output_write(&run->output, &run->profile, run->profile.intervals.nr - 1, 1);
}

static int print_report(struct run *run)
{
	int err = render_report(&run->profile, current(run), &run->profile.view, stdout);

	return written(err ?: fflush(stdout) ? -errno : 0);
}

/* Lines around the reports belong to reports that are printed. */
static int print_around(struct run *run,
			int (*render)(const struct profile *profile, const struct profile_view *view, FILE *out))
{
	int err;

	if (output_wanted(&run->plan->output))
		return 0;
	err = render(&run->profile, &run->profile.view, stdout);
	return written(err ?: fflush(stdout) ? -errno : 0);
}

/* How long source lines may be looked up while events go on: what comes meanwhile has to wait. */
static uint64_t lines_time_ns(const struct run *run)
{
	if (run->ended_ns)
		return UINT64_MAX;
	return run->plan->interval_ns && !shows_events(run) ? run->plan->interval_ns / 2 : NSEC_PER_SEC;
}

/* Names, or what is needed to look them up elsewhere. */
static void name_all(struct run *run)
{
	if (!run->identifier) {
		name_frames(&run->profile, run->symbolizer, run->spaces);
		frame_lines_find(&run->lines, &run->profile, run->symbolizer, NULL, lines_time_ns(run));
		return;
	}
	identify_frames(&run->profile, run->symbolizer, run->identifier);
	spaces_name_generated(run->spaces); /* cannot be looked up later */
}

/* What has to be known of an interval while its processes and files are there, printed or not. */
static void close_interval(struct run *run)
{
	struct profile_interval *interval = current(run);

	interval->end_ns = run->ended_ns ? run->ended_ns : clock_monotonic_ns();
	interval->wall_end_ns = run->ended_ns ? run->wall_ended_ns : clock_now_ns(CLOCK_REALTIME);
	if (shows_events(run)) /* a row without a stack is events that are not counted */
		event_stream_end(&run->events, interval, interval->end_ns);
	else
		profile_count_lost_stacks(&run->profile, interval);
	name_all(run);
	settle_contexts(&run->profile);
	profile_count_shown_stacks(&run->profile, interval);
	run->lost |= !profile_is_exact(interval);
}

/* ---- events by themselves ---- */

/* What has come since the last time. Rows are kept only for a file; otherwise a run of days would keep them all. */
static int show_events(struct run *run)
{
	FILE *out = output_wanted(&run->plan->output) ? NULL : stdout;
	int err;

	event_stream_end(&run->events, current(run), clock_monotonic_ns());
	name_all(run);
	err = pick_rows(run);
	if (err)
		return err;
	err = event_stream_take(&run->events, &run->profile, current(run), out);
	if (event_stream_floods(&run->events) && out && !run->plan->presentation.quiet)
		run_say(run->plan, "more than 1,000 events a second: 'stacktool count %s' adds them up by stack",
			run->plan->probe.typed);
	if (!run->plan->save_path && out)
		event_stream_forget(&run->events, &run->profile);
	return written(err);
}

/* What is left, and all of it where that is a document. */
static int end_events(struct run *run)
{
	struct profile_interval *interval = current(run);
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
	int err;

	if (shows_events(run))
		return end_events(run);
	err = pick_rows(run);
	if (!err && run->screen)
		err = run_screen_end(run->screen, &run->profile, current(run));
	else if (!err)
		err = output_wanted(&run->plan->output) ? write_interval(run) : print_report(run);
	if (!err)
		render_notes(&run->profile, current(run), stderr);
	return err;
}

/* Intervals are kept only for a file; otherwise a run of days would keep them all, and every stack it ever saw. */
static void next_interval(struct run *run, bool forget)
{
	if (!run->plan->save_path)
		profile_clear_intervals(&run->profile);
	if (!run->plan->save_path && shows_events(run))
		event_stream_forget(&run->events, &run->profile);
	run->events.nr_shown = 0;
	if (forget)
		drain_forget_end(run->drain, &run->profile);
	begin_interval(run);
}

static int report_interval(struct run *run)
{
	struct drain_target target = target_of(run);
	bool forget = !run->plan->save_path && !shows_events(run) && profile_is_large(&run->profile);
	int err = forget ? drain_forget_begin(run->drain) : 0;

	err = err ?: drain_swap(run->drain, &target);
	if (err)
		return err;
	close_interval(run);
	err = print_interval(run);
	if (!err)
		next_interval(run, forget);
	return err;
}

/* ---- on the terminal ---- */

static int refresh_screen(struct run *run)
{
	struct drain_target target = target_of(run);
	int err = drain_swap(run->drain, &target);

	if (err)
		return err;
	name_all(run);
	return run_screen_refresh(run->screen, &run->profile, current(run));
}

static int take_keys(struct run *run, enum collect_reason *ret_reason)
{
	bool ends = false;
	int err = run_screen_take(run->screen, &ends);

	if (run_screen_is_signalled(run->screen))
		collector_note_signal(run->collector);
	if (ends)
		ending_note_signal(&run->ending);
	*ret_reason = ends ? COLLECT_SIGNAL : COLLECT_INTERVAL;
	return err;
}

/* ---- collecting ---- */

static void say_reason(struct run *run, enum collect_reason reason)
{
	if (reason == COLLECT_TARGET_GONE && !run->command && !run->plan->presentation.quiet)
		run_say_gone(run->plan);
	else if (run->watch && !run->command && !run->plan->presentation.quiet)
		run_say_some_gone(run->plan, run->watch);
	run->lost |= run_say_leaderless(&run->attach);
	if (reason == COLLECT_DURATION && run->is_cut && !event_stream_full(&run->events))
		run_guard_say_cut(run->plan, run->attach.places.nr, true);
}

/* A run that ends because of its cost counts as a loss for --strict. */
static int look_at_cost(struct run *run, enum collect_reason *ret_reason)
{
	bool ends = false;
	int err = run_guard_look(&run->guard, &ends);

	run->lost |= ends;
	*ret_reason = ends ? COLLECT_COST : COLLECT_INTERVAL;
	return err;
}

static int collect(struct run *run)
{
	enum collect_reason reason = COLLECT_INTERVAL;
	int err = 0;

	while (!err && reason == COLLECT_INTERVAL) {
		struct drain_target target = target_of(run);

		err = collector_wait(run->collector, &target, &reason);
		run_progress_erase(&run->progress); /* before anything is printed */
		if (!err && reason == COLLECT_INTERVAL)
			err = run->screen ? refresh_screen(run) : report_interval(run);
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
	if (!err)
		say_reason(run, reason);
	if (run->screen && (err || reason == COLLECT_SIGNAL))
		run_screen_leave(run->screen);
	return err;
}

/* Drains what is left, after a failure too, whose cause stays. */
static int drain_rest(struct run *run, int err)
{
	struct drain_target target = target_of(run);
	const struct err_saved before = err_save();
	int drained = drain_all(run->drain, &target);

	if (!err)
		return drained;
	err_restore(&before);
	return err;
}

/* The same for `--save`. */
static int save(struct run *run, int err)
{
	const struct err_saved before = err_save();
	int saved = run->plan->save_path ? profile_save(&run->profile, run->plan->save_path) : 0;

	if (!err || (err == -EPIPE && saved))
		return saved;
	err_restore(&before);
	return err;
}

/* After a failure too: what was counted until then is drained and saved, but not printed. The first failure is reported. */
static int finish(struct run *run, int err)
{
	bool quiet = run->plan->presentation.quiet;
	int saved;

	run->ended_ns = clock_monotonic_ns();
	run->wall_ended_ns = clock_now_ns(CLOCK_REALTIME);
	run_guard_end(&run->guard);
	detach_patiently(run->attachment, run->spaces, run->plan, &run->ending);
	err = drain_rest(run, err);
	ending_step(&run->ending, ENDING_NAMING, 0);
	close_interval(run);
	if (run->command && (err || run_screen_is_left(run->screen) || collector_signalled(run->collector)))
		command_hurry(run->command);
	ending_end(&run->ending);
	collector_free(run->collector);
	run->collector = NULL;
	if (unwinding_nr_refused(run->unwinding))
		run_say(run->plan, "the unwind tables of some files do not fit into %llu MiB: see --unwind-mem",
			(unsigned long long)(run->plan->unwind_bytes >> 20));
	if (!err && !run->profile.records.nr && !shows_events(run) && !run->plan->interval_ns && !quiet)
		run_say_empty(run->plan, run->command ? command_pid(run->command) : 0);
	err = err ?: print_interval(run);
	err = err ?: print_around(run, render_footer);
	saved = save(run, err);
	if (!err)
		naming_warn(run->symbolizer, run->spaces, quiet);
	if (!saved && !quiet)
		run_guard_say(&run->guard, run->symbolizer);
	return saved;
}

static int carry_out(struct run *run)
{
	int err = start(run);

	if (err)
		return err;
	run_guard_begin(&run->guard, run->attachment, &run->attach);
	if (run->command)
		unwinding_work(run->unwinding, MAX_COMMAND_WAIT_MS);
	/* Attaching is part of no interval, except for events, of which there may be some already. */
	if (!shows_events(run))
		current(run)->start_ns = clock_monotonic_ns();
	say_fallback(run);
	err = privilege_drop() ?: denied_calls_begin();
	if (err)
		return err;
	if (run->plan->debug)
		run_say_privileges(run->plan);
	err = print_around(run, render_header);
	run_say_attached();
	if (!err && run->command)
		err = command_release(run->command);
	run_progress_begin(&run->progress, run->plan);
	err = err ?: ending_begin(&run->ending, run->collector, run->plan);
	err = err ?: collector_start(run->collector);
	if (!err && run->screen)
		err = run_screen_begin(run->screen, &run->profile);
	if (err && err != -EPIPE)
		return err;
	return finish(run, err ? err : collect(run));
}

/* Probes go while signals are still taken: the next one may end the program at once. */
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
	profile_done(&run->profile);
}

/* --explain prints and stops; --debug prints the configuration of the programs, too, and goes on. */
static int explain(struct run *run, bool *ret_stop)
{
	const struct plan *plan = run->plan;
	FILE *out = plan->explain ? stdout : stderr;
	_cleanup_(buf_done) struct buf text = {};
	int err = 0;

	*ret_stop = plan->explain;
	if (!plan->explain && !plan->debug)
		return 0;
	plan_describe(plan, &text);
	attach_plan_describe(&run->attach, &text);
	if (plan->explain)
		say_places(run);
	else
		err = loaded_describe(plan, &run->attach, &text);
	if (err)
		return err;
	fputs(buf_text(&text), out);
	return fflush(out) ? -errno : 0;
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
	/* The process of a command exists and waits from the start, so that everything can be attached to it. */
	err = plan->command ? command_start(plan->command, &run.command) : 0;
	if (run.command)
		vec_push(&plan->tgids, command_pid(run.command));
	err = err ?: prepare(&run);
	err = err ?: run_guard_duration(plan, run.attach.places.nr, &run.is_cut);
	err = err ?: explain(&run, &stop);
	if (!err && !stop)
		err = carry_out(&run);
	ret_result->lost = plan->strict && run.lost;
	/* The status of a command that could not be executed, or of any command after a run without failure. */
	if (!stop && run.command && (!err || err == -EPIPE || command_refused(run.command)))
		ret_result->command_status = command_wait(run.command);
	run_done(&run);
	return err == -EPIPE ? 0 : err;
}
