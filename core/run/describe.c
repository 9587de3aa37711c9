/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/run/describe.h"

#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "core/base/clock.h"
#include "core/cli/status.h"
#include "core/cli/version.h"
#include "core/host/host.h"
#include "core/run/output.h"
#include "core/run/words.h"
#include "core/session/loaded.h"

static void describe_host(struct profile *profile)
{
	char text[256], build_id[BUILD_ID_HEX_SIZE];
	struct utsname name;

	host_describe(text, sizeof(text));
	profile->kernel_release = profile_add_string(profile, text);
	profile->tool_version = profile_add_string(profile, version_number());
	if (gethostname(text, sizeof(text)) == 0)
		profile->hostname = profile_add_string(profile, text);
	host_kernel_build_id(build_id);
	profile->host = (struct profile_host){
		.kernel_build_id = profile_add_string(profile, build_id),
		.nr_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN),
	};
	if (uname(&name))
		return;
	profile->host.machine = profile_add_string(profile, name.machine);
	profile->host.kernel_version = profile_add_string(profile, name.version);
}

static void describe_clocks(struct profile *profile, const struct plan *plan, const struct attach_plan *attach)
{
	profile->clocks = (struct profile_clocks){
		.monotonic_ns = clock_monotonic_ns(),
		.boot_ns = clock_now_ns(CLOCK_BOOTTIME),
		.real_ns = clock_now_ns(CLOCK_REALTIME),
	};
	if (attach->mechanism == MECHANISM_PERF_EVENT && !plan->looks && (attach->sample.is_clock || plan->period)) {
		profile->clocks.period = attach->sample.period;
		profile->clocks.period_is_time = attach->sample.is_clock;
	}
}

static void describe_event(struct profile *profile, const struct plan *plan, const struct attach_plan *attach)
{
	const char *event = plan->probe.typed, *unit = "events";

	if (plan->looks) {
		event = unit = "threads";
	} else if (attach->mechanism == MECHANISM_PERF_EVENT) {
		event = attach->sample.name;
		unit = "samples";
	} else if (attach->mechanism == MECHANISM_TP_BTF || attach->mechanism == MECHANISM_WALL || plan->view.slow) {
		event = plan->view.slow ? event : "sched:sched_switch";
		unit = "microseconds"; /* unit in reports; sums are in nanoseconds */
	}
	profile->event = profile_add_string(profile, event);
	profile->unit = profile_add_string(profile, unit);
}

void run_describe(struct profile *profile, const struct applet *applet, const struct plan *plan,
		  const struct attach_plan *attach)
{
	struct tm local = {};
	time_t now = time(NULL);

	profile_init(profile);
	profile->view = plan->view;
	profile->presentation = plan->presentation;
	output_change_view(&plan->output, &profile->view);
	profile->applet = profile_add_string(profile, plan->applet);
	describe_event(profile, plan, attach);
	profile->footer = profile_add_string(profile, applet->footer ? applet->footer : "");
	localtime_r(&now, &local);
	profile->utc_offset_s = (uint32_t)local.tm_gmtoff;
	describe_host(profile);
	describe_clocks(profile, plan, attach);
}

void run_describe_status(struct profile *profile, const struct plan *plan, bool lost, bool cut)
{
	int status = cut ? STATUS_CUT : plan->strict && lost ? STATUS_LOST : STATUS_DONE;

	profile->own_status = (uint32_t)status;
	profile->reason = status_word(status);
}

int run_explain(const struct plan *plan, const struct attach_plan *attach, bool *ret_stop)
{
	FILE *out = plan->explain ? stdout : stderr;
	_cleanup_(buf_done) struct buf text = {};
	int err = 0;

	*ret_stop = plan->explain;
	if (!plan->explain && !plan->debug)
		return 0;
	plan_describe(plan, &text);
	attach_plan_describe(attach, &text);
	resolve_describe_user_stacks(plan, attach, &text);
	if (plan->explain)
		run_say_places(attach);
	else
		err = loaded_describe(plan, attach, &text);
	if (err)
		return err;
	fputs(buf_text(&text), out);
	return fflush(out) ? -errno : 0;
}
